//! Shared streams: one reader per source, whose items any number of subscribers share.
//!
//! A [`Reader`] pulls a source in its own task and keeps the latest items in a ring buffer. Subscribers take items from
//! the ring at their own pace; the reader never waits for the slowest one. A subscriber that falls behind the ring, or
//! starts before it, reads the missing range itself, exactly up to a position in the ring, and continues from there.
//! The transition has no gap and no duplicate.
//!
//! ```text
//!   source ── reader ── ring [ p3 p4 p5 p6 ] ── subscriber, subscriber
//!                              ^
//!   a subscriber at p1: reads p2 p3 itself, then takes the ring
//! ```
//!
//! A reader stops when its last subscriber is dropped.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use faultline_store::lanes::{Cursor, LANES};

/// Maximum number of items in a ring.
pub const MAX_RING_ITEMS: usize = 512;
/// Maximum number of bytes in a ring; the newest item is kept regardless of its size.
pub const MAX_RING_BYTES: usize = 1024 * 1024;

/// Position in a stream: a version in the events of one debate (`i64`), a [`Cursor`] in the log. Streams are generic
/// over it, so a stream of one kind cannot be started at a position of the other.
pub trait StreamPosition: Clone + PartialEq + Send + Sync + 'static {
    /// Returns whether a subscriber at this position has received everything that one at `other` has.
    fn covers(&self, other: &Self) -> bool;
}

impl StreamPosition for i64 {
    fn covers(&self, other: &i64) -> bool {
        self >= other
    }
}

impl StreamPosition for Cursor {
    fn covers(&self, other: &Cursor) -> bool {
        (0..LANES).all(|lane| self.position(lane) >= other.position(lane))
    }
}

/// Item read from a source, with the position after it.
#[derive(Clone, Debug)]
pub struct Item<P, T> {
    /// Position after this item.
    pub position: P,
    /// Value that was read.
    pub value: T,
    /// Approximate memory use, in bytes.
    pub bytes: usize,
    /// True if this is the last item of the stream.
    pub last: bool,
}

/// Ordered stream of items.
pub type ItemStream<P, T> = BoxStream<'static, Item<P, T>>;

/// Position relative to a ring.
#[derive(Debug, PartialEq)]
pub enum Located<P> {
    /// Within the ring: the item with this number comes next.
    At(u64),
    /// Before the ring, so its next item may have been evicted; carries the newest position in the ring.
    Evicted(P),
    /// Beyond the ring: the reader has not reached it yet.
    Ahead,
}

#[derive(Debug)]
struct Ring<P, T> {
    /// Position before the first item in the ring.
    after: P,
    items: VecDeque<Item<P, T>>,
    /// Number of the first item in the ring.
    first: u64,
    bytes: usize,
    over: bool,
}

impl<P: StreamPosition, T: Clone> Ring<P, T> {
    fn new(after: P) -> Ring<P, T> {
        Ring { after, items: VecDeque::new(), first: 0, bytes: 0, over: false }
    }

    fn push(&mut self, item: Item<P, T>) {
        self.over |= item.last;
        self.bytes += item.bytes;
        self.items.push_back(item);
        while self.items.len() > MAX_RING_ITEMS || self.bytes > MAX_RING_BYTES && self.items.len() > 1 {
            let Some(gone) = self.items.pop_front() else { return };
            self.after = gone.position;
            self.bytes -= gone.bytes;
            self.first += 1;
        }
    }

    fn end(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    fn locate(&self, position: &P) -> Located<P> {
        if let Some(ix) = self.items.iter().rposition(|item| item.position == *position) {
            return Located::At(self.first + ix as u64 + 1);
        }
        if self.after == *position {
            return Located::At(self.first);
        }
        let newest = self.items.back().map_or(&self.after, |item| &item.position);
        if newest.covers(position) { Located::Evicted(newest.clone()) } else { Located::Ahead }
    }
}

#[derive(Debug)]
struct Shared<P, T> {
    ring: Mutex<Ring<P, T>>,
    /// Number of the next item; updated whenever the ring changes.
    grown: watch::Sender<u64>,
}

impl<P: StreamPosition, T: Clone> Shared<P, T> {
    fn ring(&self) -> MutexGuard<'_, Ring<P, T>> {
        // No code panics halfway through a change while holding the lock, so a poisoned lock is still consistent.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, item: Item<P, T>) {
        let end = {
            let mut ring = self.ring();
            ring.push(item);
            ring.end()
        };
        self.grown.send_replace(end);
    }
}

/// Marks the ring as ended when dropped, however the reading task ends.
struct Pump<P: StreamPosition, T: Clone>(Arc<Shared<P, T>>);

impl<P: StreamPosition, T: Clone> Drop for Pump<P, T> {
    fn drop(&mut self) {
        self.0.ring().over = true;
        self.0.grown.send_modify(|_| ());
    }
}

/// Reads a source for all subscribers. Stops when dropped.
#[derive(Debug)]
pub struct Reader<P, T> {
    shared: Arc<Shared<P, T>>,
    task: AbortHandle,
}

impl<P, T> Drop for Reader<P, T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<P: StreamPosition, T: Clone + Send + 'static> Reader<P, T> {
    /// Starts reading a source whose first item follows position `after`.
    pub fn start(after: P, mut source: ItemStream<P, T>) -> Arc<Reader<P, T>> {
        let shared = Arc::new(Shared { ring: Mutex::new(Ring::new(after)), grown: watch::Sender::new(0) });
        let pump = Pump(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            while let Some(item) = source.next().await {
                let last = item.last;
                pump.0.push(item);
                if last {
                    break;
                }
            }
        });
        Arc::new(Reader { shared, task: task.abort_handle() })
    }

    /// Locates a position relative to the ring.
    pub fn locate(&self, position: &P) -> Located<P> {
        self.shared.ring().locate(position)
    }

    /// Subscribes from the item with number `next` on.
    pub fn subscribe(self: &Arc<Self>, next: u64) -> Subscriber<P, T> {
        Subscriber { reader: Arc::clone(self), next, grown: self.shared.grown.subscribe() }
    }

    /// Subscribes from the newest item on.
    pub fn subscribe_newest(self: &Arc<Self>) -> Subscriber<P, T> {
        let next = self.shared.ring().end().saturating_sub(1);
        self.subscribe(next)
    }

    /// Subscribes to future items; if the stream has ended, to the items still in the ring.
    pub fn subscribe_live(self: &Arc<Self>) -> Subscriber<P, T> {
        let next = {
            let ring = self.shared.ring();
            if ring.over { ring.first } else { ring.end() }
        };
        self.subscribe(next)
    }

    fn is_over(&self) -> bool {
        self.shared.ring().over
    }
}

/// Result of waiting for an item.
#[derive(Debug)]
pub enum Received<P, T> {
    /// Next item.
    Item(Item<P, T>),
    /// End of the stream.
    Over,
    /// The next item is no longer in the ring.
    Lost,
}

/// Subscription to a reader.
#[derive(Debug)]
pub struct Subscriber<P, T> {
    reader: Arc<Reader<P, T>>,
    next: u64,
    grown: watch::Receiver<u64>,
}

impl<P: StreamPosition, T: Clone + Send + 'static> Subscriber<P, T> {
    /// Returns the next item, waiting for it if necessary. Cancel-safe.
    pub async fn next(&mut self) -> Received<P, T> {
        loop {
            self.grown.borrow_and_update();
            {
                let ring = self.reader.shared.ring();
                if self.next < ring.first {
                    return Received::Lost;
                }
                if let Some(item) = ring.items.get((self.next - ring.first) as usize) {
                    self.next += 1;
                    return Received::Item(item.clone());
                }
                if ring.over {
                    return Received::Over;
                }
            }
            self.change().await;
        }
    }

    /// Returns the newest item that was not taken yet and skips those before it; `None` at the end of the stream. Waits
    /// if there is no new item.
    pub async fn newest(&mut self) -> Option<Item<P, T>> {
        loop {
            self.grown.borrow_and_update();
            {
                let ring = self.reader.shared.ring();
                if self.next < ring.end()
                    && let Some(item) = ring.items.back()
                {
                    self.next = ring.end();
                    return Some(item.clone());
                }
                if ring.over {
                    return None;
                }
            }
            self.change().await;
        }
    }

    /// Waits until the ring changes.
    async fn change(&mut self) {
        // The sender is owned by the reader, which this subscription keeps alive.
        self.grown.changed().await.expect("the subscription keeps the reader alive");
    }
}

/// Registry of shared readers by key.
#[derive(Debug)]
pub struct SharedStreams<K, P, T> {
    open: Mutex<HashMap<K, Weak<Reader<P, T>>>>,
}

impl<K, P, T> Default for SharedStreams<K, P, T> {
    fn default() -> Self {
        SharedStreams { open: Mutex::default() }
    }
}

impl<K: Clone + Eq + Hash, P: StreamPosition, T: Clone + Send + 'static> SharedStreams<K, P, T> {
    /// Returns the running reader for a key, if there is one.
    pub fn find(&self, key: &K) -> Option<Arc<Reader<P, T>>> {
        self.open().get(key).and_then(Weak::upgrade).filter(|reader| !reader.is_over())
    }

    /// Returns the running reader for a key, or starts one after position `after`.
    pub fn open_at(&self, key: &K, after: P, source: impl FnOnce() -> ItemStream<P, T>) -> Arc<Reader<P, T>> {
        let mut open = self.open();
        if let Some(reader) = open.get(key).and_then(Weak::upgrade).filter(|reader| !reader.is_over()) {
            return reader;
        }
        // Entries without subscribers are removed when the table would otherwise grow.
        if open.len() == open.capacity() {
            open.retain(|_, reader| reader.strong_count() > 0);
        }
        let reader = Reader::start(after, source());
        open.insert(key.clone(), Arc::downgrade(&reader));
        reader
    }

    fn open(&self) -> MutexGuard<'_, HashMap<K, Weak<Reader<P, T>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    fn item(position: i64, bytes: usize) -> Item<i64, i64> {
        Item { position, value: position, bytes, last: false }
    }

    #[test]
    fn a_ring_keeps_the_newest_items_within_its_limits() {
        let mut ring = Ring::new(0);
        (1..=MAX_RING_ITEMS as i64).for_each(|position| ring.push(item(position, 1)));
        assert_eq!((ring.after, ring.items.len(), ring.first), (0, MAX_RING_ITEMS, 0));
        ring.push(item(MAX_RING_ITEMS as i64 + 1, 1));
        assert_eq!((ring.after, ring.items.len(), ring.first), (1, MAX_RING_ITEMS, 1));
        ring.push(item(MAX_RING_ITEMS as i64 + 2, MAX_RING_BYTES));
        assert_eq!((ring.items.len(), ring.bytes), (1, MAX_RING_BYTES));
        ring.push(item(MAX_RING_ITEMS as i64 + 3, MAX_RING_BYTES + 1));
        assert_eq!(
            (ring.items.len(), ring.bytes),
            (1, MAX_RING_BYTES + 1),
            "the newest item is kept regardless of its size"
        );
    }

    #[test]
    fn a_position_is_within_before_or_beyond_the_ring() {
        let mut ring = Ring::new(4);
        assert_eq!(ring.locate(&4), Located::At(0));
        (5..=7).for_each(|position| ring.push(item(position, 1)));
        for (position, expected) in [
            (3, Located::Evicted(7)),
            (4, Located::At(0)),
            (5, Located::At(1)),
            (7, Located::At(3)),
            (8, Located::Ahead),
        ] {
            assert_eq!(ring.locate(&position), expected, "{position}");
        }
    }

    #[tokio::test]
    async fn all_subscribers_receive_the_same_items_and_late_ones_learn_of_eviction() {
        let source = stream::iter((1..=MAX_RING_ITEMS as i64 + 10).map(|position| item(position, 1)))
            .chain(stream::pending())
            .boxed();
        let streams = SharedStreams::<u8, i64, i64>::default();
        let reader = streams.open_at(&1, 0, || source);
        let (mut one, mut two) = (reader.subscribe(0), reader.subscribe(5));
        // Both start once the source has been read up to where it blocks.
        while reader.locate(&(MAX_RING_ITEMS as i64 + 10)) == Located::Ahead {
            tokio::task::yield_now().await;
        }
        assert!(matches!(one.next().await, Received::Lost));
        assert!(matches!(two.next().await, Received::Lost));
        let mut three = reader.subscribe(10);
        for expected in 11..=MAX_RING_ITEMS as i64 + 10 {
            let Received::Item(item) = three.next().await else { panic!("nothing at {expected}") };
            assert_eq!(item.value, expected);
        }
        let newest = reader.subscribe_newest().newest().await.expect("an item");
        assert_eq!(newest.value, MAX_RING_ITEMS as i64 + 10);
        assert!(streams.find(&1).is_some());
        drop((reader, one, two, three));
        assert!(streams.find(&1).is_none(), "the reader stops with its last subscriber");
    }

    #[tokio::test]
    async fn an_ended_stream_is_read_to_its_end_and_restarted_by_the_next_subscriber() {
        let streams = SharedStreams::<u8, i64, i64>::default();
        let last = Item { last: true, ..item(2, 1) };
        let reader = streams.open_at(&1, 0, || stream::iter([item(1, 1), last, item(3, 1)]).boxed());
        let mut subscriber = reader.subscribe(0);
        let mut seen = Vec::new();
        while let Received::Item(item) = subscriber.next().await {
            seen.push(item.value);
        }
        assert_eq!(seen, [1, 2]);
        assert!(streams.find(&1).is_none());
    }
}
