//! Reply types of the dialectic engine.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::events::proposal::{Recommendation, Severity};

/// Reply to `draft`.
#[derive(Deserialize, JsonSchema)]
pub struct DraftReply {
    /// The proposal itself.
    pub proposal: String,
    /// Reasoning behind the proposal.
    pub reasoning: String,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// Key terms of the proposal.
    #[serde(default)]
    pub terms: Vec<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Reply to `criticize`.
#[derive(Deserialize, JsonSchema)]
pub struct Criticized {
    /// Issues with the proposal.
    pub issues: Vec<IssueFound>,
    /// Edge cases for which it gives no answer or a wrong one.
    #[serde(default)]
    pub edge_cases: Vec<String>,
    /// Contradictions within it or with known facts.
    #[serde(default)]
    pub contradictions: Vec<String>,
    /// Recommendation on the proposal.
    pub recommendation: Advice,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Issue with a proposal.
#[derive(Deserialize, JsonSchema)]
pub struct IssueFound {
    /// Severity of the issue.
    pub severity: Badness,
    /// Description of the issue.
    pub text: String,
}

/// Severity of an issue.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Badness {
    /// Worth mentioning.
    #[serde(alias = "low")]
    Minor,
    /// Should be fixed.
    #[serde(alias = "medium", alias = "moderate", alias = "high")]
    Major,
    /// The proposal fails because of it.
    Critical,
}

impl From<Badness> for Severity {
    fn from(badness: Badness) -> Severity {
        match badness {
            Badness::Minor => Severity::Minor,
            Badness::Major => Severity::Major,
            Badness::Critical => Severity::Critical,
        }
    }
}

/// Recommendation on a proposal.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Accept it as it is.
    Accept,
    /// Revise it.
    Revise,
    /// Reject it.
    Reject,
}

impl From<Advice> for Recommendation {
    fn from(advice: Advice) -> Recommendation {
        match advice {
            Advice::Accept => Recommendation::Accept,
            Advice::Revise => Recommendation::Revise,
            Advice::Reject => Recommendation::Reject,
        }
    }
}

/// Reply to `synthesize`.
#[derive(Deserialize, JsonSchema)]
pub struct Synthesized {
    /// The new proposal itself.
    pub proposal: String,
    /// Reasoning behind the proposal.
    pub reasoning: String,
    /// Changes made, each with the issue that it addresses.
    #[serde(default)]
    pub changes: Vec<ChangeMade>,
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
