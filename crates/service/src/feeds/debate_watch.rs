//! Debate watcher: yields a debate's read model whenever the debate has changed, at a limited rate.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::error::ServiceError;
use crate::feeds::event_feeds::{EventFeeds, Feed, SubscribeError};
use crate::service::DebateService;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::error::StoreError;

/// Time window within which changes are reported together.
pub const COALESCE: Duration = Duration::from_millis(200);

/// Read model of a debate, yielded at first and after each change.
pub struct DebateWatcher {
    read_model: DebateReadModel,
    /// `None` once the debate can no longer change.
    feed: Option<Feed>,
    has_started: bool,
}

impl DebateWatcher {
    /// Starts to watch a debate.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate does not exist; [`ServiceError::Fault`] if it cannot be read.
    pub async fn open(
        service: &DebateService,
        feeds: &EventFeeds,
        debate: DebateId,
    ) -> Result<DebateWatcher, ServiceError> {
        let read_model = service.read_model(debate, None).await?;
        let feed = feeds.debate(debate, read_model.summary.version, None).await.map_err(|error| match error {
            SubscribeError::Fault(fault) => ServiceError::from(fault),
            other => ServiceError::Refused(Refusal::new(RefusalKind::NotFound, other.to_string())),
        })?;
        Ok(DebateWatcher { read_model, feed: Some(feed).filter(|feed| !feed.is_over()), has_started: false })
    }

    /// Returns the current read model at first, then a new one after each change, with all events within [`COALESCE`]
    /// applied together. Returns `None` after the debate's final state was returned, and after a fault.
    pub async fn next(&mut self) -> Option<Result<Arc<DebateReadModel>, StoreError>> {
        if !std::mem::replace(&mut self.has_started, true) {
            return Some(Ok(Arc::new(self.read_model.clone())));
        }
        let feed = self.feed.as_mut()?;
        let mut deadline = None::<Instant>;
        loop {
            let read = match deadline {
                None => feed.next().await,
                Some(deadline) => match timeout_at(deadline, feed.next()).await {
                    Ok(read) => read,
                    Err(_) => break,
                },
            };
            match read {
                Some(Ok(event)) => {
                    self.read_model.apply(&event);
                    deadline.get_or_insert_with(|| Instant::now() + COALESCE);
                }
                Some(Err(fault)) => {
                    self.feed = None;
                    return Some(Err(fault));
                }
                None => {
                    self.feed = None;
                    deadline?;
                    break;
                }
            }
        }
        Some(Ok(Arc::new(self.read_model.clone())))
    }
}
