//! Comparison of claims whose relation is annotated.

use serde_json::{Value, json};

use crate::offline::cast::Cast;
use crate::offline::phrases;
use crate::offline::recognition::{AnnotatedRelation, relation};
use faultline_core::kernel::task::PairInput;

/// Compares the pairs whose relation is annotated. Of the others nothing is known, so they stay unexamined.
pub fn compare(cast: &Cast, pairs: &[PairInput]) -> Value {
    let found = pairs.iter().map(|PairInput { one, other }| {
        let (finding, reason, strength) = match relation(cast, (&one.speaker, &one.text), (&other.speaker, &other.text))
        {
            Some(AnnotatedRelation::Conflict) => ("conflict", phrases::CONFLICT, 1.0),
            Some(AnnotatedRelation::Compatible) => ("compatible", phrases::COMPATIBLE, 0.0),
            None => ("unknown", phrases::UNRELATED, 0.0),
        };
        let (one, other) = (&one.alias, &other.alias);
        json!({ "one": one, "other": other, "finding": finding, "reason": reason, "strength": strength })
    });
    json!({ "pairs": found.collect::<Vec<_>>() })
}
