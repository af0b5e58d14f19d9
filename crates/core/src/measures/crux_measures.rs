//! Measures of the cruxes that a verdict lists.

use std::collections::BTreeSet;

use crate::events::ids::ArgumentId;
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::measures::text_vectors::{TextVector, greatest_likeness};
use crate::verdicts::card::MindChangeCondition;
use crate::verdicts::crux::Crux;

const NO_CRUX: &str = "The debate has no open crux.";

/// Number of open cruxes.
pub fn cruxes(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let parts = open(inputs).map(|crux| part(crux, None));
    MeasureValue::of(open(inputs).count() as f64).with_parts(parts.collect::<Vec<_>>())
}

/// Share of the open cruxes with somebody on each side, both in quoted words.
pub fn opposed_cruxes(inputs: &MeasureInputs<'_>) -> MeasureValue {
    share_of(inputs, is_opposed)
}

/// Mean pivotality of the open cruxes that have one.
pub fn crux_flip(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let parts: Vec<MeasurePart> = open(inputs).filter_map(|crux| Some(part(crux, Some(crux.pivotality?)))).collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, "No open crux has a pivotality.").with_parts(parts)
}

/// Mean share of the arguments in conflict that rest on an open crux.
pub fn crux_reach(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let graph = &inputs.read_model.arguments;
    let attacked = graph.active().flat_map(|(_, attack)| [attack.raised.source, attack.raised.target]);
    let opposed = graph.opposed_theses().into_iter().flat_map(|(one, other)| [one, other]);
    let disputed: BTreeSet<ArgumentId> = attacked.chain(opposed).collect();
    if disputed.is_empty() {
        return MeasureValue::absent("No arguments are in conflict.");
    }
    let parts: Vec<MeasurePart> = open(inputs)
        .map(|crux| {
            let resting = crux.dependents.iter().filter(|id| disputed.contains(id)).count();
            part(crux, Some(resting as f64 / disputed.len() as f64))
        })
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, NO_CRUX).with_parts(parts)
}

/// Share of the open cruxes that two participants named as the crux.
pub fn acknowledged_cruxes(inputs: &MeasureInputs<'_>) -> MeasureValue {
    share_of(inputs, |crux| crux.agreed.is_some())
}

/// Share of the positions on open cruxes whose holder stated a condition for a change of mind, in a turn or on a card.
pub fn crux_conditions(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut parts = Vec::new();
    let (mut stated, mut all) = (0, 0);
    for crux in open(inputs) {
        let known = crux.card.mind_changes.iter().filter(|change| is_stated(&change.condition)).count();
        let holders = crux.card.mind_changes.len();
        (stated, all) = (stated + known, all + holders);
        parts.push(part(crux, (holders > 0).then(|| known as f64 / holders as f64)));
    }
    MeasureValue::share(stated, all, NO_CRUX).with_parts(parts)
}

/// Mean over the open cruxes of the greatest likeness to another one.
pub fn crux_redundancy(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let texts: Vec<(&Crux, TextVector)> = open(inputs).map(|crux| (crux, TextVector::of(&crux.statement))).collect();
    if texts.len() < 2 {
        return MeasureValue::absent("The debate has fewer than two open cruxes.");
    }
    let parts: Vec<MeasurePart> = texts
        .iter()
        .enumerate()
        .map(|(at, (crux, text))| {
            let others = texts.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, (_, other))| other);
            part(crux, Some(greatest_likeness(text, others)))
        })
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, NO_CRUX).with_parts(parts)
}

/// Weights of the composite, in the order of its parts.
const WEIGHTS: [(&str, f64); 4] =
    [("opposed_cruxes", 0.3), ("crux_flip", 0.3), ("crux_conditions", 0.2), ("acknowledged_cruxes", 0.2)];

/// Weighted sum of four measures; one without a value counts as 0.
pub fn crux_quality(inputs: &MeasureInputs<'_>) -> MeasureValue {
    if open(inputs).next().is_none() {
        return MeasureValue::absent(NO_CRUX);
    }
    let parts_of = [opposed_cruxes, crux_flip, crux_conditions, acknowledged_cruxes];
    let parts: Vec<(f64, MeasurePart)> = WEIGHTS
        .into_iter()
        .zip(parts_of)
        .map(|((key, weight), compute)| (weight, MeasurePart::labelled(key, compute(inputs).value, [])))
        .collect();
    let sum = parts.iter().map(|(weight, part)| weight * part.value.unwrap_or(0.0)).sum();
    MeasureValue::of(sum).with_parts(parts.into_iter().map(|(_, part)| part))
}

fn open<'a>(inputs: &MeasureInputs<'a>) -> impl Iterator<Item = &'a Crux> + use<'a> {
    inputs.verdict.cruxes.iter()
}

fn share_of(inputs: &MeasureInputs<'_>, holds: fn(&Crux) -> bool) -> MeasureValue {
    let parts: Vec<MeasurePart> = open(inputs).map(|crux| part(crux, Some(f64::from(u8::from(holds(crux)))))).collect();
    let held = open(inputs).filter(|crux| holds(crux)).count();
    MeasureValue::share(held, parts.len(), NO_CRUX).with_parts(parts)
}

fn is_opposed(crux: &Crux) -> bool {
    let quoted = || crux.positions.iter().filter(|position| position.quote.is_some());
    quoted().any(|one| one.side.affirms() && quoted().any(|other| other.side.denies() && other.persona != one.persona))
}

fn is_stated(condition: &MindChangeCondition) -> bool {
    matches!(condition, MindChangeCondition::Spoken { .. } | MindChangeCondition::Room { .. })
}

fn part(crux: &Crux, value: Option<f64>) -> MeasurePart {
    MeasurePart::labelled(crux.statement.clone(), value, crux.turns.iter().copied())
}
