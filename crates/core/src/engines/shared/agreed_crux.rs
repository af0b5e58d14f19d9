//! Outcome of a debate whose participants agree in words on what the crux is.

use crate::events::ids::PersonaId;
use crate::events::lifecycle::DebateOutcome;
use crate::events::persona::Persona;
use crate::projections::crux_proposals::CruxProposals;

/// Describes the first agreement with the crux of another participant; `None` if there is none.
pub fn agreement_on_crux(cruxes: &CruxProposals, participants: &[Persona]) -> Option<String> {
    let (crux, it) = cruxes.acknowledged().next()?;
    let first = it.acknowledged.first()?;
    let name = |id: &PersonaId| {
        let known = participants.iter().find(|participant| participant.id == *id);
        known.map_or_else(|| id.to_string(), |participant| participant.name.clone())
    };
    let (speaker, turn, proposer) = (name(&first.speaker), first.turn, name(&it.proposed.speaker));
    Some(format!("{speaker} agreed in {turn} that {crux}, proposed by {proposer}, is the crux"))
}

/// Returns the outcome after the last words: a debate in which nothing new came is settled if a crux was agreed on. A limit
/// stays one, so that no verdict takes it for an end that the participants reached.
pub fn after_last_words(outcome: DebateOutcome, cruxes: &CruxProposals, participants: &[Persona]) -> DebateOutcome {
    match (outcome, agreement_on_crux(cruxes, participants)) {
        (DebateOutcome::Exhausted { .. }, Some(reason)) => DebateOutcome::Settled { reason },
        (outcome, _) => outcome,
    }
}
