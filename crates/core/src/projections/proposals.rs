//! Proposals of a debate, with their criticism and revisions, and what changed from the first to the last.
//!
//! Confidence is what the speakers say of themselves. The change of the text and the issues answered are counted, and do
//! not depend on it.

use serde::{Deserialize, Serialize};

use crate::events::audit::{AuditQuestion, Reading, WordsAudited};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{IssueId, PersonaId, ProposalId, TurnId};
use crate::events::proposal::{ProposalAccepted, ProposalChange, ProposalCriticized, Recommendation};
use crate::programs::normal_form::RuleProgram;
use crate::programs::similarity::similarity;
use crate::projections::projection::Projection;
use crate::questions::common_words::{common_words, common_words_in_order};
use crate::questions::wording::says_the_same;

/// Maximum number of words of a proposal whose order counts in a comparison.
const MAX_ORDERED_WORDS: usize = 1_000;

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
    /// Acceptances in words by other participants, in order.
    #[serde(default)]
    pub acceptances: Vec<ProposalAccepted>,
    /// Acceptances in whose words a qualified auditor found none: shown, and never counted.
    #[serde(default)]
    pub contested: Vec<ProposalAccepted>,
    /// Every acceptance in order, with the version of its event and its reading by a qualified auditor.
    #[serde(default)]
    pub in_words: Vec<(i64, ProposalAccepted, Option<Reading>)>,
}

impl Proposal {
    /// True if the critic recommended to reject it.
    pub fn is_rejected(&self) -> bool {
        self.criticism.as_ref().is_some_and(|criticism| criticism.recommendation == Recommendation::Reject)
    }

    /// True if the participant accepted it in words. Its author does so by proposing it.
    pub fn is_accepted_by(&self, persona: &PersonaId) -> bool {
        self.speaker == *persona || self.acceptances.iter().any(|acceptance| acceptance.speaker == *persona)
    }
}

impl Proposal {
    /// Counts the acceptances again.
    fn recount(&mut self) {
        let is_contested = |reading: &Option<Reading>| reading.is_some_and(|reading| !reading.confirms_assent());
        let (contested, counted): (Vec<_>, Vec<_>) =
            self.in_words.iter().cloned().partition(|(_, _, reading)| is_contested(reading));
        self.contested = contested.into_iter().map(|(_, by, _)| by).collect();
        self.acceptances = counted.into_iter().map(|(_, by, _)| by).collect();
    }
}

impl Proposals {
    fn read_again(&mut self, audited: &WordsAudited) {
        for proposal in &mut self.proposals {
            for (version, _, reading) in &mut proposal.in_words {
                let mut of_it = audited.readings.iter().filter(|it| it.event == *version);
                let found = of_it.find(|it| it.asked == AuditQuestion::Agreement).map(|it| it.reading);
                *reading = found.or(*reading);
            }
            proposal.recount();
        }
    }

    /// Current thesis: the latest proposal, unless it was rejected.
    pub fn thesis(&self) -> Option<&Proposal> {
        self.proposals.last().filter(|proposal| !proposal.is_rejected())
    }

    /// Finds a proposal by its id.
    pub fn get(&self, proposal: ProposalId) -> Option<&Proposal> {
        self.proposals.iter().find(|entry| entry.proposal == proposal)
    }

    /// True if a proposal has the text of the one that it comes from.
    pub fn is_repeated(&self, proposal: &Proposal) -> bool {
        proposal.from.and_then(|from| self.get(from)).is_some_and(|before| before.text == proposal.text)
    }

    /// Says that nobody reviewed a proposal. A repeated one was reviewed under its former id.
    pub fn not_reviewed(&self, proposal: &Proposal) -> &'static str {
        if self.is_repeated(proposal) { "nobody reviewed it again" } else { "nobody reviewed it" }
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

    /// Compares the last proposal with the first of its author's unbroken row of proposals; `None` without proposals. A
    /// proposal of somebody else is a rival, and no earlier version. Issues are counted over all proposals; one that is
    /// raised again in the same words is one issue.
    ///
    /// Cost: quadratic in the issues, and in the words of the two texts up to 1,000 words.
    pub fn refinement(&self) -> Option<Refinement> {
        let all = &self.proposals;
        let last = all.last()?;
        let first = all.iter().rev().take_while(|proposal| proposal.speaker == last.speaker).last()?;
        let criticisms = || all.iter().filter_map(|proposal| proposal.criticism.as_ref());
        let is_answered =
            |issue: IssueId| all.iter().any(|proposal| proposal.changes.iter().any(|change| change.issue == issue));
        let mut issues: Vec<(&str, bool)> = Vec::new();
        for issue in criticisms().flat_map(|criticism| &criticism.issues) {
            match issues.iter_mut().find(|(text, _)| says_the_same(text, &issue.text)) {
                Some((_, answered)) => *answered |= is_answered(issue.issue),
                None => issues.push((&issue.text, is_answered(issue.issue))),
            }
        }
        let (words_added, words_removed) = words_changed(&first.text, &last.text);
        Some(Refinement {
            initial: first.proposal,
            last: last.proposal,
            proposals: all.len(),
            rounds: criticisms().count(),
            initial_confidence: first.confidence,
            final_confidence: last.confidence,
            mean_confidence: all.iter().map(|proposal| proposal.confidence).sum::<f64>() / all.len() as f64,
            issues: issues.len(),
            answered: issues.iter().filter(|(_, is_answered)| *is_answered).count(),
            contradictions: criticisms().map(|criticism| criticism.contradictions.len()).sum(),
            last_contradictions: criticisms().next_back().map_or(0, |criticism| criticism.contradictions.len()),
            words_added,
            words_removed,
            literals: literal_change(&first.text, &last.text),
        })
    }
}

/// Change of a proposal from its author's first version to the last, with averages over all proposals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refinement {
    /// First proposal of the last author's unbroken row.
    pub initial: ProposalId,
    /// Last proposal.
    #[serde(rename = "final")]
    pub last: ProposalId,
    /// Number of proposals.
    pub proposals: usize,
    /// Number of rounds: proposals that were criticized.
    pub rounds: usize,
    /// Self-reported confidence of the first proposal, from 0 to 1.
    pub initial_confidence: f64,
    /// Self-reported confidence of the last proposal, from 0 to 1.
    pub final_confidence: f64,
    /// Mean self-reported confidence of all proposals, from 0 to 1.
    pub mean_confidence: f64,
    /// Number of different issues raised.
    pub issues: usize,
    /// Number of issues that a change answers.
    pub answered: usize,
    /// Number of contradictions that critics found in all proposals.
    pub contradictions: usize,
    /// Number of contradictions that the last critic found.
    pub last_contradictions: usize,
    /// Number of words that the last proposal adds to the first; repetitions count.
    pub words_added: usize,
    /// Number of words of the first proposal that the last lacks; repetitions count.
    pub words_removed: usize,
    /// Change of the literals; `None` unless the first and the last proposal are logic programs.
    pub literals: Option<LiteralChange>,
}

/// Averages over the refinements of several debates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefinementAverages {
    /// Number of debates with proposals.
    pub debates: usize,
    /// Mean number of rounds.
    pub rounds: f64,
    /// Mean self-reported confidence of the first proposals, from 0 to 1.
    pub initial_confidence: f64,
    /// Mean self-reported confidence of the last proposals, from 0 to 1.
    pub final_confidence: f64,
    /// Mean improvement, from -1 to 1. It measures nothing but the speakers' own statements.
    pub improvement: f64,
    /// Mean number of issues raised.
    pub issues: f64,
    /// Share of all issues that a change answers, from 0 to 1; `None` if no issue was raised.
    pub answered_share: Option<f64>,
}

impl RefinementAverages {
    /// Computes the averages; `None` without refinements.
    pub fn of(found: &[Refinement]) -> Option<RefinementAverages> {
        let n = found.len();
        let mean = |of: fn(&Refinement) -> f64| found.iter().map(of).sum::<f64>() / n as f64;
        let total = |of: fn(&Refinement) -> usize| found.iter().map(of).sum::<usize>();
        let (issues, answered) = (total(|refinement| refinement.issues), total(|refinement| refinement.answered));
        (n > 0).then(|| RefinementAverages {
            debates: n,
            rounds: mean(|refinement| refinement.rounds as f64),
            initial_confidence: mean(|refinement| refinement.initial_confidence),
            final_confidence: mean(|refinement| refinement.final_confidence),
            improvement: mean(Refinement::improvement),
            issues: issues as f64 / n as f64,
            answered_share: (issues > 0).then(|| answered as f64 / issues as f64),
        })
    }
}

/// Change of the literals in the bodies of a logic program. Literals are compared in normal form; repetitions count once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiteralChange {
    /// Number of literals of the first proposal.
    pub initial: usize,
    /// Number of literals of the last proposal.
    #[serde(rename = "final")]
    pub last: usize,
    /// Literals that only the last proposal has, in alphabetical order.
    pub added: Vec<String>,
    /// Literals that only the first proposal has, in alphabetical order.
    pub removed: Vec<String>,
}

impl Refinement {
    /// Improvement: the last self-reported confidence minus the first, from -1 to 1.
    pub fn improvement(&self) -> f64 {
        self.final_confidence - self.initial_confidence
    }

    /// Mean number of issues that a round adds, rounds without issues included; `None` before the first criticism.
    pub fn issues_per_round(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.issues as f64 / self.rounds as f64)
    }

    /// Share of the issues that a change answers, from 0 to 1; `None` if no issue was raised.
    pub fn answered_share(&self) -> Option<f64> {
        (self.issues > 0).then(|| self.answered as f64 / self.issues as f64)
    }
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
                acceptances: Vec::new(),
                contested: Vec::new(),
                in_words: Vec::new(),
            }),
            Event::ProposalCriticized(criticized) => {
                let found = self.proposals.iter_mut().find(|entry| entry.proposal == criticized.proposal);
                if let Some(proposal) = found {
                    proposal.criticism = Some(criticized.clone());
                }
            }
            Event::ProposalAccepted(accepted) => {
                let found = self.proposals.iter_mut().find(|entry| entry.proposal == accepted.proposal);
                if let Some(proposal) = found.filter(|proposal| !proposal.is_accepted_by(&accepted.speaker)) {
                    proposal.in_words.push((recorded.version, accepted.clone(), None));
                    proposal.recount();
                }
            }
            Event::WordsAudited(audited) if audited.auditor.qualified => self.read_again(audited),
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
                    acceptances: Vec::new(),
                    contested: Vec::new(),
                    in_words: Vec::new(),
                });
            }
            _ => {}
        }
    }
}

/// Counts the words that a text adds to another, and those that it lacks, as a comparison word by word shows them. In
/// texts of more than [`MAX_ORDERED_WORDS`] words, moved words are neither added nor removed.
fn words_changed(before: &str, after: &str) -> (usize, usize) {
    let before: Vec<&str> = before.split_whitespace().collect();
    let after: Vec<&str> = after.split_whitespace().collect();
    let kept = if before.len().max(after.len()) <= MAX_ORDERED_WORDS {
        common_words_in_order(&before, &after)
    } else {
        common_words(&before, &after)
    };
    (after.len() - kept, before.len() - kept)
}

fn literal_change(before: &str, after: &str) -> Option<LiteralChange> {
    let (before, after) = (RuleProgram::parse(before)?, RuleProgram::parse(after)?);
    let (before, after) = (before.body_literals(), after.body_literals());
    let owned = |literal: &&str| (*literal).to_owned();
    Some(LiteralChange {
        initial: before.len(),
        last: after.len(),
        added: after.difference(&before).map(owned).collect(),
        removed: before.difference(&after).map(owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::proposal::{Issue, Severity};

    fn proposal(number: u32, text: &str, confidence: f64) -> Proposal {
        Proposal {
            proposal: ProposalId(number),
            from: None,
            speaker: "ada".parse().expect("an id"),
            turn: TurnId(number),
            round: number,
            text: text.to_owned(),
            reasoning: "Because.".to_owned(),
            confidence,
            changes: Vec::new(),
            similarity: None,
            criticism: None,
            acceptances: Vec::new(),
            contested: Vec::new(),
            in_words: Vec::new(),
        }
    }

    #[test]
    fn a_refinement_counts_literals_and_answered_issues() {
        let issue = |number, text: &str| Issue { issue: IssueId(number), severity: Severity::Major, text: text.into() };
        let mut first = proposal(1, "p(X) :- q(X), r(X).", 0.5);
        first.criticism = Some(ProposalCriticized {
            proposal: ProposalId(1),
            speaker: "ben".parse().expect("an id"),
            turn: TurnId(2),
            round: 1,
            issues: vec![issue(1, "Vague."), issue(2, "Incomplete.")],
            edge_cases: Vec::new(),
            contradictions: vec!["It contradicts itself.".to_owned()],
            recommendation: Recommendation::Revise,
        });
        let mut last = proposal(2, "p( X ) :- q(X),\n s(X), not t(X)", 0.75);
        last.changes.push(ProposalChange { issue: IssueId(2), text: "s(X) added".to_owned() });
        let found = Proposals { proposals: vec![first, last] }.refinement().expect("proposals");
        assert!((found.improvement() - 0.25).abs() < 1e-9 && (found.mean_confidence - 0.625).abs() < 1e-9);
        assert_eq!((found.rounds, found.issues, found.answered), (1, 2, 1));
        assert_eq!((found.issues_per_round(), found.answered_share()), (Some(2.0), Some(0.5)));
        assert_eq!((found.contradictions, found.last_contradictions), (1, 1));
        let literals = found.literals.expect("both are programs");
        assert_eq!((literals.initial, literals.last), (2, 3));
        assert_eq!((literals.added, literals.removed), (vec!["not t(X)".into(), "s(X)".into()], vec!["r(X)".into()]));
    }

    #[test]
    fn an_issue_raised_again_is_one_issue() {
        let issue = |number, text: &str| Issue { issue: IssueId(number), severity: Severity::Major, text: text.into() };
        let criticized = |number, issues| ProposalCriticized {
            proposal: ProposalId(number),
            speaker: "ben".parse().expect("an id"),
            turn: TurnId(2 * number),
            round: number,
            issues,
            edge_cases: Vec::new(),
            contradictions: Vec::new(),
            recommendation: Recommendation::Revise,
        };
        let (mut first, mut second) = (proposal(1, "With a crew.", 0.5), proposal(2, "With two crews.", 0.5));
        first.criticism = Some(criticized(1, vec![issue(1, "Who pays?"), issue(2, "It is dark.")]));
        second.criticism = Some(criticized(2, vec![issue(3, "It is dark."), issue(4, "who pays")]));
        second.changes.push(ProposalChange { issue: IssueId(1), text: "The town pays.".to_owned() });
        let found = Proposals { proposals: vec![first, second] }.refinement().expect("proposals");
        assert_eq!((found.issues, found.answered, found.issues_per_round()), (2, 1, Some(1.0)));
    }

    #[test]
    fn only_proposals_of_one_author_are_compared() {
        let of = |speaker: &str, number, text| Proposal {
            speaker: speaker.parse().expect("an id"),
            ..proposal(number, text, f64::from(number) / 10.0)
        };
        let check = |proposals: Vec<Proposal>, from, to, added, removed| {
            let found = Proposals { proposals }.refinement().expect("proposals");
            assert_eq!((found.initial.0, found.last.0), (from, to));
            assert_eq!((found.words_added, found.words_removed), (added, removed));
        };
        let (rival, draft, last) = (of("ada", 1, "Run it."), of("ben", 2, "Stop it."), of("ben", 3, "Stop it now."));
        check(vec![rival.clone(), draft.clone()], 2, 2, 0, 0);
        check(vec![rival, draft, last], 2, 3, 2, 1);
    }

    #[test]
    fn changed_words_are_counted_with_repetitions() {
        for (before, after, changed) in [
            ("", "", (0, 0)),
            ("a b c", "a b c", (0, 0)),
            ("a b", "a the b the", (2, 0)),
            ("the a the b", "a b", (0, 2)),
            ("a b c", "c a b", (1, 1)),
            ("one two", "three", (1, 2)),
        ] {
            assert_eq!(words_changed(before, after), changed, "{before:?} to {after:?}");
        }
        let long = "a ".repeat(MAX_ORDERED_WORDS);
        assert_eq!(words_changed(&format!("{long}b"), &format!("b c {long}")), (1, 0));
    }

    #[test]
    fn prose_has_no_literals_and_a_draft_has_no_averages() {
        let found = Proposals { proposals: vec![proposal(1, "With a crew.", 0.5)] }.refinement().expect("a proposal");
        assert_eq!((found.rounds, found.words_added, found.improvement()), (0, 0, 0.0));
        assert_eq!((found.issues_per_round(), found.literals), (None, None));
        assert_eq!(Proposals::default().refinement(), None);
    }
}
