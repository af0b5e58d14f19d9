//! Decodes replies of the dialectic engine into events.
//!
//! Each proposal raises a dispute of its own ("does it stand?"). A participant who says in a sentence that it should stand,
//! or accepts it in words, takes the side yes; one who rejects it in words takes the side no. Proposing it, finding fault
//! with it, asking for changes and having no objection are no stances.

use crate::engines::dialectic::acceptance::{Acceptance, TopicSide, acceptance, optional, sentences, topic_words};
use crate::engines::dialectic::concessions::concessions;
use crate::engines::dialectic::dialectic_context::DialecticContext;
use crate::engines::dialectic::proposal_dispute::{dispute_about, open_dispute, stance};
use crate::engines::dialectic::schema::{CriticismReply, DraftReply, IssueFound, SynthesisReply};
use crate::engines::shared::view_prompts;
use crate::engines::talk::replies::echoes;
use crate::events::dispute::Side;
use crate::events::event::Event;
use crate::events::ids::IssueId;
use crate::events::proposal::{
    Issue, ProposalAccepted, ProposalChange, ProposalCriticized, ProposalDrafted, ProposalSynthesized, Recommendation,
    Severity,
};
use crate::events::turn::{Move, TurnTaken};
use crate::kernel::reply::Unreadable;
use crate::kernel::rulings::speaks_for_the_target;
use crate::projections::proposals::Proposal;

/// Maximum length of a proposal, in bytes.
const MAX_PROPOSAL_BYTES: usize = 16_000;
/// Maximum number of issues, edge cases, contradictions or terms in a reply; an excess is rejected.
const MAX_POINTS: usize = 6;
/// Maximum number of changes in a synthesis; an excess is rejected.
const MAX_CHANGES: usize = 12;

/// Text of the turn of a critic who finds nothing to object.
pub const NO_OBJECTION: &str = "No objection.";

/// Decodes a draft into its turn, the proposal, and the dispute about it.
///
/// # Errors
/// [`Unreadable`] if the proposal is empty or too long.
pub fn drafted(at: &DialecticContext, reply: DraftReply) -> Result<Vec<Event>, Unreadable> {
    let proposal = at.proposals.next_proposal();
    let text = proposal_text(&reply.proposal)?;
    let mut refused = Vec::new();
    let terms = points("terms", &reply.terms, &mut refused);
    let topic = topic_words(reply.topic.as_ref(), &mut refused);
    let stand = optional(reply.stand.as_deref());
    let mut facts = vec![
        turn(at, vec![Move::Propose], said(&text, [stand.as_ref(), words_of(&topic)]), &reply.passages, refused),
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
    facts.extend(dispute_about(at, proposal, &text, stand));
    facts.extend(topic.and_then(|topic| topic_stance(at, topic)));
    Ok(facts)
}

/// Decodes a criticism into its turn, the issues, and the critic's stance, if it rejects or accepts in words. With `veto`, a
/// recommendation to accept a proposal that has critical issues counts as one to revise it. A recommendation to accept is
/// recorded as `no_objection` unless words, reason and side of the topic make it an acceptance.
///
/// # Errors
/// [`Unreadable`] if the recommendation is to revise or to reject, and there are no issues; or if the text repeats a turn.
pub fn criticized(
    at: &DialecticContext,
    thesis: &Proposal,
    veto: bool,
    reply: CriticismReply,
) -> Result<Vec<Event>, Unreadable> {
    let mut answer = read_answer(at, thesis, &reply)?;
    let vetoed = veto && answer.issues.iter().any(|issue| issue.severity == Severity::Critical);
    if vetoed && answer.accepted.take().is_some() {
        answer.refused.push("accepts the proposal in spite of critical issues".to_owned());
    }
    let edge_cases = points("edge cases", &reply.edge_cases, &mut answer.refused);
    let contradictions = points("contradictions", &reply.contradictions, &mut answer.refused);
    let moves = match (answer.accepted.is_some(), answer.issues.is_empty()) {
        (true, true) => vec![Move::Claim],
        (true, false) => vec![Move::Claim, Move::Challenge],
        (false, false) => vec![Move::Challenge],
        (false, true) => vec![Move::Clarify],
    };
    let text = answer.text();
    echoes::refuse(&text, at.transcript, at.speaker)?;
    let Answer { recommendation, issues, accepted, rejected, topic, refused, .. } = answer;
    let mut facts = vec![
        turn(at, moves, text, &reply.passages, refused),
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
    facts.extend(topic.and_then(|topic| topic_stance(at, topic)));
    facts.extend(answered(at, thesis, accepted, rejected));
    Ok(facts)
}

/// Reply to the question whether a proposal is accepted, as far as critics and other participants have it in common.
struct Answer {
    /// The recommendation to be recorded.
    recommendation: Recommendation,
    issues: Vec<Issue>,
    accepted: Option<Acceptance>,
    /// Words that reject the proposal.
    rejected: Option<String>,
    /// Sentences of acceptance or rejection as the speaker said them, whether or not they amount to one.
    said: Vec<String>,
    topic: Option<TopicSide>,
    refused: Vec<String>,
}

impl Answer {
    /// Text of the turn. It contains all words that the events quote.
    fn text(&self) -> String {
        let issues = self.issues.iter().map(|issue| &issue.text);
        let parts: Vec<&str> = self.said.iter().chain(issues).map(String::as_str).collect();
        let text = if parts.is_empty() { NO_OBJECTION.to_owned() } else { parts.join(" ") };
        said(&text, [words_of(&self.topic)])
    }
}

fn read_answer(at: &DialecticContext, thesis: &Proposal, reply: &CriticismReply) -> Result<Answer, Unreadable> {
    let mut refused = Vec::new();
    if reply.issues.len() > MAX_POINTS {
        refused.push(format!("{} issues, of which the first {MAX_POINTS} are kept", reply.issues.len()));
    }
    let first = at.proposals.next_issue().0;
    let told = reply.issues.iter().filter(|issue| !issue.text.trim().is_empty()).take(MAX_POINTS);
    let (praise, told): (Vec<_>, Vec<_>) = told.partition(|issue| speaks_for_the_target(&issue.text));
    let praised = |issue: &&IssueFound| format!("raises {}, which is no issue", view_prompts::excerpt(&issue.text));
    refused.extend(praise.iter().map(praised));
    let issues: Vec<Issue> = (first..)
        .zip(told)
        .map(|(number, point)| Issue {
            issue: IssueId(number),
            severity: point.severity.into(),
            text: clipped(&point.text),
        })
        .collect();
    let mut recommendation = Recommendation::from(reply.recommendation);
    if issues.is_empty() && matches!(recommendation, Recommendation::Revise | Recommendation::Reject) {
        return Err(Unreadable::because(format!(
            "the recommendation is {}, but `issues` is empty",
            recommendation.name()
        ))
        .advise("name at least one issue"));
    }
    let mut topic = topic_words(reply.topic.as_ref(), &mut refused);
    let (mut accepted, mut said) = (None, Vec::new());
    if recommendation == Recommendation::Accept {
        said = reply.acceptance.iter().flat_map(sentences).collect();
        let speaker = (at.speaker, at.turn);
        accepted =
            acceptance(at.disputes, speaker, &thesis.speaker, reply.acceptance.as_ref(), &mut topic, &mut refused);
        if accepted.is_none() {
            recommendation = Recommendation::NoObjection;
        }
    }
    let rejected = optional(reply.rejection.as_deref()).filter(|_| recommendation == Recommendation::Reject);
    said.extend(rejected.clone());
    Ok(Answer { recommendation, issues, accepted, rejected, said, topic, refused })
}

/// Records the side of a proposal that an answer takes in words of acceptance or rejection, and the acceptance, if it is
/// one.
fn answered(
    at: &DialecticContext,
    thesis: &Proposal,
    accepted: Option<Acceptance>,
    rejected: Option<String>,
) -> Vec<Event> {
    let open = open_dispute(at, &thesis.text);
    let yes = accepted.as_ref().map(|accepted| (Side::Yes, accepted.words.clone()));
    let side = yes.or(rejected.map(|words| (Side::No, words)));
    let taken = open.zip(side).map(|(dispute, (side, words))| stance(at, dispute, side, words));
    let accepted = accepted.map(|accepted| {
        Event::ProposalAccepted(ProposalAccepted {
            proposal: thesis.proposal,
            speaker: at.speaker.clone(),
            turn: at.turn,
            words: accepted.words,
            reason: accepted.reason,
            change_of_mind: accepted.change_of_mind,
        })
    });
    taken.into_iter().chain(accepted).collect()
}

/// Decodes a synthesis into its turn, the new proposal, its concessions, and the dispute about it, which replaces the
/// previous one.
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
        refused.push(format!("{} changes, of which the first {MAX_CHANGES} are kept", reply.changes.len()));
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
    let conceded = concessions(at, thesis.criticism.as_ref(), &text, &reply.concessions, &mut refused);
    let topic = topic_words(reply.topic.as_ref(), &mut refused);
    let stand = optional(reply.stand.as_deref());
    let moves = if conceded.is_empty() { vec![Move::Propose] } else { vec![Move::Propose, Move::Concede] };
    let mut facts = vec![
        turn(at, moves, said(&text, [stand.as_ref(), words_of(&topic)]), &reply.passages, refused),
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
    facts.extend(conceded);
    facts.extend(dispute_about(at, proposal, &text, stand));
    facts.extend(topic.and_then(|topic| topic_stance(at, topic)));
    Ok(facts)
}

/// Decodes the answer of a participant who is asked whether they accept a proposal that the critic has accepted, into a
/// turn, the acceptance, and the stance. Issues are part of the turn only.
///
/// # Errors
/// [`Unreadable`] if the recommendation is to revise or to reject, and there are no issues; or if the text repeats a turn.
pub fn ratified(at: &DialecticContext, thesis: &Proposal, reply: CriticismReply) -> Result<Vec<Event>, Unreadable> {
    let answer = read_answer(at, thesis, &reply)?;
    let text = answer.text();
    echoes::refuse(&text, at.transcript, at.speaker)?;
    let Answer { accepted, rejected, topic, refused, .. } = answer;
    let mut facts = vec![turn(at, vec![Move::Claim], text, &reply.passages, refused)];
    facts.extend(topic.and_then(|topic| topic_stance(at, topic)));
    facts.extend(answered(at, thesis, accepted, rejected));
    Ok(facts)
}

/// Takes a side of the topic.
fn topic_stance(at: &DialecticContext, topic: TopicSide) -> Option<Event> {
    let (dispute, _) = at.disputes.topic()?;
    Some(stance(at, dispute, topic.side, topic.words))
}

/// Text of a turn: what the speaker says, and each on a line of its own, the sentences about it that it lacks.
fn said<'a>(text: &str, sentences: impl IntoIterator<Item = Option<&'a String>>) -> String {
    let mut said = text.to_owned();
    for sentence in sentences.into_iter().flatten() {
        if !said.contains(sentence) {
            said = format!("{said}\n\n{sentence}");
        }
    }
    said
}

fn words_of(topic: &Option<TopicSide>) -> Option<&String> {
    topic.as_ref().map(|topic| &topic.words)
}

fn turn(at: &DialecticContext, moves: Vec<Move>, text: String, passages: &[String], mut refused: Vec<String>) -> Event {
    let citations = view_prompts::citations(passages, at.grounds, &mut refused);
    Event::TurnTaken(TurnTaken {
        preparation: None,
        turn: at.turn,
        speaker: at.speaker.clone(),
        round: Some(at.round),
        room: None,
        moves,
        move_quotes: Vec::new(),
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
        refused.push(format!("{} {what}, of which the first {MAX_POINTS} are kept", given.len()));
    }
    given.iter().filter(|point| !point.trim().is_empty()).take(MAX_POINTS).map(|point| clipped(point)).collect()
}

fn clipped(given: &str) -> String {
    given.trim().chars().take(2_000).collect()
}

fn unit(given: f64) -> f64 {
    if given.is_nan() { 0.0 } else { given.clamp(0.0, 1.0) }
}
