//! What is read of the log for those who follow it: once for everybody, whoever they are and whatever they ask.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::time::sleep;

use crate::desk::follow::{Following, NEAR, Source, Upto};
use crate::desk::pace::Pace;
use crate::desk::relay::{Item, Items, Place, Relays};
use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire;
use crate::store::fault::Fault;
use crate::store::follower::Follower;
use crate::store::lanes::{Cursor, Heads, LANES};
use crate::store::log::Log;
use crate::store::tail::Tail;

/// How long a stream waits before it looks again, where the database is away for a moment.
const WAITS: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(200), Duration::from_millis(800), Duration::from_secs(2)];

/// What is read for one reader alone stays with it until he has taken it: about so much at once, in bytes.
const HELD_BYTES: usize = 128 * 1024;
/// So many events are read for him at first, when nobody knows how long they are.
const FIRST_PAGE: i64 = 8;
/// So many at the most: those that follow may be longer.
const LAST_PAGE: i64 = 256;

/// An event, or why none can be read any more.
pub type Read = Result<Arc<Recorded>, Fault>;

/// Why something cannot be followed from where somebody wants to begin.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NoFeed {
    /// There is no such debate.
    #[error("there is no debate {0}")]
    Missing(DebateId),
    /// A version that is none.
    #[error("after is {0}; a version is 1 or more, and 0 is before all")]
    Negative(i64),
    /// A version that the debate does not have yet.
    #[error("after is {after}; debate {debate} has versions 1 to {head}, and 0 is before all")]
    Future {
        /// The debate.
        debate: DebateId,
        /// Where to begin.
        after: i64,
        /// The debate's newest version.
        head: i64,
    },
    /// A cursor that the log has not come to yet.
    #[error(
        "this cursor lies beyond the end of the log: it was given by another log, or by this one before it was restored"
    )]
    FutureCursor,
    /// Our own fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Whoever reads the log for others. One a process; clones share.
#[derive(Clone)]
pub struct Feeds {
    log: Log,
    tail: Tail,
    debates: Arc<Relays<DebateId, i64, Read>>,
    whole: Arc<Relays<(), Cursor, Read>>,
}

impl Feeds {
    /// Reads this log, woken by this tail.
    pub fn new(log: &Log, tail: &Tail) -> Feeds {
        Feeds { log: log.clone(), tail: tail.clone(), debates: Arc::default(), whole: Arc::default() }
    }

    /// A debate's events after a version; 0 for all of them. Ends behind the debate's last event, and where `upto` says.
    ///
    /// # Errors
    /// [`NoFeed`].
    pub async fn debate(&self, debate: DebateId, after: i64, upto: Option<Upto<i64>>) -> Result<Feed, NoFeed> {
        if after < 0 {
            return Err(NoFeed::Negative(after));
        }
        let newest = patiently(&self.log, || self.log.newest(debate)).await?.ok_or(NoFeed::Missing(debate))?;
        let head = newest.version;
        if after > head {
            return Err(NoFeed::Future { debate, after, head });
        }
        let upto = upto.map_or(i64::MAX, |it| match it {
            Upto::Place(version) => version,
            Upto::Near => head - NEAR,
        });
        // Whoever has the last event of a debate that is over would wait for ever.
        let is_over = newest.event.is_last() && after == head;
        let source = OfDebate { log: self.log.clone(), tail: self.tail.clone(), debate };
        let following = || Following::new(&self.debates, debate, Arc::new(source), after);
        Ok(Feed { following: (!is_over).then(following), at: after, upto })
    }

    /// The events of all debates behind a cursor, in the log's order, each with the cursor behind it. Ends where `upto`
    /// says.
    ///
    /// # Errors
    /// [`NoFeed::FutureCursor`], and the database's.
    pub async fn log(&self, after: Cursor, upto: Option<Upto<Cursor>>) -> Result<Items<Cursor, Read>, NoFeed> {
        let heads = patiently(&self.log, || self.log.heads()).await?;
        if !Cursor::at(heads).covers(&after) {
            return Err(NoFeed::FutureCursor);
        }
        let source = OfLog { log: self.log.clone(), tail: self.tail.clone() };
        Ok(match upto {
            Some(upto) => source.stretch(after, upto),
            None => Following::new(&self.whole, (), Arc::new(source), after).items(),
        })
    }

    /// The log's end, as far as this process has heard of it.
    pub fn end(&self) -> Cursor {
        Cursor::at(self.tail.wakes().heads())
    }
}

/// A debate's events, one after the other. Ends after the debate's last.
pub struct Feed {
    /// `None` once there is nothing more to come.
    following: Option<Following<DebateId, i64, Read>>,
    at: i64,
    /// The version after which to stop.
    upto: i64,
}

impl Feed {
    /// The next event; waits while there is none. `None` after the last, and after a fault. May be dropped at any time.
    pub async fn next(&mut self) -> Option<Read> {
        if self.at >= self.upto {
            return None;
        }
        let item = self.following.as_mut()?.next().await?;
        self.at = item.place;
        if item.value.as_ref().map_or(true, |it| it.event.is_last()) {
            self.following = None;
        }
        Some(item.value)
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.following.is_none()
    }
}

impl Place for Cursor {
    fn covers(&self, other: &Cursor) -> bool {
        (0..LANES).all(|lane| self.position(lane) >= other.position(lane))
    }
}

struct OfDebate {
    log: Log,
    tail: Tail,
    debate: DebateId,
}

impl Source<i64, Read> for OfDebate {
    fn stretch(&self, from: i64, upto: Upto<i64>) -> Items<i64, Read> {
        let (log, tail, debate) = (self.log.clone(), self.tail.clone(), self.debate);
        let part = async move {
            let end = match upto {
                Upto::Place(version) => version,
                Upto::Near => match patiently(&log, || log.head(debate)).await {
                    Ok(head) => head - NEAR,
                    Err(fault) => return stream::iter([failed(from, fault)]).boxed(),
                },
            };
            let items = versions(&log, &tail, debate, from, Some(alone()));
            let next = move |(mut items, at): (Items<i64, Read>, i64)| async move {
                // Looked at before the next is waited for: that may not be there yet.
                if at >= end {
                    return None;
                }
                let item = items.next().await?;
                let at = item.place;
                Some((item, (items, at)))
            };
            stream::unfold((items, from), next).boxed()
        };
        stream::once(part).flatten().boxed()
    }

    fn live(&self, from: i64) -> Items<i64, Read> {
        versions(&self.log, &self.tail, self.debate, from, None)
    }
}

/// How much is read at once for one reader alone.
fn alone() -> Pace {
    Pace::new(FIRST_PAGE, LAST_PAGE, HELD_BYTES)
}

fn bytes<P>(items: &[Item<P, Read>]) -> usize {
    items.iter().map(|it| it.bytes).sum()
}

/// A debate's events from a version on, for ever; at a pace where they are for one reader alone.
fn versions(log: &Log, tail: &Tail, debate: DebateId, from: i64, pace: Option<Pace>) -> Items<i64, Read> {
    let follower = Follower::of_debate(log, tail, debate, from).for_stream();
    pages(follower, from, pace, |_, event| event.version)
}

struct OfLog {
    log: Log,
    tail: Tail,
}

impl Source<Cursor, Read> for OfLog {
    fn stretch(&self, from: Cursor, upto: Upto<Cursor>) -> Items<Cursor, Read> {
        let log = self.log.clone();
        let next = move |state: Option<(Cursor, Pace)>| {
            let (log, upto) = (log.clone(), upto.clone());
            async move {
                let (at, mut pace) = state?;
                match page(&log, &at, &upto, pace.events()).await {
                    Ok(events) if events.is_empty() => None,
                    Ok(events) => {
                        let items = placed(at, events, &mut |at, event| behind(at, event));
                        pace.pass(items.len(), bytes(&items));
                        let at = items.last().map(|it| it.place.clone());
                        Some((items, at.map(|it| (it, pace))))
                    }
                    Err(fault) => Some((vec![failed(at, fault)], None)),
                }
            }
        };
        stream::unfold(Some((from, alone())), next).flat_map(stream::iter).boxed()
    }

    fn live(&self, from: Cursor) -> Items<Cursor, Read> {
        let follower = Follower::of_log(&self.log, &self.tail, from.clone()).for_stream();
        pages(follower, from, None, behind)
    }
}

/// What follows of the log within a stretch; nothing at its end.
async fn page(log: &Log, at: &Cursor, upto: &Upto<Cursor>, most: i64) -> Result<Vec<Recorded>, Fault> {
    let end: Heads = match upto {
        Upto::Place(cursor) => std::array::from_fn(|lane| cursor.position(lane as i16)),
        Upto::Near => {
            let heads = patiently(log, || log.heads()).await?;
            if at.behind(&heads) <= NEAR {
                return Ok(Vec::new());
            }
            heads
        }
    };
    Ok(patiently(log, || log.read_to(at, &end, most)).await?.0)
}

fn behind(at: &Cursor, event: &Recorded) -> Cursor {
    let mut cursor = at.clone();
    cursor.pass(event);
    cursor
}

/// What a follower reads, event by event, each with the place behind it; a fault is the last.
fn pages<P: Place>(
    follower: Follower,
    from: P,
    pace: Option<Pace>,
    step: impl FnMut(&P, &Recorded) -> P + Send + 'static,
) -> Items<P, Read> {
    let next = |state: Option<(Follower, P, Option<Pace>, _)>| async move {
        let (mut follower, at, mut pace, mut step) = state?;
        if let Some(pace) = &pace {
            follower.in_pages_of(pace.events());
        }
        match follower.next().await {
            Ok(events) => {
                let items = placed(at.clone(), events, &mut step);
                if let Some(pace) = &mut pace {
                    pace.pass(items.len(), bytes(&items));
                }
                let at = items.last().map_or(at, |it| it.place.clone());
                Some((items, Some((follower, at, pace, step))))
            }
            Err(fault) => Some((vec![failed(at, fault)], None)),
        }
    };
    stream::unfold(Some((follower, from, pace, step)), next).flat_map(stream::iter).boxed()
}

fn placed<P: Place>(mut at: P, events: Vec<Recorded>, step: &mut dyn FnMut(&P, &Recorded) -> P) -> Vec<Item<P, Read>> {
    let place = |event: Recorded| {
        at = step(&at, &event);
        let bytes = wire::encode(&event.event).body.len() + size_of::<Recorded>();
        Item { place: at.clone(), value: Ok(Arc::new(event)), bytes, last: false }
    };
    events.into_iter().map(place).collect()
}

fn failed<P>(at: P, fault: Fault) -> Item<P, Read> {
    Item { place: at, value: Err(fault), bytes: 0, last: true }
}

/// Reads with the streams' share of the pool. A connection that was cut is no reason to refuse a stream that would outlive
/// its being cut.
async fn patiently<T, F: Future<Output = Result<T, Fault>>>(log: &Log, read: impl Fn() -> F) -> Result<T, Fault> {
    let read = async || {
        let _share = log.stream_share().acquire().await;
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
