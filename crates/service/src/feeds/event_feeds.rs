//! Event feeds: ordered streams of log events whose live part is read once for all subscribers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::time::sleep;

use crate::catch_up::{CatchUpStream, NEAR, Source, Until};
use crate::scans::page_size::AdaptivePageSize;
use crate::shared_stream::{Item, ItemStream, SharedStreams, StreamPosition};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::{Cursor, Heads};
use faultline_store::log::log::Log;

/// Delays between retries of a read while the database is temporarily unavailable.
const WAITS: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(200), Duration::from_millis(800), Duration::from_secs(2)];

/// Approximate memory budget for pages read for a single subscriber, in bytes.
const HELD_BYTES: usize = 128 * 1024;
/// Number of events in the first page for a single subscriber, while event sizes are still unknown.
const FIRST_PAGE: i64 = 8;
/// Maximum number of events per page for a single subscriber; later events may be larger.
const MAX_LAST_PAGE: i64 = 256;

/// An event, or the fault that ends the feed.
pub type Read = Result<Arc<Recorded>, StoreError>;

/// Error of a request to follow a debate or the log.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SubscribeError {
    /// The debate does not exist.
    #[error("there is no debate {0}")]
    Missing(DebateId),
    /// The version is negative.
    #[error("`after` ({0}) is negative; use 0 to start from the first event")]
    Negative(i64),
    /// The version is greater than the debate's latest.
    #[error("`after` ({after}) is greater than the latest version ({head}) of debate {debate}")]
    Future {
        /// Id of the debate.
        debate: DebateId,
        /// Version to start after, as requested.
        after: i64,
        /// Latest version of the debate.
        head: i64,
    },
    /// The cursor is beyond the end of the log.
    #[error(
        "this cursor is beyond the end of the log: it belongs to another log, or to this one before it was restored \
         from a backup"
    )]
    FutureCursor,
    /// The service or its database failed.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

/// Provides event streams over the log. One instance per process; clones share their readers.
#[derive(Clone)]
pub struct EventFeeds {
    log: Log,
    tail: Tail,
    debates: Arc<SharedStreams<DebateId, i64, Read>>,
    of_log: Arc<SharedStreams<(), Cursor, Read>>,
}

impl EventFeeds {
    /// Creates feeds over a log, woken by `tail`.
    pub fn new(log: &Log, tail: &Tail) -> EventFeeds {
        EventFeeds { log: log.clone(), tail: tail.clone(), debates: Arc::default(), of_log: Arc::default() }
    }

    /// Follows a debate's events after a version (0 for all). Ends after the debate's final event, or that of an audit or of
    /// probes which had followed it when the feed began, or at `until`.
    ///
    /// # Errors
    /// [`SubscribeError::Missing`] if the debate does not exist, [`SubscribeError::Negative`] or [`SubscribeError::Future`] if `after` is not
    /// one of its versions, [`SubscribeError::Fault`] if the database fails.
    pub async fn debate(
        &self,
        debate: DebateId,
        after: i64,
        until: Option<Until<i64>>,
    ) -> Result<Feed, SubscribeError> {
        if after < 0 {
            return Err(SubscribeError::Negative(after));
        }
        let newest = with_retry(&self.log, || self.log.newest(debate)).await?.ok_or(SubscribeError::Missing(debate))?;
        let head = newest.version;
        if after > head {
            return Err(SubscribeError::Future { debate, after, head });
        }
        let until = until.map_or(i64::MAX, |until| match until {
            Until::Position(version) => version,
            Until::Near => head - NEAR,
        });
        // After the final event of an ended debate nothing can follow, so waiting would never end.
        let is_over = newest.event.is_last() && after == head;
        let source = OfDebate { log: self.log.clone(), tail: self.tail.clone(), debate };
        let following = || CatchUpStream::new(&self.debates, debate, Arc::new(source), after);
        Ok(Feed { following: (!is_over).then(following), position: after, head, until })
    }

    /// Follows a debate's events from now on. Ends after the debate's final event.
    ///
    /// # Errors
    /// [`SubscribeError::Missing`] if the debate does not exist, [`SubscribeError::Fault`] if the database fails.
    pub async fn debate_from_now(&self, debate: DebateId) -> Result<Feed, SubscribeError> {
        let newest = with_retry(&self.log, || self.log.newest(debate)).await?.ok_or(SubscribeError::Missing(debate))?;
        self.debate(debate, newest.version, None).await
    }

    /// Follows the events of all debates after a cursor, in log order, each with the cursor after it. Ends at `until`,
    /// if given.
    ///
    /// # Errors
    /// [`SubscribeError::FutureCursor`] if the cursor is beyond the end of the log; [`SubscribeError::Fault`] if the database fails.
    pub async fn log(
        &self,
        after: Cursor,
        until: Option<Until<Cursor>>,
    ) -> Result<ItemStream<Cursor, Read>, SubscribeError> {
        let heads = with_retry(&self.log, || self.log.heads()).await?;
        if !Cursor::from_heads(heads).covers(&after) {
            return Err(SubscribeError::FutureCursor);
        }
        let source = OfLog { log: self.log.clone(), tail: self.tail.clone() };
        Ok(match until {
            Some(until) => source.range(after, until),
            None => CatchUpStream::new(&self.of_log, (), Arc::new(source), after).items(),
        })
    }

    /// Cursor at the end of the log, as far as this process knows.
    pub fn end(&self) -> Cursor {
        Cursor::from_heads(self.tail.wakes().heads())
    }
}

/// Feed of one debate's events, in order. Ends after the debate's final event.
pub struct Feed {
    /// `None` once the feed has ended.
    following: Option<CatchUpStream<DebateId, i64, Read>>,
    position: i64,
    /// Version of the debate when the feed began. An end before it was followed by an audit or probes.
    head: i64,
    /// Version after which the feed stops.
    until: i64,
}

impl Feed {
    /// Returns the next event, waiting for it if necessary; `None` after the last one and after a fault. Cancel-safe.
    pub async fn next(&mut self) -> Option<Read> {
        if self.position >= self.until {
            return None;
        }
        let item = self.following.as_mut()?.next().await?;
        self.position = item.position;
        let is_over = |recorded: &Recorded| recorded.event.is_last() && recorded.version >= self.head;
        if item.value.as_ref().map_or(true, |recorded| is_over(recorded)) {
            self.following = None;
        }
        Some(item.value)
    }

    /// Returns whether the feed has ended.
    pub fn is_over(&self) -> bool {
        self.following.is_none()
    }
}

struct OfDebate {
    log: Log,
    tail: Tail,
    debate: DebateId,
}

impl Source<i64, Read> for OfDebate {
    fn range(&self, after: i64, until: Until<i64>) -> ItemStream<i64, Read> {
        let (log, tail, debate) = (self.log.clone(), self.tail.clone(), self.debate);
        let part = async move {
            let until = match until {
                Until::Position(version) => version,
                Until::Near => match with_retry(&log, || log.head(debate)).await {
                    Ok(head) => head - NEAR,
                    Err(fault) => return stream::iter([fault_item(after, fault)]).boxed(),
                },
            };
            let items = versions(&log, &tail, debate, after, Some(alone()));
            let next = move |(mut items, position): (ItemStream<i64, Read>, i64)| async move {
                // Checked before waiting for the next event, which may not exist yet.
                if position >= until {
                    return None;
                }
                let item = items.next().await?;
                let position = item.position;
                Some((item, (items, position)))
            };
            stream::unfold((items, after), next).boxed()
        };
        stream::once(part).flatten().boxed()
    }

    fn live(&self, after: i64) -> ItemStream<i64, Read> {
        versions(&self.log, &self.tail, self.debate, after, None)
    }
}

/// Page size for a single subscriber.
fn alone() -> AdaptivePageSize {
    AdaptivePageSize::new(FIRST_PAGE, MAX_LAST_PAGE, HELD_BYTES)
}

fn bytes<P>(items: &[Item<P, Read>]) -> usize {
    items.iter().map(|item| item.bytes).sum()
}

/// Follows a debate's events after a version, without end; pages are sized by `pace` if it is given.
fn versions(
    log: &Log,
    tail: &Tail,
    debate: DebateId,
    after: i64,
    pace: Option<AdaptivePageSize>,
) -> ItemStream<i64, Read> {
    let follower = Follower::of_debate(log, tail, debate, after).for_stream();
    pages(follower, after, pace, |_, event| event.version)
}

struct OfLog {
    log: Log,
    tail: Tail,
}

impl Source<Cursor, Read> for OfLog {
    fn range(&self, after: Cursor, until: Until<Cursor>) -> ItemStream<Cursor, Read> {
        let log = self.log.clone();
        let next = move |state: Option<(Cursor, AdaptivePageSize)>| {
            let (log, until) = (log.clone(), until.clone());
            async move {
                let (position, mut pace) = state?;
                match page(&log, &position, &until, pace.events()).await {
                    Ok(events) if events.is_empty() => None,
                    Ok(events) => {
                        let items = items_after(position, events, &mut advanced);
                        pace.pass(items.len(), bytes(&items));
                        let position = items.last().map(|item| item.position.clone());
                        Some((items, position.map(|position| (position, pace))))
                    }
                    Err(fault) => Some((vec![fault_item(position, fault)], None)),
                }
            }
        };
        stream::unfold(Some((after, alone())), next).flat_map(stream::iter).boxed()
    }

    fn live(&self, after: Cursor) -> ItemStream<Cursor, Read> {
        let follower = Follower::of_log(&self.log, &self.tail, after.clone()).for_stream();
        pages(follower, after, None, advanced)
    }
}

/// Returns the next page of the log range from `after` to `until`; empty at its end.
async fn page(log: &Log, after: &Cursor, until: &Until<Cursor>, limit: i64) -> Result<Vec<Recorded>, StoreError> {
    let end: Heads = match until {
        Until::Position(cursor) => std::array::from_fn(|lane| cursor.position(lane as i16)),
        Until::Near => {
            let heads = with_retry(log, || log.heads()).await?;
            if after.lag(&heads) <= NEAR {
                return Ok(Vec::new());
            }
            heads
        }
    };
    Ok(with_retry(log, || log.read_to(after, &end, limit)).await?.0)
}

fn advanced(position: &Cursor, event: &Recorded) -> Cursor {
    let mut cursor = position.clone();
    cursor.advance(event);
    cursor
}

/// Turns a follower into a stream of single events, each with the position after it; a fault is the last item.
fn pages<P: StreamPosition>(
    follower: Follower,
    after: P,
    pace: Option<AdaptivePageSize>,
    step: impl FnMut(&P, &Recorded) -> P + Send + 'static,
) -> ItemStream<P, Read> {
    let next = |state: Option<(Follower, P, Option<AdaptivePageSize>, _)>| async move {
        let (mut follower, position, mut pace, mut step) = state?;
        if let Some(pace) = &pace {
            follower.in_pages_of(pace.events());
        }
        match follower.next().await {
            Ok(events) => {
                let items = items_after(position.clone(), events, &mut step);
                if let Some(pace) = &mut pace {
                    pace.pass(items.len(), bytes(&items));
                }
                let position = items.last().map_or(position, |item| item.position.clone());
                Some((items, Some((follower, position, pace, step))))
            }
            Err(fault) => Some((vec![fault_item(position, fault)], None)),
        }
    };
    stream::unfold(Some((follower, after, pace, step)), next).flat_map(stream::iter).boxed()
}

fn items_after<P: StreamPosition>(
    mut position: P,
    events: Vec<Recorded>,
    step: &mut dyn FnMut(&P, &Recorded) -> P,
) -> Vec<Item<P, Read>> {
    let item = |event: Recorded| {
        position = step(&position, &event);
        let bytes = wire::encode(&event.event).body.len() + size_of::<Recorded>();
        Item { position: position.clone(), value: Ok(Arc::new(event)), bytes, last: false }
    };
    events.into_iter().map(item).collect()
}

fn fault_item<P>(position: P, fault: StoreError) -> Item<P, Read> {
    Item { position, value: Err(fault), bytes: 0, last: true }
}

/// Reads with the streams' share of the connection pool and retries transient faults, so that a dropped connection does
/// not fail a subscription that could resume.
async fn with_retry<T, F: Future<Output = Result<T, StoreError>>>(
    log: &Log,
    read: impl Fn() -> F,
) -> Result<T, StoreError> {
    let read = async || {
        let _share = log.stream_permits().acquire().await;
        read().await
    };
    for wait in WAITS {
        match read().await {
            Err(fault) if fault.is_transient() => sleep(wait).await,
            read => return read,
        }
    }
    read().await
}
