//! The gate of rooms: the conditions under which a disagreement that a detector saw gets a room of its own.
//!
//! A room opens for a candidate if it was seen in enough consecutive windows, the last time with enough confidence; if it has
//! had no room; if the engine admits the two, and both take part in the talk; and if neither has taken the other side of the
//! question in words of their own. Of several candidates, the one of which the detector is surest comes first.

use crate::engines::talk::question_matching::{Matched, QuestionMatcher, asked_before};
use crate::engines::talk::replies::decode::{StatedSide, stance};
use crate::engines::talk::state::Talk;
use crate::events::channel::{DetectedDisagreement, StatedWords};
use crate::events::crux::{RoomKind, RoomOpened};
use crate::events::dispute::{DisputeRaised, Side};
use crate::events::event::Event;
use crate::events::ids::{CandidateId, DisputeId, PersonaId};
use crate::projections::crux_rooms::CruxRooms;
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
    pub options: GateOptions,
}

/// Options of the gate.
#[derive(Clone, Copy, Debug)]
pub struct GateOptions {
    /// Kind of the rooms that are opened.
    pub kind: RoomKind,
    /// Maximum number of rooms in a debate.
    pub rooms: u32,
    /// Number of consecutive windows in which a disagreement must be seen.
    pub windows: u32,
    /// Minimum confidence of the detector in the last of them.
    pub confidence: f64,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
}

/// Question of a room: the dispute that asks it, and the sides on it.
struct RoomQuestion<'a> {
    /// The dispute; `None` if none asks the question yet.
    dispute: Option<DisputeId>,
    sides: [(&'a StatedWords, Side); 2],
}

impl Gate<'_> {
    /// Returns the events that open the next room; `None` if no room is due. `is_admitted` tells whether the engine admits a
    /// disagreement, given the dispute that asks its question, if there is one.
    pub fn opening(
        &self,
        is_admitted: impl Fn(&DetectedDisagreement, Option<DisputeId>) -> bool,
    ) -> Option<Vec<Event>> {
        if self.rooms.rooms.len() >= self.options.rooms as usize {
            return None;
        }
        let mut due: Vec<(CandidateId, &RoomCandidate, &DetectedDisagreement)> = self
            .candidates
            .tracked()
            .filter_map(|(id, candidate)| Some((id, candidate, candidate.latest()?)))
            .filter(|(_, candidate, seen)| self.is_ready(candidate, seen) && self.both_speak(seen))
            .collect();
        // The sort is stable: of equally sure ones, the oldest comes first.
        due.sort_by(|one, other| other.2.confidence.total_cmp(&one.2.confidence));
        due.into_iter().find_map(|(id, candidate, seen)| {
            let question = self.question(candidate, seen)?;
            is_admitted(seen, question.dispute).then(|| self.opened(id, candidate, seen, question))?
        })
    }

    fn is_ready(&self, candidate: &RoomCandidate, seen: &DetectedDisagreement) -> bool {
        candidate.room.is_none()
            && candidate.streak >= self.options.windows
            && seen.confidence >= self.options.confidence
    }

    fn both_speak(&self, seen: &DetectedDisagreement) -> bool {
        let speaks = |persona: &PersonaId| self.talk.speakers().any(|speaker| speaker.id == *persona);
        speaks(&seen.yes.speaker) && speaks(&seen.no.speaker)
    }

    fn opened(
        &self,
        id: CandidateId,
        candidate: &RoomCandidate,
        seen: &DetectedDisagreement,
        question: RoomQuestion,
    ) -> Option<Vec<Event>> {
        let RoomQuestion { dispute, sides } = question;
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
        let place = |turn| self.talk.transcript.get(turn).and_then(|turn| turn.room);
        let parent = turns.last().and_then(|turn| place(*turn)).filter(|_| self.options.kind == RoomKind::Thread);
        let room = RoomOpened {
            room: self.rooms.next_room(),
            kind: self.options.kind,
            parent,
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
