//! Timelines of debates, kept in memory and continued when a debate has grown.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use async_graphql::Result;

use crate::api::error::{from_panic, from_service};
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::timeline::{Timeline, TimelineEntry};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::compute::compute;
use faultline_service::scans::event_scan::EventScan;
use faultline_service::service::DebateService;

/// Maximum number of timelines in memory; the least recently used one is dropped. One with a thousand entries has about
/// 100 kB.
const MAX_TIMELINES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);
/// Number of events that are examined before the result is kept.
const PIECE: usize = 100;

/// Timelines of the debates that were asked for most recently. Clones share them.
#[derive(Clone)]
pub struct Timelines(Arc<Mutex<LruCache<DebateId, Kept>>>);

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
    /// The codes of [`from_service`] if the log cannot be read, and of [`from_panic`] if a computation panicked.
    pub async fn until(&self, service: &DebateService, debate: DebateId, version: i64) -> Result<Vec<TimelineEntry>> {
        let kept = self.kept(debate);
        let mut timeline = kept.lock().await;
        if timeline.version() < version {
            extend(service, debate, version, &mut timeline).await?;
        }
        Ok(timeline.until(version).to_vec())
    }

    fn kept(&self, debate: DebateId) -> Kept {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.get_or_insert(debate, Kept::default))
    }
}

/// Continues a timeline up to a version, in pieces: a request that ends early leaves the next one less to do.
async fn extend(service: &DebateService, debate: DebateId, version: i64, timeline: &mut Timeline) -> Result<()> {
    let mut scan = EventScan::open(service, debate, Some(version)).await.map_err(from_service)?;
    let mut read_model = DebateReadModel::default();
    while let Some(mut events) = scan.next().await.map_err(from_service)? {
        while !events.is_empty() {
            let later = events.split_off(PIECE.min(events.len()));
            let (piece, mut extended) = (std::mem::replace(&mut events, later), timeline.clone());
            let extend = move || {
                extended.extend(&mut read_model, &piece);
                (extended, read_model)
            };
            (*timeline, read_model) = compute(extend).await.map_err(|error| from_panic(&error))?;
        }
    }
    Ok(())
}
