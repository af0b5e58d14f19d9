//! Task that follows the placement of lanes, and ends moves that were interrupted.

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::shards::move_recovery::recover;
use crate::shards::shards::{PLACEMENT_POLL, Shards};

/// Task that looks every second where the lanes are; it ends with this value.
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
    match shards.reload().await {
        Ok(true) => tracing::info!("lanes of the log have moved to another server"),
        Ok(false) => {}
        Err(fault) => return tracing::warn!(%fault, "cannot look where the lanes of the log are"),
    }
    if let Err(fault) = recover(shards).await {
        tracing::warn!(%fault, "cannot look for interrupted moves of lanes");
    }
}

impl Drop for PlacementWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}
