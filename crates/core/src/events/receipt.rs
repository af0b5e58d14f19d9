//! Requests to providers, their answers, and the costs.
//!
//! A request is recorded before the call. Its receipt is recorded after the call, in one append with the facts drawn
//! from the answer. A request without a receipt was cut off by a crash; it is detected and repeated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::ids::RoomId;
use crate::events::summary::{Summarize, short};

/// Purpose of the calls in which a clerk reads the turns of a talk.
pub const CRYSTALLIZE: &str = "crystallize";
/// Purpose of the calls in which a clerk points at the claims of a speech. Their subject is the turn or the draft.
pub const EXTRACTION_PURPOSE: &str = "extract_claims";
/// Purpose of the calls that check a claim. Their subject is the id of the check.
pub const CHECK_PURPOSE: &str = "check";
/// Purpose of the calls that probe turns of a participant against the participant's contract. Their subject is the round.
pub const CONTRACT_PROBE: &str = "probe_contract";
/// Purpose of the calls that probe pairs of agreed statements for contradictions. Their subject is the round.
pub const CONTRADICTION_PROBE: &str = "probe_contradiction";
/// Purpose of the calls in which participants rate agreed statements. Their subject is the round.
pub const ENDORSEMENT_PROBE: &str = "probe_endorsement";
/// Purposes of all probes.
pub const PROBE_PURPOSES: &[&str] = &[CONTRACT_PROBE, CONTRADICTION_PROBE, ENDORSEMENT_PROBE];

/// Stable identity of a request: the same state always requests it under the same key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct EffectKey {
    /// Purpose, defined by the engine: `open`, `attack`, `judge`.
    pub purpose: String,
    /// Subject: a persona, a proposal or a round.
    pub subject: String,
    /// Index among requests of the same purpose and subject, from 0.
    pub ordinal: u32,
}

/// Purposes of calls in a room.
const ROOM_PURPOSES: &[&str] = &[
    "enter",
    "room_turn",
    "steelman",
    "confirm",
    "diagnose",
    "falsify",
    "resolve",
    "aspects",
    "take",
    "reply",
    "rejoinder",
    "clash",
    "room_closing",
    "exit",
    "extract",
];

/// Factor of the room in the ordinals of calls in a room; more than the calls of one purpose and subject in it.
pub const ROOM_ORDINALS: u32 = 100;

impl EffectKey {
    /// Returns the room of a call in a room; `None` for other calls. Its ordinal is the number of the room times
    /// [`ROOM_ORDINALS`], and an index.
    pub fn room(&self) -> Option<RoomId> {
        let is_in_room = ROOM_PURPOSES.contains(&self.purpose.as_str()) && self.ordinal >= ROOM_ORDINALS;
        is_in_room.then_some(RoomId(self.ordinal / ROOM_ORDINALS))
    }

    /// Returns the purpose for people, such as "criticism"; one that only an outside orchestrator knows as it is.
    pub fn purpose_in_words(&self) -> &str {
        match self.purpose.as_str() {
            "open" => "opening",
            "judge" => "judgement",
            "criticize" => "criticism",
            "ratify" => "ratification",
            "synthesize" => "synthesis",
            CRYSTALLIZE => "clerk's reading",
            "compare" => "comparison of claims",
            "close" => "closing word",
            "decompose" => "decomposition of the topic",
            EXTRACTION_PURPOSE => "extraction of claims",
            CHECK_PURPOSE => "fact check",
            "stance" => "first stances",
            "detect" => "search for disagreements",
            "enter" => "entry statement",
            "room_turn" => "turn",
            "confirm" => "judgement of a steelman",
            "diagnose" => "diagnosis",
            "falsify" => "falsifier",
            "resolve" => "resolution",
            "aspects" => "search for aspects",
            "clash" => "turn in a clash",
            "room_closing" => "closing statement",
            "exit" => "exit check",
            "extract" => "extraction of a card",
            CONTRACT_PROBE => "probe of a contract",
            CONTRADICTION_PROBE => "probe for contradictions",
            ENDORSEMENT_PROBE => "probe of endorsement",
            other => other,
        }
    }
}

impl std::fmt::Display for EffectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.purpose, self.subject, self.ordinal)
    }
}

/// A call is about to be made. Recorded before the call, so that a crash leaves a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectRequested {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1; requests lost to a crash count as well.
    pub attempt: u32,
    /// Model tier.
    pub tier: Tier,
    /// Exact instructions (system prompt) sent to the provider.
    pub system: String,
    /// Exact prompt sent to the provider.
    pub prompt: String,
    /// Passages supplied with the prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<PassageRef>,
    /// Search that the speaker had asked for; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchResult>,
}

impl Summarize for EffectRequested {
    fn summary(&self) -> String {
        let passages = match self.grounds.len() {
            0 => String::new(),
            n => format!(", {n} passages"),
        };
        let searched = match &self.search {
            None => String::new(),
            Some(SearchResult { failure: Some(_), .. }) => ", the search failed".to_owned(),
            Some(search) => format!(", {} found by a search", search.found.len()),
        };
        format!("{} attempt {}{passages}{searched}", self.key, self.attempt)
    }
}

/// Model tier of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// For checks and judgements.
    Quick,
    /// For turns and distillation.
    Deep,
}

/// Passage that was supplied for an answer: of a corpus, or of a web page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassageRef {
    /// Alias in the prompt: `g1`.
    pub alias: String,
    /// Id of the stored chunk. For a web page, an id derived from its address and text; no chunk is stored under it.
    pub chunk: Uuid,
    /// Relevance to the query; comparable only within one request.
    pub score: f64,
    /// The web page; absent for a passage of a corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<WebPage>,
}

impl PassageRef {
    /// Creates a reference to a passage of a corpus.
    pub fn of_chunk(alias: impl Into<String>, chunk: Uuid, score: f64) -> PassageRef {
        PassageRef { alias: alias.into(), chunk, score, page: None }
    }
}

/// Web page that a search returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebPage {
    /// Title of the page.
    pub title: String,
    /// Web address, `http` or `https`.
    pub address: String,
}

/// A passage supplied with a prompt contains text that seems to address a model. The passage was used nevertheless,
/// between its delimiters: the event is a notice for people, not a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InjectionSuspected {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The suspicious passages.
    pub passages: Vec<SuspectPassage>,
}

impl Summarize for InjectionSuspected {
    fn summary(&self) -> String {
        let passages =
            self.passages.iter().map(|passage| format!("{} ({})", passage.alias, passage.suspicions.join("; ")));
        format!("{} attempt {}: {}", self.key, self.attempt, short(&passages.collect::<Vec<_>>().join(", ")))
    }
}

/// Suspicious passage, with the findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuspectPassage {
    /// Alias of the passage in the prompt: `g1`.
    pub alias: String,
    /// Id of the stored chunk.
    pub chunk: Uuid,
    /// Findings, each as kind and evidence: `instruction: ignore all previous instructions`.
    pub suspicions: Vec<String>,
}

/// Answer of a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderAnswer {
    /// Provider and model, as named by the provider.
    pub by: String,
    /// The raw reply.
    pub text: String,
    /// Tokens and cost.
    #[serde(default)]
    pub usage: Usage,
    /// Milliseconds from request to reply.
    pub millis: u32,
    /// The provider's id for the request, if it reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Number of calls to the provider, transport retries included.
    #[serde(default = "once")]
    pub tries: u32,
    /// Passages that the provider found by itself; those supplied with the prompt are in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<PassageRef>,
}

fn once() -> u32 {
    1
}

/// Tokens and cost of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Usage {
    /// Input tokens that were not read from a cache.
    pub input_tokens: u64,
    /// Input tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar; 0 if the price table does not list the model.
    pub cost_micros: u64,
    /// True if some of the counts are estimated, because the provider did not report them: the call broke off or timed
    /// out, or the server reports no usage.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// True if the price table does not list the model: the cost is unknown, and counts as 0.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

impl Usage {
    /// Returns the sum of all token counts.
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.cache_read_tokens + self.cache_write_tokens + self.output_tokens
    }

    /// Returns the sum of two usages; estimated if one of them is.
    #[must_use]
    pub fn plus(&self, other: &Usage) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
            estimated: self.estimated || other.estimated,
            unpriced: self.unpriced || other.unpriced,
        }
    }
}

/// An answer arrived and was readable. The facts drawn from it follow in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectAnswered {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The answer.
    pub answer: ProviderAnswer,
    /// True if the answer was no longer needed; no facts were drawn from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
    /// True if the reply was truncated and became readable after its strings and brackets were closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repaired: bool,
}

impl Summarize for EffectAnswered {
    fn summary(&self) -> String {
        let ignored = if self.ignored { ", no longer needed" } else { "" };
        let repaired = if self.repaired { ", truncated and repaired" } else { "" };
        format!("{} attempt {} by {}{repaired}{ignored}", self.key, self.attempt, self.answer.by)
    }
}

/// A speaker asked for a search instead of answering. The request is made again, with the passages that were found: see
/// `search` of `effect_requested`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRequested {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Words to search for.
    pub query: String,
    /// The reply that asked for the search.
    pub answer: ProviderAnswer,
}

impl Summarize for SearchRequested {
    fn summary(&self) -> String {
        format!("{} attempt {}: {}", self.key, self.attempt, short(&self.query))
    }
}

/// Search that was made for a speaker before the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchResult {
    /// Words that were searched for.
    pub query: String,
    /// Name of the search: `corpora`, `tavily` or `searxng`, or `none` in a process without one; an outside orchestrator names
    /// its own.
    pub by: String,
    /// Aliases of the passages found, which are among `grounds` of the request. Empty if nothing was found, or nothing that
    /// the request had not already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// Failure of the search; absent if it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// A call failed, or its answer was unreadable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectFailed {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Description of the failure.
    pub failure: Failure,
    /// The unreadable answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ProviderAnswer>,
}

impl Summarize for EffectFailed {
    fn summary(&self) -> String {
        format!("{} attempt {}: {}", self.key, self.attempt, self.failure.message)
    }
}

/// The effect was abandoned: no further attempts are made, and the engine continues without an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectAbandoned {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of attempts made.
    pub attempts: u32,
    /// Message of the last failure.
    pub reason: String,
}

impl Summarize for EffectAbandoned {
    fn summary(&self) -> String {
        format!("{} after {}: {}", self.key, self.attempts, self.reason)
    }
}

/// Failure of a call to produce a usable answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Kind of failure.
    pub kind: FailureKind,
    /// Message for people.
    pub message: String,
    /// Advice to the model for its next attempt, such as `say it once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// A partial answer that arrived nevertheless and has a cost. The receipt stores it beside the failure.
    #[serde(skip)]
    pub answer: Option<Box<ProviderAnswer>>,
}

impl Failure {
    /// Creates a failure without an answer.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure { kind, message: message.into(), advice: None, answer: None }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The reply did not have the requested form; it is requested again with the reason.
    Unreadable,
    /// The reply only repeats itself, its instructions, or what was said before; it is requested again with the reason.
    Repeated,
    /// The spoken text is longer than the debate allows; it is requested again with the limit.
    Overlong,
    /// The reply was truncated at the provider's token limit.
    Truncated,
    /// The model refused to answer.
    Declined,
    /// The provider was unreachable, overloaded or closed the connection; worth another attempt.
    Unavailable,
    /// No answer arrived within the time allowed.
    TimedOut,
    /// A retry cannot help: no credentials, no quota, or an unknown model.
    Hopeless,
}
