//! Catch-up subscriptions: history followed by live items in one ordered stream, where the live part is read once for
//! all subscribers.

use std::hash::Hash;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use crate::service::read_ahead::{ConnectionReads, read_ahead};
use crate::service::shared_stream::{
    Item, ItemStream, Located, Reader, Received, SharedStreams, StreamPosition, Subscriber,
};

/// Number of items from the end within which a subscriber joins the shared reader.
pub const NEAR: i64 = 256;

/// End of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Until<P> {
    /// Up to this position, which the source has reached.
    Place(P),
    /// Until at most [`NEAR`] items remain.
    Near,
}

/// Ordered source of items, addressed by position.
pub trait Source<P, T>: Send + Sync + 'static {
    /// Returns the items after `from` up to `upto`, then ends. If `from` is invalid, returns one item that reports the
    /// error and is marked as last.
    fn range(&self, from: P, upto: Until<P>) -> ItemStream<P, T>;

    /// Returns the items after `from`, without end.
    fn live(&self, from: P) -> ItemStream<P, T>;
}

/// Subscription to a source: reads the missing history itself, then switches to the shared reader.
pub struct CatchUpStream<K, P, T> {
    streams: Arc<SharedStreams<K, P, T>>,
    key: K,
    source: Arc<dyn Source<P, T>>,
    reads: ConnectionReads,
    at: P,
    stage: Stage<P, T>,
    /// True if the position has been validated and is at most [`NEAR`] items from the end.
    near: bool,
}

enum Stage<P, T> {
    Seeking,
    Range(ItemStream<P, T>),
    Shared(Subscriber<P, T>),
    Over,
}

impl<K: Clone + Eq + Hash + Send + Sync + 'static, P: StreamPosition, T: Clone + Send + 'static>
    CatchUpStream<K, P, T>
{
    /// Creates a subscription to the source identified by `key`, starting after position `at`.
    pub fn new(streams: &Arc<SharedStreams<K, P, T>>, key: K, source: Arc<dyn Source<P, T>>, at: P) -> Self {
        let reads = ConnectionReads::default();
        CatchUpStream { streams: Arc::clone(streams), key, source, reads, at, stage: Stage::Seeking, near: false }
    }

    /// Counts the reads of history against the limits of a connection.
    pub fn within(self, reads: ConnectionReads) -> Self {
        CatchUpStream { reads, ..self }
    }

    /// Returns the next item, waiting for it if necessary; `None` at the end. Cancel-safe.
    pub async fn next(&mut self) -> Option<Item<P, T>> {
        loop {
            match &mut self.stage {
                Stage::Over => return None,
                Stage::Seeking => self.seek().await,
                Stage::Range(range) => match range.next().await {
                    Some(item) => return Some(self.taken(item)),
                    None => {
                        self.near = true;
                        self.stage = Stage::Seeking;
                    }
                },
                Stage::Shared(subscriber) => match subscriber.next().await {
                    Received::Item(item) => return Some(self.taken(item)),
                    Received::Over => self.stage = Stage::Over,
                    // The subscriber was evicted from the ring: read the missing range again.
                    Received::Lost => {
                        self.near = false;
                        self.stage = Stage::Seeking;
                    }
                },
            }
        }
    }

    /// Returns the items as a stream.
    pub fn items(self) -> BoxStream<'static, Item<P, T>> {
        stream::unfold(self, |mut feed| async move { feed.next().await.map(|item| (item, feed)) }).boxed()
    }

    /// Selects the next stage. A position ahead of the reader is validated first, then waited for.
    async fn seek(&mut self) {
        let range = match self.streams.find(&self.key) {
            Some(reader) => match reader.locate(&self.at) {
                Located::At(number) => return self.stage = Stage::Shared(reader.subscribe(number)),
                Located::Evicted(newest) => Until::Place(newest),
                Located::Ahead if self.near => return wait(&reader, &self.at).await,
                Located::Ahead => Until::Place(self.at.clone()),
            },
            None if self.near => {
                let (source, at) = (Arc::clone(&self.source), self.at.clone());
                let reader = self.streams.open_at(&self.key, self.at.clone(), move || source.live(at));
                if let Located::At(number) = reader.locate(&self.at) {
                    self.stage = Stage::Shared(reader.subscribe(number));
                }
                return;
            }
            None => Until::Near,
        };
        let range = self.source.range(self.at.clone(), range);
        self.stage = Stage::Range(read_ahead(range, self.reads.clone(), |item| item.bytes));
    }

    fn taken(&mut self, item: Item<P, T>) -> Item<P, T> {
        self.at = item.place.clone();
        if item.last {
            self.stage = Stage::Over;
        }
        item
    }
}

/// Waits until the reader has reached a position or ended.
async fn wait<P: StreamPosition, T: Clone + Send + 'static>(reader: &Arc<Reader<P, T>>, at: &P) {
    let mut subscriber = reader.subscribe_live();
    while reader.locate(at) == Located::Ahead && matches!(subscriber.next().await, Received::Item(_)) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::sync::watch;
    use tokio::time::{sleep, timeout};

    use super::*;

    /// Source of the numbers from 1 to `head`.
    struct Numbers {
        head: watch::Sender<i64>,
        n_live: AtomicUsize,
        stretches: Mutex<Vec<(i64, Until<i64>)>>,
    }

    fn item(place: i64) -> Item<i64, i64> {
        Item { place, value: place, bytes: 8, last: false }
    }

    impl Source<i64, i64> for Numbers {
        fn range(&self, from: i64, upto: Until<i64>) -> ItemStream<i64, i64> {
            self.stretches.lock().expect("no panic").push((from, upto.clone()));
            let head = *self.head.borrow();
            if from > head {
                return stream::iter([Item { place: from, value: -1, bytes: 8, last: true }]).boxed();
            }
            let end = match upto {
                Until::Place(place) => place,
                Until::Near => head - NEAR,
            };
            stream::iter((from + 1..=end).map(item)).boxed()
        }

        fn live(&self, from: i64) -> ItemStream<i64, i64> {
            self.n_live.fetch_add(1, Ordering::Relaxed);
            let grown = self.head.subscribe();
            stream::unfold((from, grown), |(at, mut grown)| async move {
                grown.wait_for(|head| *head > at).await.ok()?;
                Some((item(at + 1), (at + 1, grown)))
            })
            .boxed()
        }
    }

    type Known = (Arc<SharedStreams<u8, i64, i64>>, Arc<Numbers>);

    fn numbers(head: i64) -> Known {
        let head = watch::Sender::new(head);
        (Arc::default(), Arc::new(Numbers { head, n_live: AtomicUsize::new(0), stretches: Mutex::default() }))
    }

    async fn take((streams, source): &Known, from: i64, n: usize) -> Vec<i64> {
        let mut following = CatchUpStream::new(streams, 1, Arc::clone(source) as Arc<dyn Source<i64, i64>>, from);
        let mut seen = Vec::new();
        while seen.len() < n
            && let Ok(Some(item)) = timeout(Duration::from_secs(20), following.next()).await
        {
            seen.push(item.value);
        }
        seen
    }

    #[tokio::test]
    async fn every_item_arrives_once_and_in_order_from_any_start() {
        let known = numbers(1_000);
        let writer = async {
            for head in 1_001..=3_000 {
                known.1.head.send_replace(head);
                if head % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        };
        let froms = [0, 1, 743, 744, 745, 900, 999, 1_000];
        let readers = join_all(froms.map(|from| take(&known, from, (3_000 - from) as usize)));
        let (all, ()) = tokio::join!(readers, writer);
        for (from, seen) in froms.into_iter().zip(all) {
            assert_eq!(seen, (from + 1..=3_000).collect::<Vec<_>>(), "from {from}");
        }
        assert_eq!(known.1.n_live.load(Ordering::Relaxed), 1, "the live part is read once for all");
    }

    #[tokio::test]
    async fn a_subscriber_slower_than_the_ring_reads_the_missing_range_itself() {
        let known = numbers(0);
        let mut slow = CatchUpStream::new(&known.0, 1, Arc::clone(&known.1) as Arc<dyn Source<i64, i64>>, 0);
        known.1.head.send_replace(1);
        assert_eq!(slow.next().await.map(|item| item.value), Some(1));
        known.1.head.send_replace(5_000);
        assert_eq!(take(&known, 4_900, 100).await.len(), 100, "another subscriber keeps up");
        let mut seen = Vec::new();
        while seen.len() < 4_999 {
            seen.push(slow.next().await.expect("an item").value);
        }
        assert_eq!(seen, (2..=5_000).collect::<Vec<_>>());
        assert!(known.1.stretches.lock().expect("no panic").len() > 1, "it reads a range of its own");
    }

    #[tokio::test]
    async fn a_position_beyond_the_end_is_refused_with_or_without_other_subscribers() {
        let known = numbers(10);
        assert_eq!(take(&known, 11, 2).await, [-1]);
        let mut other = CatchUpStream::new(&known.0, 1, Arc::clone(&known.1) as Arc<dyn Source<i64, i64>>, 9);
        assert_eq!(other.next().await.map(|item| item.value), Some(10));
        assert_eq!(take(&known, 11, 2).await, [-1]);
        known.1.head.send_replace(11);
        sleep(Duration::from_millis(1)).await;
        assert_eq!(other.next().await.map(|item| item.value), Some(11), "other subscribers are not affected");
    }
}
