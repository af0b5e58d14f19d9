//! GraphQL types of proposals, criticism and changes.

use async_graphql::{ID, SimpleObject};

use faultline_core::events::proposal::{Recommendation, Severity};
use faultline_core::projections::proposals;

/// A proposal and its criticism.
#[derive(SimpleObject, Clone)]
pub struct Proposal {
    /// Id within the debate, such as `p1`.
    id: ID,
    /// Id of the proposal it revises; null for a draft.
    from_id: Option<ID>,
    /// Id of the participant who made it.
    speaker_id: ID,
    /// Id of the turn.
    turn_id: ID,
    /// Round, from 1.
    round: u32,
    /// Text.
    text: String,
    /// Reasoning for the proposal.
    reasoning: String,
    /// Confidence of the participant, from 0 to 1.
    confidence: f64,
    /// Similarity to the proposal it revises, from 0 to 1.
    similarity: Option<f64>,
    /// Changes, each with the issue it addresses.
    changes: Vec<Change>,
    /// Criticism; null until a critic has reviewed it.
    criticism: Option<Criticism>,
}

/// One change to a proposal.
#[derive(SimpleObject, Clone)]
pub struct Change {
    /// Id of the issue it addresses.
    issue_id: ID,
    /// Description of the change.
    text: String,
}

/// A critic's findings.
#[derive(SimpleObject, Clone)]
pub struct Criticism {
    /// Id of the turn.
    turn_id: ID,
    /// `accept`, `revise` or `reject`.
    recommendation: &'static str,
    /// Issues found.
    issues: Vec<Issue>,
    /// Cases for which the proposal gives no answer or a wrong one.
    edge_cases: Vec<String>,
    /// Contradictions within the proposal, or with known facts.
    contradictions: Vec<String>,
}

/// An issue with a proposal.
#[derive(SimpleObject, Clone)]
pub struct Issue {
    /// Id within the debate, such as `i1`.
    id: ID,
    /// `minor`, `major` or `critical`.
    severity: &'static str,
    /// Description.
    text: String,
}

impl From<&proposals::Proposal> for Proposal {
    fn from(proposal: &proposals::Proposal) -> Self {
        let criticism = proposal.criticism.as_ref().map(|it| Criticism {
            turn_id: ID(it.turn.to_string()),
            recommendation: match it.recommendation {
                Recommendation::Accept => "accept",
                Recommendation::Revise => "revise",
                Recommendation::Reject => "reject",
            },
            issues: it.issues.iter().map(Issue::from).collect(),
            edge_cases: it.edge_cases.clone(),
            contradictions: it.contradictions.clone(),
        });
        let changes = proposal.changes.iter();
        Proposal {
            id: ID(proposal.proposal.to_string()),
            from_id: proposal.from.map(|it| ID(it.to_string())),
            speaker_id: ID(proposal.speaker.to_string()),
            turn_id: ID(proposal.turn.to_string()),
            round: proposal.round,
            text: proposal.text.clone(),
            reasoning: proposal.reasoning.clone(),
            confidence: proposal.confidence,
            similarity: proposal.similarity,
            changes: changes.map(|it| Change { issue_id: ID(it.issue.to_string()), text: it.text.clone() }).collect(),
            criticism,
        }
    }
}

impl From<&faultline_core::events::proposal::Issue> for Issue {
    fn from(issue: &faultline_core::events::proposal::Issue) -> Self {
        Issue {
            id: ID(issue.issue.to_string()),
            severity: match issue.severity {
                Severity::Minor => "minor",
                Severity::Major => "major",
                Severity::Critical => "critical",
            },
            text: issue.text.clone(),
        }
    }
}
