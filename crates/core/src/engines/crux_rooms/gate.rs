//! The gate of rooms: the conditions under which a disagreement that a detector saw gets a room of its own.
//!
//! A room opens for a candidate if it was seen in enough consecutive windows, the last time with enough confidence; if it has
//! had no room; if neither participant is in an open room, and the last room of the two closed long enough ago, by turns of
//! the channel and by the time of the log; and if neither has taken the other side of the question in words of their own.
//! Of several candidates, the one of which the detector is surest comes first.

use chrono::{DateTime, TimeDelta, Utc};

use crate::engines::crux_rooms::settings::RoomOptions;
use crate::engines::talk::question_matching::{Matched, QuestionMatcher, asked_before};
use crate::engines::talk::replies::decode::{StatedSide, stance};
use crate::engines::talk::state::Talk;
use crate::events::channel::{DetectedDisagreement, StatedWords};
use crate::events::crux::RoomOpened;
use crate::events::dispute::{DisputeRaised, Side};
use crate::events::event::Event;
use crate::events::ids::{CandidateId, DisputeId, PersonaId};
use crate::projections::crux_rooms::{CruxRooms, Room};
use crate::projections::room_candidates::{RoomCandidate, RoomCandidates};

/// State on which the decision depends.
pub struct Gate<'a> {
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

/// Question of a room: the dispute that asks it, and the sides on it.
struct RoomQuestion<'a> {
    /// The dispute; `None` if none asks the question yet.
    dispute: Option<DisputeId>,
    sides: [(&'a StatedWords, Side); 2],
}

impl Gate<'_> {
    /// Returns the events that open the next room; `None` if no room is due.
    pub fn opening(&self) -> Option<Vec<Event>> {
        if self.rooms.rooms.len() >= self.options.rooms as usize {
            return None;
        }
        let mut due: Vec<(CandidateId, &RoomCandidate, &DetectedDisagreement)> = self
            .candidates
            .tracked()
            .filter_map(|(id, candidate)| Some((id, candidate, candidate.latest()?)))
            .filter(|(_, candidate, seen)| self.is_ready(candidate, seen) && self.are_free(seen))
            .collect();
        // The sort is stable: of equally sure ones, the oldest comes first.
        due.sort_by(|one, other| other.2.confidence.total_cmp(&one.2.confidence));
        due.into_iter().find_map(|(id, candidate, seen)| self.opened(id, candidate, seen))
    }

    fn is_ready(&self, candidate: &RoomCandidate, seen: &DetectedDisagreement) -> bool {
        candidate.room.is_none()
            && candidate.streak >= self.options.windows
            && seen.confidence >= self.options.confidence
    }

    /// Returns true if both participants take part in the talk, neither is in an open room, and the two may have another one.
    fn are_free(&self, seen: &DetectedDisagreement) -> bool {
        let pair = [&seen.yes.speaker, &seen.no.speaker];
        let speaks = |persona: &PersonaId| self.talk.speakers().any(|speaker| speaker.id == *persona);
        let is_inside = |room: &Room| pair.iter().any(|persona| room.opened.participants.contains(persona));
        let is_theirs = |room: &&Room| pair.iter().all(|persona| room.opened.participants.contains(persona));
        let mut rooms = self.rooms.rooms.values();
        let are_busy = rooms.any(|room| room.closed.is_none() && is_inside(room));
        let last = self.rooms.rooms.values().rfind(is_theirs);
        pair.into_iter().all(speaks) && !are_busy && last.is_none_or(|room| self.has_cooled_down(room))
    }

    fn has_cooled_down(&self, room: &Room) -> bool {
        let Some(closed) = &room.closed else { return false };
        let since = self.talk.channel_turns().filter(|turn| turn.version > closed.version).count();
        since >= self.options.cooldown_turns as usize
            && self.now - closed.at >= TimeDelta::seconds(i64::from(self.options.cooldown_seconds))
    }

    fn opened(&self, id: CandidateId, candidate: &RoomCandidate, seen: &DetectedDisagreement) -> Option<Vec<Event>> {
        let RoomQuestion { dispute, sides } = self.question(candidate, seen)?;
        let disputes = &self.talk.disputes;
        let turns = vec![seen.yes.turn.min(seen.no.turn), seen.yes.turn.max(seen.no.turn)];
        let raised = DisputeRaised {
            turns: turns.clone(),
            ..DisputeRaised::bare(disputes.next_dispute(), candidate.question.clone(), false)
        };
        let question = match dispute {
            Some(known) => disputes.disputes.get(&known)?.question.clone(),
            None => candidate.question.clone(),
        };
        let on = dispute.unwrap_or(raised.dispute);
        let reason = match candidate.streak {
            1 => format!("seen in a window with a confidence of {:.2}", seen.confidence),
            n => format!("seen in {n} windows in a row, the last with a confidence of {:.2}", seen.confidence),
        };
        let room = RoomOpened {
            room: self.rooms.next_room(),
            question,
            dispute: Some(on),
            participants: vec![seen.yes.speaker.clone(), seen.no.speaker.clone()],
            turns,
            candidate: Some(id),
            reason: Some(reason),
        };
        let taken = sides.into_iter().flat_map(|(words, side)| {
            let position = StatedSide { dispute: on, side, confidence: None, words: words.quote.clone() };
            stance(disputes, &words.speaker, words.turn, position)
        });
        let raised = dispute.is_none().then_some(Event::DisputeRaised(raised));
        Some(raised.into_iter().chain(taken).chain([Event::RoomOpened(room)]).collect())
    }

    /// Finds the dispute that asks the question of a candidate, and the sides of both on it. `None` if it is the topic, or a
    /// participant has taken another side than the detector saw: then it is not clear that they disagree.
    fn question<'a>(&self, candidate: &RoomCandidate, seen: &'a DetectedDisagreement) -> Option<RoomQuestion<'a>> {
        let matcher = QuestionMatcher { words: self.options.alike, likeness: None };
        let found = asked_before(matcher, &self.talk.disputes, &candidate.question)
            .filter(|(_, found)| found.matched != Matched::Mirrored);
        let is_negated = found.is_some_and(|(_, found)| found.matched == Matched::Negated);
        let sides = if is_negated { [Side::No, Side::Yes] } else { [Side::Yes, Side::No] };
        let sides = [(&seen.yes, sides[0]), (&seen.no, sides[1])];
        let dispute = found.map(|(id, _)| id);
        let there = dispute.and_then(|id| self.talk.disputes.disputes.get(&id));
        let differs = |(words, side): &(&StatedWords, Side)| {
            let taken = there.and_then(|there| there.stances.get(&words.speaker));
            taken.is_some_and(|stance| stance.side != *side)
        };
        let is_doubtful = there.is_some_and(|there| there.is_topic) || sides.iter().any(differs);
        (!is_doubtful).then_some(RoomQuestion { dispute, sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::channel::DisagreementsDetected;
    use crate::events::crux::{RoomClosed, RoomOutcome};
    use crate::events::event::Recorded;
    use crate::events::ids::{RoomId, TurnId};
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
            Gate { talk: &self.talk, rooms: &self.rooms, candidates: &self.candidates, options, now }.opening()
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
