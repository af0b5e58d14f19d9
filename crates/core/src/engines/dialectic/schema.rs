//! Reply types of the dialectic engine, and the requests for them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::reply_schema::SideReply;
use crate::events::proposal::{Recommendation, Severity};

/// Reply to `draft`.
#[derive(Deserialize, JsonSchema)]
pub struct DraftReply {
    /// Reasoning behind the proposal.
    pub reasoning: String,
    /// The proposal itself.
    pub proposal: String,
    /// One sentence in which the speaker says that the proposal should stand; null if they only put it up for discussion.
    #[serde(default)]
    pub stand: Option<String>,
    /// Key terms of the proposal.
    #[serde(default)]
    pub terms: Vec<String>,
    /// Side of the topic.
    #[serde(default)]
    pub topic: Option<TopicReply>,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Side of the topic, with the words that state it.
#[derive(Deserialize, JsonSchema)]
pub struct TopicReply {
    /// One sentence in which the speaker states it.
    pub words: String,
    /// The side.
    pub side: SideReply,
}

/// Acceptance of a proposal.
#[derive(Deserialize, JsonSchema)]
pub struct AcceptanceReply {
    /// One sentence with the reason.
    pub reason: String,
    /// One sentence that accepts the proposal.
    pub words: String,
    /// One sentence in which the speaker says that they changed sides on the topic; null if they did not.
    #[serde(default)]
    pub change_of_mind: Option<String>,
}

/// Reply to `criticize` and `ratify`.
#[derive(Deserialize, JsonSchema)]
pub struct CriticismReply {
    /// Issues with the proposal.
    pub issues: Vec<IssueFound>,
    /// Edge cases for which it gives no answer or a wrong one.
    #[serde(default)]
    pub edge_cases: Vec<String>,
    /// Contradictions within it or with known facts.
    #[serde(default)]
    pub contradictions: Vec<String>,
    /// Recommendation on the proposal.
    pub recommendation: RecommendationReply,
    /// The acceptance in words, for the recommendation accept; otherwise null.
    #[serde(default)]
    pub acceptance: Option<AcceptanceReply>,
    /// One sentence that rejects the proposal, for the recommendation reject; otherwise null.
    #[serde(default)]
    pub rejection: Option<String>,
    /// Side of the topic.
    #[serde(default)]
    pub topic: Option<TopicReply>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Issue with a proposal.
#[derive(Deserialize, JsonSchema)]
pub struct IssueFound {
    /// Description of the issue.
    pub text: String,
    /// Severity of the issue.
    pub severity: SeverityReply,
}

/// Severity of an issue.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeverityReply {
    /// Worth mentioning.
    #[serde(alias = "low")]
    Minor,
    /// Should be fixed.
    #[serde(alias = "medium", alias = "moderate", alias = "high")]
    Major,
    /// The proposal fails because of it.
    Critical,
}

impl From<SeverityReply> for Severity {
    fn from(badness: SeverityReply) -> Severity {
        match badness {
            SeverityReply::Minor => Severity::Minor,
            SeverityReply::Major => Severity::Major,
            SeverityReply::Critical => Severity::Critical,
        }
    }
}

/// Recommendation on a proposal.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecommendationReply {
    /// Accept it as it is.
    #[serde(alias = "approve", alias = "agree")]
    Accept,
    /// Nothing to object.
    #[serde(alias = "none", alias = "no objection")]
    NoObjection,
    /// Revise it.
    Revise,
    /// Reject it.
    Reject,
}

impl From<RecommendationReply> for Recommendation {
    fn from(advice: RecommendationReply) -> Recommendation {
        match advice {
            RecommendationReply::Accept => Recommendation::Accept,
            RecommendationReply::NoObjection => Recommendation::NoObjection,
            RecommendationReply::Revise => Recommendation::Revise,
            RecommendationReply::Reject => Recommendation::Reject,
        }
    }
}

/// Reply to `synthesize`.
#[derive(Deserialize, JsonSchema)]
pub struct SynthesisReply {
    /// Reasoning behind the proposal.
    pub reasoning: String,
    /// Changes made, each with the issue that it addresses.
    #[serde(default)]
    pub changes: Vec<ChangeMade>,
    /// The new proposal itself.
    pub proposal: String,
    /// Concessions that the new proposal makes; may be empty.
    #[serde(default)]
    pub concessions: Vec<ConcessionReply>,
    /// One sentence in which the speaker says that the new proposal should stand; null if they only put it up for discussion.
    #[serde(default)]
    pub stand: Option<String>,
    /// Side of the topic.
    #[serde(default)]
    pub topic: Option<TopicReply>,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Change to a proposal.
#[derive(Deserialize, JsonSchema)]
pub struct ChangeMade {
    /// Alias of the issue.
    pub issue: String,
    /// Description of the change.
    pub text: String,
}

/// Concession of a new proposal to its critic.
#[derive(Deserialize, JsonSchema)]
pub struct ConcessionReply {
    /// The words of `proposal` that concede it, copied exactly.
    pub words: String,
    /// Name of the critic's sentence that they grant, such as i1.2; null if they grant none.
    #[serde(default)]
    pub grants: Option<String>,
}

/// Request to a speaker for a reply of one shape.
pub struct SpeakerRequest {
    /// Purpose of the effect.
    pub purpose: &'static str,
    /// Kind of turn that the reply becomes.
    pub manner: TurnKind,
    /// JSON Schema of the reply.
    pub schema: Value,
    /// Name of the schema.
    pub schema_name: &'static str,
}
