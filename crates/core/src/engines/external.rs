//! The external engine: debates driven by an orchestrator outside this service.
//!
//! The orchestrator opens the debate, takes its turns and ends it by appending events (`appendEvents`); this service
//! starts no effects. Views are computed from the events as for any other debate. Its provider is not registered here,
//! so no service claims the debate.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::shared::options;
use crate::events::audit::AuditSetting;
use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::DebateOpened;
use crate::events::receipt::EffectKey;
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, OptionDoc, Plan, Refusal};
use crate::kernel::reply::Unreadable;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "external",
    about: "driven from outside: an orchestrator appends the events, and views are computed as for any other debate",
    revision: 1,
    participants: (1, 64),
    driver: Driver::Orchestrator,
    options: OPTIONS,
    normalize: |given| read_options(given).map(|settings| options::with_defaults(&settings)),
    start: |opened: &DebateOpened| {
        read_options(&opened.options)?;
        Ok(Box::new(External))
    },
};

const OPTIONS: &[OptionDoc] = &[
    OptionDoc::json("settings", "data that the orchestrator stores with the debate: any JSON value", "null"),
    options::AUDIT,
    options::QUORUM,
];

/// Options pinned by the orchestrator. `settings` is not interpreted here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    settings: Value,
    audit: AuditSetting,
    quorum: Option<u32>,
}

fn read_options(given: &Value) -> Result<Options, Refusal> {
    let read: Options = options::read(given, OPTIONS)?;
    options::check(&read, OPTIONS)?;
    Ok(read)
}

/// Engine that requests no effects.
struct External;

impl Engine for External {
    fn evolve(&mut self, _recorded: &Recorded) {}

    fn plan(&self) -> Plan {
        Plan::Ask(Vec::new())
    }

    fn decide(&self, _key: &EffectKey, _reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        Ok(Vec::new())
    }
}
