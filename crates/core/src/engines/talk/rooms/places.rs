//! Places of a debate that advance at the same time: the main channel and its rooms.

use std::collections::BTreeMap;

use crate::engines::talk::rooms::detection::DETECT;
use crate::events::event::{Event, Recorded};
use crate::events::ids::RoomId;
use crate::kernel::effect::Effect;

/// Version at which each room, and under `None` the main channel, last received an answer or a failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    advanced: BTreeMap<Option<RoomId>, i64>,
}

impl Places {
    /// Applies an event. A place whose calls fail does not keep the others waiting: a failure counts as an answer.
    pub fn evolve(&mut self, recorded: &Recorded) {
        let key = match &recorded.event {
            Event::EffectAnswered(it) => &it.key,
            Event::EffectFailed(it) => &it.key,
            Event::EffectAbandoned(it) => &it.key,
            _ => return,
        };
        if key.purpose != DETECT {
            self.advanced.insert(key.room(), recorded.version);
        }
    }

    /// Returns the version at which a place last received an answer; 0 if it never did.
    pub fn advanced(&self, place: Option<RoomId>) -> i64 {
        self.advanced.get(&place).copied().unwrap_or(0)
    }

    /// Orders the effects of places: those of the place that has waited longest for an answer come first, so that none
    /// starves when few calls are made at once.
    pub fn in_order(&self, mut places: Vec<(Option<RoomId>, Vec<Effect>)>) -> Vec<Effect> {
        places.sort_by_key(|(place, _)| self.advanced(*place));
        places.into_iter().flat_map(|(_, effects)| effects).collect()
    }
}
