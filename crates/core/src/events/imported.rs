//! Records from imported debates: kept as they were, and never treated as facts of this service.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::{ArgumentId, TurnId};
use crate::events::summary::{Summarize, short};

/// A conclusion of the earlier system: a label, a measure, a regime. Shown as that system's statement; no fold relies
/// on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictImported {
    /// Name in the imported file: `convergence_update`.
    pub name: String,
    /// The complete statement.
    pub said: Value,
}

impl Summarize for VerdictImported {
    fn summary(&self) -> String {
        format!("{}: {}", self.name, short(&self.said.to_string()))
    }
}

/// A record of an imported file that has no counterpart here or that could not be converted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordKept {
    /// Name in the imported file: `speaker_selected`.
    pub name: String,
    /// Reason why it was not converted; absent if it only has no counterpart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// The complete record.
    pub record: Value,
}

impl Summarize for RecordKept {
    fn summary(&self) -> String {
        match &self.set_aside {
            Some(reason) => format!("{}, set aside: {reason}", self.name),
            None => format!("{}: {}", self.name, short(&self.record.to_string())),
        }
    }
}

/// An argument that the imported file mentions but does not contain was reconstructed from the mentions, so that
/// records which depend on it can be kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArgumentSynthesised {
    /// The argument, which the next event advances.
    pub argument: ArgumentId,
    /// Name in the imported file: `arg-6`.
    pub name: String,
    /// Basis of the reconstruction.
    pub reason: String,
}

impl Summarize for ArgumentSynthesised {
    fn summary(&self) -> String {
        format!("{} for {}: {}", self.argument, self.name, short(&self.reason))
    }
}

/// Basis on which an argument is attributed to a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnBasis {
    /// The debate records the turn.
    #[default]
    Stated,
    /// The imported file does not state the turn. Among the turns of the speaker that are not younger than an attack on
    /// the argument, it is the one that shares the most words with the claim.
    MatchedWords,
    /// The imported file does not state the turn, and no turn of the speaker shares a word with the claim. It is the
    /// speaker's latest turn at the time when the file's system extracted the argument, not younger than an attack on it.
    LatestTurn,
    /// No turn of the speaker that could contain the argument shares a word with it: the turn is unknown.
    Unknown,
}

impl TurnBasis {
    /// Remark about the basis of a turn that is shown by itself; empty if the turn is recorded.
    pub fn remark(self) -> &'static str {
        match self {
            TurnBasis::Stated => "",
            TurnBasis::MatchedWords => " (turn by matching words)",
            TurnBasis::LatestTurn => " (latest turn)",
            TurnBasis::Unknown => " (turn unknown)",
        }
    }

    /// Returns the turn in words, with its basis unless it is recorded: `t5`, `t5 by matching words`, `t5 as the latest`,
    /// `turn unknown`.
    pub fn describe(self, turn: TurnId) -> String {
        match self {
            TurnBasis::Stated => turn.to_string(),
            TurnBasis::MatchedWords => format!("{turn} by matching words"),
            TurnBasis::LatestTurn => format!("{turn} as the latest"),
            TurnBasis::Unknown => "turn unknown".to_owned(),
        }
    }
}

/// An imported argument was attributed to a turn that the file does not state, or to none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArgumentAttributed {
    /// The argument, which an earlier event advanced. If the basis is `unknown`, that event names the turn `t0`.
    pub argument: ArgumentId,
    /// Basis of the attribution.
    pub basis: TurnBasis,
    /// Number of distinctive words that turn and claim share.
    pub shared_words: u32,
}

impl Summarize for ArgumentAttributed {
    fn summary(&self) -> String {
        match (self.basis, self.shared_words) {
            (TurnBasis::Stated, _) => format!("{}: the turn is stated", self.argument),
            (TurnBasis::MatchedWords, 1) => format!("{}: turn found by 1 shared word", self.argument),
            (TurnBasis::MatchedWords, n) => format!("{}: turn found by {n} shared words", self.argument),
            (TurnBasis::LatestTurn, _) => format!("{}: the speaker's latest turn", self.argument),
            (TurnBasis::Unknown, _) => format!("{}: the turn is unknown", self.argument),
        }
    }
}
