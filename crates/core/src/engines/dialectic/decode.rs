//! Decodes replies of the dialectic engine into events.
//!
//! Each proposal raises a dispute of its own ("does it stand?"). Its author takes the side yes; the critic's
//! recommendation becomes the critic's stance. Verdicts therefore need no rule for proposals.

use crate::engines::dialectic::schema::{CriticismReply, DraftReply, SynthesisReply};
use crate::engines::shared::view_prompts;
use crate::events::dispute::{DisputeRaised, DisputeRetired, Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::{DisputeId, IssueId, PersonaId, ProposalId, TurnId};
use crate::events::proposal::{
    Issue, ProposalChange, ProposalCriticized, ProposalDrafted, ProposalSynthesized, Recommendation, Severity,
};
use crate::events::receipt::PassageRef;
use crate::events::turn::{Move, TurnTaken};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::proposals::{Proposal, Proposals};

/// Maximum length of a proposal, in bytes.
const MAX_PROPOSAL_BYTES: usize = 16_000;
/// Maximum number of issues, edge cases, contradictions or terms in a reply; an excess is rejected.
const MAX_POINTS: usize = 6;
/// Maximum number of changes in a synthesis; an excess is rejected.
const MAX_CHANGES: usize = 12;

/// State in which a reply is decoded.
pub struct DialecticContext<'a> {
    /// The proposals so far.
    pub proposals: &'a Proposals,
    /// The disputes so far.
    pub disputes: &'a DisputeGraph,
    /// The turn that the reply becomes.
    pub turn: TurnId,
    /// Author of the reply.
    pub speaker: &'a PersonaId,
    /// Number of the round, from 1.
    pub round: u32,
    /// Passages available to the author.
    pub grounds: &'a [PassageRef],
}

/// Decodes a draft into its turn, the proposal, and the dispute about it.
///
/// # Errors
/// [`Unreadable`] if the proposal is empty or too long.
pub fn drafted(at: &DialecticContext, reply: DraftReply) -> Result<Vec<Event>, Unreadable> {
    let proposal = at.proposals.next_proposal();
    let text = proposal_text(&reply.proposal)?;
    let mut refused = Vec::new();
    let terms = points("terms", &reply.terms, &mut refused);
    let mut facts = vec![
        turn(at, vec![Move::Propose], text.clone(), &reply.passages, refused),
        Event::ProposalDrafted(ProposalDrafted {
            proposal,
            speaker: at.speaker.clone(),
            turn: at.turn,
            round: at.round,
            text: text.clone(),
            reasoning: clipped(&reply.reasoning),
            confidence: unit(reply.confidence),
            terms,
        }),
    ];
    facts.extend(dispute_about(at, proposal, &text));
    Ok(facts)
}

/// Decodes a criticism into its turn, the issues, and the critic's stance, if it objects. With `veto`, a
/// recommendation to accept a proposal that has critical issues counts as one to revise it.
///
/// # Errors
/// [`Unreadable`] if the recommendation is not accept and there are no issues.
pub fn criticized(
    at: &DialecticContext,
    thesis: &Proposal,
    veto: bool,
    reply: CriticismReply,
) -> Result<Vec<Event>, Unreadable> {
    let recommendation = Recommendation::from(reply.recommendation);
    let mut refused = Vec::new();
    if reply.issues.len() > MAX_POINTS {
        refused.push(format!("{} issues; the first {MAX_POINTS} are kept", reply.issues.len()));
    }
    let first = at.proposals.next_issue().0;
    let told = reply.issues.iter().filter(|issue| !issue.text.trim().is_empty()).take(MAX_POINTS);
    let issues: Vec<Issue> = (first..)
        .zip(told)
        .map(|(number, point)| Issue {
            issue: IssueId(number),
            severity: point.severity.into(),
            text: clipped(&point.text),
        })
        .collect();
    if issues.is_empty() && recommendation != Recommendation::Accept {
        return Err(Unreadable::because(
            "the recommendation is not accept, but `issues` is empty; name at least one issue",
        ));
    }
    let said = match issues.as_slice() {
        [] => "No objection.".to_owned(),
        issues => issues.iter().map(|issue| issue.text.as_str()).collect::<Vec<_>>().join(" "),
    };
    let edge_cases = points("edge cases", &reply.edge_cases, &mut refused);
    let contradictions = points("contradictions", &reply.contradictions, &mut refused);
    let vetoed = veto && issues.iter().any(|issue| issue.severity == Severity::Critical);
    let side = match recommendation {
        // A critic who finds nothing to object has taken no side.
        Recommendation::Accept if !vetoed => None,
        Recommendation::Accept | Recommendation::Revise => Some(Side::Nuanced),
        Recommendation::Reject => Some(Side::No),
    };
    let mut facts = vec![
        turn(at, vec![Move::Challenge], said.clone(), &reply.passages, refused),
        Event::ProposalCriticized(ProposalCriticized {
            proposal: thesis.proposal,
            speaker: at.speaker.clone(),
            turn: at.turn,
            round: at.round,
            issues,
            edge_cases,
            contradictions,
            recommendation,
        }),
    ];
    let open = at.disputes.not_retired().last().map(|(id, _)| id);
    facts.extend(open.zip(side).map(|(dispute, side)| stance(at, dispute, side, &said)));
    Ok(facts)
}

/// Decodes a synthesis into its turn, the new proposal, and the dispute about it, which replaces the previous one.
///
/// # Errors
/// [`Unreadable`] if the proposal is empty or too long.
pub fn synthesized(at: &DialecticContext, thesis: &Proposal, reply: SynthesisReply) -> Result<Vec<Event>, Unreadable> {
    let proposal = at.proposals.next_proposal();
    let text = proposal_text(&reply.proposal)?;
    let raised: Vec<IssueId> =
        thesis.criticism.iter().flat_map(|criticism| &criticism.issues).map(|issue| issue.issue).collect();
    let mut refused = Vec::new();
    let mut changes = Vec::new();
    if reply.changes.len() > MAX_CHANGES {
        refused.push(format!("{} changes; the first {MAX_CHANGES} are kept", reply.changes.len()));
    }
    for change in reply.changes.iter().take(MAX_CHANGES) {
        match change.issue.trim().parse::<IssueId>().ok().filter(|id| raised.contains(id)) {
            Some(issue) => changes.push(ProposalChange { issue, text: clipped(&change.text) }),
            None => refused.push(format!(
                "answers {}, which is not an issue of the proposal",
                view_prompts::excerpt(&change.issue)
            )),
        }
    }
    let mut facts = vec![
        turn(at, vec![Move::Propose], text.clone(), &reply.passages, refused),
        Event::ProposalSynthesized(ProposalSynthesized {
            proposal,
            from: thesis.proposal,
            speaker: at.speaker.clone(),
            turn: at.turn,
            round: at.round,
            text: text.clone(),
            reasoning: clipped(&reply.reasoning),
            changes,
            confidence: unit(reply.confidence),
        }),
    ];
    facts.extend(dispute_about(at, proposal, &text));
    Ok(facts)
}

/// Retires the disputes about earlier proposals and raises one about the new proposal.
fn dispute_about(at: &DialecticContext, proposal: ProposalId, text: &str) -> Vec<Event> {
    let gone = at.disputes.not_retired().map(|(dispute, _)| {
        let reason = format!("its proposal was replaced by {proposal}");
        Event::DisputeRetired(DisputeRetired { dispute, reason })
    });
    let dispute = at.disputes.next_dispute();
    let question = format!("Does proposal {proposal} stand?");
    let raised = Event::DisputeRaised(DisputeRaised::bare(dispute, question, false));
    gone.chain([raised, stance(at, dispute, Side::Yes, text)]).collect()
}

/// Returns a stance on a proposal, stated by the first sentence of the turn: its author proposes it, or its critic
/// objects to it.
fn stance(at: &DialecticContext, dispute: DisputeId, side: Side, said: &str) -> Event {
    let quote = turn_quotes::first_words(said);
    let (speaker, turn) = (at.speaker.clone(), at.turn);
    Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None, quote })
}

fn turn(at: &DialecticContext, moves: Vec<Move>, text: String, passages: &[String], mut refused: Vec<String>) -> Event {
    let citations = view_prompts::citations(passages, at.grounds, &mut refused);
    Event::TurnTaken(TurnTaken {
        turn: at.turn,
        speaker: at.speaker.clone(),
        round: Some(at.round),
        room: None,
        moves,
        answers: None,
        text,
        citations,
        dangling: view_prompts::dangling(&refused),
        refused,
    })
}

fn proposal_text(given: &str) -> Result<String, Unreadable> {
    let given = given.trim();
    if given.is_empty() {
        return Err(Unreadable::because("the proposal is empty"));
    }
    if given.len() > MAX_PROPOSAL_BYTES {
        return Err(Unreadable::because(format!(
            "the proposal has {} bytes; at most {MAX_PROPOSAL_BYTES} are allowed",
            given.len()
        )));
    }
    Ok(given.to_owned())
}

fn points(what: &str, given: &[String], refused: &mut Vec<String>) -> Vec<String> {
    if given.len() > MAX_POINTS {
        refused.push(format!("{} {what}; the first {MAX_POINTS} are kept", given.len()));
    }
    given.iter().filter(|point| !point.trim().is_empty()).take(MAX_POINTS).map(|point| clipped(point)).collect()
}

fn clipped(given: &str) -> String {
    given.trim().chars().take(2_000).collect()
}

fn unit(given: f64) -> f64 {
    if given.is_nan() { 0.0 } else { given.clamp(0.0, 1.0) }
}
