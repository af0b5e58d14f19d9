//! Coverage: share of the possible conflicts that were examined.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::events::proposal::ProposalCriticized;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::calls::missed_calls::MissedCalls;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::Dispute;
use crate::projections::proposals::{Proposal, Proposals};

/// Pairs of live claims of different speakers, and those that were examined for conflict; and the answers that the raised
/// questions ask of the participants, and those that were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Number of examined pairs.
    pub examined: usize,
    /// Number of pairs.
    pub pairs: usize,
    /// Number of answers given to questions with criteria: at most one for each participant and question.
    #[serde(default)]
    pub answered: usize,
    /// Number of answers that these questions ask for: one of each participant.
    #[serde(default)]
    pub asked: usize,
    /// Number of turns that no clerk read, in a debate with a clerk who reads turns.
    #[serde(default)]
    pub unread: usize,
}

impl Coverage {
    /// Share of examined pairs of claims, from 0 to 1; `None` if there is nothing to compare.
    pub fn share(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.examined as f64 / self.pairs as f64)
    }

    /// True if there are pairs or questions, every pair was examined, every question answered by all, and no turn is
    /// unread.
    pub fn is_complete(&self) -> bool {
        let is_all = self.examined == self.pairs && self.answered == self.asked && self.unread == 0;
        self.pairs + self.asked > 0 && is_all
    }

    /// States the counts as a clause: `1 of 2 comparable pairs of claims were examined and 3 of 4 answers were given to
    /// the current questions that have criteria`.
    pub fn in_words(&self) -> String {
        let counts: Vec<String> = self.claims_in_words().into_iter().chain(self.answers_in_words()).collect();
        let counts = if counts.is_empty() {
            vec!["there are no claims of different participants to compare".to_owned()]
        } else {
            counts
        };
        let unread = self.unread_in_words().map(|unread| format!("; {unread}"));
        counts.join(" and ") + &unread.unwrap_or_default()
    }

    /// States what is not complete as a clause; everything if there is nothing to compare.
    pub fn lacking(&self) -> String {
        match (self.missing().is_empty() && self.pairs + self.asked > 0, self.unread_in_words()) {
            (true, Some(unread)) => unread,
            _ => self.in_words(),
        }
    }

    /// States the counts that are not complete, each as a clause, without those of turns.
    pub fn missing(&self) -> Vec<String> {
        let claims = self.claims_in_words().filter(|_| self.examined < self.pairs);
        let answers = self.answers_in_words().filter(|_| self.answered < self.asked);
        claims.into_iter().chain(answers).collect()
    }

    fn unread_in_words(&self) -> Option<String> {
        match self.unread {
            0 => None,
            1 => Some("1 turn was not read by the clerk".to_owned()),
            n => Some(format!("{n} turns were not read by the clerk")),
        }
    }

    fn claims_in_words(&self) -> Option<String> {
        (self.pairs > 0)
            .then(|| format!("{} of {} comparable pairs of claims were examined", self.examined, self.pairs))
    }

    fn answers_in_words(&self) -> Option<String> {
        let Coverage { answered, asked, .. } = *self;
        (asked > 0)
            .then(|| format!("{answered} of {asked} answers were given to the current questions that have criteria"))
    }
}

/// Counts the pairs. A pair of arguments was examined if an attack between them was judged, with any result, or if they
/// were compared; that a speaker saw both in a prompt does not count. In debates with extracted disputes, pairs of live
/// reasons on the same dispute are counted as well. Each dispute with criteria asks for a stance of every participant; a
/// review of the proposal that it is about is an answer as well, whatever the review recommends.
///
/// Cost: quadratic in the live arguments and in the reasons of a dispute.
pub fn coverage(
    graph: &ArgumentGraph,
    disputes: &DisputeGraph,
    proposals: &Proposals,
    missed: &MissedCalls,
    participants: usize,
) -> Coverage {
    let (arguments, reasons) = (graph.pairs(), disputes.pairs());
    let answers = |dispute: &Dispute| {
        let reviewer = criticism_of(proposals, dispute).map(|review| &review.speaker);
        let others = reviewer.filter(|reviewer| !dispute.stances.contains_key(*reviewer));
        dispute.stances.len() + usize::from(others.is_some())
    };
    let with_criteria = || disputes.not_retired().filter(|(_, dispute)| !dispute.criteria.is_empty());
    Coverage {
        examined: counted(&arguments, &graph.examined()) + counted(&reasons, &disputes.examined()),
        pairs: arguments.len() + reasons.len(),
        answered: with_criteria().map(|(_, dispute)| answers(dispute).min(participants)).sum(),
        asked: with_criteria().count() * participants,
        unread: missed.unread_turns().len(),
    }
}

/// Returns the criticism of the proposal that a dispute is about; `None` for other disputes, and without criticism.
pub fn criticism_of<'a>(proposals: &'a Proposals, dispute: &Dispute) -> Option<&'a ProposalCriticized> {
    proposal_asked_about(proposals, dispute)?.criticism.as_ref()
}

/// Returns the proposal that a dispute is about; `None` for other disputes. Such a dispute is drawn from the turn of the
/// proposal, or, in older debates, begins with the stance of its author in that turn.
pub fn proposal_asked_about<'a>(proposals: &'a Proposals, dispute: &Dispute) -> Option<&'a Proposal> {
    let begins_with = |proposal: &Proposal| {
        let first = dispute.history.first();
        first.is_some_and(|(author, stance)| *author == proposal.speaker && stance.turn == proposal.turn)
    };
    let is_about = |proposal: &&Proposal| dispute.turns == [proposal.turn] || begins_with(proposal);
    proposals.proposals.iter().find(is_about).filter(|_| !dispute.is_topic)
}

fn counted<T: Ord>(pairs: &[T], examined: &BTreeSet<T>) -> usize {
    pairs.iter().filter(|pair| examined.contains(pair)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_incomplete_counts_are_missing() {
        let check = |examined, pairs, answered, asked, clauses: &[&str]| {
            assert_eq!(Coverage { examined, pairs, answered, asked, unread: 1 }.missing(), clauses);
        };
        check(0, 0, 0, 0, &[]);
        check(6, 6, 4, 4, &[]);
        check(4, 6, 4, 4, &["4 of 6 comparable pairs of claims were examined"]);
        check(0, 0, 1, 2, &["1 of 2 answers were given to the current questions that have criteria"]);
    }
}
