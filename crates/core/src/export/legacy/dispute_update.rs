//! Disputes of a debate in the format that the old dialogue engine had planned for them (`dcg_update`).
//!
//! Sides may also be `NUANCED` or `UNDECIDED`, which count for neither side. The topic is a dispute with `isTopic`, and
//! never a crux. Cruxes and common ground are those of the verdict.

use serde_json::{Value, json};

use crate::events::dispute::{Polarity, Side};
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::export::legacy::legacy_debate::{LegacyDebate, dispute_name, turn_index};
use crate::export::legacy::output::LegacyOutput;
use crate::projections::disputes::dispute_state::{Dispute, Reason, Stance};
use crate::verdicts::crux::CruxOrigin;
use crate::verdicts::verdict::Verdict;

/// Ids of stances that are reserved for each dispute; larger than the maximum number of participants.
const STANCES: usize = 100;

/// Returns the state of the disputes, with cruxes, common ground and regime; `None` if the topic is the only dispute.
pub fn dispute_update(legacy: &LegacyDebate, verdict: &Verdict) -> Option<Value> {
    let disputes = &legacy.read_model.disputes.disputes;
    if disputes.values().all(|dispute| dispute.is_topic) {
        return None;
    }
    let cruxes = verdict.cruxes.iter().filter_map(|crux| match crux.origin {
        CruxOrigin::Dispute { dispute } => Some(crux_of(legacy, dispute, disputes.get(&dispute)?)),
        _ => None,
    });
    let stances = disputes.iter().flat_map(|(id, dispute)| {
        dispute.stances.iter().map(|(persona, stance)| stance_of(legacy, *id, persona, stance))
    });
    let reasons = disputes
        .iter()
        .flat_map(|(id, dispute)| dispute.live_reasons().map(|(_, reason)| reason_of(legacy, *id, dispute, reason)));
    let state = json!({
        "disputes": disputes.iter().map(|(id, dispute)| dispute_of(*id, dispute)).collect::<Vec<_>>(),
        "stances": stances.collect::<Vec<_>>(),
        "reasons": reasons.collect::<Vec<_>>(),
    });
    Some(json!({
        "type": "dcg_update",
        "dcgState": state,
        "cruxes": cruxes.collect::<Vec<_>>(),
        "commonGround": LegacyOutput::of(legacy, verdict).agreements(),
        "regime": verdict.regime.kind.name(),
        "regimeDescription": verdict.regime.reason,
    }))
}

fn dispute_of(id: DisputeId, dispute: &Dispute) -> Value {
    json!({
        "id": dispute_name(id),
        "question": dispute.question,
        "horizon": dispute.horizon,
        "resolutionCriteria": dispute.criteria,
        "createdFromTurns": dispute.turns.iter().map(|turn| turn_index(*turn)).collect::<Vec<_>>(),
        "active": dispute.retired.is_none(),
        "isTopic": dispute.is_topic,
    })
}

fn crux_of(legacy: &LegacyDebate, id: DisputeId, dispute: &Dispute) -> Value {
    let on = |side: Side| -> Vec<Value> {
        let stances = dispute.stances.iter().filter(|(_, stance)| stance.side == side);
        stances.map(|(persona, stance)| stance_of(legacy, id, persona, stance)).collect()
    };
    json!({
        "disputeId": dispute_name(id),
        "question": dispute.question,
        "yesSide": on(Side::Yes),
        "noSide": on(Side::No),
    })
}

fn stance_of(legacy: &LegacyDebate, id: DisputeId, persona: &PersonaId, stance: &Stance) -> Value {
    json!({
        "id": stance_name(legacy, id, persona),
        "disputeId": dispute_name(id),
        "speakerId": legacy.name(persona),
        "side": side_name(stance.side),
        "confidence": stance.confidence,
        "statement": stance.words(),
        "derivedFromTurns": [turn_index(stance.turn)],
    })
}

/// Old id of the stance of a participant on a dispute. It stays the same when the participant changes sides.
fn stance_name(legacy: &LegacyDebate, id: DisputeId, persona: &PersonaId) -> String {
    let participants = &legacy.read_model.summary.participants;
    let place = participants.iter().position(|participant| participant.persona == *persona).unwrap_or(STANCES - 1);
    format!("s-{}", id.0.saturating_sub(1) as usize * STANCES + place)
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Yes => "YES",
        Side::No => "NO",
        Side::Nuanced => "NUANCED",
        Side::Undecided => "UNDECIDED",
    }
}

/// Reason, with the first stance on its side, its speaker's own first; null if nobody takes that side any more.
fn reason_of(legacy: &LegacyDebate, id: DisputeId, dispute: &Dispute, reason: &Reason) -> Value {
    let given = &reason.given;
    let takes = |persona: &&PersonaId| dispute.stances.get(*persona).is_some_and(|stance| stance.side == given.side);
    let own = Some(&given.speaker).filter(takes);
    let stance = own.or_else(|| dispute.on_side(given.side).next());
    let evidence: Vec<&str> = given.evidence.iter().map(|piece| piece.text.as_str()).collect();
    let turns: [TurnId; 1] = [given.turn];
    json!({
        "id": format!("r-{}", given.reason.0.saturating_sub(1)),
        "stanceId": stance.map(|persona| stance_name(legacy, id, persona)),
        "polarity": if given.polarity == Polarity::Supports { "SUPPORT" } else { "ATTACK" },
        "speakerId": legacy.name(&given.speaker),
        "claim": given.claim,
        "assumptions": given.assumptions,
        "evidence": evidence,
        "derivedFromTurns": turns.map(turn_index),
    })
}
