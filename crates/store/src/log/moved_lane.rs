//! Writes and reads of a lane that is being moved to another server. Writes are refused until the move is complete, and then go
//! there; a read that lacks events is repeated there.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::database::backoff::WRITE_TIMEOUT;
use crate::error::StoreError;
use crate::shard::ShardError;
use crate::shards::move_recovery::recover;
use crate::shards::shards::Shards;

/// Name of the constraint that refuses the growth of a closed lane.
const CLOSED: &str = "lanes_closed";
/// Pause before a refused write is repeated for the first time. It grows by as much each time, up to ten times as much.
const PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSES: u32 = 10;

/// Patience of a writer whose lane may be on the move.
#[derive(Debug, Default)]
pub(crate) struct MovedLane {
    since: Option<Instant>,
    n_waits: u32,
}

impl MovedLane {
    /// Waits a moment and looks where the lane is, if a write was refused because its lane is closed; then the write is to be
    /// repeated.
    ///
    /// # Errors
    /// The fault itself, if it is any other one, or if the lane has been closed for too long; the fault of the look, if the
    /// lane is on a shard that is not configured.
    pub(crate) async fn wait(&mut self, fault: StoreError, shards: &Shards) -> Result<(), StoreError> {
        let since = *self.since.get_or_insert_with(Instant::now);
        if !matches!(fault, StoreError::Shard(ShardError::LaneMoved { .. })) || since.elapsed() > WRITE_TIMEOUT {
            return Err(fault);
        }
        let looked = match shards.reload().await {
            Ok(true) => return Ok(()),
            // The move may have been interrupted, and nobody else may look for that.
            Ok(false) => recover(shards).await,
            Err(unknown @ StoreError::Shard(_)) => return Err(unknown),
            Err(fault) => Err(fault),
        };
        if let Err(fault) = looked {
            tracing::warn!(%fault, "cannot look where the lanes of the log are");
        }
        self.n_waits = (self.n_waits + 1).min(MAX_PAUSES);
        sleep(PAUSE * self.n_waits).await;
        Ok(())
    }
}

/// Looks where the lanes are after a read that failed, and returns whether it is to be repeated: events that another process has
/// already written to the new server of a lane are missing on the former one.
pub(crate) async fn may_have_moved(fault: &StoreError, shards: &Shards) -> bool {
    let is_missing = matches!(fault, StoreError::LaneGap { .. } | StoreError::Ahead { .. });
    is_missing && !shards.others().is_empty() && shards.reload().await.is_ok()
}

/// Maps the refusal of a closed lane to its fault; `None` for any other error.
pub(crate) fn moved(error: &sqlx::Error, lane: i16) -> Option<StoreError> {
    let is_closed = error.as_database_error().and_then(|error| error.constraint()) == Some(CLOSED);
    is_closed.then(|| ShardError::LaneMoved { lane }.into())
}
