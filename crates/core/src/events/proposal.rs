//! Proposals of a dialectic debate, their criticism and their synthesis.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{IssueId, PersonaId, ProposalId, TurnId};
use crate::events::summary::{Summarize, short};

/// A generator drafted a proposal: the first thesis, or a new one after a rejection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalDrafted {
    /// The proposal.
    pub proposal: ProposalId,
    /// Participant who drafted it.
    pub speaker: PersonaId,
    /// The turn that contains the draft.
    pub turn: TurnId,
    /// The round that it opens, from 1.
    pub round: u32,
    /// Text of the proposal.
    pub text: String,
    /// Reasoning behind it.
    pub reasoning: String,
    /// The speaker's own confidence, from 0 to 1.
    pub confidence: f64,
    /// Key terms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
}

impl Summarize for ProposalDrafted {
    fn summary(&self) -> String {
        format!("{} {}: {}", self.proposal, self.speaker, short(&self.text))
    }
}

/// A critic reviewed a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalCriticized {
    /// The proposal.
    pub proposal: ProposalId,
    /// Participant who criticized it.
    pub speaker: PersonaId,
    /// The turn that contains the criticism.
    pub turn: TurnId,
    /// Number of the round, from 1.
    pub round: u32,
    /// Issues found.
    pub issues: Vec<Issue>,
    /// Edge cases for which the proposal gives no answer or a wrong one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_cases: Vec<String>,
    /// Contradictions within the proposal or with known facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
    /// The critic's recommendation.
    pub recommendation: Recommendation,
}

impl Summarize for ProposalCriticized {
    fn summary(&self) -> String {
        let n = self.issues.len();
        format!("{} {}: {}, {n} issues", self.proposal, self.speaker, self.recommendation.name())
    }
}

/// Issue with a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    /// Id of the issue.
    pub issue: IssueId,
    /// Severity of the issue.
    pub severity: Severity,
    /// Description of the issue.
    pub text: String,
}

/// Severity of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Minor: worth mentioning.
    Minor,
    /// Major: should be fixed.
    Major,
    /// Critical: the proposal fails because of it.
    Critical,
}

/// Recommendation of a critic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Accept the proposal as it is. Counts as agreement only with a [`ProposalAccepted`] of the same speaker.
    Accept,
    /// Nothing to object. No agreement.
    NoObjection,
    /// Revise it.
    Revise,
    /// Reject it.
    Reject,
}

impl Recommendation {
    /// Returns the wire name: `accept`, `no_objection`, `revise` or `reject`.
    pub fn name(self) -> &'static str {
        match self {
            Recommendation::Accept => "accept",
            Recommendation::NoObjection => "no_objection",
            Recommendation::Revise => "revise",
            Recommendation::Reject => "reject",
        }
    }
}

/// A participant accepted the proposal of another in words, with a reason. Finding nothing to object is no acceptance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalAccepted {
    /// The proposal.
    pub proposal: ProposalId,
    /// Participant who accepted it; never its author.
    pub speaker: PersonaId,
    /// The participant's own turn that contains the acceptance.
    pub turn: TurnId,
    /// The words of acceptance, as they occur in the turn.
    pub words: String,
    /// The reason, as it occurs in the turn.
    pub reason: String,
    /// Words in which the participant says that they changed sides on the topic, as they occur in the turn. Required of
    /// a participant who stood on the other side of the topic than the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_of_mind: Option<String>,
}

impl Summarize for ProposalAccepted {
    fn summary(&self) -> String {
        let moved = if self.change_of_mind.is_some() { " after a change of mind" } else { "" };
        format!("{} {}{moved}: {}", self.proposal, self.speaker, short(&self.words))
    }
}

/// A synthesizer combined a proposal and its criticism. The synthesis is the next thesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalSynthesized {
    /// The new proposal.
    pub proposal: ProposalId,
    /// The original proposal.
    pub from: ProposalId,
    /// Participant who wrote the synthesis.
    pub speaker: PersonaId,
    /// The turn that contains the synthesis.
    pub turn: TurnId,
    /// Number of the round, from 1.
    pub round: u32,
    /// Text of the proposal.
    pub text: String,
    /// Reasoning behind it.
    pub reasoning: String,
    /// Changes made, each with the issue that it addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ProposalChange>,
    /// The speaker's own confidence, from 0 to 1.
    pub confidence: f64,
}

impl Summarize for ProposalSynthesized {
    fn summary(&self) -> String {
        format!("{} from {} {}: {}", self.proposal, self.from, self.speaker, short(&self.text))
    }
}

/// Change to a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalChange {
    /// The issue that it addresses.
    pub issue: IssueId,
    /// Description of the change.
    pub text: String,
}
