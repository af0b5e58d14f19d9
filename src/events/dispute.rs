//! Disputes, and who stands where.

use serde::{Deserialize, Serialize};

use crate::events::argument::Evidence;
use crate::events::ids::{DisputeId, PersonaId, ReasonId, TurnId};

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
    /// Within which time it is to be answered, where that matters: `five years`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<String>,
    /// What could be observed that would settle it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The turns that it was drawn from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
}

impl DisputeRaised {
    /// A bare question, without horizon, criteria or turns.
    pub fn bare(dispute: DisputeId, question: impl Into<String>, is_topic: bool) -> DisputeRaised {
        let (horizon, criteria, turns) = (None, Vec::new(), Vec::new());
        DisputeRaised { dispute, question: question.into(), is_topic, horizon, criteria, turns }
    }
}

/// A dispute was put again in other words, the right way round or negated. It is the same dispute: a side taken on a
/// negated wording is recorded as the other side of the dispute itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisputeLinked {
    /// The dispute that there is.
    pub dispute: DisputeId,
    /// The other words.
    pub question: String,
    /// Whether yes to these words is no to the dispute.
    pub negates: bool,
    /// The turns that the wording was drawn from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// The cosine of the two in an embedder's space; `None` where they were known to be the same by their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f64>,
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
    /// The stance in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
}

/// A participant gave a reason that tells for or against those who take a side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonGiven {
    /// The reason.
    pub reason: ReasonId,
    /// The dispute that it is about.
    pub dispute: DisputeId,
    /// Whose it is.
    pub speaker: PersonaId,
    /// The turn of the speaker's own in which.
    pub turn: TurnId,
    /// The side whose stance it is about. Only yes and no are sides to reason about.
    pub side: Side,
    /// What it does to that stance.
    pub polarity: Polarity,
    /// The reason itself.
    pub claim: String,
    /// What it takes for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Reasons on the same dispute, by others, that it tells against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<ReasonId>,
}

/// What a reason does to a stance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// Tells for it.
    Supports,
    /// Tells against it.
    Attacks,
}

/// A participant gave up a reason of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonWithdrawn {
    /// The reason.
    pub reason: ReasonId,
    /// The turn of its owner's in which.
    pub turn: TurnId,
    /// Why.
    pub why: String,
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

    /// The side of the negated question: yes and no change places.
    pub fn negated(self) -> Side {
        match self {
            Side::Yes => Side::No,
            Side::No => Side::Yes,
            Side::Nuanced | Side::Undecided => self,
        }
    }
}
