//! Reply types of confirmations, aspects and exit checks.

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

/// Reply to `aspects`.
#[derive(Deserialize, JsonSchema)]
pub struct AspectsReply {
    /// Aspects of the question; empty if nothing narrower came up.
    pub aspects: Vec<AspectReply>,
}

/// Aspect of a question.
#[derive(Deserialize, JsonSchema)]
pub struct AspectReply {
    /// Question about the aspect, answerable with yes or no.
    pub question: String,
    /// Name of the aspect, in two to five words.
    #[serde(default)]
    pub label: String,
    /// Names of the sentences in which it comes up, such as t3.2.
    #[serde(default)]
    pub sentences: Vec<String>,
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
