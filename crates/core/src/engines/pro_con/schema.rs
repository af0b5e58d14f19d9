//! Reply types of the engine.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::engines::talk::replies::schema::{MoveReply, StanceReply, TurnReply, moves_with_or_without_words};
use crate::events::checks::check::CheckVerdict;

/// Reply to `turn`: a speech, with what went before it.
#[derive(Deserialize, JsonSchema)]
pub struct SpeechReply {
    /// Reflection: state of the debate, and the other side's argument.
    // Null, together with the critique, from a provider that answers nothing; models are asked for a text.
    #[serde(deserialize_with = "text_or_null")]
    #[schemars(with = "String")]
    pub reflection: Option<String>,
    /// Critique: weaknesses, fallacies and counter-arguments.
    #[serde(deserialize_with = "text_or_null")]
    #[schemars(with = "String")]
    pub critique: Option<String>,
    /// The speech, in the voice of the speaker.
    pub text: String,
    /// Alias of the turn that it answers.
    #[serde(default)]
    pub answers: Option<String>,
    /// Moves of the speech, one or more, each with its words.
    #[serde(default, deserialize_with = "moves_with_or_without_words")]
    pub moves: Vec<MoveReply>,
    /// Stances that the speaker takes in it.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that agree with another participant's crux, copied exactly.
    #[serde(default)]
    pub agreement_words: Option<String>,
    /// Alias of that crux.
    #[serde(default)]
    pub agrees_with: Option<String>,
    /// With `propose_crux`: the point on which the disagreement turns, in one sentence.
    #[serde(default)]
    pub crux: Option<String>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

impl SpeechReply {
    /// Returns the speech as a turn of a talk.
    pub fn turn(self) -> TurnReply {
        TurnReply {
            text: self.text,
            answers: self.answers,
            moves: self.moves,
            stances: self.stances,
            agreement_words: self.agreement_words,
            agrees_with: self.agrees_with,
            crux: self.crux,
            would_change: self.would_change,
            passages: self.passages,
        }
    }
}

/// Reads a text or null. A field that is missing is refused.
fn text_or_null<'de, D: Deserializer<'de>>(reply: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(reply)
}

/// Reply to `extract_claims`.
#[derive(Deserialize, JsonSchema)]
pub struct ClaimsReply {
    /// Claims that can be checked; may be empty.
    pub claims: Vec<ClaimPointed>,
}

/// Claim that a clerk points at.
#[derive(Deserialize, JsonSchema)]
pub struct ClaimPointed {
    /// Name of the sentence that makes it, such as t3.2.
    pub sentence: String,
    /// The claim as a sentence that can be understood by itself; null if the sentence is one.
    #[serde(default)]
    pub claim: Option<String>,
}

/// Reply to `check`.
#[derive(Deserialize, JsonSchema)]
pub struct CheckReply {
    /// Passages that decide the claim, each with its words; empty if none does.
    pub sources: Vec<SourceQuoted>,
    /// Explanation of how they bear on the claim, in one or two sentences.
    pub explanation: String,
    /// Result.
    pub verdict: VerdictReply,
    /// Confidence, from 0 to 1.
    #[serde(default)]
    pub confidence: Option<f64>,
}

/// Source of a check.
#[derive(Deserialize, JsonSchema)]
pub struct SourceQuoted {
    /// Alias of the passage.
    pub passage: String,
    /// Words of the passage that bear on the claim, copied exactly.
    pub words: String,
}

/// Result of a check.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictReply {
    /// The passages support the claim.
    #[serde(alias = "TRUE", alias = "True", alias = "supported")]
    True,
    /// The passages contradict the claim.
    #[serde(alias = "FALSE", alias = "False", alias = "refuted", alias = "contradicted")]
    False,
    /// The passages do not decide it.
    #[serde(alias = "UNVERIFIABLE", alias = "Unverifiable", alias = "unknown", alias = "unclear")]
    Unverifiable,
}

impl From<VerdictReply> for CheckVerdict {
    fn from(verdict: VerdictReply) -> CheckVerdict {
        match verdict {
            VerdictReply::True => CheckVerdict::True,
            VerdictReply::False => CheckVerdict::False,
            VerdictReply::Unverifiable => CheckVerdict::Unverifiable,
        }
    }
}
