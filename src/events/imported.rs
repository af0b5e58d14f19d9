//! What came with a debate from elsewhere: kept as it stood, and never taken for a fact of ours.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::ArgumentId;

/// What an earlier system concluded: a label, a measure, a regime. Shown as its word; no fold takes it for truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictImported {
    /// The file's own name for it: `convergence_update`.
    pub name: String,
    /// What was said, whole.
    pub said: Value,
}

/// Something of an imported file that has no counterpart here, or that could not be taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordKept {
    /// The file's own name for it: `speaker_selected`.
    pub name: String,
    /// Why it was set aside; `None` where it only has no counterpart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// The record, whole.
    pub record: Value,
}

/// An argument that the file speaks of and does not hold was made from what is said of it, so that what follows from it
/// has something to stand on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentSynthesised {
    /// The argument, as it is advanced next.
    pub argument: ArgumentId,
    /// The file's own name for it: `arg-6`.
    pub name: String,
    /// What it was made from.
    pub reason: String,
}
