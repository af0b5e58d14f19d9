//! Reply types of confirmations and exit checks.

use schemars::JsonSchema;
use serde::Deserialize;

/// Reply to `confirm`.
#[derive(Deserialize, JsonSchema)]
pub struct ConfirmationReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// The words of `text` that say whether the position was stated fairly, copied exactly.
    pub words: String,
    /// True if the position was stated fairly.
    pub accepted: bool,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Reply to `exit`.
#[derive(Deserialize, JsonSchema)]
pub struct ExitReply {
    /// Names of the sentences in which each of them states what divides them, such as t9.2.
    #[serde(default)]
    pub sentences: Vec<String>,
    /// Reason, in a sentence.
    pub reason: String,
    /// True if both have stated what divides them.
    pub surfaced: bool,
}
