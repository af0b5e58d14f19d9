//! A debate that goes on from a moment of another.

use serde::{Deserialize, Serialize};

use crate::events::ids::DebateId;
use crate::events::lifecycle::DebateOpened;

/// The first event of a fork's own. What came before it is the origin's up to `at`, shared and not copied: a fork's
/// stream begins at version `at + 1`, and whoever reads it from the beginning reads the origin's events first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateForked {
    /// The debate that it comes from.
    pub origin: DebateId,
    /// The last version of the origin that both share.
    pub at: i64,
    /// All that the fork depends on from here on, as an opening pins it. Topic and engine are the origin's.
    pub opened: Box<DebateOpened>,
}
