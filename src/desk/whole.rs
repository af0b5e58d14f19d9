//! The log up to its end, page by page: for whoever takes all of it elsewhere.

use crate::desk::pace::Pace;
use crate::desk::relay::Place;
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::lanes::Cursor;
use crate::store::log::Log;

/// So many events are read at first, when nobody knows how long they are.
const FIRST_PAGE: i64 = 256;
/// So many at the most.
const LAST_PAGE: i64 = 1_000;
/// About so much is read at once, in bytes: 512 KiB.
const PAGE_BYTES: usize = 512 << 10;
/// What is held of an event beside its body, about, in bytes.
const EVENT_BYTES: usize = 400;

/// Reads the log from a place to its end, as that was at the beginning: what is recorded meanwhile may come too.
#[derive(Debug)]
pub struct Whole {
    log: Log,
    at: Cursor,
    end: Cursor,
    kinds: Option<Vec<String>>,
    pace: Pace,
}

impl Whole {
    /// From behind a cursor; only events of some kinds, where kinds are given.
    ///
    /// # Errors
    /// [`Fault::Ahead`] for a cursor beyond the end of the log; the database's.
    pub async fn open(log: &Log, after: Cursor, kinds: Option<Vec<String>>) -> Result<Whole, Fault> {
        let end = Cursor::at(log.heads().await?);
        // Says so where the cursor is of another log, before anything is told.
        log.page(&after, 0, None).await?;
        let pace = Pace::new(FIRST_PAGE, LAST_PAGE, PAGE_BYTES);
        Ok(Whole { log: log.clone(), at: after, end, kinds, pace })
    }

    /// Behind everything that was given out, or looked at.
    pub fn at(&self) -> &Cursor {
        &self.at
    }

    /// The next events, each with the cursor behind it; there may be none on a page where kinds are rare. `None` at the end.
    ///
    /// # Errors
    /// Damage in the log; the database's. What comes next is the same page again.
    pub async fn next(&mut self) -> Result<Option<Vec<(Cursor, Kept)>>, Fault> {
        if self.at.covers(&self.end) {
            return Ok(None);
        }
        let size = usize::try_from(self.pace.events()).unwrap_or(1);
        let page = self.log.page(&self.at, size, self.kinds.as_deref()).await?;
        let bytes = page.events.iter().map(|(_, it)| EVENT_BYTES + it.stored.body.len()).sum();
        self.pace.pass(page.events.len(), bytes);
        self.at = page.reached;
        Ok(Some(page.events))
    }
}
