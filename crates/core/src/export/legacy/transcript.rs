//! Transcript of a dialectic debate, in the plain text of the predecessor.
//!
//! `Converged` is true only if the participants accepted the proposal in words, or the last synthesis hardly changed it.
//! An ending without objection, at a limit or by repetition of an older proposal is none of these.

use std::fmt::Write;

use crate::events::event::Recorded;
use crate::events::lifecycle::DebateOutcome;
use crate::events::proposal::ProposalCriticized;
use crate::export::text::clean;
use crate::projections::proposals::Proposal;
use crate::verdicts::read_model::DebateReadModel;

/// Width of the lines between sections, in characters.
const WIDTH: usize = 80;
/// Similarity from which a synthesis counts as unchanged, if the debate's options do not say.
const ALIKE: f64 = 0.85;

/// Writes the transcript. A debate without proposals has a header only, and says so.
pub fn transcript(read_model: &DebateReadModel, events: &[Recorded]) -> String {
    let options = events.iter().find_map(|recorded| recorded.event.opening()).map(|opened| &opened.options);
    let gap = options.and_then(|options| options.pointer("/context/gap")).and_then(|gap| gap.as_str());
    let gap = gap.filter(|gap| !gap.trim().is_empty()).unwrap_or(&read_model.summary.topic);
    let alike = options.and_then(|options| options.get("alike")).and_then(|alike| alike.as_f64()).unwrap_or(ALIKE);
    let proposals = &read_model.proposals.proposals;
    let converged = has_converged(read_model, alike);
    let found = read_model.proposals.refinement();
    let mut text = String::new();
    let bar = "=".repeat(WIDTH);
    let _ = writeln!(text, "{bar}\nDIALECTICAL DEBATE TRANSCRIPT\n{bar}");
    let _ = writeln!(text, "Knowledge Gap: {}", clean(gap));
    let _ = writeln!(text, "Total Rounds: {}", found.as_ref().map_or(0, |found| found.rounds));
    let _ = writeln!(text, "Converged: {}", if converged { "True" } else { "False" });
    match &found {
        Some(found) => drop(writeln!(text, "Improvement: {:+.2}", found.improvement())),
        None => text.push_str("Improvement: none; no proposal was made\n"),
    }
    if let Some(first) = proposals.first() {
        section(&mut text, "INITIAL PROPOSAL");
        let _ = writeln!(text, "Rule: {}", rule(first));
        let _ = writeln!(text, "Reasoning: {}", clean(&first.reasoning));
        let _ = writeln!(text, "Confidence: {:.2}", first.confidence);
    }
    let criticized: Vec<(&Proposal, &ProposalCriticized)> =
        proposals.iter().filter_map(|proposal| Some((proposal, proposal.criticism.as_ref()?))).collect();
    for (at, (thesis, criticism)) in criticized.iter().enumerate() {
        let synthesis = proposals.iter().find(|proposal| proposal.from == Some(thesis.proposal));
        let is_last = at + 1 == criticized.len();
        let phase = match synthesis {
            _ if is_last && converged => "converged",
            Some(_) => "synthesis",
            None => "antithesis",
        };
        section(&mut text, &format!("ROUND {}", at + 1));
        let _ = writeln!(text, "Phase: {phase}");
        round(&mut text, thesis, criticism, synthesis);
    }
    if let Some(last) = proposals.last() {
        section(&mut text, "FINAL RESULT");
        let _ = writeln!(text, "Rule: {}", rule(last));
        let _ = writeln!(text, "Confidence: {:.2}", last.confidence);
        let _ = writeln!(text, "Reasoning: {}", clean(&last.reasoning));
        let reason = match (&read_model.summary.outcome, &read_model.summary.cancelled) {
            (_, Some(reason)) => format!("cancelled: {}", clean(reason)),
            (Some(outcome), None) => clean(outcome.reason()),
            (None, None) => "the debate has not ended".to_owned(),
        };
        let _ = writeln!(text, "Convergence Reason: {reason}");
    }
    text + &bar + "\n"
}

/// True if the debate ended by itself, and either all participants accepted the last proposal in words, or it hardly
/// differs from the one before. An agreement on what the crux is leaves the proposal open.
fn has_converged(read_model: &DebateReadModel, alike: f64) -> bool {
    let has_ended =
        matches!(read_model.summary.outcome, Some(DebateOutcome::Settled { .. } | DebateOutcome::Exhausted { .. }));
    read_model.proposals.proposals.last().is_some_and(|last| {
        let is_alike = last.criticism.is_none() && last.similarity.is_some_and(|it| it >= alike);
        let mut present = read_model.summary.present();
        has_ended && (is_alike || present.all(|participant| last.is_accepted_by(&participant.persona)))
    })
}

fn section(text: &mut String, title: &str) {
    let _ = writeln!(text, "\n{title}\n{}", "-".repeat(WIDTH));
}

fn rule(proposal: &Proposal) -> String {
    clean(&proposal.text)
}

fn round(text: &mut String, thesis: &Proposal, criticism: &ProposalCriticized, synthesis: Option<&Proposal>) {
    let (issues, edge_cases) = (criticism.issues.len(), criticism.edge_cases.len());
    let (contradictions, advice) = (criticism.contradictions.len(), criticism.recommendation.name());
    let _ = writeln!(text, "\nThesis:\n  {}", rule(thesis));
    let _ = writeln!(text, "  Argument: Proposed: {}. Reasoning: {}", rule(thesis), clean(&thesis.reasoning));
    let _ = writeln!(text, "  Confidence: {:.2}", thesis.confidence);
    let _ = writeln!(text, "\nAntithesis:\n  Issues: {issues}\n  Recommendation: {advice}");
    let _ = writeln!(
        text,
        "  Argument: Identified {issues} issues, {edge_cases} edge cases, {contradictions} contradictions. \
         Recommendation: {advice}"
    );
    if let Some(synthesis) = synthesis {
        let _ = writeln!(text, "\nSynthesis:\n  {}", rule(synthesis));
        let _ = writeln!(text, "  Argument: {}", clean(&synthesis.reasoning));
        if let Some(similarity) = synthesis.similarity {
            let _ = writeln!(text, "  Convergence Score: {similarity:.2}");
        }
    }
}
