//! Comparison of claims whose relation is annotated.

use serde_json::{Value, json};

use crate::offline::cast::Cast;
use crate::offline::phrases;
use crate::offline::recognition::{AnnotatedRelation, relation};
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::kernel::task::PairInput;

/// Compares the pairs whose relation is annotated. The others stay unexamined.
///
/// # Errors
/// [`FailureKind::Hopeless`] if no relation is annotated: asking again cannot help.
pub fn compare(cast: &Cast, pairs: &[PairInput]) -> Result<Value, Failure> {
    let judged: Vec<Value> = pairs
        .iter()
        .filter_map(|PairInput { one, other }| {
            let found = relation(cast, (&one.speaker, &one.text), (&other.speaker, &other.text))?;
            let (finding, reason, strength) = match found {
                AnnotatedRelation::Conflict => ("conflict", phrases::CONFLICT, 1.0),
                AnnotatedRelation::Compatible => ("compatible", phrases::COMPATIBLE, 0.0),
            };
            let (one, other) = (&one.alias, &other.alias);
            Some(json!({ "one": one, "other": other, "finding": finding, "reason": reason, "strength": strength }))
        })
        .collect();
    if judged.is_empty() {
        let message = "no annotation relates these claims";
        return Err(Failure::new(FailureKind::Hopeless, message));
    }
    Ok(json!({ "pairs": judged }))
}
