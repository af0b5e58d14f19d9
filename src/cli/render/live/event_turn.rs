//! Turn that an event was extracted from.

use faultline_core::events::event::Event;
use faultline_core::events::ids::TurnId;

/// Returns the turn that an event was extracted from.
pub fn turn_of(event: &Event) -> Option<TurnId> {
    match event {
        Event::ArgumentAdvanced(it) => Some(it.turn),
        Event::AttackRaised(it) => Some(it.turn),
        Event::StanceTaken(it) => Some(it.turn),
        Event::ConcessionMade(it) => Some(it.turn),
        Event::CruxProposed(it) => Some(it.turn),
        Event::CruxAcknowledged(it) => Some(it.turn),
        Event::ReasonGiven(it) => Some(it.turn),
        Event::ProposalDrafted(it) => Some(it.turn),
        Event::ProposalCriticized(it) => Some(it.turn),
        Event::ProposalAccepted(it) => Some(it.turn),
        Event::ProposalSynthesized(it) => Some(it.turn),
        _ => None,
    }
}
