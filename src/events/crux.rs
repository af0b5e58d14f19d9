//! Rooms in which a disagreement is talked out, and what participants themselves hold to be the crux.
//!
//! A room is a place and no finding: that one was opened, or how it was closed, makes nothing a crux and nothing common
//! ground. Where somebody stands is said in stances, which cite turns taken in the room.

use serde::{Deserialize, Serialize};

use crate::events::ids::{CruxId, DisputeId, PersonaId, RoomId, TurnId};

/// A room was opened beside the main channel, for some participants to talk one question out. The channel goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomOpened {
    /// The room.
    pub room: RoomId,
    /// What is talked out in it.
    pub question: String,
    /// The dispute that asks this, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<DisputeId>,
    /// Who may speak in it beside a moderator.
    pub participants: Vec<PersonaId>,
    /// The turns that led to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// Why it was opened, and when it was: what a detector saw, how often, how surely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A room was closed. No turn is taken in it from here on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomClosed {
    /// The room.
    pub room: RoomId,
    /// How it ended, by the word of whoever closed it.
    pub outcome: RoomOutcome,
    /// Why.
    pub reason: String,
    /// The card that it dealt; `None` where none was drawn from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

/// How a room ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomOutcome {
    /// They came to the same side. Whether they did is told by their stances, and by nothing else.
    Resolved,
    /// They say plainly what divides them, and it still does.
    Surfaced,
    /// Its turns were spent. Never a sign of agreement.
    Exhausted,
    /// It could not go on, or nothing could be drawn from it.
    Failed,
    /// Whoever runs the debate closed it before its end.
    Abandoned,
}

impl RoomOutcome {
    /// The outcome's name: `resolved`, `surfaced`, `exhausted`, `failed`, `abandoned`.
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

/// What was drawn from a room when it was closed: the word of whoever drew it. Positions are no part of it: they are
/// stances, each with a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// What kind of disagreement it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Disagreement>,
    /// Why they disagree.
    pub diagnosis: String,
    /// What resolved it, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// What would change whose mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falsifiers: Vec<Falsifier>,
}

/// What people disagree about when they disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disagreement {
    /// Within which time.
    Horizon,
    /// What is the case, or what shows it.
    Evidence,
    /// What matters.
    Values,
    /// What a word means.
    Definition,
    /// A claim.
    Claim,
    /// What a claim rests on.
    Premise,
}

impl Disagreement {
    /// Its name: `horizon`, `evidence`, `values`, `definition`, `claim`, `premise`.
    pub fn name(self) -> &'static str {
        match self {
            Disagreement::Horizon => "horizon",
            Disagreement::Evidence => "evidence",
            Disagreement::Values => "values",
            Disagreement::Definition => "definition",
            Disagreement::Claim => "claim",
            Disagreement::Premise => "premise",
        }
    }
}

/// What would change somebody's mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Falsifier {
    /// Whose.
    pub speaker: PersonaId,
    /// What would.
    pub text: String,
}

/// A participant said what the disagreement turns on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CruxProposed {
    /// The crux.
    pub crux: CruxId,
    /// Who named it.
    pub speaker: PersonaId,
    /// The turn of theirs in which.
    pub turn: TurnId,
    /// The crux in a sentence that others can agree with.
    pub statement: String,
}

/// Another participant agreed with the statement. That somebody names a crux of their own acknowledges nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CruxAcknowledged {
    /// The crux.
    pub crux: CruxId,
    /// Who agreed.
    pub speaker: PersonaId,
    /// The turn of theirs in which.
    pub turn: TurnId,
    /// The turn that they agreed with: the one in which it was proposed.
    pub cites: TurnId,
}
