//! Measures of style against the pinned voices.

use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};

/// Uses of phrases that the personas' voices forbid, by hundred words.
pub fn forbidden_phrases(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let by_persona = &inputs.read_model.voice.by_persona;
    let (hits, words) = by_persona
        .values()
        .fold((0.0, 0.0), |(hits, words), it| (hits + f64::from(it.hits), words + f64::from(it.words)));
    let parts = by_persona.iter().filter(|(_, it)| it.words > 0).map(|(persona, it)| {
        MeasurePart::of(persona, it.hits_per_hundred_words(), it.slips.iter().map(|slip| slip.turn))
    });
    let found = MeasureValue::quotient(hits * 100.0, words, "Nobody spoke.");
    found.with_parts(parts.collect::<Vec<_>>())
}
