//! Recognizes the first event of a fork's own stream.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::lifecycle::DebateForked;

/// Returns the fork event if this event is the first of a fork's own stream: no event of that stream can precede it.
pub(crate) fn fork_event(recorded: &Recorded) -> Option<&DebateForked> {
    match &recorded.event {
        Event::DebateForked(forked) if forked.at + 1 == recorded.version => Some(forked),
        _ => None,
    }
}
