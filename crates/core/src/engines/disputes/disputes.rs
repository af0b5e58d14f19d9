//! The disputes engine: talk, distilled into disputes, stances and reasons.
//!
//! The talk itself is described in [`crate::engines::talk::talk`], the clerk in
//! [`crate::engines::talk::dispute_clerk::dispute_clerk`].

use serde_json::Value;

use crate::engines::shared::options;
use crate::engines::talk::common_options;
use crate::engines::talk::common_options::TalkEngineOptions;
use crate::engines::talk::dispute_clerk::dispute_clerk;
use crate::engines::talk::dispute_clerk::dispute_clerk::{DisputeClerk, DisputeClerkOptions};
use crate::engines::talk::talk::Conversation;
use crate::kernel::engine::{Driver, EngineRegistration, OptionDoc, Refusal};

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "disputes",
    about: "short turns of talk in four phases, distilled into disputes, stances and reasons",
    revision: 13,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read_options(given).map(|settings| options::with_defaults(&settings)),
    start: |opened| {
        let TalkEngineOptions { own, talk } = read_options(&opened.options)?;
        Ok(Box::new(Conversation::new(opened, talk, DisputeClerk { options: own })))
    },
};

const OPTIONS: &[OptionDoc] = &common_options::documented::<2, 26>(dispute_clerk::OPTIONS);

fn read_options(given: &Value) -> Result<TalkEngineOptions<DisputeClerkOptions>, Refusal> {
    common_options::read::<DisputeClerkOptions>(given, OPTIONS)
}
