//! Going on from a moment of a debate with something changed: granted or refused.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::events::fork::DebateForked;
use crate::events::ids::DebateId;
use crate::events::lifecycle::{DebateOpened, Limits};
use crate::events::persona::Persona;
use crate::kernel::command::{self, Opening};
use crate::kernel::engine::{Refusal, Registration};

/// What a fork changes. What is not given stays as it was.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Options of the engine to be set; the others keep their values.
    pub options: Value,
    /// Who takes part from here on, in speaking order. Whoever is not named any more has said what it said.
    pub participants: Option<Vec<Persona>>,
    /// What the fork may spend. Its purse is its own and begins full.
    pub limits: Option<Limits>,
    /// The seed of its choices.
    pub seed: Option<u64>,
    /// The provider's registered name.
    pub provider: Option<String>,
}

/// The event with which a debate goes on from a version of another that was opened, or forked, so.
///
/// # Errors
/// A [`Refusal`] where the engine will not have the changes.
pub fn fork(
    engines: &[Registration],
    origin: DebateId,
    at: i64,
    before: &DebateOpened,
    changes: Changes,
) -> Result<DebateForked, Refusal> {
    let opening = Opening {
        topic: before.topic.clone(),
        engine: before.engine.clone(),
        options: changed(&before.options, changes.options)?,
        participants: changes.participants.unwrap_or_else(|| before.participants.clone()),
        limits: changes.limits.unwrap_or_else(|| before.limits.clone()),
        seed: changes.seed.unwrap_or(before.seed),
        provider: changes.provider.unwrap_or_else(|| before.provider.clone()),
    };
    let opened = Box::new(command::opened(engines, opening)?);
    Ok(DebateForked { origin, at, opened })
}

/// The options with some of them set anew.
fn changed(before: &Value, given: Value) -> Result<Value, Refusal> {
    match (before, given) {
        (_, Value::Null) => Ok(before.clone()),
        (Value::Object(before), Value::Object(given)) => {
            let names: BTreeSet<&String> = before.keys().chain(given.keys()).collect();
            let value = |name: &String| given.get(name).or(before.get(name)).cloned().unwrap_or(Value::Null);
            Ok(Value::Object(names.into_iter().map(|it| (it.clone(), value(it))).collect::<Map<_, _>>()))
        }
        _ => Err(Refusal::invalid("the options are no object; give names with values")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_keep_their_values_but_for_those_set() {
        let before = json!({ "rounds": 3, "passages": 4 });
        for (given, wanted) in [
            (Value::Null, json!({ "rounds": 3, "passages": 4 })),
            (json!({}), json!({ "rounds": 3, "passages": 4 })),
            (json!({ "rounds": 5 }), json!({ "rounds": 5, "passages": 4 })),
            (json!({ "rouns": 5 }), json!({ "rounds": 3, "passages": 4, "rouns": 5 })),
        ] {
            assert_eq!(changed(&before, given), Ok(wanted));
        }
        assert!(changed(&before, json!(7)).is_err());
    }
}
