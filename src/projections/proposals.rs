//! The proposals of a debate, and what became of them.

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{IssueId, PersonaId, ProposalId, TurnId};
use crate::events::proposal::{Change, ProposalCriticized, Recommendation};
use crate::projections::projection::Projection;

/// The proposals of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proposals {
    /// In the order in which they were made.
    pub proposals: Vec<Proposal>,
}

/// A proposal, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The proposal.
    pub proposal: ProposalId,
    /// The one that it was made from; `None` for a draft.
    pub from: Option<ProposalId>,
    /// Who made it.
    pub speaker: PersonaId,
    /// The turn in which.
    pub turn: TurnId,
    /// The round in which, from 1.
    pub round: u32,
    /// The proposal itself.
    pub text: String,
    /// Why it.
    pub reasoning: String,
    /// The speaker's own, from 0 to 1.
    pub confidence: f64,
    /// What was changed, each for the issue it answers.
    pub changes: Vec<Change>,
    /// How alike it is to the one it was made from, from 0 to 1; `None` for a draft.
    pub similarity: Option<f64>,
    /// What a critic found, once one did.
    pub criticism: Option<ProposalCriticized>,
}

impl Proposal {
    /// Whether the critic had it dropped.
    pub fn is_rejected(&self) -> bool {
        self.criticism.as_ref().is_some_and(|it| it.recommendation == Recommendation::Reject)
    }
}

/// How alike two proposals are: the Jaccard similarity of their sets of tokens, split on white space with punctuation
/// left on; order and repetition are ignored. Two empty texts are alike (1), an empty and another are not (0).
///
/// Cost: linear but for the sorting of the tokens.
pub fn similarity(one: &str, other: &str) -> f64 {
    let tokens = |text: &str| {
        let mut tokens: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    };
    let (one, other) = (tokens(one), tokens(other));
    let shared = one.iter().filter(|it| other.binary_search(it).is_ok()).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

impl Proposals {
    /// The proposal now worked on: the latest that was not rejected.
    pub fn thesis(&self) -> Option<&Proposal> {
        self.proposals.last().filter(|it| !it.is_rejected())
    }

    /// A proposal by its name.
    pub fn get(&self, proposal: ProposalId) -> Option<&Proposal> {
        self.proposals.iter().find(|it| it.proposal == proposal)
    }

    /// The name of the next proposal.
    pub fn next_proposal(&self) -> ProposalId {
        ProposalId(self.proposals.last().map_or(1, |it| it.proposal.0 + 1))
    }

    /// The name of the next issue.
    pub fn next_issue(&self) -> IssueId {
        let issues = self.proposals.iter().filter_map(|it| it.criticism.as_ref()).flat_map(|it| &it.issues);
        IssueId(issues.map(|it| it.issue.0).max().unwrap_or(0) + 1)
    }

    /// How the proposal changed from first to last: by what the speakers say, and by what can be counted.
    pub fn improvement(&self) -> Option<Improvement> {
        let (first, last) = (self.proposals.first()?, self.proposals.last()?);
        let criticisms = || self.proposals.iter().filter_map(|it| it.criticism.as_ref());
        let answered = |issue: IssueId| self.proposals.iter().any(|it| it.changes.iter().any(|it| it.issue == issue));
        let issues: Vec<IssueId> = criticisms().flat_map(|it| &it.issues).map(|it| it.issue).collect();
        let tokens = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let (before, after) = (tokens(&first.text), tokens(&last.text));
        Some(Improvement {
            confidence: last.confidence - first.confidence,
            tokens_added: after.iter().filter(|it| !before.contains(it)).count(),
            tokens_removed: before.iter().filter(|it| !after.contains(it)).count(),
            issues_answered: issues.iter().filter(|it| answered(**it)).count(),
            issues_raised: issues.len(),
            contradictions_last: criticisms().next_back().map_or(0, |it| it.contradictions.len()),
        })
    }
}

/// How a proposal changed from first to last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// The last speaker's confidence less the first's; self-reported.
    pub confidence: f64,
    /// Tokens (literals, in a rule) of the last that the first had not.
    pub tokens_added: usize,
    /// Tokens of the first that the last has not.
    pub tokens_removed: usize,
    /// Issues for which a change was named.
    pub issues_answered: usize,
    /// Issues raised in all.
    pub issues_raised: usize,
    /// Contradictions that the last critic found.
    pub contradictions_last: usize,
}

impl Projection for Proposals {
    const NAME: &'static str = "proposals";
    const REVISION: i32 = 1;

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
                let found = self.proposals.iter_mut().find(|it| it.proposal == criticized.proposal);
                if let Some(proposal) = found {
                    proposal.criticism = Some(criticized.clone());
                }
            }
            Event::ProposalSynthesized(joined) => {
                let similarity = self.get(joined.from).map(|it| similarity(&it.text, &joined.text));
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

    /// The published run of three steps.
    #[test]
    fn the_published_run_has_its_published_figures() {
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
        let figures: Vec<f64> = steps.windows(2).map(|it| (similarity(&it[0], &it[1]) * 1e4).round() / 1e4).collect();
        assert_eq!(figures, [0.2143, 0.5, 0.6667]);
    }
}
