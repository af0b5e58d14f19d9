//! One reader for everybody: whatever follows the same thing shares what is read, and may come and go as it likes.
//!
//! A [`Reader`] pulls a source in a task of its own and keeps the last items in a ring. Whoever follows takes them from
//! there at his own pace; nothing waits for the slowest. Who fell out of the ring, or begins before it, reads the part that
//! is missing for himself, exactly up to a place of the ring, and goes on from there: so the seam has no gap and no repeat.
//!
//! ```text
//!   source ── reader ── ring [ p3 p4 p5 p6 ] ── tap, tap, tap
//!                              ^
//!   a follower at p1: a stretch of its own, p2 p3, then the ring
//! ```
//!
//! A reader ends with its last follower.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// The most items that a ring keeps.
pub const KEPT: usize = 512;
/// The most bytes that a ring keeps; the newest item is kept whatever its size.
pub const KEPT_BYTES: usize = 1024 * 1024;

/// Where a follower stands.
pub trait Place: Clone + PartialEq + Send + Sync + 'static {
    /// Whether who stands here has seen all that one has seen who stands there.
    fn covers(&self, other: &Self) -> bool;
}

impl Place for i64 {
    fn covers(&self, other: &i64) -> bool {
        self >= other
    }
}

/// Something that was read, and the place behind it.
#[derive(Clone, Debug)]
pub struct Item<P, T> {
    /// Where one stands who has it.
    pub place: P,
    /// What was read.
    pub value: T,
    /// About how much memory it takes, in bytes.
    pub bytes: usize,
    /// Whether nothing follows.
    pub last: bool,
}

/// Items in order.
pub type Items<P, T> = BoxStream<'static, Item<P, T>>;

/// Where a place lies, seen from a ring.
#[derive(Debug, PartialEq)]
pub enum Located<P> {
    /// In it: the item of this number comes next.
    At(u64),
    /// Before it; the ring's newest place.
    Behind(P),
    /// Beyond it: the reader is not there yet.
    Ahead,
}

#[derive(Debug)]
struct Ring<P, T> {
    /// The place before the first item that is kept.
    before: P,
    kept: VecDeque<Item<P, T>>,
    /// The number of the first item that is kept.
    first: u64,
    bytes: usize,
    over: bool,
}

impl<P: Place, T: Clone> Ring<P, T> {
    fn new(before: P) -> Ring<P, T> {
        Ring { before, kept: VecDeque::new(), first: 0, bytes: 0, over: false }
    }

    fn push(&mut self, item: Item<P, T>) {
        self.over |= item.last;
        self.bytes += item.bytes;
        self.kept.push_back(item);
        while self.kept.len() > KEPT || self.bytes > KEPT_BYTES && self.kept.len() > 1 {
            let Some(gone) = self.kept.pop_front() else { return };
            self.before = gone.place;
            self.bytes -= gone.bytes;
            self.first += 1;
        }
    }

    fn end(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    fn locate(&self, at: &P) -> Located<P> {
        if let Some(ix) = self.kept.iter().rposition(|it| it.place == *at) {
            return Located::At(self.first + ix as u64 + 1);
        }
        if self.before == *at {
            return Located::At(self.first);
        }
        let newest = self.kept.back().map_or(&self.before, |it| &it.place);
        if newest.covers(at) { Located::Behind(newest.clone()) } else { Located::Ahead }
    }
}

#[derive(Debug)]
struct Shared<P, T> {
    ring: Mutex<Ring<P, T>>,
    /// The number of the item that comes next; changes whenever the ring does.
    grown: watch::Sender<u64>,
}

impl<P: Place, T: Clone> Shared<P, T> {
    fn ring(&self) -> MutexGuard<'_, Ring<P, T>> {
        // Nothing that is done under the lock leaves it half done.
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

/// Says that nothing more will come, however the task that pulls the source ends.
struct Pump<P: Place, T: Clone>(Arc<Shared<P, T>>);

impl<P: Place, T: Clone> Drop for Pump<P, T> {
    fn drop(&mut self) {
        self.0.ring().over = true;
        self.0.grown.send_modify(|_| ());
    }
}

/// Pulls a source for everybody. It stops when it is dropped.
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

impl<P: Place, T: Clone + Send + 'static> Reader<P, T> {
    /// Starts to read from a place on.
    pub fn start(before: P, mut source: Items<P, T>) -> Arc<Reader<P, T>> {
        let shared = Arc::new(Shared { ring: Mutex::new(Ring::new(before)), grown: watch::Sender::new(0) });
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

    /// Where a place lies.
    pub fn locate(&self, at: &P) -> Located<P> {
        self.shared.ring().locate(at)
    }

    /// Takes items from a number on.
    pub fn tap(self: &Arc<Self>, next: u64) -> Tap<P, T> {
        Tap { reader: Arc::clone(self), next, grown: self.shared.grown.subscribe() }
    }

    /// Takes the newest item, where there is one, and those that come.
    pub fn tap_newest(self: &Arc<Self>) -> Tap<P, T> {
        let next = self.shared.ring().end().saturating_sub(1);
        self.tap(next)
    }

    /// Takes those items that come; where nothing more will, what there was.
    pub fn tap_live(self: &Arc<Self>) -> Tap<P, T> {
        let next = {
            let ring = self.shared.ring();
            if ring.over { ring.first } else { ring.end() }
        };
        self.tap(next)
    }

    fn is_over(&self) -> bool {
        self.shared.ring().over
    }
}

/// What a tap gives.
#[derive(Debug)]
pub enum Taken<P, T> {
    /// The next item.
    Item(Item<P, T>),
    /// Nothing more will come.
    Over,
    /// What comes next is not kept any more.
    Lost,
}

/// One who takes what a reader reads.
#[derive(Debug)]
pub struct Tap<P, T> {
    reader: Arc<Reader<P, T>>,
    next: u64,
    grown: watch::Receiver<u64>,
}

impl<P: Place, T: Clone + Send + 'static> Tap<P, T> {
    /// The next item; waits while there is none. May be dropped at any time.
    pub async fn next(&mut self) -> Taken<P, T> {
        loop {
            self.grown.borrow_and_update();
            {
                let ring = self.reader.shared.ring();
                if self.next < ring.first {
                    return Taken::Lost;
                }
                if let Some(item) = ring.kept.get((self.next - ring.first) as usize) {
                    self.next += 1;
                    return Taken::Item(item.clone());
                }
                if ring.over {
                    return Taken::Over;
                }
            }
            self.change().await;
        }
    }

    /// The newest item that was not taken yet, whatever came before it; `None` where nothing more will come. Waits while
    /// there is none.
    pub async fn newest(&mut self) -> Option<Item<P, T>> {
        loop {
            self.grown.borrow_and_update();
            {
                let ring = self.reader.shared.ring();
                if self.next < ring.end()
                    && let Some(item) = ring.kept.back()
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

    /// Waits until the ring has changed.
    async fn change(&mut self) {
        // The sender lives in the reader, and that as long as this.
        self.grown.changed().await.expect("the reader is kept");
    }
}

/// Readers by what they read.
#[derive(Debug)]
pub struct Relays<K, P, T> {
    open: Mutex<HashMap<K, Weak<Reader<P, T>>>>,
}

impl<K, P, T> Default for Relays<K, P, T> {
    fn default() -> Self {
        Relays { open: Mutex::default() }
    }
}

impl<K: Clone + Eq + Hash, P: Place, T: Clone + Send + 'static> Relays<K, P, T> {
    /// Whoever reads this, where somebody does.
    pub fn find(&self, key: &K) -> Option<Arc<Reader<P, T>>> {
        self.open().get(key).and_then(Weak::upgrade).filter(|it| !it.is_over())
    }

    /// Whoever reads this; begins to, from a place on, where nobody does.
    pub fn open_at(&self, key: &K, before: P, source: impl FnOnce() -> Items<P, T>) -> Arc<Reader<P, T>> {
        let mut open = self.open();
        if let Some(reader) = open.get(key).and_then(Weak::upgrade).filter(|it| !it.is_over()) {
            return reader;
        }
        // Those whose followers are gone are cleared away when the table would have to grow.
        if open.len() == open.capacity() {
            open.retain(|_, it| it.strong_count() > 0);
        }
        let reader = Reader::start(before, source());
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

    fn item(place: i64, bytes: usize) -> Item<i64, i64> {
        Item { place, value: place, bytes, last: false }
    }

    #[test]
    fn a_ring_keeps_the_newest_within_its_bounds() {
        let mut ring = Ring::new(0);
        (1..=KEPT as i64).for_each(|it| ring.push(item(it, 1)));
        assert_eq!((ring.before, ring.kept.len(), ring.first), (0, KEPT, 0));
        ring.push(item(KEPT as i64 + 1, 1));
        assert_eq!((ring.before, ring.kept.len(), ring.first), (1, KEPT, 1));
        ring.push(item(KEPT as i64 + 2, KEPT_BYTES));
        assert_eq!((ring.kept.len(), ring.bytes), (1, KEPT_BYTES));
        ring.push(item(KEPT as i64 + 3, KEPT_BYTES + 1));
        assert_eq!((ring.kept.len(), ring.bytes), (1, KEPT_BYTES + 1), "however large the newest is");
    }

    #[test]
    fn a_place_is_in_the_ring_or_before_it_or_beyond() {
        let mut ring = Ring::new(4);
        assert_eq!(ring.locate(&4), Located::At(0));
        (5..=7).for_each(|it| ring.push(item(it, 1)));
        for (at, expected) in [
            (3, Located::Behind(7)),
            (4, Located::At(0)),
            (5, Located::At(1)),
            (7, Located::At(3)),
            (8, Located::Ahead),
        ] {
            assert_eq!(ring.locate(&at), expected, "{at}");
        }
    }

    #[tokio::test]
    async fn all_take_the_same_and_who_is_too_late_is_told_so() {
        let source = stream::iter((1..=KEPT as i64 + 10).map(|it| item(it, 1))).chain(stream::pending()).boxed();
        let relays = Relays::<u8, i64, i64>::default();
        let reader = relays.open_at(&1, 0, || source);
        let (mut one, mut two) = (reader.tap(0), reader.tap(5));
        // Both begin when the source has been read to where it waits.
        while reader.locate(&(KEPT as i64 + 10)) == Located::Ahead {
            tokio::task::yield_now().await;
        }
        assert!(matches!(one.next().await, Taken::Lost));
        assert!(matches!(two.next().await, Taken::Lost));
        let mut three = reader.tap(10);
        for expected in 11..=KEPT as i64 + 10 {
            let Taken::Item(item) = three.next().await else { panic!("nothing at {expected}") };
            assert_eq!(item.value, expected);
        }
        let newest = reader.tap_newest().newest().await.expect("an item");
        assert_eq!(newest.value, KEPT as i64 + 10);
        assert!(relays.find(&1).is_some());
        drop((reader, one, two, three));
        assert!(relays.find(&1).is_none(), "it ends with its last follower");
    }

    #[tokio::test]
    async fn what_is_over_is_read_to_its_end_and_begun_anew_by_the_next() {
        let relays = Relays::<u8, i64, i64>::default();
        let last = Item { last: true, ..item(2, 1) };
        let reader = relays.open_at(&1, 0, || stream::iter([item(1, 1), last, item(3, 1)]).boxed());
        let mut tap = reader.tap(0);
        let mut seen = Vec::new();
        while let Taken::Item(item) = tap.next().await {
            seen.push(item.value);
        }
        assert_eq!(seen, [1, 2]);
        assert!(relays.find(&1).is_none());
    }
}
