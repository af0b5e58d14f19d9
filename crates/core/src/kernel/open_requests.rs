//! Requests without a receipt. What is asked again is asked as it was the first time, although other places of the debate have
//! gone on since then.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::event::{Event, Recorded};
use crate::events::receipt::EffectKey;
use crate::kernel::effect::Effect;
use crate::kernel::engine::Plan;

/// Effects that were requested and have no receipt yet, as they were requested.
#[derive(Clone, Debug, Default)]
pub struct OpenRequests {
    effects: BTreeMap<EffectKey, Effect>,
}

impl OpenRequests {
    /// Returns the versions of the requests in a log that have no receipt: of each effect, the first request of its latest
    /// attempt.
    pub fn versions(log: &[Recorded]) -> BTreeSet<i64> {
        let mut open: BTreeMap<&EffectKey, i64> = BTreeMap::new();
        for recorded in log {
            match &recorded.event {
                Event::EffectRequested(it) => {
                    open.entry(&it.key).or_insert(recorded.version);
                }
                Event::DebateForked(_) => open.clear(),
                event => {
                    receipt_of(event).map(|key| open.remove(key));
                }
            }
        }
        open.into_values().collect()
    }

    /// Notes the effect of a request until it has a receipt. `plan` is the one that was in force before the event, if it was
    /// made. A request that is repeated after a crash is the first one.
    pub fn note(&mut self, event: &Event, plan: Option<&Plan>) {
        match event {
            Event::EffectRequested(it) => {
                if let Some(Plan::Ask(wanted)) = plan
                    && let Some(effect) = wanted.iter().find(|effect| effect.key == it.key)
                {
                    self.effects.entry(it.key.clone()).or_insert_with(|| effect.clone());
                }
            }
            Event::DebateForked(_) => self.effects.clear(),
            event => {
                receipt_of(event).map(|key| self.effects.remove(key));
            }
        }
    }

    /// Returns a plan with open effects as they were requested.
    pub fn as_requested(&self, plan: Plan) -> Plan {
        let as_requested = |effect: Effect| self.effects.get(&effect.key).cloned().unwrap_or(effect);
        match plan {
            Plan::Ask(wanted) => Plan::Ask(wanted.into_iter().map(as_requested).collect()),
            plan => plan,
        }
    }
}

/// Returns the effect of which an event is the receipt; `None` for other events.
fn receipt_of(event: &Event) -> Option<&EffectKey> {
    match event {
        Event::EffectAnswered(it) => Some(&it.key),
        Event::SearchRequested(it) => Some(&it.key),
        Event::EffectFailed(it) => Some(&it.key),
        Event::EffectAbandoned(it) => Some(&it.key),
        _ => None,
    }
}
