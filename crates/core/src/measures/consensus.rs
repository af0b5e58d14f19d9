//! Measures of agreement: how evenly stances are spread, agreement across camps, and contradictions in common ground.

use std::collections::BTreeMap;

use crate::events::dispute::Side;
use crate::events::ids::{PersonaId, TurnId};
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::measures::text_vectors::TextVector;
use crate::projections::disputes::dispute_state::Dispute;
use crate::questions::content_words::ContentWords;
use crate::verdicts::disagreement::stance_measures::{StanceMeasures, stance_measures};

const NO_TOPIC: &str = "Nobody took a side on the topic.";

/// Entropy of the sides on the topic, weighed by confidence.
pub fn topic_entropy(inputs: &MeasureInputs<'_>) -> MeasureValue {
    on_topic(inputs, |measures| Some(measures.entropy))
}

/// Mean distance of two positions on the topic.
pub fn topic_distance(inputs: &MeasureInputs<'_>) -> MeasureValue {
    on_topic(inputs, |measures| measures.distance)
}

fn on_topic(inputs: &MeasureInputs<'_>, value: fn(StanceMeasures) -> Option<f64>) -> MeasureValue {
    let Some((_, topic)) = inputs.read_model.disputes.topic() else { return MeasureValue::absent(NO_TOPIC) };
    let Some(found) = stance_measures(topic.stances.values()).and_then(value) else {
        return MeasureValue::absent(NO_TOPIC);
    };
    let parts = topic.stances.iter().map(|(persona, stance)| MeasurePart {
        label: stance.side.name().to_owned(),
        ..MeasurePart::of(persona, stance.confidence, [stance.turn])
    });
    MeasureValue::of(found).with_parts(parts)
}

/// Mean over the other questions of the agreement across the two sides of the topic: for yes and for no, the product over
/// the sides of (1 + agreeing) / (2 + voting); the greater one counts (after the group-informed consensus of Polis).
pub fn group_consensus(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let disputes = &inputs.read_model.disputes;
    let absent = "It takes participants on both sides of the topic, and another question on which they took sides.";
    let Some((topic_id, topic)) = disputes.topic() else { return MeasureValue::absent(absent) };
    let camps: Vec<Vec<&PersonaId>> = [Side::Yes, Side::No].map(|side| topic.on_side(side).collect()).into();
    if camps.iter().any(Vec::is_empty) {
        return MeasureValue::absent(absent);
    }
    let others = disputes.not_retired().filter(|(id, dispute)| *id != topic_id && !dispute.stances.is_empty());
    let parts: Vec<MeasurePart> = others
        .map(|(id, dispute)| {
            let value =
                [Side::Yes, Side::No].map(|side| agreement(dispute, &camps, side)).into_iter().fold(0.0, f64::max);
            MeasurePart::labelled(id.to_string(), Some(value), dispute.stances.values().map(|stance| stance.turn))
        })
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, absent).with_parts(parts)
}

fn agreement(dispute: &Dispute, camps: &[Vec<&PersonaId>], side: Side) -> f64 {
    let share = |camp: &Vec<&PersonaId>| {
        let sides: Vec<Side> =
            camp.iter().filter_map(|it| dispute.stances.get(*it)).map(|stance| stance.side).collect();
        let agreeing = sides.iter().filter(|it| **it == side).count();
        (1.0 + agreeing as f64) / (2.0 + sides.len() as f64)
    };
    camps.iter().map(share).product()
}

/// Number of statements of the common ground that somebody's current stance, or another statement of it, contradicts.
pub fn contradicted_common_ground(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let disputes = &inputs.read_model.disputes.disputes;
    let parts: Vec<MeasurePart> = inputs
        .verdict
        .common_ground
        .iter()
        .filter_map(|ground| {
            let stances = &disputes.get(&ground.dispute)?.stances;
            let against: Vec<TurnId> =
                stances.values().filter(|stance| stance.side == ground.side.negated()).map(|it| it.turn).collect();
            let is_doubled = inputs
                .verdict
                .common_ground
                .iter()
                .any(|other| other.question == ground.question && other.side == ground.side.negated());
            let label = format!("{} {}", ground.dispute, ground.side.name());
            (is_doubled || !against.is_empty()).then(|| MeasurePart::labelled(label, None, against))
        })
        .collect();
    MeasureValue::of(parts.len() as f64).with_parts(parts)
}

/// Mean overlap of the content words in the last turns of two participants (Jaccard).
pub fn vocabulary_overlap(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let words = ContentWords::default();
    let mut last: BTreeMap<&PersonaId, (&str, TurnId)> = BTreeMap::new();
    for spoken in &inputs.turns {
        last.insert(spoken.speaker, (spoken.turn.text.as_str(), spoken.turn.turn));
    }
    let last: Vec<_> = last.into_iter().collect();
    let pairs = last.iter().enumerate().flat_map(|(at, one)| last[at + 1..].iter().map(move |other| (one, other)));
    let parts: Vec<MeasurePart> = pairs
        .map(|((one, (text, turn)), (other, (other_text, other_turn)))| {
            let (left, right) = (words.of(text), words.of(other_text));
            let union = left.union(&right).count();
            let overlap = if union == 0 { 0.0 } else { left.intersection(&right).count() as f64 / union as f64 };
            MeasurePart::labelled(format!("{one} and {other}"), Some(overlap), [*turn, *other_turn])
        })
        .collect();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, "Fewer than two participants spoke.").with_parts(parts)
}

/// Mean difference between the claims of two participants, as 1 minus the likeness of two of their claims.
pub fn diversity(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut sums: BTreeMap<(&PersonaId, &PersonaId), (f64, usize)> = BTreeMap::new();
    for (at, claim) in inputs.claims.iter().enumerate() {
        for other in inputs.claims[..at].iter().filter(|other| other.speaker != claim.speaker) {
            let pair = (claim.speaker.min(other.speaker), claim.speaker.max(other.speaker));
            let (sum, count) = sums.entry(pair).or_default();
            *sum += 1.0 - TextVector::likeness(&claim.vector, &other.vector);
            *count += 1;
        }
    }
    let parts = sums.iter().map(|((one, other), (sum, count))| {
        MeasurePart::labelled(format!("{one} and {other}"), Some(sum / *count as f64), [])
    });
    let (sum, count) = sums.values().fold((0.0, 0), |(sum, count), it| (sum + it.0, count + it.1));
    let absent = "Fewer than two participants made claims.";
    MeasureValue::quotient(sum, count as f64, absent).with_parts(parts.collect::<Vec<_>>())
}
