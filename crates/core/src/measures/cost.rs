//! Measures of calls: money, tokens, failures and time.

use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::projections::summary::Spent;

const NO_TURNS: &str = "No turn was taken.";
const NO_CALLS: &str = "No call was made.";
const NO_TOKENS: &str = "No tokens were counted: no language model answered.";
/// US dollars in a millionth of one.
const MICRO: f64 = 1e-6;

/// Cost of all calls in US dollars.
pub fn cost(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let usage = &inputs.read_model.summary.usage;
    let dollars = |spent: &Spent| spent.cost_micros as f64 * MICRO;
    match usage.total.unpriced {
        0 => MeasureValue::of(dollars(&usage.total)).with_parts(by_purpose(inputs, dollars)),
        _ => MeasureValue::absent("The price of some calls is unknown."),
    }
}

/// Cost of all calls by turn taken.
pub fn cost_per_turn(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let summary = &inputs.read_model.summary;
    match summary.usage.total.unpriced {
        0 => {
            MeasureValue::quotient(summary.usage.total.cost_micros as f64 * MICRO, f64::from(summary.n_turns), NO_TURNS)
        }
        _ => MeasureValue::absent("The price of some calls is unknown."),
    }
}

/// Tokens of all calls by turn taken.
pub fn tokens_per_turn(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let summary = &inputs.read_model.summary;
    let found = MeasureValue::quotient(tokens(&summary.usage.total), f64::from(summary.n_turns), NO_TURNS);
    found.with_parts(by_purpose(inputs, tokens))
}

/// Share of the tokens that were spent on answers that could not be used.
pub fn waste(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let usage = &inputs.read_model.summary.usage;
    let unused = |spent: &Spent| spent.unused_tokens as f64;
    let found = MeasureValue::quotient(unused(&usage.total), tokens(&usage.total), NO_TOKENS);
    found.with_parts(by_purpose(inputs, unused))
}

/// Share of the input tokens that the provider read from its cache.
pub fn cache_share(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let total = &inputs.read_model.summary.usage.total;
    MeasureValue::quotient(total.cached_tokens as f64, total.input_tokens as f64, NO_TOKENS)
}

/// Share of the requests that failed, or whose answers could not be used.
pub fn failed_calls(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let total = &inputs.read_model.summary.usage.total;
    let found = MeasureValue::quotient(f64::from(total.failed), f64::from(total.calls), NO_CALLS);
    found.with_parts(by_purpose(inputs, |spent| f64::from(spent.failed)))
}

/// Seconds of waiting for calls, by turn taken.
pub fn call_seconds_per_turn(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let summary = &inputs.read_model.summary;
    MeasureValue::quotient(summary.usage.total.millis as f64 / 1_000.0, f64::from(summary.n_turns), NO_TURNS)
}

/// Effective number of models: the exponential of the entropy of the answered calls by model.
pub fn model_variety(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let by_model = &inputs.read_model.summary.usage.by_model;
    let total: f64 = by_model.values().map(|spent| f64::from(spent.calls)).sum();
    if total <= 0.0 {
        return MeasureValue::absent("No call was answered.");
    }
    let shares = by_model.values().map(|spent| f64::from(spent.calls) / total).filter(|share| *share > 0.0);
    let entropy: f64 = -shares.map(|share| share * share.ln()).sum::<f64>();
    let parts = by_model.iter().map(|(model, spent)| MeasurePart::labelled(model, Some(f64::from(spent.calls)), []));
    MeasureValue::of(entropy.exp()).with_parts(parts)
}

fn tokens(spent: &Spent) -> f64 {
    (spent.input_tokens + spent.output_tokens) as f64
}

fn by_purpose(inputs: &MeasureInputs<'_>, value: impl Fn(&Spent) -> f64) -> Vec<MeasurePart> {
    let purposes = &inputs.read_model.summary.usage.by_purpose;
    let parts = purposes.iter().map(|(purpose, spent)| MeasurePart::labelled(purpose, Some(value(spent)), []));
    parts.filter(|part| part.value.is_some_and(|value| value > 0.0)).collect()
}
