//! Consequences of granting a statement of another participant.

use crate::events::argument::{ArgumentPart, AttackWithdrawn};
use crate::events::event::Event;
use crate::events::ids::{PersonaId, TurnId};
use crate::events::turn::StatementSource;
use crate::projections::argument_graph::ArgumentGraph;

/// Returns the withdrawals of the attacks by which a participant had denied a premise or an assumption that they now grant.
///
/// Attacks on a claim remain: a participant who grants a claim may hold another one that conflicts with it, or deny that
/// it follows.
pub fn given_up(graph: &ArgumentGraph, granter: &PersonaId, granted: StatementSource, turn: TurnId) -> Vec<Event> {
    let StatementSource::Argument { argument, component } = granted else { return Vec::new() };
    if component == ArgumentPart::Claim {
        return Vec::new();
    }
    let own = graph.active().filter(|(_, attack)| {
        attack.raised.target == argument
            && attack.component() == component
            && graph.speaker(attack.raised.source) == Some(granter)
    });
    let withdrawn = own.map(|(attack, _)| {
        let reason = format!("the attacker granted {granted}");
        Event::AttackWithdrawn(AttackWithdrawn { attack, turn, reason })
    });
    withdrawn.collect()
}
