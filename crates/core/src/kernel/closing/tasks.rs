//! Closing tasks of every debate.

use crate::events::lifecycle::DebateOpened;
use crate::kernel::closing::audit::Audit;
use crate::kernel::closing::closing::ClosingTask;
use crate::kernel::closing::probes::probing::Probing;

/// Returns the closing tasks of a debate, in the order in which their effects are listed.
pub fn tasks(opened: &DebateOpened) -> Vec<Box<dyn ClosingTask>> {
    vec![Box::new(Audit::new(opened)), Box::new(Probing::new(opened))]
}
