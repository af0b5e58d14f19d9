//! Sections for common ground, disputes, proposals and proposed cruxes.

use crate::labels;
use crate::live::clerk::asked_again;
use crate::live::proposal::changed;
use crate::live::speech::quoted;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, blanks, shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict_context::{VerdictContext, title};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::turn::StatementSource;
use faultline_core::export::report::missed_calls::nobody_agreed;
use faultline_core::export::report::reasons::stands;
use faultline_core::export::report::report_words::{beside_stances, question_status};
use faultline_core::export::report::unsaid::{unsaid_in_reason, unsaid_reasoning};
use faultline_core::projections::crux_proposals::ProposedCrux;
use faultline_core::projections::disputes::dispute_state::{Dispute, DisputeStatus};
use faultline_core::projections::proposals::{Proposal, Refinement};
use faultline_core::questions::wording::says_the_same;
use faultline_core::verdicts::concessions::granted::GrantedStatement;
use faultline_core::verdicts::coverage::criticism_of;
use faultline_core::verdicts::ranking::ranked;

/// Maximum number of points of common ground on a card.
const MAX_POINTS: usize = 5;
/// Maximum number of proposed cruxes on a card.
const MAX_CRUXES: usize = 3;
/// Maximum number of characters of a question.
const MAX_QUESTION: usize = 300;
/// Maximum number of characters of a proposal.
const MAX_PROPOSAL: usize = 1_200;
/// Width of the column of names such as `p3`, or of marks.
const NAME: usize = 4;

/// Renders the points on which all participants, or as many as the debate's quorum, took the same side, and the statements
/// that were granted.
pub fn common(page: &mut TextPage, telling: &VerdictContext) {
    let (common, granted) = (&telling.verdict.common_ground, &telling.verdict.granted);
    match telling.read_model.summary.quorum {
        None => {
            let taken = common
                .iter()
                .flat_map(|point| point.holders.iter().map(|holder| (point.dispute, &holder.persona, holder.turn)));
            let unaudited = telling.unaudited(&taken.collect::<Vec<_>>());
            title(page, "Common ground", &format!("questions that all participants answer alike{unaudited}"));
        }
        Some(n) => title(
            page,
            "Common ground",
            &format!("questions that at least {n} participants answer alike, and nobody otherwise"),
        ),
    }
    if common.is_empty() {
        let none = match (granted.is_empty(), is_anybody_silent(telling)) {
            (true, true) => "None. Silence is not agreement.",
            (true, false) => "None.",
            (false, _) => "None. What follows was granted by one participant to another.",
        };
        page.text(&[trusted(Tone::Quiet, none)]);
    }
    let most = telling.most(MAX_POINTS);
    for point in common.iter().take(most) {
        page.hang(&[], &[trusted(Tone::Good, "✓")], 3, &shortened(Tone::Plain, &point.question, MAX_QUESTION));
        let mut holders: Vec<_> = point.holders.iter().collect();
        holders.sort_by_key(|holder| telling.speakers.place(&holder.persona));
        for holder in holders {
            let mut line = vec![labels::side(point.side), trusted(Tone::Plain, "\u{a0}")];
            line.extend(telling.holder(&holder.persona, holder.turn));
            if let Some(words) = &holder.quote {
                line.push(trusted(Tone::Plain, "\u{a0} "));
                line.extend(quoted(Tone::Quiet, words));
            }
            page.hang(&[], &[], 3, &line);
        }
    }
    if common.len() > most {
        telling.more(page, 3, common.len() - most);
    }
    if !granted.is_empty() {
        title(page, "Granted", "said by one participant and granted by another; nobody denies it");
    }
    for statement in granted.iter().take(most) {
        granted_statement(page, telling, statement);
    }
    if granted.len() > most {
        telling.more(page, 3, granted.len() - most);
    }
}

/// True if a participant took no side, in any words, on a question that still counts.
fn is_anybody_silent(telling: &VerdictContext) -> bool {
    let read_model = telling.read_model;
    let is_silent = |dispute: &Dispute| {
        let has_spoken = |persona: &PersonaId| {
            dispute.stances.contains_key(persona) || dispute.contested.iter().any(|(speaker, _)| speaker == persona)
        };
        read_model.summary.present().any(|participant| !has_spoken(&participant.persona))
    };
    read_model.disputes.not_retired().any(|(_, dispute)| is_silent(dispute))
}

/// Renders a statement that one participant made and others granted, with the words of both.
fn granted_statement(page: &mut TextPage, telling: &VerdictContext, granted: &GrantedStatement) {
    page.hang(&[], &[trusted(Tone::Good, "≈")], 3, &shortened(Tone::Plain, &granted.statement, MAX_QUESTION));
    let mut line = vec![trusted(Tone::Quiet, "said by ")];
    line.extend(telling.holder(&granted.author.persona, granted.author.turn));
    if let StatementSource::Argument { .. } = granted.source {
        line.push(trusted(Tone::Quiet, format!(" ({})", granted.source)));
    }
    page.hang(&[], &[], 3, &line);
    for granter in &granted.granters {
        let mut line = vec![trusted(Tone::Quiet, "granted by ")];
        line.extend(telling.holder(&granter.persona, granter.turn));
        if let Some(words) = &granter.quote {
            line.push(trusted(Tone::Plain, "\u{a0} "));
            line.extend(quoted(Tone::Quiet, words));
        }
        page.hang(&[], &[], 3, &line);
    }
}

/// Renders the last proposal and its history.
pub fn outcome(page: &mut TextPage, telling: &VerdictContext) {
    let proposals = &telling.read_model.proposals;
    let Some(last) = proposals.proposals.last() else { return };
    let speaker = telling.speakers.get(&last.speaker);
    title(page, "Proposal", &format!("the last one, by {} in {}", speaker.name, last.turn));
    page.hang(&[], &[speaker.owns(last.proposal)], NAME, &shortened(Tone::Plain, &last.text, MAX_PROPOSAL));
    page.hang(&[], &[], NAME, &fate(telling, last));
    for line in proposals.refinement().iter().flat_map(changes) {
        page.hang(&[], &[], NAME, &[trusted(Tone::Quiet, line)]);
    }
}

/// Formats the critic's judgement of a proposal.
fn fate(telling: &VerdictContext, proposal: &Proposal) -> SpanLine {
    let mut line = vec![trusted(Tone::Quiet, format!("round {} · ", proposal.round))];
    match &proposal.criticism {
        Some(criticism) if proposal.acceptances.iter().any(|by| by.turn == criticism.turn) => {}
        Some(criticism) => {
            line.extend(telling.holder(&criticism.speaker, criticism.turn));
            line.extend([trusted(Tone::Quiet, " "), labels::recommendation(criticism.recommendation)]);
        }
        None if telling.read_model.summary.status.is_final() => {
            line.push(trusted(Tone::Quiet, telling.read_model.proposals.not_reviewed(proposal)));
        }
        None => line.push(trusted(Tone::Quiet, "not reviewed yet")),
    }
    for acceptance in &proposal.acceptances {
        let separator = if line.len() > 1 { " · " } else { "" };
        line.push(trusted(Tone::Good, format!("{separator}✓ accepted by ")));
        line.extend(telling.holder(&acceptance.speaker, acceptance.turn));
    }
    line
}

/// Summarizes how the proposal changed from first to last, if it did: the text and the issues, then what the speakers
/// say of their confidence, then the averages.
fn changes(found: &Refinement) -> Vec<String> {
    if found.initial == found.last {
        return Vec::new();
    }
    let number = |count: usize| labels::grouped(labels::number(count));
    let text = match &found.literals {
        Some(literals) => format!(
            "{} → {}, {} added, {} removed",
            number(literals.initial),
            labels::count(labels::number(literals.last), "literal"),
            number(literals.added.len()),
            number(literals.removed.len())
        ),
        None if found.words_added + found.words_removed == 0 => "the same words".to_owned(),
        None => format!(
            "{} added, {} removed",
            labels::count(labels::number(found.words_added), "word"),
            number(found.words_removed)
        ),
    };
    let share = found.answered_share().map(|share| format!(" ({})", labels::percent(share))).unwrap_or_default();
    let issues = labels::count(labels::number(found.issues), "issue");
    let first = format!(
        "since {}: {text} · {} of the debate's {issues} answered by a change{share}",
        found.initial,
        number(found.answered)
    );
    let confidence = if found.improvement() == 0.0 {
        labels::sure(found.initial_confidence).map(|_| labels::percent(found.initial_confidence))
    } else {
        Some(format!(
            "{} → {} ({:+.2}), mean {}",
            labels::percent(found.initial_confidence),
            labels::percent(found.final_confidence),
            found.improvement(),
            labels::percent(found.mean_confidence),
        ))
    };
    let confidence = confidence.map(|share| format!("self-reported confidence {share}"));
    let per_round = found.issues_per_round().map(|mean| format!("{mean:.1} new issues a review"));
    let second: Vec<String> = confidence.into_iter().chain(per_round).collect();
    std::iter::once(first).chain((!second.is_empty()).then(|| second.join(" · "))).collect()
}

/// Renders every proposal, with the changes from one to the next.
pub fn proposals(page: &mut TextPage, telling: &VerdictContext) {
    let proposals = &telling.read_model.proposals;
    for (at, proposal) in proposals.proposals.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let speaker = telling.speakers.get(&proposal.speaker);
        // A proposal of another author is no new wording of the one before it.
        let from = proposal.from.and_then(|id| proposals.get(id)).filter(|from| from.speaker == proposal.speaker);
        let text = from.and_then(|earlier| changed(&earlier.text, &proposal.text));
        let text = text.unwrap_or_else(|| shortened(Tone::Plain, &proposal.text, MAX_PROPOSAL));
        page.hang(&[], &[speaker.owns(proposal.proposal)], NAME, &text);
        if !proposal.reasoning.trim().is_empty() {
            let transcript = &telling.read_model.transcript;
            let unsaid = unsaid_reasoning(transcript, proposal.turn, &proposal.speaker, &proposal.reasoning);
            let mut line = vec![labels::reasoning(unsaid)];
            line.extend(shortened(Tone::Quiet, &proposal.reasoning, MAX_PROPOSAL));
            page.hang(&[], &[], NAME, &line);
        }
        let mut line = telling.holder(&proposal.speaker, proposal.turn);
        line.push(trusted(Tone::Quiet, " · "));
        line.extend(fate(telling, proposal));
        page.hang(&[], &[], NAME, &line);
        for issue in proposal.criticism.iter().flat_map(|criticism| &criticism.issues) {
            let answered = proposals
                .proposals
                .iter()
                .any(|proposal| proposal.changes.iter().any(|change| change.issue == issue.issue));
            let is_last = at + 1 == proposals.proposals.len();
            let word = if answered {
                "answered"
            } else if is_last {
                "open"
            } else {
                "not answered"
            };
            let mut line = vec![trusted(
                Tone::Quiet,
                format!("{} · {} · {word}: ", issue.issue, labels::severity(issue.severity)),
            )];
            line.extend(shortened(Tone::Quiet, &issue.text, MAX_QUESTION));
            page.hang(&[], &[], NAME, &line);
        }
    }
}

/// Renders every dispute, its status, and the sides taken.
pub fn disputes(page: &mut TextPage, telling: &VerdictContext) {
    if telling.read_model.disputes.disputes.values().any(|dispute| !dispute.reasons.is_empty()) {
        let legend = "IN, OUT and UNDEC tell how the recorded attacks on a reason stand, and its number how strong it is by \
                      them. Neither tells what is true.";
        page.text(&[trusted(Tone::Quiet, legend)]);
        page.blank();
    }
    for (id, dispute) in &telling.read_model.disputes.disputes {
        let question = shortened(Tone::Plain, &dispute.question, MAX_QUESTION);
        page.hang(&[], &[trusted(Tone::Quiet, id.to_string())], NAME, &question);
        page.hang(&[], &[], NAME, &stances(telling, dispute));
        for linked in &dispute.wordings {
            page.hang(&[], &[], NAME, &asked_again(linked));
        }
        reasons(page, telling, dispute);
    }
}

/// Renders the reasons on a dispute, strongest first, then the withdrawn ones.
fn reasons(page: &mut TextPage, telling: &VerdictContext, dispute: &Dispute) {
    let gutter = [blanks(NAME)];
    for ranked in ranked(&telling.read_model.disputes, dispute) {
        let Some(reason) = dispute.reasons.get(&ranked.reason) else { continue };
        let stands = format!(" {:.2} {}: ", ranked.strength, stands(dispute, reason));
        let mut line = vec![labels::label(ranked.label), trusted(Tone::Quiet, stands)];
        line.extend(shortened(Tone::Plain, &reason.given.claim, MAX_QUESTION));
        let unsaid = unsaid_in_reason(telling.read_model, &reason.given, &reason.given.claim);
        let unsaid = unsaid.map(|remark| format!(", {remark}")).unwrap_or_default();
        line.push(trusted(Tone::Quiet, format!(" ({}{unsaid})", reason.given.turn)));
        page.hang(&gutter, &[telling.speakers.get(&reason.given.speaker).owns(ranked.reason)], NAME, &line);
    }
    for (id, reason) in &dispute.reasons {
        let Some(withdrawn) = &reason.withdrawn else { continue };
        let mut line = shortened(Tone::Quiet, &reason.given.claim, MAX_QUESTION);
        line.push(trusted(Tone::Quiet, format!(" (withdrawn in {}: ", withdrawn.turn)));
        line.extend(shortened(Tone::Quiet, &withdrawn.why, MAX_QUESTION));
        line.push(trusted(Tone::Quiet, ")"));
        page.hang(&gutter, &[telling.speakers.get(&reason.given.speaker).owns(id)], NAME, &line);
    }
}

/// Renders the cruxes that participants proposed, and who acknowledged them.
pub fn named_cruxes(page: &mut TextPage, telling: &VerdictContext) {
    for (id, crux) in &telling.read_model.crux_proposals.cruxes {
        let speaker = telling.speakers.get(&crux.proposed.speaker);
        let statement = shortened(Tone::Plain, &crux.proposed.statement, MAX_QUESTION);
        page.hang(&[], &[speaker.owns(id)], NAME, &statement);
        let mut line = telling.holder(&crux.proposed.speaker, crux.proposed.turn);
        line.extend(naming_words(crux));
        if crux.acknowledged.is_empty() {
            line.push(untrusted(Tone::Quiet, &format!(" · {}", nobody_agreed(telling.read_model, crux))));
        }
        for by in &crux.acknowledged {
            line.extend([trusted(Tone::Quiet, " · "), trusted(Tone::Good, "✓ agrees\u{a0}")]);
            line.extend(telling.holder(&by.speaker, by.turn));
        }
        page.hang(&[], &[], NAME, &line);
    }
}

/// Renders the proposed cruxes with which nobody agreed, each on a few lines.
pub fn unacknowledged_cruxes(page: &mut TextPage, telling: &VerdictContext) {
    let proposed = telling.read_model.crux_proposals.cruxes.values().filter(|crux| crux.acknowledged.is_empty());
    let proposed: Vec<&ProposedCrux> = proposed.collect();
    let most = telling.most(MAX_CRUXES);
    for crux in proposed.iter().take(most) {
        let mut line = telling.speakers.get(&crux.proposed.speaker).badge();
        line.push(trusted(Tone::Quiet, format!(" proposed in {}: ", crux.proposed.turn)));
        let mut listed = telling.verdict.cruxes.iter();
        match listed.position(|listed| says_the_same(&listed.question, &crux.proposed.statement)) {
            Some(at) => line.push(trusted(Tone::Plain, format!("number {}", at + 1))),
            None => line.extend(shortened(Tone::Plain, &crux.proposed.statement, MAX_QUESTION)),
        }
        line.extend(naming_words(crux));
        line.push(untrusted(Tone::Quiet, &format!(" ({})", nobody_agreed(telling.read_model, crux))));
        page.hang(&[], &[trusted(Tone::Quiet, "·")], 3, &line);
    }
    if proposed.len() > most {
        telling.more(page, 3, proposed.len() - most);
    }
}

/// Formats the words of the turn that name a crux, unless they are the crux itself.
fn naming_words(crux: &ProposedCrux) -> SpanLine {
    let words = crux.proposed.quote.as_deref().filter(|words| !says_the_same(words, &crux.proposed.statement));
    let mut line = SpanLine::new();
    if let Some(words) = words {
        line.push(trusted(Tone::Plain, "\u{a0} "));
        line.extend(quoted(Tone::Quiet, words));
    }
    line
}

fn stances(telling: &VerdictContext, dispute: &Dispute) -> SpanLine {
    let read_model = telling.read_model;
    let criticism = criticism_of(&read_model.proposals, dispute);
    let tone = match dispute.status() {
        DisputeStatus::Proposed | DisputeStatus::Retired => Tone::Quiet,
        DisputeStatus::Open => Tone::Open,
        DisputeStatus::Settled => Tone::Good,
    };
    let mut line = vec![trusted(tone, question_status(dispute, criticism, read_model.summary.status.is_final()))];
    let mut stances: Vec<_> = dispute.stances.iter().collect();
    stances.sort_by_key(|(persona, _)| telling.speakers.place(persona));
    for (persona, stance) in stances {
        line.extend([trusted(Tone::Quiet, " · "), labels::side(stance.side), trusted(Tone::Plain, "\u{a0}")]);
        line.extend(telling.holder(persona, stance.turn));
    }
    if let Some(criticism) = beside_stances(dispute, criticism) {
        line.push(trusted(Tone::Quiet, " · "));
        line.extend(telling.holder(&criticism.speaker, criticism.turn));
        line.extend([trusted(Tone::Quiet, " "), labels::recommendation(criticism.recommendation)]);
    }
    if let Some(reason) = &dispute.retired {
        line.push(trusted(Tone::Quiet, " · "));
        line.extend(shortened(Tone::Quiet, reason, MAX_QUESTION));
    }
    line
}
