//! One-line summaries of events for people: histories, rehearsals, traces.

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::dispute::Polarity;
use crate::events::distillation::ComparisonFinding;
use crate::events::event::Event;
use crate::events::ids::RoomId;
use crate::events::turn::{Citation, ConcessionEffect, ConcessionExtent, TurnTaken};

/// Maximum number of characters of a text shown in a line.
const SHOWN: usize = 72;

/// Summarizes an event in one line, without its kind.
pub fn summarize(event: &Event) -> String {
    match event {
        Event::DebateOpened(_)
        | Event::DebateForked(_)
        | Event::PhaseEntered(_)
        | Event::DebatePaused(_)
        | Event::DebateResumed(_)
        | Event::Interjected(_)
        | Event::DebateConcluded(_)
        | Event::DebateAborted(_) => tell_life(event),
        Event::EffectRequested(_)
        | Event::EffectAnswered(_)
        | Event::EffectFailed(_)
        | Event::EffectAbandoned(_)
        | Event::InjectionSuspected(_) => tell_effect(event),
        Event::TurnTaken(it) => tell_turn(it),
        Event::ArgumentAdvanced(it) => match it.carries {
            Some(attack) => format!("{} {} carrying {attack}: {}", it.argument, it.speaker, short(&it.claim)),
            None => format!("{} {}: {}", it.argument, it.speaker, short(&it.claim)),
        },
        Event::AttackRaised(it) => {
            format!(
                "{} {} {} {} of {}",
                it.attack,
                it.source,
                kind_word(it.kind),
                component_word(it.component),
                it.target
            )
        }
        Event::AttackJudged(it) => {
            let word = if it.valid { "valid" } else { "not valid" };
            format!("{} {word} {:.2}: {}", it.attack, it.strength, short(&it.reason))
        }
        Event::DisputeRaised(it) => format!("{}: {}", it.dispute, short(&it.question)),
        Event::StanceTaken(it) => format!("{} {} {} in {}", it.dispute, it.speaker, it.side.name(), it.turn),
        Event::DisputeRetired(it) => format!("{}: {}", it.dispute, short(&it.reason)),
        Event::ProposalDrafted(_) | Event::ProposalCriticized(_) | Event::ProposalSynthesized(_) => {
            tell_proposal(event)
        }
        Event::HintGiven(_)
        | Event::ConcessionMade(_)
        | Event::ArgumentRevised(_)
        | Event::ArgumentWithdrawn(_)
        | Event::AttackWithdrawn(_)
        | Event::DisputeLinked(_)
        | Event::ReasonGiven(_)
        | Event::ReasonWithdrawn(_)
        | Event::CruxProposed(_)
        | Event::CruxAcknowledged(_)
        | Event::RoomOpened(_)
        | Event::RoomClosed(_)
        | Event::ClaimChecked(_)
        | Event::TurnsCrystallized(_)
        | Event::ClaimsCompared(_)
        | Event::ProgressMeasured(_) => tell_talk(event),
        Event::VerdictImported(it) => format!("{}: {}", it.name, short(&it.said.to_string())),
        Event::RecordKept(it) => match &it.set_aside {
            Some(reason) => format!("{}, set aside: {reason}", it.name),
            None => format!("{}: {}", it.name, short(&it.record.to_string())),
        },
        Event::ArgumentSynthesised(it) => format!("{} for {}: {}", it.argument, it.name, short(&it.reason)),
        Event::Opaque(it) => format!("schema {}, unknown to this version", it.schema),
        Event::Erased(_) => "erased".to_owned(),
    }
}

/// Summarizes a turn: its text, citations and rejected parts.
fn tell_turn(taken: &TurnTaken) -> String {
    let to = taken.answers.map(|it| format!(" to {it}")).unwrap_or_default();
    let (cited, refused) = (cited(&taken.citations), refused(&taken.refused));
    let room = within(taken.room);
    format!("{} {}{to}{room}: {}{cited}{refused}", taken.turn, taken.speaker, short(&taken.text))
}

/// Formats the room, unless it is the main channel.
fn within(room: Option<RoomId>) -> String {
    room.map(|it| format!(" in {it}")).unwrap_or_default()
}

/// Summarizes an event of the debate's lifecycle.
fn tell_life(event: &Event) -> String {
    match event {
        Event::DebateOpened(it) => {
            let names: Vec<&str> = it.participants.iter().map(|it| it.id.as_str()).collect();
            format!("{} / {} / {}: {}", it.engine, it.provider, names.join(", "), short(&it.topic))
        }
        Event::DebateForked(it) => {
            let opened = &it.opened;
            let names: Vec<&str> = opened.participants.iter().map(|it| it.id.as_str()).collect();
            format!("from {} at {}: {} / {}", it.origin, it.at, opened.provider, names.join(", "))
        }
        Event::PhaseEntered(it) => match (it.round, &it.reason) {
            (Some(round), _) => format!("{}, round {round}", it.phase),
            (None, Some(reason)) => format!("{}: {reason}", it.phase),
            (None, None) => it.phase.clone(),
        },
        Event::Interjected(it) => {
            let speaker = it.speaker.as_ref().map_or("moderator", |it| it.as_str());
            format!("{} {speaker}{}: {}", it.turn, within(it.room), short(&it.text))
        }
        Event::DebateConcluded(it) => format!("{}: {}", it.outcome.kind(), it.outcome.reason()),
        Event::DebateAborted(it) => short(&it.reason),
        _ => String::new(),
    }
}

/// Summarizes a request to a provider or its receipt.
fn tell_effect(event: &Event) -> String {
    match event {
        Event::EffectRequested(it) => match it.grounds.len() {
            0 => format!("{} attempt {}", it.key, it.attempt),
            n => format!("{} attempt {}, {n} passages", it.key, it.attempt),
        },
        Event::EffectAnswered(it) => {
            let ignored = if it.ignored { ", no longer needed" } else { "" };
            let repaired = if it.repaired { ", truncated and repaired" } else { "" };
            format!("{} attempt {} by {}{repaired}{ignored}", it.key, it.attempt, it.answer.by)
        }
        Event::EffectFailed(it) => format!("{} attempt {}: {}", it.key, it.attempt, it.failure.message),
        Event::EffectAbandoned(it) => format!("{} after {}: {}", it.key, it.attempts, it.reason),
        Event::InjectionSuspected(it) => {
            let told = it.passages.iter().map(|it| format!("{} ({})", it.alias, it.suspicions.join("; ")));
            format!("{} attempt {}: {}", it.key, it.attempt, short(&told.collect::<Vec<_>>().join(", ")))
        }
        _ => String::new(),
    }
}

/// Summarizes an event about a proposal.
fn tell_proposal(event: &Event) -> String {
    match event {
        Event::ProposalDrafted(it) => format!("{} {}: {}", it.proposal, it.speaker, short(&it.text)),
        Event::ProposalCriticized(it) => {
            let n = it.issues.len();
            format!("{} {}: {:?}, {n} issues", it.proposal, it.speaker, it.recommendation).to_lowercase()
        }
        Event::ProposalSynthesized(it) => {
            format!("{} from {} {}: {}", it.proposal, it.from, it.speaker, short(&it.text))
        }
        _ => String::new(),
    }
}

/// Summarizes an event of a talk or of its distillation.
fn tell_talk(event: &Event) -> String {
    match event {
        Event::HintGiven(it) => format!("to {}: {}", it.speaker, short(&it.text)),
        Event::ConcessionMade(it) => {
            let effect = match it.effect {
                ConcessionEffect::Withdrew { argument } => format!("{argument} withdrawn"),
                ConcessionEffect::Revised { argument } => format!("{argument} revised"),
                ConcessionEffect::Moved { dispute, to } => format!("{} on {dispute}", to.name()),
                ConcessionEffect::Said => "said".to_owned(),
            };
            let kind = concession_word(it.kind);
            format!("{} in {}, {kind}, {effect}: {}", it.speaker, it.turn, short(&it.what))
        }
        Event::ArgumentRevised(it) => {
            let claim = it.claim.iter().map(|it| short(it));
            let assumptions = it.assumptions.iter().map(|it| format!("if {}", short(it)));
            format!("{} in {}: {}", it.argument, it.turn, claim.chain(assumptions).collect::<Vec<_>>().join("; "))
        }
        Event::ArgumentWithdrawn(it) => {
            let by = it.superseded_by.map(|it| format!(" for {it}")).unwrap_or_default();
            format!("{}{by} in {}: {}", it.argument, it.turn, short(&it.reason))
        }
        Event::AttackWithdrawn(it) => format!("{} in {}: {}", it.attack, it.turn, short(&it.reason)),
        Event::DisputeLinked(it) => {
            let how = if it.negates { "negated" } else { "again" };
            format!("{} {how}: {}", it.dispute, short(&it.question))
        }
        Event::ReasonGiven(it) => {
            let does = if it.polarity == Polarity::Supports { "for" } else { "against" };
            let attacks: String = it.attacks.iter().map(|it| format!(" against {it}")).collect();
            let stance = format!("{does} {} on {}", it.side.name(), it.dispute);
            format!("{} {} {stance}{attacks}: {}", it.reason, it.speaker, short(&it.claim))
        }
        Event::ReasonWithdrawn(it) => format!("{} in {}: {}", it.reason, it.turn, short(&it.why)),
        Event::CruxProposed(it) => format!("{} {} in {}: {}", it.crux, it.speaker, it.turn, short(&it.statement)),
        Event::CruxAcknowledged(it) => format!("{} {} in {}", it.crux, it.speaker, it.turn),
        Event::RoomOpened(it) => {
            let names: Vec<&str> = it.participants.iter().map(|it| it.as_str()).collect();
            let on = it.dispute.map(|it| format!(" on {it}")).unwrap_or_default();
            format!("{} {}{on}: {}", it.room, names.join(", "), short(&it.question))
        }
        Event::RoomClosed(it) => format!("{} {}: {}", it.room, it.outcome.name(), short(&it.reason)),
        Event::ClaimChecked(it) => {
            format!("{} {} in {} by {}: {}", it.check, it.verdict.name(), it.turn, short(&it.by), short(&it.claim))
        }
        Event::TurnsCrystallized(it) => {
            let turns: Vec<String> = it.turns.iter().map(ToString::to_string).collect();
            format!("{}{}", turns.join(", "), refused(&it.refused))
        }
        Event::ClaimsCompared(it) => {
            let conflicts = it.pairs.iter().filter(|it| it.finding == ComparisonFinding::Conflict).count();
            format!("{} pairs, {conflicts} in conflict{}", it.pairs.len(), refused(&it.refused))
        }
        Event::ProgressMeasured(it) => {
            let frontier: Vec<String> = it.frontier.iter().map(ToString::to_string).collect();
            let frontier = if frontier.is_empty() { "nothing".to_owned() } else { frontier.join(", ") };
            format!("{} live, {} of {} pairs examined, contested: {frontier}", it.live, it.examined, it.pairs)
        }
        _ => String::new(),
    }
}

/// Formats citations, each with the results of its quotation checks.
fn cited(citations: &[Citation]) -> String {
    let told = citations.iter().map(|it| {
        let checks: Vec<&str> = it.quotes.iter().map(|it| it.check.name()).collect();
        let quotes = if checks.is_empty() { String::new() } else { format!(" ({})", checks.join(", ")) };
        format!("{}{quotes}", it.alias)
    });
    if citations.is_empty() { String::new() } else { format!(" [{}]", told.collect::<Vec<_>>().join(", ")) }
}

fn refused(refused: &[String]) -> String {
    if refused.is_empty() { String::new() } else { format!(" (refused: {})", refused.join("; ")) }
}

fn concession_word(kind: ConcessionExtent) -> &'static str {
    match kind {
        ConcessionExtent::Full => "full",
        ConcessionExtent::Partial => "partial",
        ConcessionExtent::Scope => "scope",
    }
}

fn kind_word(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebuts",
        AttackKind::Undermine => "undermines",
        AttackKind::Undercut => "undercuts",
    }
}

fn component_word(component: ArgumentPart) -> String {
    match component {
        ArgumentPart::Claim => "the claim".to_owned(),
        ArgumentPart::Premise(index) => format!("premise {index}"),
        ArgumentPart::Assumption(index) => format!("assumption {index}"),
    }
}

/// Shortens a text to [`SHOWN`] characters. Stops before any control character: a truncated escape sequence would no
/// longer be recognized as one.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters = line.char_indices();
    match letters.enumerate().find(|(n, (_, letter))| *n == SHOWN || letter.is_control()) {
        None => line,
        Some((_, (at, _))) => format!("{}...", line[..at].trim_end()),
    }
}
