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
    let groups: Vec<(usize, &str)> = agreed.iter().map(|(id, crux)| (holders(crux).len(), id.as_str())).collect();
    let ((n, id), others) = groups.split_first()?;
    let all = read_model.summary.participants.len();
    if groups.iter().any(|(n, _)| *n == all) {
        let is_settled = matches!(read_model.summary.outcome, Some(DebateOutcome::Settled { .. }));
        let word = if is_settled { "settled" } else { "all participants agreed" };
        return Some(format!("{word} on what the crux is, and not on the answer to it"));
    }
    let first = format!("{n} of {all} participants agreed that the crux is {id}");
    let groups: Vec<String> =
        std::iter::once(first).chain(others.iter().map(|(n, id)| format!("{n} that it is {id}"))).collect();
    let (proposers, answers) = match others {
        [] => ("its proposer", "the answer to it"),
        _ => ("their proposers", "the answers to them"),
    };
    Some(format!("{} ({proposers} included), and not on {answers}", listed(&groups)))
}

/// Describes an outcome in a few words, without its reason: `exhausted`, or who agreed on what the crux is.
pub fn outcome_in_words(read_model: &DebateReadModel, verdict: &Verdict, outcome: &DebateOutcome) -> String {
    match outcome {
        DebateOutcome::Settled { .. } => {
            agreed_on_crux(read_model, verdict).unwrap_or_else(|| outcome.kind().to_owned())
        }
        DebateOutcome::Limit { limit, .. } => format!("a limit was reached ({limit})"),
        _ => outcome.kind().to_owned(),
    }
}

/// Reason for which a debate ended. It names all agreements on open cruxes: before any other reason if they settled the debate,
/// and after it otherwise.
pub fn ending_reason(read_model: &DebateReadModel, verdict: &Verdict, outcome: &DebateOutcome) -> String {
    let agreed = open_agreed(read_model, verdict);
    let Some(on_crux) = agreed_on_crux(read_model, verdict) else { return outcome.reason().to_owned() };
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
    let agreements = agreements.collect::<Vec<_>>().join("; ");
    match outcome {
        DebateOutcome::Settled { reason } if reason.contains(IS_THE_CRUX) => agreements,
        DebateOutcome::Settled { reason } => format!("{agreements}; {reason}"),
        _ => format!("{}; {on_crux}: {agreements}", outcome.reason()),
    }
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
