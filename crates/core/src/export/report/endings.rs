//! Endings of debates in words.

use std::collections::BTreeSet;

use crate::events::ids::PersonaId;
use crate::events::lifecycle::DebateOutcome;
use crate::projections::crux_proposals::ProposedCrux;
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Words of a reason that names the agreement on a crux.
const IS_THE_CRUX: &str = ", is the crux";

/// Describes who agreed on what the crux is, if its question is open: agreeing that something is the crux is no answer to it.
/// `None` if nobody did.
pub fn agreed_on_crux(read_model: &DebateReadModel, verdict: &Verdict) -> Option<String> {
    let agreed = open_agreed(read_model, verdict);
    let sides: Vec<BTreeSet<&PersonaId>> = agreed.iter().map(|(_, crux)| holders(crux)).collect();
    let most = sides.iter().map(BTreeSet::len).max()?;
    let all = read_model.summary.participants.len();
    let n = agreed.len();
    Some(if n > 1 && sides.iter().all(|side| side.len() == most && most < all) {
        format!("{n} cruxes were agreed on, each by {most} of {all} participants, and not their answers")
    } else if most == all {
        let is_settled = matches!(read_model.summary.outcome, Some(DebateOutcome::Settled { .. }));
        let word = if is_settled { "settled" } else { "all participants agreed" };
        format!("{word} on what the crux is, and not on the answer to it")
    } else {
        format!("{most} of {all} participants agreed on a crux, and not on the answer to it")
    })
}

/// Reason for which a debate ended. Of agreements on open cruxes it names all, before any other reason.
pub fn ending_reason(read_model: &DebateReadModel, verdict: &Verdict, outcome: &DebateOutcome) -> String {
    let agreed = open_agreed(read_model, verdict);
    if agreed.is_empty() || !matches!(outcome, DebateOutcome::Settled { .. }) {
        return outcome.reason().to_owned();
    }
    let agreements = agreed.iter().map(|(id, crux)| {
        let by = crux.acknowledged.iter().map(|by| (name(read_model, &by.speaker), by.turn));
        let agreeing = match by.collect::<Vec<_>>().as_slice() {
            [(name, turn)] => format!("{name} agreed in {turn}"),
            several => {
                let named: Vec<String> = several.iter().map(|(name, turn)| format!("{name} ({turn})")).collect();
                format!("{} agreed", listed(&named))
            }
        };
        let proposer = name(read_model, &crux.proposed.speaker);
        format!("{agreeing} that {id}, proposed by {proposer}{IS_THE_CRUX}")
    });
    let other = (!outcome.reason().contains(IS_THE_CRUX)).then(|| outcome.reason().to_owned());
    agreements.chain(other).collect::<Vec<_>>().join("; ")
}

/// Proposed cruxes that participants agreed on, and whose questions are open.
fn open_agreed<'a>(read_model: &'a DebateReadModel, verdict: &Verdict) -> Vec<(String, &'a ProposedCrux)> {
    let open = verdict.cruxes.iter().filter(|crux| crux.open).filter_map(|crux| crux.agreed);
    let open: BTreeSet<_> = open.collect();
    let agreed = read_model.crux_proposals.acknowledged().filter(|(id, _)| open.contains(id));
    agreed.map(|(id, crux)| (id.to_string(), crux)).collect()
}

/// Participants who agree on a crux, its proposer included.
fn holders(crux: &ProposedCrux) -> BTreeSet<&PersonaId> {
    crux.acknowledged.iter().map(|by| &by.speaker).chain([&crux.proposed.speaker]).collect()
}

fn name<'a>(read_model: &'a DebateReadModel, persona: &'a PersonaId) -> &'a str {
    let found = read_model.summary.participants.iter().find(|participant| participant.persona == *persona);
    found.map_or(persona.as_str(), |participant| participant.name.as_str())
}
