//! Admission of two participants to a room: neither is in an open one, and the last room of the two closed long enough ago,
//! by turns of the channel and by the time of the log.

use chrono::{DateTime, TimeDelta, Utc};

use crate::engines::crux_rooms::settings::RoomOptions;
use crate::engines::talk::rooms::gate::Gate;
use crate::engines::talk::state::Talk;
use crate::events::channel::DetectedDisagreement;
use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::projections::crux_rooms::{CruxRooms, Room};
use crate::projections::room_candidates::RoomCandidates;

/// State on which the admission depends.
pub struct Admission<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The rooms so far.
    pub rooms: &'a CruxRooms,
    /// The candidates.
    pub candidates: &'a RoomCandidates,
    /// Options of the engine.
    pub options: &'a RoomOptions,
    /// Time of the latest event.
    pub now: DateTime<Utc>,
}

impl Admission<'_> {
    /// Returns the events that open the next room; `None` if no room is due.
    pub fn opening(&self) -> Option<Vec<Event>> {
        let Admission { talk, rooms, candidates, options, .. } = *self;
        Gate { talk, rooms, candidates, options: options.gate() }.opening(|seen, _| self.are_free(seen))
    }

    /// Returns true if neither participant is in an open room, and the two may have another one.
    fn are_free(&self, seen: &DetectedDisagreement) -> bool {
        let pair = [&seen.yes.speaker, &seen.no.speaker];
        let is_there = |room: &Room, persona: &PersonaId| room.opened.participants.contains(persona);
        let is_inside = |room: &Room| pair.iter().any(|persona| is_there(room, persona));
        let is_theirs = |room: &&Room| pair.iter().all(|persona| is_there(room, persona));
        let are_busy = self.rooms.rooms.values().any(|room| room.closed.is_none() && is_inside(room));
        let last = self.rooms.rooms.values().rfind(is_theirs);
        !are_busy && last.is_none_or(|room| self.has_cooled_down(room))
    }

    fn has_cooled_down(&self, room: &Room) -> bool {
        let Some(closed) = &room.closed else { return false };
        let since = self.talk.channel_turns().filter(|turn| turn.version > closed.version).count();
        since >= self.options.cooldown_turns as usize
            && self.now - closed.at >= TimeDelta::seconds(i64::from(self.options.cooldown_seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::replies::decode::{StatedSide, stance};
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::channel::{DisagreementsDetected, StatedWords};
    use crate::events::crux::{RoomClosed, RoomOutcome};
    use crate::events::dispute::{DisputeRaised, Side};
    use crate::events::event::Recorded;
    use crate::events::ids::{CandidateId, DisputeId, RoomId, TurnId};
    use crate::projections::projection::Projection;

    const CREW: &str = "Can a second crew be had?";
    const LAMP: &str = "Should the lamp stay lit?";

    /// Channel with its rooms and candidates, fed with windows and rooms.
    struct Channel {
        talk: Talk,
        rooms: CruxRooms,
        candidates: RoomCandidates,
        version: i64,
        seconds: i64,
    }

    impl Channel {
        fn new(lines: &[&str]) -> Channel {
            let (rooms, candidates) = (CruxRooms::default(), RoomCandidates::default());
            Channel { talk: talk(&["ada", "ben", "cleo"], lines), rooms, candidates, version: 1, seconds: 0 }
        }

        fn apply(&mut self, event: &Event) {
            self.version += 1;
            let at = DateTime::UNIX_EPOCH + TimeDelta::seconds(self.seconds);
            let recorded = Recorded { version: self.version, at, ..noted(event) };
            self.talk.evolve(&recorded);
            self.rooms.apply(&recorded);
            self.candidates.apply(&recorded);
        }

        /// Reads a window in which these are seen: candidate, yes and its turn, no and its turn, question, confidence.
        fn window(&mut self, seen: &[(u32, &str, u32, &str, u32, &str, f64)]) {
            let words = |speaker: &str, turn: u32| StatedWords {
                speaker: persona(speaker),
                turn: TurnId(turn),
                quote: "so".to_owned(),
            };
            let found = seen.iter().map(|(id, yes, first, no, second, question, confidence)| DetectedDisagreement {
                candidate: CandidateId(*id),
                question: (*question).to_owned(),
                yes: words(yes, *first),
                no: words(no, *second),
                confidence: *confidence,
            });
            let (turns, refused) = (vec![TurnId(1), TurnId(2)], Vec::new());
            self.apply(&Event::DisagreementsDetected(DisagreementsDetected { turns, found: found.collect(), refused }));
        }

        fn crew(&mut self, confidence: f64) {
            self.window(&[(1, "ada", 1, "ben", 2, CREW, confidence)]);
        }

        fn opening(&self, options: &RoomOptions) -> Option<Vec<Event>> {
            let now = DateTime::UNIX_EPOCH + TimeDelta::seconds(self.seconds);
            Admission { talk: &self.talk, rooms: &self.rooms, candidates: &self.candidates, options, now }.opening()
        }

        fn open(&mut self, options: &RoomOptions) {
            let events = self.opening(options).expect("a room is due");
            events.iter().for_each(|event| self.apply(event));
        }

        fn close(&mut self) {
            let (room, outcome, reason) = (RoomId(1), RoomOutcome::Exhausted, "done".to_owned());
            self.apply(&Event::RoomClosed(RoomClosed { room, outcome, reason, card: None }));
        }
    }

    const SAID: &[&str] = &["ada: a", "ben: b", "cleo: c"];

    #[test]
    fn a_room_opens_for_what_was_seen_in_consecutive_windows_with_confidence() {
        let check = |windows: &[f64], is_open: bool| {
            let mut channel = Channel::new(SAID);
            for confidence in windows {
                if *confidence > 0.0 { channel.crew(*confidence) } else { channel.window(&[]) }
            }
            assert_eq!(channel.opening(&RoomOptions::default()).is_some(), is_open, "{windows:?}");
        };
        check(&[0.9, 0.9], false);
        check(&[0.9, 0.9, 0.9], true);
        check(&[0.1, 0.1, 0.8], true);
        check(&[0.9, 0.9, 0.79], false);
        check(&[0.9, 0.9, 0.0, 0.9], false);
        check(&[0.9, 0.9, 0.9, 0.0], false);
        check(&[0.9, 0.0, 0.9, 0.9, 0.9], true);
    }

    /// The room has the dispute and the sides of both, in their own words.
    #[test]
    fn a_room_opens_with_a_dispute_and_both_sides_quoted() {
        let mut channel = Channel::new(SAID);
        (0..3).for_each(|_| channel.crew(0.86));
        let told: Vec<String> = channel
            .opening(&RoomOptions::default())
            .into_iter()
            .flatten()
            .map(|event| format!("{} {}", event.kind(), event.summary()))
            .collect();
        assert_eq!(
            told,
            [
                "dispute_raised d1: Can a second crew be had?",
                "stance_taken d1 ada yes in t1",
                "stance_taken d1 ben no in t2",
                "room_opened m1 ada, ben on d1: Can a second crew be had?",
            ]
        );
    }

    #[test]
    fn a_candidate_that_is_not_seen_expires() {
        let mut channel = Channel::new(SAID);
        channel.crew(0.9);
        (0..2).for_each(|_| channel.window(&[]));
        assert_eq!(channel.candidates.tracked().count(), 1);
        channel.window(&[]);
        assert_eq!((channel.candidates.tracked().count(), channel.candidates.candidates.len()), (0, 1));
    }

    #[test]
    fn two_questions_of_one_pair_are_two_candidates() {
        let mut channel = Channel::new(SAID);
        let crew = (1, "ada", 1, "ben", 2, CREW, 0.9);
        let lamp = (2, "ada", 1, "ben", 2, LAMP, 0.9);
        channel.window(&[crew, lamp]);
        channel.window(&[crew]);
        channel.window(&[crew, lamp]);
        let streaks: Vec<u32> = channel.candidates.candidates.values().map(|candidate| candidate.streak).collect();
        assert_eq!(streaks, [3, 1]);
    }

    #[test]
    fn the_same_two_do_not_get_another_room_at_once() {
        let seconds = RoomOptions { cooldown_turns: 1, cooldown_seconds: 60, windows: 1, ..RoomOptions::default() };
        let mut channel = Channel::new(SAID);
        let lamp = [(2, "ben", 2, "ada", 1, LAMP, 0.9)];
        channel.crew(0.9);
        channel.open(&seconds);
        channel.window(&lamp);
        assert_eq!(channel.opening(&seconds), None, "both are in a room");
        channel.close();
        channel.window(&[(1, "ada", 1, "ben", 2, CREW, 1.0), lamp[0]]);
        assert_eq!(channel.opening(&seconds), None, "neither turns nor time have passed");
        channel.seconds += 60;
        assert_eq!(channel.opening(&seconds), None, "no turn has been taken");
        let taken = talk(&["ada", "ben", "cleo"], &["cleo: d"]).transcript.turns[0].clone();
        channel.apply(&Event::TurnTaken(crate::events::turn::TurnTaken {
            preparation: None,
            turn: TurnId(4),
            speaker: persona("cleo"),
            round: None,
            room: None,
            moves: taken.moves,
            move_quotes: Vec::new(),
            answers: None,
            text: taken.text,
            citations: Vec::new(),
            refused: Vec::new(),
            dangling: 0,
        }));
        let opened = channel.opening(&seconds).expect("the other question");
        assert!(opened.iter().any(|event| event.summary().contains(LAMP)), "{opened:?}");
        channel.window(&[(3, "ada", 1, "cleo", 3, LAMP, 1.0)]);
        assert!(channel.opening(&seconds).is_some(), "another pair need not wait");
    }

    #[test]
    fn no_room_opens_on_a_side_that_its_holder_denies() {
        let mut channel = Channel::new(SAID);
        (0..3).for_each(|_| channel.crew(0.9));
        channel.apply(&Event::DisputeRaised(DisputeRaised::bare(DisputeId(1), CREW, false)));
        let (dispute, side, words) = (DisputeId(1), Side::No, "so".to_owned());
        let position = StatedSide { dispute, side, confidence: None, words };
        stance(&channel.talk.disputes.clone(), &persona("ada"), TurnId(1), position)
            .iter()
            .for_each(|event| channel.apply(event));
        assert_eq!(channel.opening(&RoomOptions::default()), None);
    }

    #[test]
    fn the_number_of_rooms_is_limited() {
        let options = RoomOptions { rooms: 1, windows: 1, ..RoomOptions::default() };
        let mut channel = Channel::new(SAID);
        channel.crew(0.9);
        channel.open(&options);
        channel.close();
        channel.window(&[(2, "ada", 1, "cleo", 3, LAMP, 1.0)]);
        assert_eq!(channel.opening(&options), None);
    }
}
