//! The classical engine: one turn a round at each table, by whoever wants it most.

use serde_json::Value;

use crate::engines::blackboard::blackboard::Blackboard;
use crate::engines::blackboard::settings;
use crate::engines::blackboard::settings::{BlackboardOptions, documented};
use crate::engines::blackboard::speaking_order::SpeakingOrder;
use crate::engines::shared::options;
use crate::kernel::engine::{Driver, EngineRegistration, OptionDoc, Refusal};

/// Documentation of all options.
pub const OPTIONS: &[OptionDoc] = &documented(
    OptionDoc::integer(
        "rounds",
        (0, 100),
        "maximum number of rounds at the first tables, each with one turn a table, 0 to 100",
        "15",
    ),
    OptionDoc::integer("final_rounds", (0, 100), "maximum number of rounds at the final table, 0 to 100", "6"),
);

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "classical",
    about: "the topic decomposed into questions, turns given to who wants them most, and measures of convergence",
    revision: 5,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read(given).map(|options| options::with_defaults(&options)),
    start: |opened| Ok(Box::new(Blackboard::new(opened, read(&opened.options)?, SpeakingOrder::ByUrgency))),
};

fn read(given: &Value) -> Result<BlackboardOptions, Refusal> {
    let defaults = BlackboardOptions { rounds: 15, final_rounds: 6, ..BlackboardOptions::default() };
    settings::read(given, OPTIONS, &defaults)
}
