//! Measures of concessions and of statements of the other's position.

use crate::events::ids::{ArgumentId, PersonaId, RoomId, TurnId};
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::measures::text_vectors::TextVector;
use crate::verdicts::concessions::concessions::{Concession, ConcessionOutcome};

const NO_CONCESSION: &str = "Nobody conceded anything.";
/// Likeness from which a claim repeats another.
pub const SAME_CLAIM: f64 = 0.6;

/// Share of the concessions in quoted words that answer somebody: they withdraw or revise an argument that a valid attack
/// had met, move towards a side that somebody else held, or grant another's statement.
pub fn concession_integrity(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let all = &inputs.concessions;
    let answering: Vec<&Concession> = all.iter().filter(|it| it.quote.is_some() && is_answer(inputs, it)).collect();
    let parts = all.iter().map(|it| {
        let value = f64::from(u8::from(answering.contains(&it)));
        let label = it.what.clone().or_else(|| it.quote.clone()).unwrap_or_default();
        MeasurePart { label, ..MeasurePart::of(&it.persona, Some(value), [it.turn]) }
    });
    MeasureValue::share(answering.len(), all.len(), NO_CONCESSION).with_parts(parts)
}

fn is_answer(inputs: &MeasureInputs<'_>, concession: &Concession) -> bool {
    match concession.effect {
        ConcessionOutcome::Granted => true,
        ConcessionOutcome::Withdrew | ConcessionOutcome::Revised => concession
            .argument
            .is_some_and(|argument| was_attacked(inputs, argument, &concession.persona, concession.turn)),
        ConcessionOutcome::Settled | ConcessionOutcome::None => is_towards_somebody(inputs, concession),
    }
}

fn was_attacked(inputs: &MeasureInputs<'_>, argument: ArgumentId, author: &PersonaId, before: TurnId) -> bool {
    inputs.read_model.arguments.attacks.values().any(|attack| {
        let raised = &attack.raised;
        raised.target == argument && raised.speaker != *author && raised.turn < before && attack.was_valid()
    })
}

fn is_towards_somebody(inputs: &MeasureInputs<'_>, concession: &Concession) -> bool {
    let Some((dispute, to)) = concession.dispute.zip(concession.to) else { return false };
    let Some(dispute) = inputs.read_model.disputes.disputes.get(&dispute) else { return false };
    let earlier = dispute.history.iter().filter(|(_, stance)| stance.turn < concession.turn);
    earlier.into_iter().any(|(persona, stance)| *persona != concession.persona && stance.side == to)
}

/// Share of the withdrawn arguments that their author claims again in a later turn, by likeness of at least 0.6.
pub fn relapses(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let withdrawn: Vec<&Concession> =
        inputs.concessions.iter().filter(|it| it.effect == ConcessionOutcome::Withdrew).collect();
    let mut parts = Vec::new();
    for concession in &withdrawn {
        let argument = concession.argument.and_then(|id| inputs.read_model.arguments.arguments.get(&id));
        let Some(argument) = argument else { continue };
        let text = TextVector::of(&argument.advanced.claim);
        let again = inputs.claims.iter().find(|claim| {
            *claim.speaker == concession.persona
                && claim.turn.is_some_and(|turn| turn > concession.turn)
                && claim.vector.likeness(&text) >= SAME_CLAIM
        });
        if let Some((claim, turn)) = again.and_then(|claim| Some((claim, claim.turn?))) {
            let part = MeasurePart::of(&concession.persona, None, [concession.turn, turn]);
            parts.push(MeasurePart { label: claim.text.to_owned(), ..part });
        }
    }
    MeasureValue::share(parts.len(), withdrawn.len(), "Nobody withdrew an argument.").with_parts(parts)
}

/// Share of the positions that somebody stated for another, and that the other accepted at the first try.
pub fn steelmen_accepted(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut first: std::collections::BTreeMap<(RoomId, &PersonaId), (TurnId, TurnId, bool)> = Default::default();
    let judged = inputs.read_model.rooms.rooms.values().flat_map(|room| &room.steelmen);
    for it in judged {
        first.entry((it.room, &it.speaker)).or_insert((it.steelman, it.turn, it.accepted));
    }
    let accepted = first.values().filter(|(_, _, accepted)| *accepted).count();
    let parts = first.iter().map(|((room, persona), (steelman, turn, accepted))| MeasurePart {
        label: room.to_string(),
        ..MeasurePart::of(persona, Some(f64::from(u8::from(*accepted))), [*steelman, *turn])
    });
    let absent = "Nobody judged a statement of their position.";
    MeasureValue::share(accepted, first.len(), absent).with_parts(parts.collect::<Vec<_>>())
}
