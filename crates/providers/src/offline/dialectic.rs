//! Proposals in a dialectic: drafts, criticism and synthesis, from the positions of their authors.
//!
//! A proposal consists of claims of its author. A critic raises the annotated attacks on them, and accepts only by an
//! annotated grant or concession. A synthesis replaces what its author gives up by what is left of it.

use serde_json::{Value, json};

use crate::offline::cast::{Cast, CastMember};
use crate::offline::choose::Chooser;
use crate::offline::clerk::sentence_names::sentence_with;
use crate::offline::composition::{Composition, quoted};
use crate::offline::free_moves::claim_weight;
use crate::offline::phrases;
use crate::offline::recognition::{granting_words, grants_its_part};
use crate::offline::talk::Answer;
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::events::turn::ConcessionExtent;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::kernel::task::{IssueInput, ProposalInput};
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, ClaimRef, GivesWay, PassageQuote, ReplyKind};
use faultline_core::positions::sides::moving_words;

/// Number of claims in a draft besides the answer to the topic, and in a synthesis by somebody else.
const CLAIMS: usize = 2;
/// Maximum number of issues in a criticism.
const MAX_ISSUES: usize = 4;
/// Spread of the drawn share in the choice of claims and issues.
const SPREAD: f64 = 0.5;

/// Drafts a proposal: the answer to the topic, and claims on which its author could give way.
///
/// # Errors
/// [`FailureKind::Hopeless`] if drafts were rejected: the author has one proposal.
pub fn draft(cast: &Cast, author: &CastMember, rejected: &[ProposalInput], ask: &EffectAttempt) -> Answer {
    if !rejected.is_empty() {
        let message = format!("{} has no other proposal: its positions answer the topic in one way", author.id);
        return Err(Failure::new(FailureKind::Hopeless, message));
    }
    let chooser = chooser(ask, "draft", author);
    let ways = || author.topic.replies.iter().filter(|reply| cast.member(&reply.to.persona).is_some());
    let can_give = |claim: &AnnotatedClaim| {
        let mut ways = ways().flat_map(|reply| &reply.gives_way);
        ways.any(|way| matches!(way, GivesWay::Claim { name, becomes: Some(_), .. } if *name == claim.name))
    };
    let others: Vec<&AnnotatedClaim> = author.topic.claims.iter().filter(|claim| !claim.answers_topic).collect();
    let ordered = chooser.ordered(SPREAD, others, |claim| {
        let moves = if can_give(claim) { 0.6 } else { 0.0 };
        (claim_weight(cast, author, claim) + moves, claim.sentence.quote.clone())
    });
    let theses = author.topic.claims.iter().filter(|claim| claim.answers_topic).take(1);
    let claims: Vec<&AnnotatedClaim> = theses.chain(ordered.into_iter().take(CLAIMS)).collect();
    let mut text = Composition::new(author, ask);
    text.quotes(claims.iter().map(|claim| &claim.sentence))?;
    let reasoning = reasoning(author, ask, &claims, &text)?;
    propose(author, text, &reasoning, &[], &[])
}

/// Criticizes a proposal, or answers whether it is accepted. A critic raises no issue twice.
///
/// # Errors
/// [`FailureKind::Repeated`] if all issues that the critic sees in the proposal were raised before; another [`Failure`] if a
/// quotation is not in the corpus.
pub fn criticize(cast: &Cast, critic: &CastMember, proposal: &ProposalInput, ask: &EffectAttempt) -> Answer {
    let Some(author) = cast.member(&proposal.speaker) else { return no_objection(critic, ask) };
    let is_in = |claim: &ClaimRef, text: &str| {
        let found = cast.member(&claim.persona).and_then(|member| member.topic.claim(&claim.claim));
        found.is_some_and(|claim| text.contains(&claim.sentence.quote))
    };
    let everything = format!("{} {}", proposal.text, proposal.reasoning);
    let is_ready = |reply: &&AnnotatedReply| {
        is_in(&reply.to, &proposal.text) && reply.needs.iter().all(|needed| is_in(needed, &everything))
    };
    let ready: Vec<&AnnotatedReply> = critic.topic.replies.iter().filter(is_ready).collect();
    let comes_over = |reply: &&&AnnotatedReply| {
        let side = author.topic.side;
        reply.gives_way.iter().any(|way| matches!(way, GivesWay::Topic { side: new, .. } if *new == side))
    };
    if let Some(reply) = ready.iter().find(comes_over) {
        return accept(critic, reply, true, ask);
    }
    let first = first_of(proposal, ask);
    let chooser = chooser(ask, &format!("criticize/p{first}"), critic);
    let objects = |reply: &AnnotatedReply| reply.kind.attack().is_some() || reply.kind == ReplyKind::Reframe;
    let stands = |reply: &AnnotatedReply| is_in(&reply.to, &proposal.text);
    // Issues with claims that were given up since were raised before, and count among those of their round.
    let was_met = |reply: &AnnotatedReply| is_given_up(author, &reply.to, &proposal.text);
    let replies = critic.topic.replies.iter();
    let objections: Vec<&AnnotatedReply> =
        replies.filter(|reply| objects(reply) && (is_ready(reply) || was_met(reply))).collect();
    let weight =
        |reply: &&AnnotatedReply| (if reply.kind.attack().is_some() { 1.0 } else { 0.0 }, reply.words[0].quote.clone());
    let mut objections = chooser.ordered(SPREAD, objections, weight);
    let has_any = objections.iter().any(|reply| stands(reply));
    for round in 0..earlier_criticisms(critic, proposal, first, ask) {
        let mut room = MAX_ISSUES;
        objections.retain(|reply| {
            let was_raised = room > 0 && (round == 0 || stands(reply));
            room -= usize::from(was_raised);
            !was_raised
        });
    }
    objections.retain(|reply| stands(reply));
    objections.truncate(MAX_ISSUES);
    if has_any && objections.is_empty() {
        let message = format!(
            "nothing left to criticize in {}: every issue that the writings annotate was raised before",
            proposal.alias
        );
        return Err(Failure::new(FailureKind::Repeated, message));
    }
    let accepts = |reply: &&&AnnotatedReply| match reply.kind {
        ReplyKind::Grant | ReplyKind::Compatible => reply.component == ArgumentPart::Claim,
        ReplyKind::Concede => true,
        _ => false,
    };
    match ready.iter().find(accepts) {
        Some(reply) if objections.is_empty() && author.topic.side == critic.topic.side => {
            accept(critic, reply, false, ask)
        }
        _ if objections.is_empty() => no_objection(critic, ask),
        _ => object(critic, &objections, ask),
    }
}

/// Returns the number of the first proposal in the row of changes that led to a proposal: the draft, or what a third
/// participant put in its place.
fn first_of(proposal: &ProposalInput, ask: &EffectAttempt) -> usize {
    if ask.prompt.task.participants.first() == Some(&proposal.speaker) { 1 } else { 2 }
}

/// Returns how often a critic has criticized the proposals that led to this one.
fn earlier_criticisms(critic: &CastMember, proposal: &ProposalInput, first: usize, ask: &EffectAttempt) -> usize {
    let is_critic = ask.prompt.task.participants.get(1) == Some(&critic.id);
    let is_changed = [phrases::NARROWED, phrases::UNCHANGED].contains(&proposal.reasoning.trim());
    let number = proposal.alias.trim_start_matches('p').parse().unwrap_or(first);
    if is_critic && is_changed { number.saturating_sub(first) } else { 0 }
}

/// Returns true if the text of a proposal gives up or narrows a claim of its author.
fn is_given_up(author: &CastMember, claim: &ClaimRef, text: &str) -> bool {
    let is_lost = |way: &GivesWay| match way {
        GivesWay::Claim { name, extent, .. } => *name == claim.claim && *extent != ConcessionExtent::Scope,
        GivesWay::Dispute { .. } | GivesWay::Topic { .. } => false,
    };
    let is_said = |reply: &AnnotatedReply| reply.words.iter().all(|words| text.contains(&words.quote));
    let mut replies = author.topic.replies.iter();
    author.id == claim.persona && replies.any(|reply| is_said(reply) && reply.gives_way.iter().any(is_lost))
}

/// Raises issues: the words of replies, with the claims that carry them.
fn object(critic: &CastMember, objections: &[&AnnotatedReply], ask: &EffectAttempt) -> Answer {
    let mut cited = Composition::new(critic, ask);
    let mut issues: Vec<Value> = Vec::new();
    for reply in objections {
        let mut issue = Composition::new(critic, ask);
        let carrying = reply.with.as_ref().and_then(|name| critic.topic.claim(name));
        // The answer to the topic is said once, as the side of the critic.
        let carrying = carrying.filter(|claim| !claim.answers_topic).map(|claim| &claim.sentence);
        for quote in reply.words.iter().chain(carrying) {
            issue.quote(quote)?;
            cited.cite(quote)?;
        }
        let severity = match reply.kind {
            ReplyKind::Rebut | ReplyKind::Undermine | ReplyKind::Undercut => "major",
            _ => "minor",
        };
        issues.push(json!({ "severity": severity, "text": issue.text() }));
    }
    cited.cite(&critic.topic.statement)?;
    let reply = json!({ "issues": issues, "recommendation": "revise", "acceptance": null, "topic": topic(critic) });
    Ok(cited.finish(reply))
}

fn no_objection(critic: &CastMember, ask: &EffectAttempt) -> Answer {
    let mut cited = Composition::new(critic, ask);
    cited.cite(&critic.topic.statement)?;
    let reply = json!({ "issues": [], "recommendation": "no_objection", "acceptance": null, "topic": topic(critic) });
    Ok(cited.finish(reply))
}

/// Accepts a proposal, for the reason that a reply states. With `comes_over`, the reply changes the critic's side.
fn accept(critic: &CastMember, reply: &AnnotatedReply, comes_over: bool, ask: &EffectAttempt) -> Answer {
    let mut reason = Composition::new(critic, ask);
    match quoted(&reply.reason).filter(|_| comes_over) {
        Some(quote) => reason.quote(quote)?,
        None => reason.quotes(&reply.words)?,
    }
    let mut change = Composition::new(critic, ask);
    change.quotes(&reply.words)?;
    if comes_over {
        reply.words.iter().try_for_each(|quote| reason.cite(quote))?;
    } else {
        reason.cite(&critic.topic.statement)?;
    }
    let change_of_mind = comes_over.then(|| change.text());
    let side = if comes_over { Value::Null } else { topic(critic) };
    let answer = json!({
        "issues": [], "recommendation": "accept", "topic": side,
        "acceptance": { "words": phrases::ACCEPTED, "reason": reason.text(), "change_of_mind": change_of_mind },
    });
    Ok(reason.finish(answer))
}

/// Combines a proposal with its criticism.
///
/// # Errors
/// A [`Failure`] if a quotation is not in the corpus.
pub fn synthesize(cast: &Cast, author: &CastMember, thesis: &ProposalInput, ask: &EffectAttempt) -> Answer {
    if author.id != thesis.speaker { join(cast, author, ask) } else { narrow(cast, author, thesis, ask) }
}

/// Changes an own proposal where the issues contain a claim to which its author gives way. Everything else stays, in its
/// place; without a new concession, the text is the same.
fn narrow(cast: &Cast, author: &CastMember, thesis: &ProposalInput, ask: &EffectAttempt) -> Answer {
    let issue_with = |claim: &ClaimRef| {
        let claim = cast.member(&claim.persona).and_then(|member| member.topic.claim(&claim.claim))?;
        thesis.issues.iter().find(|issue| issue.text.contains(&claim.sentence.quote))
    };
    let is_said = |quote: &PassageQuote| thesis.text.contains(&quote.quote);
    let (before, open): (Vec<&AnnotatedReply>, Vec<&AnnotatedReply>) = author
        .topic
        .replies
        .iter()
        .filter(|reply| reply.gives_way.iter().any(|way| matches!(way, GivesWay::Claim { becomes: Some(_), .. })))
        .partition(|reply| reply.words.iter().all(is_said));
    let concessions: Vec<_> = open.into_iter().filter_map(|reply| Some((reply, issue_with(&reply.to)?))).collect();
    // A claim that is put under a condition stays beside it.
    let is_gone = |claim: &AnnotatedClaim| {
        let mut ways = concessions.iter().flat_map(|(reply, _)| &reply.gives_way);
        ways.any(|way| match way {
            GivesWay::Claim { name, extent, .. } => *name == claim.name && *extent != ConcessionExtent::Scope,
            GivesWay::Dispute { .. } | GivesWay::Topic { .. } => false,
        })
    };
    let gone: Vec<&AnnotatedClaim> = author.topic.claims.iter().filter(|claim| is_gone(claim)).collect();
    let stays = |quote: &&PassageQuote| is_said(quote) && gone.iter().all(|claim| claim.sentence.quote != quote.quote);
    let claims = author.topic.claims.iter().filter(|claim| is_said(&claim.sentence) && !is_gone(claim));
    let parts = claims.flat_map(|claim| claim.premises.iter().filter_map(quoted).chain([&claim.sentence]));
    let mut kept: Vec<&PassageQuote> = parts.chain(before.into_iter().flat_map(conceding)).filter(stays).collect();
    kept.sort_by_key(|quote| thesis.text.find(&quote.quote));
    let mut text = Composition::new(author, ask);
    text.quotes(kept)?;
    let mut changes: Vec<Value> = Vec::new();
    for (reply, issue) in &concessions {
        text.quotes(conceding(reply))?;
        changes.push(json!({ "issue": issue.alias, "text": moving_words(reply) }));
    }
    let reasoning = if changes.is_empty() { phrases::UNCHANGED } else { phrases::NARROWED };
    let conceded: Vec<Value> = concessions.iter().map(|(reply, issue)| concession(cast, reply, issue)).collect();
    propose(author, text, reasoning, &changes, &conceded)
}

/// Returns a concession by the sentence that makes it, with the sentence of the issue that it grants, if its words do.
fn concession(cast: &Cast, reply: &AnnotatedReply, issue: &IssueInput) -> Value {
    let words = granting_words(moving_words(reply));
    let first = turn_quotes::sentence(words, 1);
    let claim = cast.member(&reply.to.persona).and_then(|member| member.topic.claim(&reply.to.claim));
    let part = claim.filter(|_| grants_its_part(reply)).and_then(|claim| claim.part(reply.component));
    let granted = part.and_then(|part| sentence_with(&issue.alias, &issue.text, part));
    json!({ "words": first, "grants": granted })
}

/// Returns the words of a concession, and what is left of the claims that it narrows.
fn conceding(reply: &AnnotatedReply) -> impl Iterator<Item = &PassageQuote> {
    let left = reply.gives_way.iter().filter_map(|way| match way {
        GivesWay::Claim { becomes, .. } => becomes.as_ref(),
        GivesWay::Dispute { .. } | GivesWay::Topic { .. } => None,
    });
    reply.words.iter().chain(left)
}

/// Puts a third participant's own claims in place of a proposal: those that would move the others, with their premises.
fn join(cast: &Cast, author: &CastMember, ask: &EffectAttempt) -> Answer {
    let chooser = chooser(ask, "synthesize", author);
    let others: Vec<&AnnotatedClaim> = author.topic.claims.iter().filter(|claim| !claim.answers_topic).collect();
    let needed: Vec<&ClaimRef> =
        deep_concessions(cast, author).flat_map(|reply| reply.needs.iter().chain([&reply.to])).collect();
    let is_needed = |claim: &AnnotatedClaim| {
        needed.iter().any(|reference| reference.persona == author.id && reference.claim == claim.name)
    };
    let ordered = chooser.ordered(SPREAD, others, |claim| {
        let moves = if is_needed(claim) { 1.0 } else { 0.0 };
        (claim_weight(cast, author, claim) + moves, claim.sentence.quote.clone())
    });
    let mut proposed: Vec<&AnnotatedClaim> = ordered.into_iter().take(CLAIMS + 1).collect();
    proposed.sort_by_key(|claim| claim.line);
    let mut text = Composition::new(author, ask);
    for claim in &proposed {
        text.bases(&claim.premises)?;
        text.quote(&claim.sentence)?;
    }
    let theses: Vec<&AnnotatedClaim> = author.topic.claims.iter().filter(|claim| claim.answers_topic).collect();
    let reasoning = reasoning(author, ask, &theses, &text)?;
    propose(author, text, &reasoning, &[], &[])
}

/// Returns the concessions by which others would change sides for claims of an author.
fn deep_concessions<'a>(cast: &'a Cast, author: &'a CastMember) -> impl Iterator<Item = &'a AnnotatedReply> {
    let replies = cast.others(&author.id).flat_map(|other| &other.topic.replies);
    replies.filter(|reply| {
        let is_deep = reply.gives_way.iter().any(|way| matches!(way, GivesWay::Topic { .. }));
        is_deep && reply.to.persona == author.id
    })
}

/// Returns the premises of claims, and the claims that the text does not contain, as the reasoning behind a proposal.
fn reasoning(
    author: &CastMember,
    ask: &EffectAttempt,
    claims: &[&AnnotatedClaim],
    text: &Composition,
) -> Result<String, Failure> {
    let mut behind = Composition::new(author, ask);
    for claim in claims {
        behind.quotes(claim.premises.iter().filter_map(quoted).filter(|quote| !text.contains(&quote.quote)))?;
        behind.quotes([&claim.sentence].into_iter().filter(|quote| !text.contains(&quote.quote)))?;
    }
    Ok(behind.text())
}

/// Proposes a text. Its author says beside it that it should stand, and the side of the topic.
fn propose(
    author: &CastMember,
    mut text: Composition,
    reasoning: &str,
    changes: &[Value],
    concessions: &[Value],
) -> Answer {
    text.cite(&author.topic.statement)?;
    let reply = json!({
        "proposal": text.text(), "reasoning": reasoning, "confidence": 1.0, "terms": [], "changes": changes,
        "concessions": concessions, "stand": phrases::STANDS, "topic": topic(author),
    });
    Ok(text.finish(reply))
}

fn topic(member: &CastMember) -> Value {
    json!({ "side": member.topic.side.name(), "words": member.topic.statement.quote })
}

fn chooser(ask: &EffectAttempt, purpose: &str, author: &CastMember) -> Chooser {
    Chooser::new(ask.prompt.task.seed, format!("{purpose}/{}", author.id))
}
