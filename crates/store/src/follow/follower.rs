//! Follower: reads events forward from a position, then waits for more; history and live events are the same read.
//!
//! Used by the projector, the supervisor, the runners and the subscriptions. The position is its only state; wake-ups
//! only trigger the next read.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::backoff::Backoff;
use crate::error::StoreError;
use crate::follow::log_tail::Tail;
use crate::lanes::{Cursor, Heads};
use crate::log::log::Log;
use crate::wake::watermarks::DebateWatch;
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;

/// Maximum number of events in a page of one debate.
pub const MAX_DEBATE_PAGE: i64 = 500;
/// Maximum number of events in a page of the whole log.
pub const MAX_LOG_PAGE: i64 = 2_000;
/// Time limit of one read, after which the connection counts as lost.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Reads a debate or the whole log from a position on, without gaps or repetitions and without end.
#[derive(Debug)]
pub struct Follower {
    log: Log,
    position: ReadPosition,
    /// Maximum number of events per page.
    page: i64,
    backoff: Backoff,
    /// Damage found after the page returned last.
    damage: Option<StoreError>,
    /// Permits of the pool's share for streams; `None` to read without a permit.
    share: Option<Arc<Semaphore>>,
    /// Keeps the wake-ups coming.
    _tail: Tail,
}

/// Position of a follower, with the notifications that it waits for.
#[derive(Debug)]
enum ReadPosition {
    Debate { debate: DebateId, after: i64, watch: DebateWatch, dry: bool },
    Log { cursor: Cursor, heads: watch::Receiver<Heads>, begun: bool },
}

impl Follower {
    /// Follows one debate after a version; 0 is its beginning. The debate need not exist yet.
    pub fn of_debate(log: &Log, tail: &Tail, debate: DebateId, after: i64) -> Follower {
        // Subscribes before the first read, so that no event is missed in between.
        let watch = tail.wakes().watch_debate(debate);
        Follower::at(
            log,
            tail,
            MAX_DEBATE_PAGE,
            ReadPosition::Debate { debate, after: after.max(0), watch, dry: false },
        )
    }

    /// Follows the whole log after a cursor; the default cursor is its beginning.
    pub fn of_log(log: &Log, tail: &Tail, cursor: Cursor) -> Follower {
        Follower::at(log, tail, MAX_LOG_PAGE, ReadPosition::Log { cursor, heads: tail.wakes().watch(), begun: false })
    }

    fn at(log: &Log, tail: &Tail, page: i64, position: ReadPosition) -> Follower {
        Follower {
            log: log.clone(),
            position,
            page,
            backoff: Backoff::default(),
            damage: None,
            share: None,
            _tail: tail.clone(),
        }
    }

    /// Limits the pages to `limit` events from now on, for a reader that keeps events in memory for long.
    pub fn in_pages_of(&mut self, limit: i64) {
        self.page = limit.max(1);
    }

    /// Restricts the reads to the pool's share for streams.
    pub fn for_stream(mut self) -> Follower {
        self.share = Some(Arc::clone(self.log.stream_permits()));
        self
    }

    /// Returns the next events, at least one; waits while there are none. At most [`MAX_DEBATE_PAGE`] or [`MAX_LOG_PAGE`], or
    /// the limit set by [`Follower::in_pages_of`].
    ///
    /// Retries while the database is unavailable. The future may be dropped at any time: events that were not returned
    /// are returned by the next call.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::LaneGap`] or [`StoreError::StreamGap`] if the log is damaged, and
    /// [`StoreError::Ahead`] if the cursor belongs to another log. Events before the damage are returned first; then
    /// every call returns the fault until the damage is repaired or skipped by [`Follower::skip`].
    pub async fn next(&mut self) -> Result<Vec<Recorded>, StoreError> {
        if let Some(fault) = self.damage.take() {
            return Err(fault);
        }
        loop {
            self.position.growth().await;
            let fault = match self.read().await {
                Ok(events) if events.is_empty() => {
                    // Nothing to read: the first read reached the end, or the wake-up belongs to another history of the
                    // log.
                    self.position.pause(&mut self.backoff).await;
                    continue;
                }
                Ok(events) => {
                    if self.backoff.reset() {
                        tracing::info!("reading the log works again");
                    }
                    self.position.advance(&events, self.page);
                    return Ok(events);
                }
                Err(fault) => fault,
            };
            if fault.is_transient() {
                let wait = self.backoff.next();
                if self.backoff.has_just_begun() {
                    tracing::warn!(%fault, "cannot read the log, trying again");
                }
                sleep(wait).await;
                continue;
            }
            let events = self.sound_before(&fault).await;
            if events.is_empty() {
                return Err(fault);
            }
            self.position.advance(&events, self.page);
            self.position.look_again();
            self.damage = Some(fault);
            return Ok(events);
        }
    }

    /// Skips an undecodable event that [`Follower::next`] reported, for a reader that records what it skips. Returns
    /// false, and changes nothing, for any other fault.
    pub fn skip(&mut self, fault: &StoreError) -> bool {
        let StoreError::Damaged { debate, version, lane, position, .. } = fault else { return false };
        match &mut self.position {
            ReadPosition::Debate { debate: own, after, .. } if own == debate && *after + 1 == *version => {
                *after = *version
            }
            ReadPosition::Log { cursor, .. } if cursor.position(*lane) + 1 == *position => cursor.set(*lane, *position),
            _ => return false,
        }
        true
    }

    /// Returns the cursor after the last event of the whole log that was returned; `None` if one debate is followed.
    pub fn cursor(&self) -> Option<&Cursor> {
        match &self.position {
            ReadPosition::Log { cursor, .. } => Some(cursor),
            ReadPosition::Debate { .. } => None,
        }
    }

    /// Returns the next events from memory if this process has just written them; saves a read of the database.
    fn handed(&self) -> Option<Vec<Recorded>> {
        match &self.position {
            // Only after a wake-up: a follower that starts later is not woken again for events announced before.
            ReadPosition::Debate { debate, after, dry: true, .. } => {
                self.log.recent_of_debate(*debate, *after, self.page)
            }
            ReadPosition::Log { cursor, heads, begun: true } => {
                self.log.recent_of_log(cursor, &heads.borrow(), self.page)
            }
            _ => None,
        }
    }

    async fn read(&self) -> Result<Vec<Recorded>, StoreError> {
        if let Some(events) = self.handed() {
            return Ok(events);
        }
        let _share = match &self.share {
            Some(share) => share.acquire().await.ok(),
            None => None,
        };
        let reading = timeout(READ_TIMEOUT, async {
            match &self.position {
                ReadPosition::Debate { debate, after, .. } => self.log.read(*debate, *after, self.page).await,
                // The first read queries the heads of the log, and so checks that the cursor belongs to it.
                ReadPosition::Log { cursor, begun: false, .. } => Ok(self.log.read_all(cursor, self.page).await?.0),
                ReadPosition::Log { cursor, heads, .. } => {
                    let heads = *heads.borrow();
                    Ok(self.log.read_to(cursor, &heads, self.page).await?.0)
                }
            }
        });
        reading.await.unwrap_or(Err(StoreError::Timeout { attempt: "follow the log", limit: READ_TIMEOUT }))
    }

    /// Reads the events before the damage; empty if there are none, or if they cannot be determined.
    async fn sound_before(&self, fault: &StoreError) -> Vec<Recorded> {
        let read = match (&self.position, fault) {
            (
                ReadPosition::Debate { debate, after, .. },
                StoreError::Damaged { version: broken, .. } | StoreError::StreamGap { wanted: broken, .. },
            ) if broken - after > 1 => self.log.read(*debate, *after, broken - after - 1).await,
            (
                ReadPosition::Log { cursor, heads, .. },
                StoreError::Damaged { lane, position: broken, .. } | StoreError::LaneGap { lane, wanted: broken, .. },
            ) => {
                let mut heads = *heads.borrow();
                heads[*lane as usize] = broken - 1;
                self.log.read_to(cursor, &heads, self.page).await.map(|(events, _)| events)
            }
            _ => return Vec::new(),
        };
        read.unwrap_or_default()
    }
}

impl ReadPosition {
    /// Waits until there is something to read, as far as this process has been notified.
    async fn growth(&mut self) {
        match self {
            ReadPosition::Debate { dry: false, .. } | ReadPosition::Log { begun: false, .. } => {}
            ReadPosition::Debate { after, watch, .. } => watch.beyond(*after).await,
            ReadPosition::Log { cursor, heads, .. } => {
                let grown = heads.wait_for(|heads| cursor.lag(heads) > 0).await;
                drop(grown.expect("the follower's log keeps the sender alive"));
            }
        }
    }

    /// Records that a read returned nothing.
    async fn pause(&mut self, backoff: &mut Backoff) {
        match self {
            ReadPosition::Debate { dry: first @ false, .. } => *first = true,
            ReadPosition::Log { begun: first @ false, .. } => *first = true,
            _ => sleep(backoff.next()).await,
        }
    }

    /// Requests another read without waiting, whatever the length of the last page.
    fn look_again(&mut self) {
        if let ReadPosition::Debate { dry, .. } = self {
            *dry = false;
        }
    }

    /// Moves behind the events that were read.
    fn advance(&mut self, events: &[Recorded], page: i64) {
        match self {
            ReadPosition::Debate { after, dry, .. } => {
                *after = events.last().map_or(*after, |event| event.version);
                *dry = (events.len() as i64) < page;
            }
            ReadPosition::Log { cursor, begun, .. } => {
                events.iter().for_each(|event| cursor.advance(event));
                *begun = true;
            }
        }
    }
}
