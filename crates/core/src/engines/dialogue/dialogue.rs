//! The dialogue engine: talk, distilled into a small argument graph.
//!
//! The talk itself is described in [`crate::engines::talk::talk`], the clerk in
//! [`crate::engines::talk::argument_clerk::argument_clerk`].

use serde_json::Value;

use crate::engines::shared::options;
use crate::engines::talk::argument_clerk::argument_clerk;
use crate::engines::talk::argument_clerk::argument_clerk::{ArgumentClerk, ArgumentClerkOptions};
use crate::engines::talk::common_options;
use crate::engines::talk::common_options::TalkEngineOptions;
use crate::engines::talk::talk::Conversation;
use crate::kernel::engine::{Driver, EngineRegistration, OptionDoc, Refusal};

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "dialogue",
    about: "short turns of talk in four phases, distilled into a small graph of arguments",
    revision: 12,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read_options(given).map(|settings| options::with_defaults(&settings)),
    start: |opened| {
        let TalkEngineOptions { own, talk } = read_options(&opened.options)?;
        Ok(Box::new(Conversation::new(opened, talk, ArgumentClerk::new(own))))
    },
};

const OPTIONS: &[OptionDoc] = &common_options::documented::<2, 26>(argument_clerk::OPTIONS);

fn read_options(given: &Value) -> Result<TalkEngineOptions<ArgumentClerkOptions>, Refusal> {
    common_options::read::<ArgumentClerkOptions>(given, OPTIONS)
}
