//! Notices of debates on a motion: sides, drafts, and the checks of claims.

use crate::labels;
use crate::speakers::Speakers;
use faultline_core::events::checks::check::{CheckVerdict, ClaimChecked};
use faultline_core::events::checks::claims::ClaimsExtracted;
use faultline_core::events::checks::drafts::{TurnDrafted, TurnRejected};
use faultline_core::events::checks::sides::{MotionSide, SidesAssigned};
use faultline_core::events::event::Event;
use faultline_core::events::ids::PersonaId;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Returns true for notices that are shown in full: sides, what was found false, and what was rejected for it.
pub fn is_wrapped(event: &Event) -> bool {
    match event {
        Event::TurnRejected(_) | Event::SidesAssigned(_) => true,
        Event::ClaimChecked(it) => it.draft.is_none() && it.verdict == CheckVerdict::False,
        _ => false,
    }
}

/// Returns the notice for an event of sides, drafts or checks; `None` for other events.
pub fn notice(event: &Event, speakers: &Speakers, read_model: &DebateReadModel) -> Option<String> {
    match event {
        Event::SidesAssigned(it) => Some(sides(it, speakers)),
        Event::TurnDrafted(it) => Some(drafted(it, speakers)),
        Event::TurnRejected(it) => Some(rejected(it, speakers, read_model)),
        Event::ClaimsExtracted(it) => Some(extracted(it)),
        Event::ClaimChecked(it) => Some(checked(it)),
        _ => None,
    }
}

fn sides(it: &SidesAssigned, speakers: &Speakers) -> String {
    let names = |side: MotionSide| {
        let names: Vec<String> = it.of(side).iter().map(|id| speakers.get(id).name).collect();
        labels::listed(&names)
    };
    format!("for the motion: {}; against it: {} ({})", names(MotionSide::Pro), names(MotionSide::Con), it.reason)
}

fn drafted(it: &TurnDrafted, speakers: &Speakers) -> String {
    let name = |id: &PersonaId| speakers.get(id).name;
    format!("draft {} of {}, attempt {}: {}", it.draft, name(&it.turn.speaker), it.attempt, it.turn.text)
}

fn rejected(it: &TurnRejected, speakers: &Speakers, read_model: &DebateReadModel) -> String {
    let draft = read_model.motion.drafts.get(&it.draft);
    let whose =
        draft.map(|draft| format!(" of {}", speakers.get(&draft.drafted.turn.speaker).name)).unwrap_or_default();
    let checks = it.checks.iter().filter_map(|check| read_model.fact_checks.checks.get(check));
    let found = checks.map(|check| match &check.checked.explanation {
        Some(why) => format!("“{}” was found false: {why}", check.checked.claim),
        None => format!("“{}” was found false", check.checked.claim),
    });
    let found: Vec<String> = found.collect();
    let why = if found.is_empty() { it.reason.clone() } else { found.join(" ") };
    format!("draft {}{whose} is rejected. {why}", it.draft)
}

fn extracted(it: &ClaimsExtracted) -> String {
    let place = it.draft.map_or_else(|| it.turn.to_string(), |draft| draft.to_string());
    match it.claims.len() {
        0 => format!("{place} states nothing that can be checked"),
        1 => format!("1 claim of {place} is to be checked"),
        n => format!("{n} claims of {place} are to be checked"),
    }
}

fn checked(it: &ClaimChecked) -> String {
    let place = it.draft.map_or_else(|| it.turn.to_string(), |draft| draft.to_string());
    let same = it.same_as.map(|same| format!(", as in {same}")).unwrap_or_default();
    let why = it.explanation.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{} of {place} is {}{same}: {}{why}, by {}", it.check, it.verdict.name(), it.claim, it.by)
}
