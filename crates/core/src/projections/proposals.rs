//! Proposals of a debate, with their criticism and revisions.

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{IssueId, PersonaId, ProposalId, TurnId};
use crate::events::proposal::{ProposalChange, ProposalCriticized, Recommendation};
use crate::projections::projection::Projection;

/// Proposals of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proposals {
    /// Proposals, in the order in which they were made.
    pub proposals: Vec<Proposal>,
}

/// Proposal with its criticism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Id of the proposal.
    pub proposal: ProposalId,
    /// Proposal that it revises; `None` for the first draft.
    pub from: Option<ProposalId>,
    /// Speaker who made it.
    pub speaker: PersonaId,
    /// Turn in which it was made.
    pub turn: TurnId,
    /// Round in which it was made, counted from 1.
    pub round: u32,
    /// Text of the proposal.
    pub text: String,
    /// Reasoning for the proposal.
    pub reasoning: String,
    /// Confidence stated by the speaker, from 0 to 1.
    pub confidence: f64,
    /// Changes, each with the issue that it answers.
    pub changes: Vec<ProposalChange>,
    /// Similarity to the revised proposal, from 0 to 1; `None` for the first draft.
    pub similarity: Option<f64>,
    /// Criticism; `None` while there is none.
    pub criticism: Option<ProposalCriticized>,
}

impl Proposal {
    /// True if the critic recommended to reject it.
    pub fn is_rejected(&self) -> bool {
        self.criticism.as_ref().is_some_and(|criticism| criticism.recommendation == Recommendation::Reject)
    }
}

/// Jaccard similarity of the token sets of two proposals. Tokens are separated by white space and keep their
/// punctuation; order and repetition are ignored. Returns 1 for two empty texts, and 0 if only one is empty.
///
/// Cost: that of sorting the tokens.
pub fn similarity(one: &str, other: &str) -> f64 {
    let tokens = |text: &str| {
        let mut tokens: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    };
    let (one, other) = (tokens(one), tokens(other));
    let shared = one.iter().filter(|token| other.binary_search(token).is_ok()).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

impl Proposals {
    /// Current thesis: the latest proposal, unless it was rejected.
    pub fn thesis(&self) -> Option<&Proposal> {
        self.proposals.last().filter(|proposal| !proposal.is_rejected())
    }

    /// Finds a proposal by its id.
    pub fn get(&self, proposal: ProposalId) -> Option<&Proposal> {
        self.proposals.iter().find(|entry| entry.proposal == proposal)
    }

    /// Next unused proposal id.
    pub fn next_proposal(&self) -> ProposalId {
        ProposalId(self.proposals.last().map_or(1, |entry| entry.proposal.0 + 1))
    }

    /// Next unused issue id.
    pub fn next_issue(&self) -> IssueId {
        let issues = self
            .proposals
            .iter()
            .filter_map(|proposal| proposal.criticism.as_ref())
            .flat_map(|criticism| &criticism.issues);
        IssueId(issues.map(|entry| entry.issue.0).max().unwrap_or(0) + 1)
    }

    /// Compares the last proposal with the first: by the speakers' confidence and by countable changes. `None` without
    /// proposals.
    pub fn improvement(&self) -> Option<Improvement> {
        let (first, last) = (self.proposals.first()?, self.proposals.last()?);
        let criticisms = || self.proposals.iter().filter_map(|proposal| proposal.criticism.as_ref());
        let answered = |issue: IssueId| {
            self.proposals.iter().any(|proposal| proposal.changes.iter().any(|change| change.issue == issue))
        };
        let issues: Vec<IssueId> =
            criticisms().flat_map(|criticism| &criticism.issues).map(|entry| entry.issue).collect();
        let tokens = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let (before, after) = (tokens(&first.text), tokens(&last.text));
        Some(Improvement {
            confidence: last.confidence - first.confidence,
            tokens_added: after.iter().filter(|token| !before.contains(token)).count(),
            tokens_removed: before.iter().filter(|token| !after.contains(token)).count(),
            issues_answered: issues.iter().filter(|issue| answered(**issue)).count(),
            issues_raised: issues.len(),
            contradictions_last: criticisms().next_back().map_or(0, |criticism| criticism.contradictions.len()),
        })
    }
}

/// Change of a proposal from first to last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// Difference of the self-reported confidence, last minus first.
    pub confidence: f64,
    /// Number of tokens (literals, in a rule) that only the last proposal has.
    pub tokens_added: usize,
    /// Number of tokens that only the first proposal has.
    pub tokens_removed: usize,
    /// Number of issues that a change answers.
    pub issues_answered: usize,
    /// Number of issues raised.
    pub issues_raised: usize,
    /// Number of contradictions that the last critic found.
    pub contradictions_last: usize,
}

impl Projection for Proposals {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::ProposalDrafted(drafted) => self.proposals.push(Proposal {
                proposal: drafted.proposal,
                from: None,
                speaker: drafted.speaker.clone(),
                turn: drafted.turn,
                round: drafted.round,
                text: drafted.text.clone(),
                reasoning: drafted.reasoning.clone(),
                confidence: drafted.confidence,
                changes: Vec::new(),
                similarity: None,
                criticism: None,
            }),
            Event::ProposalCriticized(criticized) => {
                let found = self.proposals.iter_mut().find(|entry| entry.proposal == criticized.proposal);
                if let Some(proposal) = found {
                    proposal.criticism = Some(criticized.clone());
                }
            }
            Event::ProposalSynthesized(joined) => {
                let similarity = self.get(joined.from).map(|proposal| similarity(&proposal.text, &joined.text));
                self.proposals.push(Proposal {
                    proposal: joined.proposal,
                    from: Some(joined.from),
                    speaker: joined.speaker.clone(),
                    turn: joined.turn,
                    round: joined.round,
                    text: joined.text.clone(),
                    reasoning: joined.reasoning.clone(),
                    confidence: joined.confidence,
                    changes: joined.changes.clone(),
                    similarity,
                    criticism: None,
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_that_of_token_sets() {
        let check = |one: &str, other: &str, expected: f64| {
            assert!((similarity(one, other) - expected).abs() < 5e-5, "{one:?} {other:?}")
        };
        check("", " \n", 1.0);
        check("", "a", 0.0);
        check("a b a", "b  a", 1.0);
        check("a, b", "a b", 1.0 / 3.0);
        check("p(X) :- q(X), r(X), s(X).", "p(X) :- s(X), r(X), q(X).", 0.4286);
    }

    /// Published run of three steps.
    #[test]
    fn similarity_reproduces_the_published_figures() {
        let c = "enforceable(Contract) :- contract(Contract), ";
        let steps = [
            format!(
                "{c}acceptance(Contract), consideration(Contract), not invalid_capacity(Contract), not illegal_purpose(Contract)."
            ),
            format!(
                "{c}valid_offer(Contract), valid_acceptance(Contract), sufficient_consideration(Contract), full_legal_capacity(Contract), legal_purpose(Contract), mutually_assented(Contract)"
            ),
            format!(
                "{c}valid_offer(Contract), valid_acceptance(Contract), sufficient_consideration(Contract), legal_capacity_weighted(Contract), legal_purpose(Contract), mutually_assented(Contract), jurisdiction_valid(Contract), temporal_validity(Contract), not_prohibited(Contract)"
            ),
            format!(
                "{c}valid_offer(Contract), valid_acceptance(Contract), sufficient_consideration(Contract), legal_capacity(Contract), no_coercion_or_undue_influence(Contract), legal_purpose(Contract), mutually_assented(Contract), jurisdiction_compatibility(Contract), temporal_validity(Contract), not_prohibited(Contract)"
            ),
        ];
        let figures: Vec<f64> =
            steps.windows(2).map(|pair| (similarity(&pair[0], &pair[1]) * 1e4).round() / 1e4).collect();
        assert_eq!(figures, [0.2143, 0.5, 0.6667]);
    }
}
