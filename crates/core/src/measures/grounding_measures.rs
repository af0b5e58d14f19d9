//! Measures of citations and quotations.

use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::projections::grounding::GroundingCounts;

/// Share of the turns that cite a passage.
pub fn grounded_turns(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let total = inputs.read_model.grounding.total();
    let found = MeasureValue::share(total.grounded as usize, total.turns as usize, "No turn was taken.");
    found.with_parts(by_speaker(inputs, |counts| share(counts.grounded, counts.turns)))
}

/// Share of the quotations that the cited passage contains, whole or abridged.
pub fn verified_quotations(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let total = inputs.read_model.grounding.total();
    let found = MeasureValue::share(verified(total) as usize, quoted(total) as usize, "No passage was quoted.");
    found.with_parts(by_speaker(inputs, |counts| share(verified(counts), quoted(counts))))
}

/// Share of the citations that name a passage which was not given to the speaker.
pub fn dangling_citations(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let total = inputs.read_model.grounding.total();
    let all = |counts: GroundingCounts| counts.citations + counts.dangling;
    let found = MeasureValue::share(total.dangling as usize, all(total) as usize, "No passage was cited.");
    found.with_parts(by_speaker(inputs, |counts| share(counts.dangling, all(counts))))
}

/// Share of the claims whose turn cites a passage.
pub fn supported_claims(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let known: Vec<_> = inputs.claims.iter().filter_map(|claim| Some((claim, claim.turn?))).collect();
    let is_cited = |turn| inputs.read_model.transcript.turn(turn).is_some_and(|turn| !turn.citations.is_empty());
    let without = known.iter().filter(|(_, turn)| !is_cited(*turn));
    let parts: Vec<MeasurePart> = without
        .map(|(claim, turn)| MeasurePart {
            label: claim.text.to_owned(),
            ..MeasurePart::of(claim.speaker, Some(0.0), [*turn])
        })
        .collect();
    let supported = known.len() - parts.len();
    MeasureValue::share(supported, known.len(), "No claim was recorded.").with_parts(parts)
}

fn by_speaker(
    inputs: &MeasureInputs<'_>,
    value: impl Fn(GroundingCounts) -> Option<f64>,
) -> impl Iterator<Item = MeasurePart> {
    let parts = inputs
        .participants()
        .map(move |persona| MeasurePart::of(persona, value(inputs.read_model.grounding.of(persona)), []));
    parts.filter(|part| part.value.is_some())
}

fn share(count: u32, total: u32) -> Option<f64> {
    (total > 0).then(|| f64::from(count) / f64::from(total))
}

fn verified(counts: GroundingCounts) -> u32 {
    counts.verbatim + counts.abridged
}

fn quoted(counts: GroundingCounts) -> u32 {
    verified(counts) + counts.unverified
}
