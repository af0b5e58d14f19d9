//! Follower: reads events forward from a position, then waits for more; history and live events are the same read.
//!
//! Used by the projector, the supervisor, the runners and the subscriptions. The position is its only state; wake-ups
//! only trigger the next read.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::database::backoff::Backoff;
use crate::error::StoreError;
use crate::follow::log_tail::Tail;
use crate::lanes::{Cursor, Heads, LaneSet};
use crate::log::lifecycle::{LIFECYCLE_KINDS, LifecyclePage};
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
    /// The read that is under way, if any.
    reading: JoinSet<Result<Page, StoreError>>,
    /// Permits of the pool's share for streams; `None` to read without a permit.
    share: Option<Arc<Semaphore>>,
    /// Keeps the wake-ups coming.
    _tail: Tail,
}

/// Position of a follower, with the notifications that it waits for.
#[derive(Debug)]
enum ReadPosition {
    Debate { debate: DebateId, after: i64, watch: DebateWatch, dry: bool },
    Log { cursor: Cursor, part: LogPart, heads: watch::Receiver<Heads>, begun: bool },
}

/// Part of the log that is followed.
#[derive(Clone, Copy, Debug)]
enum LogPart {
    /// All events of some lanes.
    Lanes(LaneSet),
    /// Events of some kinds, of all lanes.
    Lifecycle,
}

/// Result of one read.
#[derive(Debug)]
struct Page {
    events: Vec<Recorded>,
    /// Cursor behind everything that was passed; `None` if one debate was read.
    reached: Option<Box<Cursor>>,
    /// Damage behind the events.
    damage: Option<StoreError>,
}

/// What one read is to return: events of a debate after a version, or of lanes after a cursor, up to heads that are known
/// already.
enum ReadTarget {
    Debate(DebateId, i64),
    Log { cursor: Box<Cursor>, part: LogPart, heads: Option<Box<Heads>> },
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
        Follower::of_lanes(log, tail, cursor, LaneSet::ALL)
    }

    /// Follows some lanes of the log after a cursor, whose positions in other lanes do not matter.
    pub fn of_lanes(log: &Log, tail: &Tail, cursor: Cursor, lanes: LaneSet) -> Follower {
        Follower::of_part(log, tail, cursor, LogPart::Lanes(lanes))
    }

    /// Follows the events of [`LIFECYCLE_KINDS`] in the whole log after a cursor, and reads no others.
    pub fn of_lifecycle(log: &Log, tail: &Tail, cursor: Cursor) -> Follower {
        Follower::of_part(log, tail, cursor, LogPart::Lifecycle)
    }

    fn of_part(log: &Log, tail: &Tail, cursor: Cursor, part: LogPart) -> Follower {
        let heads = tail.wakes().watch();
        Follower::at(log, tail, MAX_LOG_PAGE, ReadPosition::Log { cursor, part, heads, begun: false })
    }

    fn at(log: &Log, tail: &Tail, page: i64, position: ReadPosition) -> Follower {
        Follower {
            log: log.clone(),
            position,
            page,
            backoff: Backoff::default(),
            damage: None,
            reading: JoinSet::new(),
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
                Ok(Page { events, reached, damage }) => {
                    if !events.is_empty() {
                        self.position.advance(&events, self.page);
                    }
                    let has_passed = reached.is_some_and(|reached| self.position.pass(*reached));
                    match damage {
                        Some(fault) if events.is_empty() => return Err(fault),
                        damage => self.damage = damage,
                    }
                    if events.is_empty() && !has_passed {
                        // Nothing to read: the first read reached the end, or the wake-up belongs to another history of
                        // the log.
                        self.position.pause(&mut self.backoff).await;
                        continue;
                    }
                    if self.backoff.reset() {
                        tracing::info!("reading the log works again");
                    }
                    if events.is_empty() {
                        continue;
                    }
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
    fn handed(&self) -> Option<Page> {
        match &self.position {
            // Only after a wake-up: a follower that starts later is not woken again for events announced before.
            ReadPosition::Debate { debate, after, dry: true, .. } => {
                Some(Page::of_debate(self.log.recent_of_debate(*debate, *after, self.page)?))
            }
            ReadPosition::Log { cursor, part, heads, begun: true } => {
                let mut events = self.log.recent_of_log(cursor, &part.mask(&heads.borrow()), self.page)?;
                let mut reached = cursor.clone();
                events.iter().for_each(|event| reached.advance(event));
                if let LogPart::Lifecycle = part {
                    events.retain(|recorded| LIFECYCLE_KINDS.contains(&recorded.event.kind()));
                }
                Some(Page::of_log(events, reached))
            }
            _ => None,
        }
    }

    /// Reads the next events. A read that has begun goes on if the future is dropped, and the next call returns its
    /// result, so that a reader that is interrupted often still makes progress.
    async fn read(&mut self) -> Result<Page, StoreError> {
        if self.reading.is_empty() {
            if let Some(page) = self.handed() {
                return Ok(page);
            }
            self.reading.spawn(self.next_read());
        }
        match self.reading.join_next().await {
            Some(Ok(read)) => read,
            Some(Err(error)) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // Nobody else aborts the task, so the runtime is stopping.
                Err(_) => Err(StoreError::Stopped),
            },
            None => Err(StoreError::Stopped),
        }
    }

    /// Returns the read at the current position.
    fn next_read(&self) -> impl Future<Output = Result<Page, StoreError>> + Send + use<> {
        let (log, share, page) = (self.log.clone(), self.share.clone(), self.page);
        let target = match &self.position {
            ReadPosition::Debate { debate, after, .. } => ReadTarget::Debate(*debate, *after),
            ReadPosition::Log { cursor, part, heads, begun } => {
                let heads = begun.then(|| Box::new(part.mask(&heads.borrow())));
                ReadTarget::Log { cursor: Box::new(cursor.clone()), part: *part, heads }
            }
        };
        async move {
            let _share = match &share {
                Some(share) => share.acquire().await.ok(),
                None => None,
            };
            let reading = timeout(READ_TIMEOUT, async {
                match target {
                    ReadTarget::Debate(debate, after) => Ok(Page::of_debate(log.read(debate, after, page).await?)),
                    ReadTarget::Log { cursor, part, heads } => {
                        // The first read queries the heads of the log, and so checks that the cursor belongs to it.
                        let (heads, is_first) = match heads {
                            Some(heads) => (*heads, false),
                            None => (part.mask(&log.heads_beyond(&cursor, part.lanes()).await?), true),
                        };
                        let (events, reached) = match part {
                            LogPart::Lifecycle => return Ok(log.read_lifecycle(&cursor, &heads).await?.into()),
                            LogPart::Lanes(_) if is_first => log.read_to(&cursor, &heads, page).await?,
                            LogPart::Lanes(_) => log.read_newest(&cursor, &heads, page).await?,
                        };
                        Ok(Page::of_log(events, reached))
                    }
                }
            });
            reading.await.unwrap_or(Err(StoreError::Timeout { attempt: "follow the log", limit: READ_TIMEOUT }))
        }
    }

    /// Reads the events before the damage; empty if there are none, or if they cannot be determined.
    async fn sound_before(&self, fault: &StoreError) -> Vec<Recorded> {
        let read = match (&self.position, fault) {
            (
                ReadPosition::Debate { debate, after, .. },
                StoreError::Damaged { version: broken, .. } | StoreError::StreamGap { wanted: broken, .. },
            ) if broken - after > 1 => self.log.read(*debate, *after, broken - after - 1).await,
            (
                ReadPosition::Log { cursor, part: part @ LogPart::Lanes(_), heads, .. },
                StoreError::Damaged { lane, position: broken, .. } | StoreError::LaneGap { lane, wanted: broken, .. },
            ) => {
                let mut heads = part.mask(&heads.borrow());
                heads[*lane as usize] = broken - 1;
                self.log.read_to(cursor, &heads, self.page).await.map(|(events, _)| events)
            }
            _ => return Vec::new(),
        };
        read.unwrap_or_default()
    }
}

impl Page {
    fn of_debate(events: Vec<Recorded>) -> Page {
        Page { events, reached: None, damage: None }
    }

    fn of_log(events: Vec<Recorded>, reached: Cursor) -> Page {
        Page { events, reached: Some(Box::new(reached)), damage: None }
    }
}

impl From<LifecyclePage> for Page {
    fn from(page: LifecyclePage) -> Page {
        Page { damage: page.damage, ..Page::of_log(page.events, page.reached) }
    }
}

impl LogPart {
    fn lanes(self) -> LaneSet {
        match self {
            LogPart::Lanes(lanes) => lanes,
            LogPart::Lifecycle => LaneSet::ALL,
        }
    }

    fn mask(self, heads: &Heads) -> Heads {
        self.lanes().mask(heads)
    }
}

impl ReadPosition {
    /// Moves to a cursor that a read of the log reached. Returns whether it is further than before.
    fn pass(&mut self, reached: Cursor) -> bool {
        match self {
            ReadPosition::Log { cursor, begun, .. } if *cursor != reached => {
                *cursor = reached;
                *begun = true;
                true
            }
            _ => false,
        }
    }

    /// Waits until there is something to read, as far as this process has been notified.
    async fn growth(&mut self) {
        match self {
            ReadPosition::Debate { dry: false, .. } | ReadPosition::Log { begun: false, .. } => {}
            ReadPosition::Debate { after, watch, .. } => watch.beyond(*after).await,
            ReadPosition::Log { cursor, part, heads, .. } => {
                let grown = heads.wait_for(|heads| cursor.lag(&part.mask(heads)) > 0).await;
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
