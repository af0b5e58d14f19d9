//! Proposals, and what became of them.

use async_graphql::{ID, SimpleObject};

use crate::events::proposal::{Recommendation, Severity};
use crate::projections::proposals;

/// A proposal, and what became of it.
#[derive(SimpleObject, Clone)]
pub struct Proposal {
    /// Its name in the debate: `p1`.
    id: ID,
    /// The one that it was made from; none for a draft.
    from_id: Option<ID>,
    /// Who made it.
    speaker_id: ID,
    /// The turn in which.
    turn_id: ID,
    /// The round in which, from 1.
    round: u32,
    /// The proposal itself.
    text: String,
    /// Why it.
    reasoning: String,
    /// The speaker's own, from 0 to 1.
    confidence: f64,
    /// How alike it is to the one it was made from, from 0 to 1.
    similarity: Option<f64>,
    /// What was changed, each for the issue it answers.
    changes: Vec<Change>,
    /// What the critic found, once one looked.
    criticism: Option<Criticism>,
}

/// One change to a proposal.
#[derive(SimpleObject, Clone)]
pub struct Change {
    /// The issue that it answers.
    issue_id: ID,
    /// What was changed.
    text: String,
}

/// What a critic found.
#[derive(SimpleObject, Clone)]
pub struct Criticism {
    /// The turn in which.
    turn_id: ID,
    /// `accept`, `revise` or `reject`.
    recommendation: &'static str,
    /// What is wrong.
    issues: Vec<Issue>,
    /// Cases in which the proposal gives no answer or a wrong one.
    edge_cases: Vec<String>,
    /// Where it contradicts itself or what is known.
    contradictions: Vec<String>,
}

/// Something wrong with a proposal.
#[derive(SimpleObject, Clone)]
pub struct Issue {
    /// Its name in the debate: `i1`.
    id: ID,
    /// `minor`, `major` or `critical`.
    severity: &'static str,
    /// What.
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

impl From<&crate::events::proposal::Issue> for Issue {
    fn from(issue: &crate::events::proposal::Issue) -> Self {
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
