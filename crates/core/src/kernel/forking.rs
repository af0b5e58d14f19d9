//! Decides forks of debates at an earlier version, with changes: granted or refused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::events::ids::{DebateId, PersonaId};
use crate::events::lifecycle::DebateForked;
use crate::events::lifecycle::{DebateLimits, DebateOpened};
use crate::events::persona::Persona;
use crate::kernel::command;
use crate::kernel::command::DebateConfig;
use crate::kernel::engine::{EngineRegistration, Refusal};

/// Changes made by a fork. Everything else is inherited from the origin.
#[derive(Clone, Debug, Default)]
pub struct ForkChanges {
    /// Engine options to set; the others keep their values.
    pub options: Value,
    /// Participants from here on, in speaking order. Earlier turns of participants who are no longer listed remain.
    pub participants: Option<Vec<Persona>>,
    /// Budget of the fork. It is separate from the origin's and starts unspent.
    pub limits: Option<DebateLimits>,
    /// Seed of all choices made by the code.
    pub seed: Option<u64>,
    /// Registered name of the provider.
    pub provider: Option<String>,
    /// Models of participants. `None` keeps those of participants who stay, unless the provider changes.
    pub models: Option<BTreeMap<PersonaId, String>>,
}

/// Creates the event with which a debate is forked at version `at` of another one that was opened, or forked, with
/// `before`.
///
/// # Errors
/// [`Refusal`] if the engine does not accept the changed configuration.
pub fn fork(
    engines: &[EngineRegistration],
    origin: DebateId,
    at: i64,
    before: &DebateOpened,
    changes: ForkChanges,
) -> Result<DebateForked, Refusal> {
    let participants = changes.participants.unwrap_or_else(|| before.participants.clone());
    let provider = changes.provider.unwrap_or_else(|| before.provider.clone());
    let models = changes.models.unwrap_or_else(|| {
        let stays = |persona: &PersonaId| participants.iter().any(|participant| participant.id == *persona);
        let kept = before.models.iter().filter(|(persona, _)| provider == before.provider && stays(persona));
        kept.map(|(persona, model)| (persona.clone(), model.clone())).collect()
    });
    let opening = DebateConfig {
        topic: before.topic.clone(),
        engine: before.engine.clone(),
        options: changed(&before.options, changes.options)?,
        participants,
        limits: changes.limits.unwrap_or_else(|| before.limits.clone()),
        seed: changes.seed.unwrap_or(before.seed),
        provider,
        models,
    };
    let opened = Box::new(command::validate_config(engines, opening)?);
    Ok(DebateForked { origin, at, opened })
}

/// Returns the options with some values replaced.
fn changed(before: &Value, given: Value) -> Result<Value, Refusal> {
    match (before, given) {
        (_, Value::Null) => Ok(before.clone()),
        (Value::Object(before), Value::Object(given)) => {
            let names: BTreeSet<&String> = before.keys().chain(given.keys()).collect();
            let value = |name: &String| given.get(name).or(before.get(name)).cloned().unwrap_or(Value::Null);
            Ok(Value::Object(names.into_iter().map(|name| (name.clone(), value(name))).collect::<Map<_, _>>()))
        }
        _ => Err(Refusal::invalid("`options` must be a JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_that_are_not_set_keep_their_values() {
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
