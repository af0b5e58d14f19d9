//! What the dialectic engine asks models for: the shapes of its replies.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::events::proposal::{Recommendation, Severity};

/// A reply to `draft`.
#[derive(Deserialize, JsonSchema)]
pub struct Drafted {
    /// The proposal itself.
    pub proposal: String,
    /// Why it.
    pub reasoning: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// The terms on which it turns.
    #[serde(default)]
    pub terms: Vec<String>,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// A reply to `criticize`.
#[derive(Deserialize, JsonSchema)]
pub struct Criticized {
    /// What is wrong with it.
    pub issues: Vec<IssueFound>,
    /// Cases in which it gives no answer or a wrong one.
    #[serde(default)]
    pub edge_cases: Vec<String>,
    /// Where it contradicts itself or what is known.
    #[serde(default)]
    pub contradictions: Vec<String>,
    /// What should become of it.
    pub recommendation: Advice,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// An issue as a model tells it.
#[derive(Deserialize, JsonSchema)]
pub struct IssueFound {
    /// How bad.
    pub severity: Badness,
    /// What.
    pub text: String,
}

/// How bad an issue is.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Badness {
    /// Worth a word.
    #[serde(alias = "low")]
    Minor,
    /// Worth a change.
    #[serde(alias = "medium", alias = "moderate", alias = "high")]
    Major,
    /// It cannot stand with it.
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

/// What should become of a proposal.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// It stands as it is.
    Accept,
    /// It is to be bettered.
    Revise,
    /// It is to be dropped.
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

/// A reply to `synthesize`.
#[derive(Deserialize, JsonSchema)]
pub struct Synthesized {
    /// The new proposal itself.
    pub proposal: String,
    /// Why it.
    pub reasoning: String,
    /// What was changed, each for the issue it answers.
    #[serde(default)]
    pub changes: Vec<ChangeMade>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// A change as a model tells it.
#[derive(Deserialize, JsonSchema)]
pub struct ChangeMade {
    /// The issue, by name.
    pub issue: String,
    /// What was changed.
    pub text: String,
}
