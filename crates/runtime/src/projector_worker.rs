//! Parts that the workers of a projector share: their pace, pauses after faults, and signals to each other.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use faultline_store::error::StoreError;

/// Interval at which the state of the generations is checked.
pub(crate) const LOOK: Duration = Duration::from_millis(250);
/// Pause after a fault.
const PAUSE: Duration = Duration::from_secs(1);
/// Counter of saves that were refused because another member had taken over.
const REFUSED: &str = "faultline_projector_saves_refused_total";

/// Wakes the workers of this process when one of them has changed a generation.
#[derive(Clone)]
pub struct WakeUp {
    sender: Arc<watch::Sender<()>>,
    receiver: watch::Receiver<()>,
}

impl WakeUp {
    /// Creates a signal; its clones belong together.
    pub(crate) fn new() -> WakeUp {
        let (sender, receiver) = watch::channel(());
        WakeUp { sender: Arc::new(sender), receiver }
    }

    /// Wakes all workers.
    pub(crate) fn send(&self) {
        self.sender.send_replace(());
    }

    /// Waits until a worker has sent a wake-up. Cancel-safe.
    pub(crate) async fn received(&mut self) {
        // The sender lives as long as this receiver.
        let _sent = self.receiver.changed().await;
    }
}

/// Logs a fault of a member's work, and waits before the work begins again from what is stored.
pub(crate) async fn pause_after(fault: StoreError, work: &'static str) {
    if matches!(fault, StoreError::Superseded) {
        metrics::counter!(REFUSED).increment(1);
        tracing::info!(work, "another process has taken over lanes of the stored views");
        sleep(LOOK).await;
    } else {
        tracing::warn!(work, %fault, "the projector failed, restarting");
        sleep(PAUSE).await;
    }
}
