//! Records from imported debates: kept as they were, and never treated as facts of this service.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::ArgumentId;

/// A conclusion of the earlier system: a label, a measure, a regime. Shown as that system's statement; no fold relies
/// on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictImported {
    /// Name in the imported file: `convergence_update`.
    pub name: String,
    /// The complete statement.
    pub said: Value,
}

/// A record of an imported file that has no counterpart here or that could not be converted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordKept {
    /// Name in the imported file: `speaker_selected`.
    pub name: String,
    /// Reason why it was not converted; `None` if it only has no counterpart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// The complete record.
    pub record: Value,
}

/// An argument that the imported file mentions but does not contain was reconstructed from the mentions, so that
/// records which depend on it can be kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentSynthesised {
    /// The argument, which the next event advances.
    pub argument: ArgumentId,
    /// Name in the imported file: `arg-6`.
    pub name: String,
    /// Basis of the reconstruction.
    pub reason: String,
}
