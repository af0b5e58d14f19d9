//! The blitz engine: rounds in which everybody at a table speaks at the same moment.

use serde_json::Value;

use crate::engines::blackboard::blackboard::Blackboard;
use crate::engines::blackboard::settings;
use crate::engines::blackboard::settings::{BlackboardOptions, documented};
use crate::engines::blackboard::speaking_order::SpeakingOrder;
use crate::engines::shared::options;
use crate::kernel::engine::{Driver, EngineRegistration, OptionDoc, Refusal};

/// Documentation of all options.
pub const OPTIONS: &[OptionDoc] = &documented(
    OptionDoc::integer("rounds", (0, 20), "maximum number of rounds at the first tables, 0 to 20", "5"),
    OptionDoc::integer("final_rounds", (0, 20), "maximum number of rounds at the final table, 0 to 20", "2"),
);

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "blitz",
    about: "the topic decomposed into questions, rounds in which all speak at once, and measures of convergence",
    revision: 5,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read(given).map(|options| options::with_defaults(&options)),
    start: |opened| Ok(Box::new(Blackboard::new(opened, read(&opened.options)?, SpeakingOrder::AllAtOnce))),
};

fn read(given: &Value) -> Result<BlackboardOptions, Refusal> {
    settings::read(given, OPTIONS, &BlackboardOptions::default())
}
