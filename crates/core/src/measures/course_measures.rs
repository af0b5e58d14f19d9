//! Measures of the course of a debate: how often labels changed, and whether cruxes stayed. They need the timeline, which takes
//! a verdict for each event that can change one.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::ids::{ArgumentId, TurnId};
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::verdicts::diff::timeline::TimelineEntry;

/// Reason for the absence of these measures where no timeline was computed.
pub const NO_TIMELINE: &str =
    "It takes the timeline of the debate, which is computed if the measure is requested by its key.";

/// Changes of grounded labels after the first one of an argument, for each argument ever advanced.
pub fn label_changes(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some(timeline) = inputs.timeline else { return MeasureValue::absent(NO_TIMELINE) };
    let mut changes: BTreeMap<ArgumentId, (usize, BTreeSet<TurnId>)> = BTreeMap::new();
    for entry in timeline {
        for label in entry.labels.iter().filter(|label| label.from.is_some() && label.to.is_some()) {
            let (count, turns) = changes.entry(label.argument).or_default();
            *count += 1;
            turns.extend(turn_before(inputs, entry));
        }
    }
    let n_changes: usize = changes.values().map(|(count, _)| count).sum();
    let parts = changes
        .into_iter()
        .map(|(argument, (count, turns))| MeasurePart::labelled(argument.to_string(), Some(count as f64), turns));
    let n_arguments = inputs.read_model.arguments.arguments.len();
    MeasureValue::quotient(n_changes as f64, n_arguments as f64, "No argument was advanced.").with_parts(parts)
}

/// Mean over the open cruxes of the share of the turns that were taken since the crux was last found.
pub fn crux_persistence(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some(timeline) = inputs.timeline else { return MeasureValue::absent(NO_TIMELINE) };
    let turns = &inputs.read_model.transcript.turns;
    if turns.is_empty() {
        return MeasureValue::absent("No turn was taken.");
    }
    let parts: Vec<MeasurePart> = inputs
        .verdict
        .cruxes
        .iter()
        .map(|crux| {
            let found = timeline.iter().rev().find(|entry| entry.gained.contains(&crux.key));
            let since = turns.iter().filter(|turn| found.is_none_or(|found| turn.version > found.version)).count();
            let at = found.and_then(|found| turn_before(inputs, found));
            MeasurePart::labelled(crux.statement.clone(), Some(since as f64 / turns.len() as f64), at)
        })
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, "The debate has no open crux.").with_parts(parts)
}

/// Share of the times at which a crux was found that it ceased to be open again.
pub fn crux_turnover(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let Some(timeline) = inputs.timeline else { return MeasureValue::absent(NO_TIMELINE) };
    let found: usize = timeline.iter().map(|entry| entry.gained.len()).sum();
    let lost: usize = timeline.iter().map(|entry| entry.lost.len()).sum();
    let parts = timeline.iter().flat_map(|entry| {
        let turn = turn_before(inputs, entry);
        entry.lost.iter().map(move |key| MeasurePart::labelled(key.to_string(), None, turn))
    });
    MeasureValue::share(lost, found, "No crux was ever found.").with_parts(parts)
}

/// Returns the latest turn up to the version of an entry.
fn turn_before(inputs: &MeasureInputs<'_>, entry: &TimelineEntry) -> Option<TurnId> {
    let turns = &inputs.read_model.transcript.turns;
    turns.iter().rev().find(|turn| turn.version <= entry.version).map(|turn| turn.turn)
}
