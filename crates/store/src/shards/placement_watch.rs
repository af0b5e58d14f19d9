//! Task that follows the placement of lanes, corpora and vectors of questions, and ends moves of lanes that were interrupted.

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::shards::move_recovery::recover;
use crate::shards::shards::{PLACEMENT_POLL, Shards};

/// Task that looks every second where everything is that can be moved; it ends with this value.
#[derive(Debug)]
pub(crate) struct PlacementWatch(JoinHandle<()>);

impl PlacementWatch {
    /// Starts the task; `None` if there is only the home.
    pub(crate) fn start(shards: &Shards) -> Option<PlacementWatch> {
        if shards.others().is_empty() {
            return None;
        }
        let shards = shards.clone();
        Some(PlacementWatch(tokio::spawn(async move {
            loop {
                sleep(PLACEMENT_POLL).await;
                look(&shards).await;
            }
        })))
    }
}

async fn look(shards: &Shards) {
    let looked = match shards.reload().await {
        Ok(true) => {
            tracing::info!("lanes of the log, corpora or vectors of questions have moved to another server");
            recover(shards).await
        }
        Ok(false) => recover(shards).await,
        Err(fault) => Err(fault),
    };
    // The store is closed before its last handle is dropped.
    if let Err(fault) = looked
        && !shards.home().is_closed()
    {
        tracing::warn!(%fault, "cannot look where the lanes of the log, the corpora and the vectors of questions are");
    }
}

impl Drop for PlacementWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}
