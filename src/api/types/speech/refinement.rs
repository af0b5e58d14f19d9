//! GraphQL types of the change of a proposal from first to last.

use async_graphql::{ID, SimpleObject};

use faultline_core::projections::proposals;

/// Change of a proposal from its author's first version to the last, with averages over the debate. A proposal of somebody
/// else is a rival, and no earlier version.
#[derive(SimpleObject, Clone)]
pub struct Refinement {
    /// Id of the first proposal of the last author's unbroken row.
    initial_proposal_id: ID,
    /// Id of the last proposal.
    final_proposal_id: ID,
    /// Number of proposals.
    proposal_count: usize,
    /// Number of rounds: proposals that were criticized.
    round_count: usize,
    /// Confidence of the first proposal, as its speaker states it, from 0 to 1.
    initial_confidence: f64,
    /// Confidence of the last proposal, as its speaker states it, from 0 to 1.
    final_confidence: f64,
    /// Improvement: the last stated confidence minus the first, from -1 to 1. It measures nothing but the statements.
    improvement: f64,
    /// Mean stated confidence of all proposals, from 0 to 1.
    mean_confidence: f64,
    /// Number of different issues raised; one that is raised again in the same words counts once.
    issue_count: usize,
    /// Number of issues that a change answers.
    answered_issue_count: usize,
    /// Mean number of issues that a round adds; null before the first criticism.
    issues_per_round: Option<f64>,
    /// Share of the issues that a change answers, from 0 to 1; null if no issue was raised.
    answered_issue_share: Option<f64>,
    /// Number of contradictions that critics found in all proposals.
    contradiction_count: usize,
    /// Number of contradictions that the last critic found.
    last_contradiction_count: usize,
    /// Number of words of the last proposal that the first lacks; a repeated word counts each time.
    added_word_count: usize,
    /// Number of words of the first proposal that the last lacks; a repeated word counts each time.
    removed_word_count: usize,
    /// Change of the literals; null unless the first and the last proposal are logic programs.
    literals: Option<LiteralChange>,
}

/// Averages over the proposals of several debates.
#[derive(SimpleObject, Clone)]
pub struct RefinementAverages {
    /// Number of debates with proposals.
    debate_count: usize,
    /// Mean number of rounds.
    mean_round_count: f64,
    /// Mean confidence of the first proposals, as their speakers state it, from 0 to 1.
    mean_initial_confidence: f64,
    /// Mean confidence of the last proposals, as their speakers state it, from 0 to 1.
    mean_final_confidence: f64,
    /// Mean improvement, from -1 to 1. It measures nothing but the statements.
    mean_improvement: f64,
    /// Mean number of issues raised.
    mean_issue_count: f64,
    /// Share of all issues that a change answers, from 0 to 1; null if no issue was raised.
    answered_issue_share: Option<f64>,
}

impl From<proposals::RefinementAverages> for RefinementAverages {
    fn from(found: proposals::RefinementAverages) -> Self {
        RefinementAverages {
            debate_count: found.debates,
            mean_round_count: found.rounds,
            mean_initial_confidence: found.initial_confidence,
            mean_final_confidence: found.final_confidence,
            mean_improvement: found.improvement,
            mean_issue_count: found.issues,
            answered_issue_share: found.answered_share,
        }
    }
}

/// Change of the literals in the bodies of a logic program, compared whatever their white space.
#[derive(SimpleObject, Clone)]
pub struct LiteralChange {
    /// Number of literals of the first proposal.
    initial_count: usize,
    /// Number of literals of the last proposal.
    final_count: usize,
    /// Literals that only the last proposal has, in alphabetical order.
    added: Vec<String>,
    /// Literals that only the first proposal has, in alphabetical order.
    removed: Vec<String>,
}

impl From<&proposals::Refinement> for Refinement {
    fn from(found: &proposals::Refinement) -> Self {
        Refinement {
            initial_proposal_id: ID(found.initial.to_string()),
            final_proposal_id: ID(found.last.to_string()),
            proposal_count: found.proposals,
            round_count: found.rounds,
            initial_confidence: found.initial_confidence,
            final_confidence: found.final_confidence,
            improvement: found.improvement(),
            mean_confidence: found.mean_confidence,
            issue_count: found.issues,
            answered_issue_count: found.answered,
            issues_per_round: found.issues_per_round(),
            answered_issue_share: found.answered_share(),
            contradiction_count: found.contradictions,
            last_contradiction_count: found.last_contradictions,
            added_word_count: found.words_added,
            removed_word_count: found.words_removed,
            literals: found.literals.as_ref().map(|literals| LiteralChange {
                initial_count: literals.initial,
                final_count: literals.last,
                added: literals.added.clone(),
                removed: literals.removed.clone(),
            }),
        }
    }
}
