//! Log scan: reads the log page by page up to its end, for exports and copies.

use crate::scans::page_size::AdaptivePageSize;
use crate::shared_stream::StreamPosition;
use faultline_store::error::StoreError;
use faultline_store::lanes::Cursor;
use faultline_store::log::log::Log;
use faultline_store::log::stored_event::StoredEvent;

/// Number of events in the first page, while event sizes are still unknown.
const FIRST_PAGE: i64 = 256;
/// Maximum number of events per page.
const MAX_LAST_PAGE: i64 = 1_000;
/// Approximate size of a page, in bytes (512 KiB).
const PAGE_BYTES: usize = 512 << 10;
/// Approximate memory use of an event in addition to its body, in bytes.
const EVENT_BYTES: usize = 400;

/// Reads the log from a cursor to the end that it had when the scan started. Events appended meanwhile may be included.
#[derive(Debug)]
pub struct LogScan {
    log: Log,
    position: Cursor,
    until: Cursor,
    kinds: Option<Vec<String>>,
    pace: AdaptivePageSize,
}

impl LogScan {
    /// Starts a scan after a cursor, limited to events of `kinds` if given.
    ///
    /// # Errors
    /// [`StoreError::Ahead`] if the cursor is beyond the end of the log; another [`StoreError`] if the database cannot be reached
    /// or refuses the statement.
    pub async fn open(log: &Log, after: Cursor, kinds: Option<Vec<String>>) -> Result<LogScan, StoreError> {
        let until = Cursor::from_heads(log.heads().await?);
        // Validates the cursor before anything is returned.
        log.read_page(&after, 0, None).await?;
        let pace = AdaptivePageSize::new(FIRST_PAGE, MAX_LAST_PAGE, PAGE_BYTES);
        Ok(LogScan { log: log.clone(), position: after, until, kinds, pace })
    }

    /// Returns the cursor after everything that was returned or skipped.
    pub fn position(&self) -> &Cursor {
        &self.position
    }

    /// Returns the next page of events, each with the cursor after it; `None` at the end. A page can be empty if the
    /// requested kinds are rare.
    ///
    /// # Errors
    /// [`StoreError`] if the log is damaged or the database cannot be reached or refuses the statement. After an error the
    /// same page is read again.
    pub async fn next(&mut self) -> Result<Option<Vec<(Cursor, StoredEvent)>>, StoreError> {
        if self.position.covers(&self.until) {
            return Ok(None);
        }
        let size = usize::try_from(self.pace.events()).unwrap_or(1);
        let page = self.log.read_page(&self.position, size, self.kinds.as_deref()).await?;
        let bytes = page.events.iter().map(|(_, event)| EVENT_BYTES + event.stored.body.len()).sum();
        self.pace.pass(page.events.len(), bytes);
        self.position = page.end;
        Ok(Some(page.events))
    }
}
