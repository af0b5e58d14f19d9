//! Measures of wording: new claims, circling, and variety of words.

use std::collections::BTreeSet;

use crate::measures::concession_measures::SAME_CLAIM;
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::measures::text_vectors::greatest_likeness;
use crate::voices::tokens::{is_word, tokens};

/// Number of turns at the end by which circling is measured.
pub const LAST_TURNS: usize = 6;

/// Share of the claims that repeat no earlier one, by likeness below 0.6.
pub fn novelty(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let claims = &inputs.claims;
    let mut repeated = Vec::new();
    for (at, claim) in claims.iter().enumerate() {
        let likeness = greatest_likeness(&claim.vector, claims[..at].iter().map(|other| &other.vector));
        if likeness >= SAME_CLAIM {
            let part = MeasurePart::of(claim.speaker, Some(likeness), claim.turn);
            repeated.push(MeasurePart { label: claim.text.to_owned(), ..part });
        }
    }
    let fresh = claims.len() - repeated.len();
    MeasureValue::share(fresh, claims.len(), "No claim was recorded.").with_parts(repeated)
}

/// Mean over the last six turns of the greatest likeness to an earlier turn of the same speaker.
pub fn circling(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let turns = &inputs.turns;
    let mut parts: Vec<MeasurePart> = Vec::new();
    for (at, spoken) in turns.iter().enumerate().rev() {
        let own: Vec<_> = turns[..at].iter().filter(|it| it.speaker == spoken.speaker).collect();
        if parts.len() < LAST_TURNS && !own.is_empty() {
            let likeness = greatest_likeness(&spoken.vector, own.iter().map(|it| &it.vector));
            parts.push(MeasurePart::of(spoken.speaker, Some(likeness), [spoken.turn.turn]));
        }
    }
    parts.reverse();
    let values: Vec<f64> = parts.iter().filter_map(|part| part.value).collect();
    MeasureValue::mean(&values, "Nobody spoke twice.").with_parts(parts)
}

/// Share of different pairs of neighbouring words among all pairs (distinct-2).
pub fn distinct_word_pairs(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let mut distinct: BTreeSet<(String, String)> = BTreeSet::new();
    let mut total = 0_usize;
    for spoken in &inputs.turns {
        let words: Vec<String> = tokens(&spoken.turn.text).into_iter().filter(|token| is_word(token)).collect();
        total += words.len().saturating_sub(1);
        distinct.extend(words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    MeasureValue::share(distinct.len(), total, "No turn has two words.")
}
