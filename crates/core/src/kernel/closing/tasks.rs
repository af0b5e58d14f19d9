//! Closing tasks of every debate.

use crate::events::lifecycle::DebateOpened;
use crate::kernel::closing::closing::ClosingTask;

/// Returns the closing tasks of a debate, in the order in which their effects are listed.
pub fn tasks(_opened: &DebateOpened) -> Vec<Box<dyn ClosingTask>> {
    Vec::new()
}
