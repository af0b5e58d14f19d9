//! What thesis, antithesis and synthesis work on.

use serde::{Deserialize, Serialize};

use crate::events::ids::{IssueId, PersonaId, ProposalId, TurnId};

/// A generator drafted a proposal: the first thesis, or a new one after a rejection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalDrafted {
    /// The proposal.
    pub proposal: ProposalId,
    /// Who drafted it.
    pub speaker: PersonaId,
    /// The turn in which.
    pub turn: TurnId,
    /// The round it opens, from 1.
    pub round: u32,
    /// The proposal itself.
    pub text: String,
    /// Why it.
    pub reasoning: String,
    /// The speaker's own, from 0 to 1.
    pub confidence: f64,
    /// The terms on which it turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
}

/// A critic looked at a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalCriticized {
    /// The proposal.
    pub proposal: ProposalId,
    /// Who criticized it.
    pub speaker: PersonaId,
    /// The turn in which.
    pub turn: TurnId,
    /// The round, from 1.
    pub round: u32,
    /// What is wrong with it.
    pub issues: Vec<Issue>,
    /// Cases in which it gives no answer or a wrong one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_cases: Vec<String>,
    /// Where it contradicts itself or what is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
    /// What should become of it.
    pub recommendation: Recommendation,
}

/// Something wrong with a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// The issue.
    pub issue: IssueId,
    /// How bad.
    pub severity: Severity,
    /// What.
    pub text: String,
}

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a word.
    Minor,
    /// Worth a change.
    Major,
    /// The proposal cannot stand with it.
    Critical,
}

/// What should become of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// It stands as it is.
    Accept,
    /// It is to be bettered.
    Revise,
    /// It is to be dropped.
    Reject,
}

/// A synthesizer joined a proposal and its criticism. The synthesis is the next thesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalSynthesized {
    /// The new proposal.
    pub proposal: ProposalId,
    /// The one it came from.
    pub from: ProposalId,
    /// Who joined them.
    pub speaker: PersonaId,
    /// The turn in which.
    pub turn: TurnId,
    /// The round, from 1.
    pub round: u32,
    /// The proposal itself.
    pub text: String,
    /// Why it.
    pub reasoning: String,
    /// What was changed, each for the issue it answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The speaker's own, from 0 to 1.
    pub confidence: f64,
}

/// One change to a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The issue that it answers.
    pub issue: IssueId,
    /// What was changed.
    pub text: String,
}
