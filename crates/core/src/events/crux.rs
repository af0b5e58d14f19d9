//! Rooms for single questions, and cruxes that participants propose.
//!
//! Opening or closing a room establishes neither a crux nor common ground. Positions are recorded as stances, which
//! cite turns taken in the room.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{CandidateId, CruxId, DisputeId, PersonaId, RoomId, TurnId};
use crate::events::summary::{Summarize, short};

/// A room was opened beside the main channel, for one question. The main channel continues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoomOpened {
    /// The room.
    pub room: RoomId,
    /// Kind of the room: who may speak in it.
    #[serde(default)]
    pub kind: RoomKind,
    /// The thread from which a thread was split; absent for one that was split from the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RoomId>,
    /// The question under discussion.
    pub question: String,
    /// The dispute that asks this question, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<DisputeId>,
    /// Participants whose disagreement the room is about. In a private room, only they and a moderator may speak.
    pub participants: Vec<PersonaId>,
    /// The turns that led to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// The candidate for which it was opened, if a detector saw one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<CandidateId>,
    /// Reason for opening the room at this point: the signal a detector saw, how often, and with what confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Summarize for RoomOpened {
    fn summary(&self) -> String {
        let names: Vec<&str> = self.participants.iter().map(|speaker| speaker.as_str()).collect();
        let on = self.dispute.map(|dispute| format!(" on {dispute}")).unwrap_or_default();
        let kind = if self.kind == RoomKind::Thread { " thread" } else { "" };
        format!("{}{kind} {}{on}: {}", self.room, names.join(", "), short(&self.question))
    }
}

/// Kind of a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoomKind {
    /// Only its participants may speak.
    #[default]
    Private,
    /// A thread: all participants of the debate may speak.
    Thread,
}

impl RoomKind {
    /// Returns the wire name: `private` or `thread`.
    pub fn name(self) -> &'static str {
        match self {
            RoomKind::Private => "private",
            RoomKind::Thread => "thread",
        }
    }

    /// Returns the word by which people call such a room: `room` or `thread`.
    pub fn noun(self) -> &'static str {
        match self {
            RoomKind::Private => "room",
            RoomKind::Thread => "thread",
        }
    }
}

/// A room was closed. It takes no further turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoomClosed {
    /// The room.
    pub room: RoomId,
    /// Outcome, as stated by the party that closed the room.
    pub outcome: RoomOutcome,
    /// Reason for closing it.
    pub reason: String,
    /// The card drawn from the room; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

impl Summarize for RoomClosed {
    fn summary(&self) -> String {
        format!("{} {}: {}", self.room, self.outcome.name(), short(&self.reason))
    }
}

/// Outcome of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoomOutcome {
    /// The participants came to the same side. Only their stances are evidence of that.
    Resolved,
    /// The participants state plainly what divides them, and still disagree.
    Surfaced,
    /// The room's turns were used up. Never a sign of agreement.
    Exhausted,
    /// The room could not continue, or no card could be drawn from it.
    Failed,
    /// The debate's operator closed the room early.
    Abandoned,
}

impl RoomOutcome {
    /// Returns the outcome's wire name: `resolved`, `surfaced`, `exhausted`, `failed` or `abandoned`.
    pub fn name(self) -> &'static str {
        match self {
            RoomOutcome::Resolved => "resolved",
            RoomOutcome::Surfaced => "surfaced",
            RoomOutcome::Exhausted => "exhausted",
            RoomOutcome::Failed => "failed",
            RoomOutcome::Abandoned => "abandoned",
        }
    }
}

/// Summary drawn from a room when it is closed, as stated by its author. It holds no positions: those are stances, each
/// with a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Card {
    /// Kind of disagreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Disagreement>,
    /// Explanation of why the participants disagree.
    pub diagnosis: String,
    /// The resolution, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// Conditions under which participants would change their minds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falsifiers: Vec<Falsifier>,
}

/// Kind of disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disagreement {
    /// About the time frame.
    Horizon,
    /// About facts, or about what counts as evidence for them.
    Evidence,
    /// About priorities and values.
    Values,
    /// About the meaning of a word.
    Definition,
    /// About a claim.
    Claim,
    /// About a premise of a claim.
    Premise,
    /// About whether a claim follows from its premises.
    Inference,
}

impl Disagreement {
    /// Returns the wire name: `horizon`, `evidence`, `values`, `definition`, `claim`, `premise` or `inference`.
    pub fn name(self) -> &'static str {
        match self {
            Disagreement::Horizon => "horizon",
            Disagreement::Evidence => "evidence",
            Disagreement::Values => "values",
            Disagreement::Definition => "definition",
            Disagreement::Claim => "claim",
            Disagreement::Premise => "premise",
            Disagreement::Inference => "inference",
        }
    }
}

/// Condition under which a participant would change their mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Falsifier {
    /// The participant.
    pub speaker: PersonaId,
    /// The condition.
    pub text: String,
}

/// A participant proposed a crux: the point on which the disagreement turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CruxProposed {
    /// The crux.
    pub crux: CruxId,
    /// Participant who proposed it.
    pub speaker: PersonaId,
    /// The participant's turn that contains the proposal.
    pub turn: TurnId,
    /// The crux as a sentence that others can agree with.
    pub statement: String,
    /// Words of the turn that name the crux, exactly as it contains them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl Summarize for CruxProposed {
    fn summary(&self) -> String {
        format!("{} {} in {}: {}", self.crux, self.speaker, self.turn, short(&self.statement))
    }
}

/// A participant's acknowledgement of a crux that another participant proposed. Proposing a crux of one's own
/// acknowledges nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CruxAcknowledged {
    /// The crux.
    pub crux: CruxId,
    /// The participant who acknowledged it.
    pub speaker: PersonaId,
    /// The participant's turn that contains the acknowledgement.
    pub turn: TurnId,
    /// The cited turn: the one in which the crux was proposed.
    pub cites: TurnId,
    /// Words of the turn that acknowledge the crux, exactly as it contains them. An acknowledgement without them was only
    /// reported and does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl Summarize for CruxAcknowledged {
    fn summary(&self) -> String {
        format!("{} {} in {}", self.crux, self.speaker, self.turn)
    }
}
