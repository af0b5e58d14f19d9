//! Trait of all projections.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::events::event::Recorded;

/// Read model: a pure fold of one debate's events.
pub trait Projection: Default + Serialize + DeserializeOwned + Send + 'static {
    /// Name of the stored rows and of the checkpoint.
    const NAME: &'static str;
    /// Revision of the fold. Increase it when `apply` changes; every row is then rebuilt from the log.
    const REVISION: i32;

    /// Applies the next event. Never fails; ignores events of other projections.
    fn apply(&mut self, recorded: &Recorded);
}

/// Folds the given events, in order.
pub fn fold<'a, P: Projection>(events: impl IntoIterator<Item = &'a Recorded>) -> P {
    let mut view = P::default();
    for recorded in events {
        view.apply(recorded);
    }
    view
}
