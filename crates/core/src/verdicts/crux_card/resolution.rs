//! Resolution of a crux: when, and on which side.

use crate::events::ids::PersonaId;
use crate::projections::disputes::dispute_state::Dispute;
use crate::verdicts::crux::{CruxInputs, CruxOrigin};
use crate::verdicts::crux_card::crux_text::listed;
use crate::verdicts::crux_card::room::room_of;

/// Returns the resolution as a sentence, or else the reason why there is none.
pub fn resolution(views: CruxInputs<'_>, origin: CruxOrigin) -> Result<String, String> {
    match origin {
        CruxOrigin::Structure { .. } => Err("It was not asked as a question, so nothing has settled it.".to_owned()),
        CruxOrigin::Acknowledged { .. } => {
            Err("The participants agreed that it is the crux, not on the answer.".to_owned())
        }
        CruxOrigin::Dispute { dispute } => {
            let dispute = views.disputes.disputes.get(&dispute);
            let settled = dispute.and_then(|dispute| settled(views, dispute).or_else(|| undisputed(views, dispute)));
            let settled = settled.ok_or_else(|| "The dispute is still open.".to_owned())?;
            let stated = room_of(views, origin).and_then(|(room, card)| Some((room, card.resolution.as_ref()?)));
            Ok(match stated {
                Some((room, text)) => format!("{settled} The card of {} states: “{text}”", views.rooms.named(room)),
                None => settled,
            })
        }
    }
}

/// Describes the answers to a dispute on which nobody took the other side.
fn undisputed(views: CruxInputs<'_>, dispute: &Dispute) -> Option<String> {
    let side = dispute.agreed_side(2).filter(|_| !dispute.was_open)?;
    let names: Vec<String> = dispute.on_side(side).map(|persona| views.name(persona)).collect();
    Some(format!("{} say {}, and nobody says {}.", listed(&names), side.name(), side.negated().name()))
}

/// Describes how a dispute was settled: the side, the turn, and the participants who changed to it.
fn settled(views: CruxInputs<'_>, dispute: &Dispute) -> Option<String> {
    let turn = dispute.settled_in()?;
    let side = dispute.stances.values().next()?.side;
    let says = if dispute.stances.len() == 1 { "says" } else { "say" };
    let names = |those: Vec<&PersonaId>| {
        let names: Vec<String> = those.into_iter().map(|persona| views.name(persona)).collect();
        listed(&names)
    };
    let all = names(dispute.stances.keys().collect());
    let had_other = |persona: &&PersonaId| {
        dispute.history.iter().any(|(holder, stance)| holder == *persona && stance.side == side.negated())
    };
    let moved: Vec<&PersonaId> = dispute.stances.keys().filter(had_other).collect();
    let before =
        if moved.is_empty() { String::new() } else { format!(" {} had said {}.", names(moved), side.negated().name()) };
    Some(format!("Settled in {turn}: {all} {says} {}.{before}", side.name()))
}
