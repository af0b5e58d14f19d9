//! Disputes (binary questions), and the stances and reasons of participants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::citation::Evidence;
use crate::events::ids::{DisputeId, PersonaId, ReasonId, TurnId};
use crate::events::summary::{Summarize, short};

/// A binary question was raised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisputeRaised {
    /// The dispute.
    pub dispute: DisputeId,
    /// The question, answerable with yes or no.
    pub question: String,
    /// True if the question is the debate's own topic.
    #[serde(default)]
    pub is_topic: bool,
    /// Time frame of the question, if it matters: `five years`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<String>,
    /// Observations that would settle the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The turns from which the question was drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
}

impl Summarize for DisputeRaised {
    fn summary(&self) -> String {
        format!("{}: {}", self.dispute, short(&self.question))
    }
}

impl DisputeRaised {
    /// Creates a dispute without horizon, criteria or turns.
    pub fn bare(dispute: DisputeId, question: impl Into<String>, is_topic: bool) -> DisputeRaised {
        let (horizon, criteria, turns) = (None, Vec::new(), Vec::new());
        DisputeRaised { dispute, question: question.into(), is_topic, horizon, criteria, turns }
    }
}

/// An existing dispute was asked again in other words, affirmed or negated. It stays the same dispute: a side taken on
/// a negated wording is recorded as the opposite side of the dispute itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisputeLinked {
    /// The existing dispute.
    pub dispute: DisputeId,
    /// The other wording.
    pub question: String,
    /// True if yes to this wording means no to the dispute.
    pub negates: bool,
    /// The turns from which the wording was drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// Cosine similarity of both wordings in an embedder's space, from -1 to 1; absent if they were matched by their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f64>,
}

impl Summarize for DisputeLinked {
    fn summary(&self) -> String {
        let relation = if self.negates { "negated" } else { "again" };
        format!("{} {relation}: {}", self.dispute, short(&self.question))
    }
}

/// The wording, the criteria or the horizon of a dispute was revised. Its meaning stays the same, and so do the stances
/// on it; another question is another dispute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisputeRevised {
    /// The dispute.
    pub dispute: DisputeId,
    /// New wording of the question; absent if it stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// New time frame of the question; absent if it stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<String>,
    /// Observations that would settle the question, in place of the former ones; empty if they stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The turns from which the revision was drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// Reason for the revision.
    pub reason: String,
}

impl Summarize for DisputeRevised {
    fn summary(&self) -> String {
        let changes = match (&self.question, self.criteria.len()) {
            (Some(question), _) => short(question),
            (None, 0) => "horizon".to_owned(),
            (None, n) => format!("criteria, {n}"),
        };
        format!("{} revised: {changes} ({})", self.dispute, short(&self.reason))
    }
}

/// A dispute no longer counts, because it was settled by other means or its subject no longer exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisputeRetired {
    /// The dispute.
    pub dispute: DisputeId,
    /// Reason for retiring it.
    pub reason: String,
}

impl Summarize for DisputeRetired {
    fn summary(&self) -> String {
        format!("{}: {}", self.dispute, short(&self.reason))
    }
}

/// A participant took a side. A new stance replaces the earlier one; the history stays in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StanceTaken {
    /// The dispute.
    pub dispute: DisputeId,
    /// Participant who took the stance.
    pub speaker: PersonaId,
    /// Side taken.
    pub side: Side,
    /// The participant's own turn that contains the stance.
    pub turn: TurnId,
    /// The stance as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// Confidence in the side that the participant expressed, from 0 to 1; absent if they expressed none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Words of the turn that state the stance, exactly as it contains them. A stance without them was only reported and
    /// does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl Summarize for StanceTaken {
    fn summary(&self) -> String {
        let confidence = self.confidence.map(|share| format!(", confidence {share}")).unwrap_or_default();
        format!("{} {} {} in {}{confidence}", self.dispute, self.speaker, self.side.name(), self.turn)
    }
}

/// A participant gave a reason for or against a side of a dispute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonGiven {
    /// The reason.
    pub reason: ReasonId,
    /// The dispute to which the reason belongs.
    pub dispute: DisputeId,
    /// Participant who gave the reason.
    pub speaker: PersonaId,
    /// The participant's own turn that contains the reason.
    pub turn: TurnId,
    /// The side to which the reason applies. Must be yes or no.
    pub side: Side,
    /// Effect of the reason on that side.
    pub polarity: Polarity,
    /// Text of the reason.
    pub claim: String,
    /// Assumptions taken for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Evidence offered in support.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Other participants' reasons on the same dispute that this reason attacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<ReasonId>,
    /// True if claim and evidence are a clerk's reading: words for what the turn says that it does not contain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paraphrased: bool,
}

impl Summarize for ReasonGiven {
    fn summary(&self) -> String {
        let polarity = if self.polarity == Polarity::Supports { "for" } else { "against" };
        let attacks: String = self.attacks.iter().map(|reason| format!(" against {reason}")).collect();
        let stance = format!("{polarity} {} on {}", self.side.name(), self.dispute);
        format!("{} {} {stance}{attacks}: {}", self.reason, self.speaker, short(&self.claim))
    }
}

/// Effect of a reason on a stance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// Supports it.
    Supports,
    /// Attacks it.
    Attacks,
}

/// A participant withdrew a reason of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonWithdrawn {
    /// The reason.
    pub reason: ReasonId,
    /// The owner's turn that contains the withdrawal.
    pub turn: TurnId,
    /// Reason for the withdrawal.
    pub why: String,
}

impl Summarize for ReasonWithdrawn {
    fn summary(&self) -> String {
        format!("{} in {}: {}", self.reason, self.turn, short(&self.why))
    }
}

/// Side of a dispute. Participants can agree only on yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It depends, and the speaker says on what. Never counts as agreement.
    Nuanced,
    /// The speaker is undecided. Never counts as agreement.
    Undecided,
}

impl Side {
    /// Returns the side's wire name: `yes`, `no`, `nuanced` or `undecided`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Yes => "yes",
            Side::No => "no",
            Side::Nuanced => "nuanced",
            Side::Undecided => "undecided",
        }
    }

    /// Returns true for yes and false for no; `None` for sides that are no answer.
    pub fn answer(self) -> Option<bool> {
        match self {
            Side::Yes => Some(true),
            Side::No => Some(false),
            Side::Nuanced | Side::Undecided => None,
        }
    }

    /// Returns the corresponding side of the negated question: yes and no are swapped.
    pub fn negated(self) -> Side {
        match self {
            Side::Yes => Side::No,
            Side::No => Side::Yes,
            Side::Nuanced | Side::Undecided => self,
        }
    }
}
