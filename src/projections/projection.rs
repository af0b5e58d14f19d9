//! What a read model is.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::events::event::Recorded;

/// A read model: nothing but the fold of one debate's events.
pub trait Projection: Default + Serialize + DeserializeOwned + Send + 'static {
    /// Names the stored rows and the checkpoint.
    const NAME: &'static str;
    /// Raise it when `apply` changes its mind; every row is then rebuilt from the log.
    const REVISION: i32;

    /// Takes note of the next event. Never fails: what does not concern it, it passes over.
    fn apply(&mut self, recorded: &Recorded);
}

/// The view after all these events, in order.
pub fn fold<'a, P: Projection>(events: impl IntoIterator<Item = &'a Recorded>) -> P {
    let mut view = P::default();
    for recorded in events {
        view.apply(recorded);
    }
    view
}
