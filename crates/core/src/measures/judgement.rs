//! Measures of judges, auditors and clerks.

use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::projections::argument_graph::Attack;

const NOT_JUDGED: &str = "No attack was judged.";

/// Share of the judged attacks that were found valid.
pub fn valid_attacks(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let judged: Vec<(&Attack, bool)> = judged(inputs).collect();
    let valid = judged.iter().filter(|(_, valid)| *valid).count();
    let parts = judged.iter().map(|(attack, valid)| part(attack, f64::from(u8::from(*valid))));
    MeasureValue::share(valid, judged.len(), NOT_JUDGED).with_parts(parts.collect::<Vec<_>>())
}

/// Mean squared difference between an attacker's confidence and the ruling, 1 for valid and 0 for not (Brier score).
pub fn attack_calibration(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let parts: Vec<MeasurePart> = judged(inputs)
        .map(|(attack, valid)| part(attack, (attack.raised.confidence - f64::from(u8::from(valid))).powi(2)))
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, NOT_JUDGED).with_parts(parts)
}

fn judged<'a>(inputs: &MeasureInputs<'a>) -> impl Iterator<Item = (&'a Attack, bool)> + use<'a> {
    let attacks = inputs.read_model.arguments.attacks.values();
    attacks.filter_map(|attack| Some((attack, attack.judged.as_ref()?.valid)))
}

fn part(attack: &Attack, value: f64) -> MeasurePart {
    let part = MeasurePart::of(&attack.raised.speaker, Some(value), [attack.raised.turn]);
    MeasurePart { label: attack.raised.attack.to_string(), ..part }
}

/// Share of the words that an auditor read, and read as they were recorded.
pub fn audit_agreement(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let words = &inputs.verdict.audit.words;
    let read: Vec<_> = words.iter().filter_map(|it| Some((it, it.reading?))).collect();
    let agreed = read.iter().filter(|(it, reading)| *reading == it.recorded).count();
    let otherwise = read.iter().filter(|(it, reading)| *reading != it.recorded);
    let parts = otherwise
        .map(|(it, _)| MeasurePart { label: it.question.clone(), ..MeasurePart::of(&it.persona, None, [it.turn]) });
    MeasureValue::share(agreed, read.len(), "No auditor read any words.").with_parts(parts)
}

/// Share of the turns that no clerk could read, because its calls failed.
pub fn unread_turns(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let unread = inputs.read_model.missed.unread_turns();
    let parts: Vec<MeasurePart> =
        unread.iter().map(|turn| MeasurePart::labelled(turn.to_string(), None, [*turn])).collect();
    MeasureValue::share(unread.len(), inputs.read_model.summary.n_turns as usize, "No turn was taken.")
        .with_parts(parts)
}
