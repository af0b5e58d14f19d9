//! What was asked of the world, what came back, and what it cost.
//!
//! A request is recorded before the call and its receipt after it, in one append with the facts drawn from the answer.
//! A request without a receipt is one that a crash cut off: it is seen, and asked again.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names one question for ever: the same state always asks it under the same key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EffectKey {
    /// What is asked for, in the engine's words: `open`, `attack`, `judge`.
    pub purpose: String,
    /// Of whom or about what: a persona, a proposal, the round.
    pub subject: String,
    /// Which of several of that kind, from 0.
    pub ordinal: u32,
}

impl std::fmt::Display for EffectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.purpose, self.subject, self.ordinal)
    }
}

/// A call is about to be made. Written before it, so that a crash leaves a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectRequested {
    /// The question.
    pub key: EffectKey,
    /// Which attempt this is, from 1; requests that a crash lost count as well.
    pub attempt: u32,
    /// How much thought it deserves.
    pub tier: Tier,
    /// The instructions that the provider was given, exactly.
    pub system: String,
    /// The prompt that the provider was given, exactly.
    pub prompt: String,
    /// The passages laid beside the prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<Ground>,
}

/// How much thought a question deserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Checks and judgements.
    Quick,
    /// Speech and distilling.
    Deep,
}

/// A passage of a persona's corpus that an answer was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ground {
    /// What the prompt called it: `g1`.
    pub alias: String,
    /// The stored chunk.
    pub chunk: Uuid,
    /// How well it fitted the query; comparable within one request only.
    pub score: f64,
}

/// A passage laid beside a prompt holds what reads as if it were meant for a model. It was laid there all the same,
/// between its marks: a flag for people, and no verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InjectionSuspected {
    /// The question.
    pub key: EffectKey,
    /// Which attempt.
    pub attempt: u32,
    /// The passages that were suspected.
    pub passages: Vec<SuspectPassage>,
}

/// A passage that was suspected, and of what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspectPassage {
    /// What the prompt called it.
    pub alias: String,
    /// The stored chunk.
    pub chunk: Uuid,
    /// What was found, each as kind and evidence: `instruction: ignore all previous instructions`.
    pub suspicions: Vec<String>,
}

/// What a provider answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Provider and model, as the provider names them.
    pub by: String,
    /// The raw reply.
    pub text: String,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// From request to reply, in milliseconds.
    pub millis: u32,
    /// The provider's own name for the request, where it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// How often the provider had to be called, transport retries included.
    #[serde(default = "once")]
    pub tries: u32,
    /// Passages that the provider found by itself; those that it was given stand in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<Ground>,
}

fn once() -> u32 {
    1
}

/// What a call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read, not from a cache.
    pub input_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Money in millionths of a US dollar; 0 where the price table does not know the model.
    pub cost_micros: u64,
}

impl Usage {
    /// All tokens, read and written.
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.cache_read_tokens + self.cache_write_tokens + self.output_tokens
    }
}

/// The answer came and was read. The facts drawn from it follow in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectAnswered {
    /// The question.
    pub key: EffectKey,
    /// Which attempt.
    pub attempt: u32,
    /// The answer.
    pub answer: Answer,
    /// Nobody waited for it any more; no facts were drawn from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
    /// The reply was cut off, and could be read after its strings and brackets were closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repaired: bool,
}

/// The call failed, or its answer could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectFailed {
    /// The question.
    pub key: EffectKey,
    /// Which attempt.
    pub attempt: u32,
    /// What went wrong.
    pub failure: Failure,
    /// The answer that could not be read, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// No more attempts: the engine goes on without an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectAbandoned {
    /// The question.
    pub key: EffectKey,
    /// How often it had been asked.
    pub attempts: u32,
    /// The last failure, in words.
    pub reason: String,
}

/// Why a call did not come back with something usable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it was.
    pub kind: FailureKind,
    /// What happened, in words.
    pub message: String,
    /// What came back all the same, and cost something. A receipt keeps it beside the failure.
    #[serde(skip)]
    pub answer: Option<Box<Answer>>,
}

impl Failure {
    /// A failure in words.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure { kind, message: message.into(), answer: None }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The reply was not what was asked for; it is asked for again with the reason.
    Unreadable,
    /// The reply was cut off at the provider's token limit.
    Truncated,
    /// The model would not answer.
    Declined,
    /// The provider could not be reached, was overloaded or broke off; worth another attempt.
    Unavailable,
    /// No answer within the time allowed.
    TimedOut,
    /// Asking again cannot help: no credentials, no quota, no such model.
    Hopeless,
}
