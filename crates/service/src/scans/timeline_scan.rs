//! Timeline of a debate, computed from its events.

use crate::compute::compute;
use crate::error::ServiceError;
use crate::scans::event_scan::EventScan;
use crate::service::DebateService;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::diff::timeline::Timeline;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::error::StoreError;

/// Number of events that are examined before the result is kept.
const PIECE: usize = 100;

/// Continues a timeline up to a version, in pieces: a request that ends early leaves the next one less to do.
///
/// Costs a fold of the debate and one verdict for each event since the timeline's version that a verdict can depend on.
///
/// # Errors
/// As [`EventScan::open`] and [`EventScan::next`]; [`ServiceError::Fault`] if a computation panicked.
pub async fn extend_timeline(
    service: &DebateService,
    debate: DebateId,
    version: i64,
    timeline: &mut Timeline,
) -> Result<(), ServiceError> {
    let mut scan = EventScan::open(service, debate, Some(version)).await?;
    let mut read_model = DebateReadModel::default();
    while let Some(mut events) = scan.next().await? {
        while !events.is_empty() {
            let later = events.split_off(PIECE.min(events.len()));
            let (piece, mut extended) = (std::mem::replace(&mut events, later), timeline.clone());
            let extend = move || {
                extended.extend(&mut read_model, &piece);
                (extended, read_model)
            };
            (*timeline, read_model) = compute(extend).await.map_err(|_| StoreError::Stopped)?;
        }
    }
    Ok(())
}
