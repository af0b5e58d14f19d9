//! Disputes, and who stands where.

use serde::{Deserialize, Serialize};

use crate::events::ids::{DisputeId, PersonaId, TurnId};

/// A binary question was put.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisputeRaised {
    /// The dispute.
    pub dispute: DisputeId,
    /// The question, one that yes or no answers.
    pub question: String,
    /// Whether it is the debate's own topic.
    #[serde(default)]
    pub is_topic: bool,
}

/// A dispute no longer counts: it was settled by other means, or what it asked about is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisputeRetired {
    /// The dispute.
    pub dispute: DisputeId,
    /// Why.
    pub reason: String,
}

/// A participant took a side. A new stance replaces the older one; the history stays in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StanceTaken {
    /// The dispute.
    pub dispute: DisputeId,
    /// Whose stance.
    pub speaker: PersonaId,
    /// Which side.
    pub side: Side,
    /// The turn of the speaker's own in which they took it.
    pub turn: TurnId,
}

/// A side of a dispute. Only yes and no are sides that one can agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It depends, and the speaker says on what. Never counts as agreement.
    Nuanced,
    /// The speaker has not made up their mind. Never counts as agreement.
    Undecided,
}

impl Side {
    /// The side's name: `yes`, `no`, `nuanced`, `undecided`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Yes => "yes",
            Side::No => "no",
            Side::Nuanced => "nuanced",
            Side::Undecided => "undecided",
        }
    }
}
