//! The floor of the forum: who speaks where next.
//!
//! Each place, the main channel or a thread, has a floor of its own; a participant holds one floor at a time. Nobody speaks
//! twice in a row in a place. The floor of a place goes to somebody who has waited as long as anybody may; else to the one
//! with the highest attention to the place, first among those who give no other open place more attention. In a thread,
//! those who took part in it or whose attention is high enough to join are eligible. The choice is recorded before the turn
//! is requested, since other places go on while the speaker thinks.

use std::collections::BTreeSet;

use crate::engines::forum::attention::to_place;
use crate::engines::forum::forum_state::{ForumState, Place};
use crate::engines::talk::state::Talk;
use crate::events::channel::FloorGiven;
use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;

/// Number of floors given for each participant, anywhere, after which somebody has waited as long as anybody may.
const MAX_WAIT: usize = 2;

/// Floor of one place.
#[derive(Clone, Copy)]
pub struct PlaceFloor<'a, 's> {
    /// The talk.
    pub talk: &'a Talk,
    /// The forum.
    pub state: &'s ForumState,
    /// The place.
    pub place: Place,
    /// True if the main channel takes no further turn before the closing statements: its floor keeps nobody.
    pub is_main_over: bool,
}

/// Candidate for a floor. The order of the fields is that of their importance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Claim<'a> {
    /// Waited as long as anybody may wait.
    is_overdue: bool,
    /// Gives no other open place more attention.
    is_highest: bool,
    attention: f64,
    /// Has not taken a side on every question; counts in the main channel.
    is_wanted: bool,
    waited: usize,
    speaker: &'a Persona,
}

impl Claim<'_> {
    fn cmp(&self, other: &Claim) -> std::cmp::Ordering {
        let flags = |claim: &Claim| (claim.is_overdue, claim.is_highest);
        let rest = |claim: &Claim| (claim.is_wanted, claim.waited);
        let by_attention = || self.attention.total_cmp(&other.attention);
        flags(self).cmp(&flags(other)).then_with(by_attention).then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl<'a> PlaceFloor<'a, '_> {
    /// Returns the next speaker; `None` if nobody who is eligible is free. `wanted` are participants whose stance is missing.
    pub fn next(self, wanted: &[&PersonaId]) -> Option<&'a Persona> {
        self.chosen(wanted, &|id| self.may_speak(id)).map(|claim| claim.speaker)
    }

    /// Returns the event that gives the next speaker the floor; `None` if nobody who is eligible is free.
    pub fn given(self) -> Option<Event> {
        let claim = self.chosen(&[], &|id| self.may_speak(id))?;
        Some(self.event(&claim.speaker.id, self.reason(&claim)))
    }

    /// Returns the event that gives the floor to one of those who have not entered a thread.
    pub fn given_to_enter(self, missing: &[PersonaId]) -> Option<Event> {
        let claim = self.chosen(&[], &|id| missing.contains(id))?;
        Some(self.event(&claim.speaker.id, "the thread is about a disagreement of theirs".to_owned()))
    }

    /// Returns the event that gives the floor to the participant whom the talk chose.
    pub fn given_to(self, speaker: &PersonaId) -> Event {
        let is_hinted = self.talk.current_hint().is_some_and(|hint| hint.speaker == *speaker);
        let claim = self.chosen(&[], &|id| self.may_speak(id)).filter(|claim| claim.speaker.id == *speaker);
        let reason = match claim {
            _ if is_hinted => "the moderator has a hint for them".to_owned(),
            Some(claim) => self.reason(&claim),
            None => "has not taken a side on every question".to_owned(),
        };
        self.event(speaker, reason)
    }

    fn event(self, speaker: &PersonaId, reason: String) -> Event {
        let score = to_place(self.talk, self.state, speaker, self.place);
        let attention = score.map(|score| score.score).filter(|score| *score > 0.0);
        Event::FloorGiven(FloorGiven { speaker: speaker.clone(), room: self.place, reason, attention })
    }

    fn reason(self, claim: &Claim) -> String {
        let score = to_place(self.talk, self.state, &claim.speaker.id, self.place);
        match score.filter(|score| score.score > 0.0) {
            _ if claim.is_overdue => "has waited as long as anybody may".to_owned(),
            Some(score) => {
                let parts = [
                    (score.is_addressed, "is addressed"),
                    (score.is_member, "takes part in the thread"),
                    (score.is_in_focus, "its question is in focus"),
                    (score.similarity > 0.0, "what was said is close to a stance of theirs"),
                ];
                let parts: Vec<&str> = parts.into_iter().filter(|(is, _)| *is).map(|(_, what)| what).collect();
                format!("attention {:.2}: {}", score.score, parts.join(", "))
            }
            None => "has been silent longest".to_owned(),
        }
    }

    fn attention(self, id: &PersonaId, place: Place) -> f64 {
        to_place(self.talk, self.state, id, place).map_or(0.0, |score| score.score)
    }

    fn may_speak(self, id: &PersonaId) -> bool {
        let joins = || self.attention(id, self.place) >= self.state.options.joining;
        self.place.is_none_or(|room| self.state.is_member(id, room) || joins())
    }

    /// Returns the strongest claim among those who are eligible and free. Of equal ones, the first in speaking order wins.
    fn chosen(self, wanted: &[&PersonaId], is_eligible: &dyn Fn(&PersonaId) -> bool) -> Option<Claim<'a>> {
        let PlaceFloor { talk, state, place, is_main_over } = self;
        let main = || [None].into_iter().filter(|_| !is_main_over);
        let places = || main().chain(state.open().map(Some));
        let busy: BTreeSet<&PersonaId> = places().filter_map(|place| state.holder(talk, place)).collect();
        let is_idle = |other: &Place| *other != place && state.holder(talk, *other).is_none();
        let idle: Vec<Place> = places().filter(is_idle).collect();
        let n_speakers = talk.speakers().count();
        let last = state.last_speaker(talk, place).filter(|_| n_speakers > 1);
        let free = talk.speakers().filter(|speaker| !busy.contains(&speaker.id) && Some(&speaker.id) != last);
        let claims = free.filter(|speaker| is_eligible(&speaker.id)).map(|speaker| {
            let id = &speaker.id;
            let (attention, waited) = (self.attention(id, place), state.waited(id));
            Claim {
                is_overdue: waited >= MAX_WAIT * n_speakers,
                is_highest: idle.iter().all(|other| self.attention(id, *other) <= attention),
                attention,
                is_wanted: place.is_none() && wanted.contains(&id),
                waited,
                speaker,
            }
        });
        claims.reduce(|best, next| if next.cmp(&best).is_gt() { next } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::forum::settings::ForumOptions;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::channel::{AttentionScore, AttentionScored};
    use crate::events::crux::{RoomKind, RoomOpened};
    use crate::events::ids::{DisputeId, RoomId, TurnId};

    const PEOPLE: &[&str] = &["ada", "ben", "cleo", "dan"];

    /// Forum of four who have spoken once each, with attention as given: whose, to which turn, how much.
    struct Forum {
        talk: Talk,
        state: ForumState,
    }

    impl Forum {
        fn new(attention: &[(&str, u32, f64)]) -> Forum {
            let talk = talk(PEOPLE, &["ada: a", "ben: b", "cleo: c", "dan: d"]);
            let mut forum = Forum { talk, state: ForumState::new(ForumOptions::default()) };
            for turn in 1..=4 {
                let scores = attention.iter().filter(|(_, to, _)| *to == turn).map(|(who, _, score)| AttentionScore {
                    participant: persona(who),
                    score: *score,
                    similarity: *score,
                    is_addressed: false,
                    is_member: false,
                    is_in_focus: false,
                });
                let scored = AttentionScored { turn: TurnId(turn), scores: scores.collect(), by: None };
                forum.apply(&Event::AttentionScored(scored));
            }
            forum
        }

        fn apply(&mut self, event: &Event) {
            let n_main = self.talk.slots.len();
            self.talk.evolve(&noted(event));
            self.state.evolve(&self.talk, &noted(event), n_main);
        }

        fn open_thread(&mut self, room: u32, turns: [u32; 2], pair: [&str; 2]) {
            self.apply(&Event::RoomOpened(RoomOpened {
                room: RoomId(room),
                kind: RoomKind::Thread,
                parent: None,
                question: "Is it so?".to_owned(),
                dispute: Some(DisputeId(room + 1)),
                participants: pair.map(persona).to_vec(),
                turns: turns.map(TurnId).to_vec(),
                candidate: None,
                reason: None,
            }));
        }

        fn floor(&self, place: Place) -> PlaceFloor<'_, '_> {
            PlaceFloor { talk: &self.talk, state: &self.state, place, is_main_over: false }
        }

        fn next(&self, place: Place, wanted: &[&str]) -> Option<&str> {
            let wanted: Vec<PersonaId> = wanted.iter().map(|name| persona(name)).collect();
            let wanted: Vec<&PersonaId> = wanted.iter().collect();
            self.floor(place).next(&wanted).map(|speaker| speaker.id.as_str())
        }
    }

    #[test]
    fn the_main_channel_goes_to_the_highest_attention() {
        assert_eq!(Forum::new(&[]).next(None, &[]), Some("ada"));
        assert_eq!(Forum::new(&[]).next(None, &["ben"]), Some("ben"));
        assert_eq!(Forum::new(&[("cleo", 4, 0.3), ("ben", 3, 0.5)]).next(None, &["ada"]), Some("ben"));
        // Nobody speaks twice in a row, and what was said before one's own last turn is answered.
        assert_eq!(Forum::new(&[("dan", 3, 0.9), ("cleo", 2, 0.8), ("ben", 4, 0.1)]).next(None, &[]), Some("ben"));
    }

    #[test]
    fn somebody_speaks_where_their_attention_is_highest() {
        let mut forum = Forum::new(&[("ben", 3, 0.5), ("ben", 4, 0.9), ("ada", 3, 0.45), ("cleo", 4, 0.2)]);
        forum.open_thread(1, [1, 3], ["ada", "cleo"]);
        // Ben's attention to the main channel is higher than to the thread.
        assert_eq!(forum.next(Some(RoomId(1)), &[]), Some("ada"));
        let given = forum.floor(None).given_to(&persona("ben"));
        forum.apply(&given);
        assert_eq!(given.summary(), "ben: attention 0.90: what was said is close to a stance of theirs");
        assert_eq!(forum.next(None, &[]), Some("ada"), "a participant holds one floor");
    }

    #[test]
    fn outsiders_join_a_thread_if_their_attention_is_high_enough() {
        let mut forum = Forum::new(&[("ben", 3, 0.39), ("dan", 3, 0.41)]);
        forum.open_thread(1, [1, 3], ["ada", "cleo"]);
        let thread = forum.floor(Some(RoomId(1)));
        let may: Vec<bool> = PEOPLE.iter().map(|name| thread.may_speak(&persona(name))).collect();
        assert_eq!(may, [true, false, true, true]);
        let given = thread.given_to_enter(&[persona("cleo"), persona("ada")]).expect("one is free");
        assert_eq!(given.summary(), "ada in m1: the thread is about a disagreement of theirs");
    }

    #[test]
    fn nobody_waits_longer_than_the_bound() {
        let mut forum = Forum::new(&[("ada", 4, 1.0), ("ben", 4, 1.0)]);
        let floors = MAX_WAIT * PEOPLE.len();
        for name in ["ada", "ben"].into_iter().cycle().take(floors) {
            let given = forum.floor(None).given_to(&persona(name));
            forum.apply(&given);
            forum.apply(&Event::TurnSkipped(crate::events::channel::TurnSkipped {
                speaker: persona(name),
                room: None,
                reason: String::new(),
            }));
        }
        assert_eq!(forum.next(None, &[]), Some("cleo"));
        let given = forum.floor(None).given().expect("one is free");
        assert_eq!(given.summary(), "cleo: has waited as long as anybody may");
    }
}
