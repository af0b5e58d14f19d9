//! Upcasts stored event bodies to the current schema.
//!
//! The list of kinds gives the schema in which each is written; a test compares it with the steps here. Upcasts are
//! pure, total and never removed; stored events are never rewritten.

use serde_json::Value;

/// Upcast step: the kind, the schema it starts from, and the function that converts a body to the next schema.
type Step = (&'static str, i16, fn(Value) -> Value);

const STEPS: &[Step] =
    &[("debate_concluded", 1, outcome_by_what_happened), ("proposal_criticized", 1, acceptance_without_words)];

/// Renames outcomes of before: `converged` and `cycle` said only that nothing new came, which is `exhausted`.
fn outcome_by_what_happened(mut body: Value) -> Value {
    if let Some(kind) = body.pointer_mut("/outcome/kind")
        && matches!(kind.as_str(), Some("converged" | "cycle"))
    {
        *kind = Value::from("exhausted");
    }
    body
}

/// Renames the recommendation `accept` of before: it came without words of acceptance, which is `no_objection`.
fn acceptance_without_words(mut body: Value) -> Value {
    if let Some(recommendation) = body.get_mut("recommendation")
        && recommendation == "accept"
    {
        *recommendation = Value::from("no_objection");
    }
    body
}

/// Upcasts a body to the current schema of its kind.
pub fn lift(kind: &str, schema: i16, body: Value) -> Value {
    STEPS.iter().filter(|(name, from, _)| *name == kind && *from >= schema).fold(body, |body, (_, _, step)| step(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::event::Event;

    #[test]
    fn upcast_steps_of_a_kind_lead_from_one_to_its_current_schema() {
        for kind in Event::KINDS {
            let from: Vec<i16> =
                STEPS.iter().filter(|(name, ..)| *name == kind.name).map(|(_, from, _)| *from).collect();
            assert!(from.iter().copied().eq(1..kind.schema), "{}: steps from {from:?}", kind.name);
        }
        for (kind, ..) in STEPS {
            assert!(Event::current_schema(kind).is_some(), "{kind} is no event kind");
        }
    }
}
