//! Trait of all projections.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::events::event::Recorded;

/// Read model: a pure fold of one debate's events.
///
/// The list of all projections is in `verdicts::read_model`, with the revision to increase when an `apply` changes.
pub trait Projection: Default + Serialize + DeserializeOwned + Send + 'static {
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
