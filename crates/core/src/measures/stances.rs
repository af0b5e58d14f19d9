//! Measures of sides: drift, changes without a reason, and giving in.

use std::collections::BTreeMap;

use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::measures::stance_moves::{StanceMove, position};

const NO_STANCES: &str = "Nobody took a side on a question.";
const NOT_AGAIN: &str = "Nobody took a side on the same question twice.";
/// Greatest distance of two positions that count as one.
const COLLAPSED: f64 = 0.25;

/// Mean distance between first and last position of a participant on a question.
pub fn drift(inputs: &MeasureInputs<'_>) -> MeasureValue {
    over_holders(inputs, |positions| match positions {
        [(first, _), .., (last, _)] => (last - first).abs(),
        _ => 0.0,
    })
}

/// Mean length of the path of a participant's positions on a question.
pub fn path(inputs: &MeasureInputs<'_>) -> MeasureValue {
    over_holders(inputs, |positions| positions.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs()).sum())
}

type Held = Vec<(f64, TurnId)>;

fn over_holders(inputs: &MeasureInputs<'_>, length: fn(&[(f64, TurnId)]) -> f64) -> MeasureValue {
    let mut held: BTreeMap<(&PersonaId, DisputeId), Held> = BTreeMap::new();
    for (id, dispute) in &inputs.read_model.disputes.disputes {
        for (persona, stance) in &dispute.history {
            held.entry((persona, *id)).or_default().push((position(stance), stance.turn));
        }
    }
    let lengths: Vec<f64> = held.values().map(|positions| length(positions)).collect();
    let parts = held.iter().zip(&lengths).filter(|(_, length)| **length > 0.0);
    let parts: Vec<MeasurePart> = parts
        .map(|(((persona, dispute), positions), length)| MeasurePart {
            label: dispute.to_string(),
            ..MeasurePart::of(persona, Some(*length), positions.iter().map(|(_, turn)| *turn))
        })
        .collect();
    MeasureValue::mean(&lengths, NO_STANCES).with_parts(parts)
}

/// Number of changes between yes and no without a reason.
pub fn unexplained_flips(inputs: &MeasureInputs<'_>) -> MeasureValue {
    if inputs.read_model.disputes.disputes.values().all(|dispute| dispute.history.is_empty()) {
        return MeasureValue::absent(NO_STANCES);
    }
    let found: Vec<&StanceMove<'_>> = inputs.moves.iter().filter(|it| it.is_flip && !it.is_explained).collect();
    MeasureValue::of(found.len() as f64).with_parts(found.into_iter().map(|it| part(it, None)))
}

/// Share of the stances taken again against somebody's opposition that move towards the others without a reason.
pub fn capitulation(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let opposed: Vec<&StanceMove<'_>> = inputs.moves.iter().filter(|it| it.is_opposed).collect();
    let gave_in = opposed.iter().filter(|it| gives_in(it));
    let parts: Vec<MeasurePart> = gave_in.map(|it| part(it, Some((it.to - it.from).abs()))).collect();
    MeasureValue::share(parts.len(), opposed.len(), NOT_AGAIN).with_parts(parts)
}

/// Difference between the participant who gives in most and the one who gives in least, as shares of their opportunities.
pub fn capitulation_gap(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut shares: BTreeMap<&PersonaId, (usize, usize, Vec<TurnId>)> = BTreeMap::new();
    for it in inputs.moves.iter().filter(|it| it.is_opposed) {
        let (gave_in, all, turns) = shares.entry(it.persona).or_default();
        *all += 1;
        if gives_in(it) {
            *gave_in += 1;
            turns.push(it.turn);
        }
    }
    if shares.len() < 2 {
        return MeasureValue::absent("Fewer than two participants took a side again against opposition.");
    }
    let share = |(gave_in, all, _): &(usize, usize, Vec<TurnId>)| *gave_in as f64 / *all as f64;
    let (least, most) =
        shares.values().map(share).fold((1.0_f64, 0.0_f64), |(least, most), it| (least.min(it), most.max(it)));
    let parts = shares.iter().map(|(persona, it)| MeasurePart::of(persona, Some(share(it)), it.2.iter().copied()));
    MeasureValue::of(most - least).with_parts(parts)
}

fn gives_in(it: &StanceMove<'_>) -> bool {
    it.is_towards && !it.is_explained
}

fn part(it: &StanceMove<'_>, value: Option<f64>) -> MeasurePart {
    let part = MeasurePart::of(it.persona, value, [it.from_turn, it.turn]);
    MeasurePart { label: it.dispute.to_string(), ..part }
}

/// Turn after which all positions on the topic lie close together although no crux was agreed on.
pub fn collapse_turn(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some((_, topic)) = inputs.read_model.disputes.topic() else {
        return MeasureValue::absent("The topic is no question on which sides were recorded.");
    };
    let agreed = inputs.verdict.all_cruxes().any(|crux| crux.agreed.is_some());
    let mut current: BTreeMap<&PersonaId, f64> = BTreeMap::new();
    let mut was_apart = false;
    let mut collapsed = None;
    for (persona, stance) in &topic.history {
        current.insert(persona, position(stance));
        let (low, high) = current.values().fold((1.0_f64, -1.0_f64), |(low, high), it| (low.min(*it), high.max(*it)));
        let is_apart = high - low > COLLAPSED;
        collapsed = if is_apart { None } else { collapsed.or(was_apart.then_some(stance.turn)) };
        was_apart |= is_apart;
    }
    match collapsed {
        Some(turn) if !agreed => {
            let part = MeasurePart::labelled("positions on the topic met", None, [turn]);
            MeasureValue::of(f64::from(turn.0)).with_parts([part])
        }
        _ => MeasureValue::absent("Positions on the topic never met, or a crux was agreed on."),
    }
}
