//! Records from imported debates: kept as they were, and never treated as facts of this service.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::ArgumentId;
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
