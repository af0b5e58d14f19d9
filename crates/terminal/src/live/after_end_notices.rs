//! Notices of requests after the end of a debate: audits and probes.

use crate::labels;
use crate::speakers::Speakers;
use faultline_core::events::checks::probes::{ContractProbed, ContradictionsProbed, EndorsementsProbed};
use faultline_core::events::event::Event;

/// Returns the notice for a request after the end, its conclusion, or an answer to a probe; `None` for other events.
pub fn notice(event: &Event, speakers: &Speakers) -> Option<String> {
    match event {
        Event::AuditRequested(it) => Some(format!("audit requested of {}", it.provider)),
        Event::AuditConcluded(it) => Some(format!("audit ended: {}", it.reason)),
        Event::ProbesRequested(it) => Some(format!("probes requested of {}", it.provider)),
        Event::ContractProbed(it) => Some(contract(it, speakers)),
        Event::ContradictionsProbed(it) => Some(contradictions(it)),
        Event::EndorsementsProbed(it) => Some(endorsements(it, speakers)),
        Event::ProbesConcluded(it) => Some(format!("probes ended: {}", it.reason)),
        _ => None,
    }
}

fn contract(it: &ContractProbed, speakers: &Speakers) -> String {
    let (read, all) = (it.turns.len(), it.turns.len() + it.unread.len());
    let found = it.turns.iter().filter(|turn| it.contradictions.iter().any(|found| found.turn == **turn));
    let found: Vec<String> = found.map(ToString::to_string).collect();
    let found = if found.is_empty() { "none".to_owned() } else { labels::listed(&found) };
    let name = speakers.get(&it.speaker).name;
    format!("probe: {read} of {all} turns of {name} read by {}; against the contract: {found}", it.model)
}

fn contradictions(it: &ContradictionsProbed) -> String {
    let (read, all) = (it.pairs.len(), it.pairs.len() + it.unread.len());
    let found = it.pairs.iter().filter(|pair| pair.contradicts);
    let found: Vec<String> = found.map(|pair| format!("{} and {}", pair.one, pair.other)).collect();
    let found = if found.is_empty() { "none".to_owned() } else { labels::listed(&found) };
    format!("probe: {read} of {all} pairs of agreed statements read by {}; contradictions: {found}", it.model)
}

fn endorsements(it: &EndorsementsProbed, speakers: &Speakers) -> String {
    let (read, all) = (it.ratings.len(), it.ratings.len() + it.unread.len());
    let ratings: Vec<String> = it.ratings.iter().map(|rated| format!("{} {}", rated.dispute, rated.rating)).collect();
    let shown = if ratings.is_empty() { String::new() } else { format!(": {}", ratings.join(", ")) };
    format!("probe: {} rates {read} of {all} agreed statements, by {}{shown}", speakers.get(&it.speaker).name, it.model)
}
