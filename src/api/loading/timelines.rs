//! Timelines of debates, kept in memory and continued when a debate has grown.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use async_graphql::{Context, Result};

use crate::api::error::from_service;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::timeline::{Timeline, TimelineEntry};
use faultline_service::scans::timeline_scan::extend_timeline;
use faultline_service::service::DebateService;

/// Maximum number of timelines in memory; the least recently used one is dropped. One with a thousand entries has about
/// 100 kB.
const MAX_TIMELINES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

/// Timelines of the debates that were asked for most recently. Clones share them.
#[derive(Clone)]
pub struct Timelines(Arc<Mutex<LruCache<DebateId, Kept>>>);

/// Returns the timeline of a debate up to one of its versions, from those in memory.
///
/// # Errors
/// As [`Timelines::until`].
pub async fn verdict_changes(context: &Context<'_>, debate: DebateId, version: i64) -> Result<Vec<TimelineEntry>> {
    let (timelines, service) = (context.data::<Timelines>()?, context.data::<DebateService>()?);
    timelines.until(service, debate, version).await
}

/// Timeline that one request at a time continues, so that the others wait for it rather than compute it too.
type Kept = Arc<tokio::sync::Mutex<Timeline>>;

impl Default for Timelines {
    fn default() -> Self {
        Timelines(Arc::new(Mutex::new(LruCache::new(MAX_TIMELINES))))
    }
}

impl Timelines {
    /// Returns the timeline of a debate up to one of its versions.
    ///
    /// Costs a fold of the debate and one verdict for each event that a verdict can depend on, once; then only the events
    /// that were recorded since.
    ///
    /// # Errors
    /// The codes of [`from_service`] if the log cannot be read or a computation panicked.
    pub async fn until(&self, service: &DebateService, debate: DebateId, version: i64) -> Result<Vec<TimelineEntry>> {
        let kept = self.kept(debate);
        let mut timeline = kept.lock().await;
        if timeline.version() < version {
            extend_timeline(service, debate, version, &mut timeline).await.map_err(from_service)?;
        }
        Ok(timeline.until(version).to_vec())
    }

    fn kept(&self, debate: DebateId) -> Kept {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.get_or_insert(debate, Kept::default))
    }
}
