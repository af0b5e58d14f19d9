//! GraphQL type of a debate's timeline.

use async_graphql::{ID, SimpleObject};

use crate::api::types::analysis::what_if::LabelChange;
use crate::api::types::scalars::RegimeKind;
use faultline_core::verdicts::diff::timeline;

/// Changes of the verdict by one event.
#[derive(SimpleObject)]
pub struct TimelineEntry {
    /// Version of the event.
    version: i64,
    /// Arguments whose labels changed, in order.
    label_changes: Vec<LabelChange>,
    /// Regime after the event.
    regime: RegimeKind,
    /// Short ids of the cruxes that are open since the event.
    cruxes_gained: Vec<ID>,
    /// Short ids of the cruxes that are no longer open since the event.
    cruxes_lost: Vec<ID>,
}

impl From<&timeline::TimelineEntry> for TimelineEntry {
    fn from(entry: &timeline::TimelineEntry) -> Self {
        let ids =
            |keys: &[faultline_core::verdicts::crux_id::CruxKey]| keys.iter().map(|key| ID(key.to_string())).collect();
        TimelineEntry {
            version: entry.version,
            label_changes: entry.labels.iter().map(Into::into).collect(),
            regime: entry.regime.into(),
            cruxes_gained: ids(&entry.gained),
            cruxes_lost: ids(&entry.lost),
        }
    }
}
