//! Scan of the events of one debate, page by page, up to a version that was resolved when it began.

use crate::error::ServiceError;
use crate::service::{DebateService, PAGE};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_store::error::StoreError;

/// Scan of a debate's events.
pub struct EventScan {
    service: DebateService,
    debate: DebateId,
    /// Version of the last event that was returned.
    after: i64,
    last: i64,
}

impl EventScan {
    /// Begins a scan of the events up to version `at`, or up to the latest version if `None`.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate or the version does not exist; [`ServiceError::Fault`] if the log cannot be
    /// read.
    pub async fn open(service: &DebateService, debate: DebateId, at: Option<i64>) -> Result<EventScan, ServiceError> {
        let last = service.version(debate, at).await?;
        Ok(EventScan { service: service.clone(), debate, after: 0, last })
    }

    /// Version of the last event of the scan.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Returns the next page of events; `None` after the last one.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate was erased; [`ServiceError::Fault`] if the log cannot be read or lacks
    /// events.
    pub async fn next(&mut self) -> Result<Option<Vec<Recorded>>, ServiceError> {
        if self.after >= self.last {
            return Ok(None);
        }
        let page = self.service.events(self.debate, self.after, PAGE.min(self.last - self.after)).await?;
        let Some(end) = page.last() else {
            let (debate, wanted, found) = (self.debate, self.after + 1, self.last);
            return Err(ServiceError::Fault(StoreError::StreamGap { debate, wanted, found }));
        };
        self.after = end.version;
        Ok(Some(page))
    }

    /// Returns all remaining events.
    ///
    /// # Errors
    /// As [`EventScan::next`].
    pub async fn collect(mut self) -> Result<Vec<Recorded>, ServiceError> {
        let mut events = Vec::new();
        while let Some(page) = self.next().await? {
            events.extend(page);
        }
        Ok(events)
    }
}
