//! An event in a line, for people: histories, rehearsals, traces.

use crate::events::argument::{AttackKind, Component};
use crate::events::event::Event;

/// How many characters of a text a line shows.
const SHOWN: usize = 72;

/// What happened, in a line without the kind.
pub fn tell(event: &Event) -> String {
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
        Event::PhaseEntered(it) => match it.round {
            Some(round) => format!("{}, round {round}", it.phase),
            None => it.phase.clone(),
        },
        Event::DebatePaused(_) | Event::DebateResumed(_) => String::new(),
        Event::Interjected(it) => {
            let speaker = it.speaker.as_ref().map_or("moderator", |it| it.as_str());
            format!("{} {speaker}: {}", it.turn, short(&it.text))
        }
        Event::DebateConcluded(it) => format!("{}: {}", it.outcome.kind(), it.outcome.reason()),
        Event::DebateAborted(it) => short(&it.reason),
        Event::EffectRequested(it) => match it.grounds.len() {
            0 => format!("{} attempt {}", it.key, it.attempt),
            n => format!("{} attempt {}, {n} passages", it.key, it.attempt),
        },
        Event::EffectAnswered(it) => {
            let ignored = if it.ignored { ", nobody waited for it" } else { "" };
            let repaired = if it.repaired { ", cut off and closed" } else { "" };
            format!("{} attempt {} by {}{repaired}{ignored}", it.key, it.attempt, it.answer.by)
        }
        Event::EffectFailed(it) => format!("{} attempt {}: {}", it.key, it.attempt, it.failure.message),
        Event::EffectAbandoned(it) => format!("{} after {}: {}", it.key, it.attempts, it.reason),
        Event::TurnTaken(it) => match it.refused.as_slice() {
            [] => format!("{} {}: {}", it.turn, it.speaker, short(&it.text)),
            refused => format!("{} {}: {} (refused: {})", it.turn, it.speaker, short(&it.text), refused.join("; ")),
        },
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
        Event::ProposalDrafted(it) => format!("{} {}: {}", it.proposal, it.speaker, short(&it.text)),
        Event::ProposalCriticized(it) => {
            let n = it.issues.len();
            format!("{} {}: {:?}, {n} issues", it.proposal, it.speaker, it.recommendation).to_lowercase()
        }
        Event::ProposalSynthesized(it) => {
            format!("{} from {} {}: {}", it.proposal, it.from, it.speaker, short(&it.text))
        }
        Event::Opaque(it) => format!("schema {}, unknown to this version", it.schema),
    }
}

fn kind_word(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebuts",
        AttackKind::Undermine => "undermines",
        AttackKind::Undercut => "undercuts",
    }
}

fn component_word(component: Component) -> String {
    match component {
        Component::Claim => "the claim".to_owned(),
        Component::Premise(index) => format!("premise {index}"),
        Component::Assumption(index) => format!("assumption {index}"),
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        None => line,
        Some((at, _)) => format!("{}...", line[..at].trim_end()),
    }
}
