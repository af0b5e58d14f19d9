//! Summary of a room: for each question discussed in it, the side of each member, the reasons, and what would settle it; and
//! what would change the members' minds.
//!
//! Nothing in it is written by a model as a summary: every line is a stance, a reason, a criterion or a condition of the log,
//! as far as the log had it when the room was closed, without what was withdrawn, or contested by an audit, since then.
//! Cost: linear in the stances, reasons and revisions of the room's disputes.

use serde::Serialize;

use crate::events::citation::Evidence;
use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, ReasonId, TurnId};
use crate::events::turn::FlipConditionStated;
use crate::projections::crux_rooms::Room;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::{Dispute, Reason, Stance};
use crate::projections::flip_conditions::FlipConditions;

/// Summary of a room.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoomSummary {
    /// The question of the room, then its aspects.
    pub questions: Vec<SummarizedQuestion>,
    /// Conditions under which members would change their minds, as they stated them in the room, in order.
    pub conditions: Vec<FlipConditionStated>,
}

/// Question of a room, or one of its aspects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummarizedQuestion {
    /// The dispute that asks it.
    pub dispute: DisputeId,
    /// The question.
    pub question: String,
    /// Name of the aspect; `None` for the question of the room itself.
    pub label: Option<String>,
    /// Stance of each member who took one, in the order of the members.
    pub positions: Vec<(PersonaId, Stance)>,
    /// Side on which all members stand, yes or no; `None` if they do not.
    pub agreed: Option<Side>,
    /// Reasons of the members that were neither withdrawn nor contested, in order.
    pub reasons: Vec<SummarizedReason>,
    /// Observations that would settle the question.
    pub criteria: Vec<String>,
}

impl SummarizedQuestion {
    /// Returns the name of the aspect with its dispute and its question; for an aspect without a name of its own, and for the question
    /// of the room, the question with its dispute.
    pub fn title(&self) -> String {
        let label = self.label.as_deref().filter(|label| !self.question.starts_with(label.trim_end_matches('…')));
        match label {
            Some(label) => format!("{label} ({}): {}", self.dispute, self.question),
            None => format!("{} ({})", self.question, self.dispute),
        }
    }
}

/// Reason that a member gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummarizedReason {
    /// The reason.
    pub reason: ReasonId,
    /// The member.
    pub speaker: PersonaId,
    /// The member's turn that gives it.
    pub turn: TurnId,
    /// The side that it supports.
    pub side: Side,
    /// Text of the reason.
    pub claim: String,
    /// Its evidence.
    pub evidence: Vec<Evidence>,
    /// Reasons against which it was given.
    pub attacks: Vec<ReasonId>,
    /// Reasons of others that were given against it.
    pub challenged_by: Vec<ReasonId>,
}

/// Summarizes a room; `None` if it discusses no dispute. A room that is still open is summarized as it stands.
pub fn room_summary(room: &Room, disputes: &DisputeGraph, conditions: &FlipConditions) -> Option<RoomSummary> {
    room.disputes().next()?;
    let until = room.closed.as_ref().map_or(i64::MAX, |closed| closed.version);
    let summarizer = Summarizer { room, members: room.members().collect(), until };
    let questions = room.disputes().filter_map(|id| Some(summarizer.question(id, disputes.disputes.get(&id)?)));
    // The turns of a room are in ascending order.
    let is_here = |stated: &&FlipConditionStated| room.turns.binary_search(&stated.turn).is_ok();
    let mut stated: Vec<FlipConditionStated> =
        room.members().flat_map(|member| conditions.of(member)).filter(is_here).cloned().collect();
    stated.sort_by_key(|stated| stated.turn);
    Some(RoomSummary { questions: questions.collect(), conditions: stated })
}

struct Summarizer<'a> {
    room: &'a Room,
    members: Vec<&'a PersonaId>,
    /// Version of the event that closed the room; later events do not count.
    until: i64,
}

impl Summarizer<'_> {
    fn question(&self, id: DisputeId, dispute: &Dispute) -> SummarizedQuestion {
        let latest = |member: &PersonaId| {
            let taken = |(holder, stance): &&(PersonaId, Stance)| holder == member && stance.version <= self.until;
            dispute.history.iter().rfind(taken).cloned()
        };
        let positions: Vec<(PersonaId, Stance)> = self.members.iter().filter_map(|member| latest(member)).collect();
        let aspect = self.room.aspects.iter().flatten().find(|aspect| aspect.dispute == id);
        let later = dispute.revisions.iter().find(|revision| revision.version > self.until);
        SummarizedQuestion {
            dispute: id,
            question: later.map_or(&dispute.question, |later| &later.former_question).clone(),
            label: aspect.map(|aspect| aspect.label.clone()),
            agreed: self.agreed(&positions),
            positions,
            reasons: self.reasons(dispute),
            criteria: later.map_or(&dispute.criteria, |later| &later.former_criteria).clone(),
        }
    }

    fn agreed(&self, positions: &[(PersonaId, Stance)]) -> Option<Side> {
        let side = positions.first().map(|(_, stance)| stance.side)?;
        let are_all = positions.len() == self.members.len() && positions.iter().all(|(_, stance)| stance.side == side);
        (are_all && matches!(side, Side::Yes | Side::No)).then_some(side)
    }

    fn reasons(&self, dispute: &Dispute) -> Vec<SummarizedReason> {
        let until = |(_, reason): &(ReasonId, &Reason)| reason.version <= self.until;
        let live: Vec<(ReasonId, &Reason)> = dispute.live_reasons().filter(until).collect();
        let against = |id: ReasonId, speaker: &PersonaId| {
            let others = live.iter().filter(move |(_, other)| other.given.speaker != *speaker);
            others.filter(move |(_, other)| other.given.attacks.contains(&id)).map(|(other, _)| *other).collect()
        };
        let own = live.iter().filter(|(_, reason)| self.members.contains(&&reason.given.speaker));
        let told = own.map(|(id, reason)| SummarizedReason {
            reason: *id,
            speaker: reason.given.speaker.clone(),
            turn: reason.given.turn,
            side: reason.supported_side(),
            claim: reason.given.claim.clone(),
            evidence: reason.given.evidence.clone(),
            attacks: reason.given.attacks.clone(),
            challenged_by: against(*id, &reason.given.speaker),
        });
        told.collect()
    }
}
