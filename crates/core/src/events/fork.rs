//! Forks: debates that continue from an earlier version of another debate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::DebateId;
use crate::events::lifecycle::{DebateOpened, names};
use crate::events::summary::Summarize;

/// First event of a fork. The events before it are the origin's up to version `at`, shared and not copied: the fork's
/// stream begins at version `at + 1`, and a read from the beginning returns the origin's events first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateForked {
    /// The debate that was forked.
    pub origin: DebateId,
    /// Last version of the origin that both share.
    pub at: i64,
    /// The fork's configuration, complete as in an opening event. Topic and engine are the origin's.
    pub opened: Box<DebateOpened>,
}

impl Summarize for DebateForked {
    fn summary(&self) -> String {
        let opened = &self.opened;
        format!("from {} at {}: {} / {}", self.origin, self.at, opened.provider, names(&opened.participants))
    }
}
