//! A debate that somebody else runs.
//!
//! An orchestrator outside opens it, takes its turns and ends it, event by event (`appendEvents`); here nobody asks
//! anything. What follows from the events is computed as for any other debate. Its provider is nobody, so that no service
//! claims it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::options;
use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::DebateOpened;
use crate::events::receipt::EffectKey;
use crate::kernel::engine::{Engine, OptionDoc, Plan, Registration, Reply};
use crate::kernel::outside::life::ENGINE;
use crate::kernel::reply::Unreadable;

/// The engine as the service knows it.
pub const REGISTRATION: Registration = Registration {
    name: ENGINE,
    about: "run from outside: an orchestrator appends what happens, and everything is computed as for any other debate",
    revision: 1,
    participants: (1, 64),
    options: OPTIONS,
    normalize: |given| options::read::<Options>(given, OPTIONS).map(|it| options::written_out(&it)),
    start: |opened: &DebateOpened| {
        options::read::<Options>(&opened.options, OPTIONS)?;
        Ok(Box::new(External))
    },
};

const OPTIONS: &[OptionDoc] = &[OptionDoc {
    name: "settings",
    about: "what the orchestrator wants to find again with the debate: any JSON",
    default: "null",
}];

/// What the orchestrator pinned; nothing here reads it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    settings: Value,
}

/// Nothing is wanted here.
struct External;

impl Engine for External {
    fn evolve(&mut self, _recorded: &Recorded) {}

    fn plan(&self) -> Plan {
        Plan::Ask(Vec::new())
    }

    fn decide(&self, _key: &EffectKey, _reply: &Reply) -> Result<Vec<Event>, Unreadable> {
        Ok(Vec::new())
    }
}
