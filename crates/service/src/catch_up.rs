//! Catch-up subscriptions: history followed by live items in one ordered stream, where the live part is read once for
//! all subscribers.

use std::hash::Hash;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use crate::read_ahead::{ConnectionReads, read_ahead};
use crate::shared_stream::{Item, ItemStream, Located, Reader, Received, SharedStreams, StreamPosition, Subscriber};

/// Number of items from the end within which a subscriber joins the shared reader.
pub const NEAR: i64 = 256;

/// End of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Until<P> {
    /// Up to this position, which the source has reached.
    Position(P),
    /// Until at most [`NEAR`] items remain.
    Near,
}

/// Ordered source of items, addressed by position.
pub trait Source<P, T>: Send + Sync + 'static {
    /// Returns the items after position `after` up to `until`, then ends. If `after` is invalid, returns one item that
    /// reports the error and is marked as last.
    fn range(&self, after: P, until: Until<P>) -> ItemStream<P, T>;

    /// Returns the items after position `after`, without end.
    fn live(&self, after: P) -> ItemStream<P, T>;
}

/// Subscription to a source: reads the missing history itself, then switches to the shared reader.
pub struct CatchUpStream<K, P, T> {
    streams: Arc<SharedStreams<K, P, T>>,
    key: K,
    source: Arc<dyn Source<P, T>>,
    reads: ConnectionReads,
    position: P,
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
    /// Creates a subscription to the source identified by `key`, starting after position `after`.
    pub fn new(streams: &Arc<SharedStreams<K, P, T>>, key: K, source: Arc<dyn Source<P, T>>, after: P) -> Self {
        let reads = ConnectionReads::default();
        CatchUpStream {
            streams: Arc::clone(streams),
            key,
            source,
            reads,
            position: after,
            stage: Stage::Seeking,
            near: false,
        }
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
        let until = match self.streams.find(&self.key) {
            Some(reader) => match reader.locate(&self.position) {
                Located::At(number) => return self.stage = Stage::Shared(reader.subscribe(number)),
                Located::Evicted(newest) => Until::Position(newest),
                Located::Ahead if self.near => return wait(&reader, &self.position).await,
                Located::Ahead => Until::Position(self.position.clone()),
            },
            None if self.near => {
                let (source, after) = (Arc::clone(&self.source), self.position.clone());
                let reader = self.streams.open_at(&self.key, self.position.clone(), move || source.live(after));
                if let Located::At(number) = reader.locate(&self.position) {
                    self.stage = Stage::Shared(reader.subscribe(number));
                }
                return;
            }
            None => Until::Near,
        };
        let range = self.source.range(self.position.clone(), until);
        self.stage = Stage::Range(read_ahead(range, self.reads.clone(), |item| item.bytes));
    }

    fn taken(&mut self, item: Item<P, T>) -> Item<P, T> {
        self.position = item.position.clone();
        if item.last {
            self.stage = Stage::Over;
        }
        item
    }
}

/// Waits until the reader has reached a position or ended.
async fn wait<P: StreamPosition, T: Clone + Send + 'static>(reader: &Arc<Reader<P, T>>, position: &P) {
    let mut subscriber = reader.subscribe_live();
    while reader.locate(position) == Located::Ahead && matches!(subscriber.next().await, Received::Item(_)) {}
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
        ranges: Mutex<Vec<(i64, Until<i64>)>>,
    }

    fn item(position: i64) -> Item<i64, i64> {
        Item { position, value: position, bytes: 8, last: false }
    }

    impl Source<i64, i64> for Numbers {
        fn range(&self, after: i64, until: Until<i64>) -> ItemStream<i64, i64> {
            self.ranges.lock().expect("no panic").push((after, until.clone()));
            let head = *self.head.borrow();
            if after > head {
                return stream::iter([Item { position: after, value: -1, bytes: 8, last: true }]).boxed();
            }
            let end = match until {
                Until::Position(position) => position,
                Until::Near => head - NEAR,
            };
            stream::iter((after + 1..=end).map(item)).boxed()
        }

        fn live(&self, after: i64) -> ItemStream<i64, i64> {
            self.n_live.fetch_add(1, Ordering::Relaxed);
            let grown = self.head.subscribe();
            stream::unfold((after, grown), |(at, mut grown)| async move {
                grown.wait_for(|head| *head > at).await.ok()?;
                Some((item(at + 1), (at + 1, grown)))
            })
            .boxed()
        }
    }

    type SharedNumbers = (Arc<SharedStreams<u8, i64, i64>>, Arc<Numbers>);

    fn numbers(head: i64) -> SharedNumbers {
        let head = watch::Sender::new(head);
        (Arc::default(), Arc::new(Numbers { head, n_live: AtomicUsize::new(0), ranges: Mutex::default() }))
    }

    async fn take((streams, source): &SharedNumbers, after: i64, n: usize) -> Vec<i64> {
        let mut following = CatchUpStream::new(streams, 1, Arc::clone(source) as Arc<dyn Source<i64, i64>>, after);
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
        let numbers = numbers(1_000);
        let writer = async {
            for head in 1_001..=3_000 {
                numbers.1.head.send_replace(head);
                if head % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        };
        let starts = [0, 1, 743, 744, 745, 900, 999, 1_000];
        let readers = join_all(starts.map(|after| take(&numbers, after, (3_000 - after) as usize)));
        let (all, ()) = tokio::join!(readers, writer);
        for (after, seen) in starts.into_iter().zip(all) {
            assert_eq!(seen, (after + 1..=3_000).collect::<Vec<_>>(), "from {after}");
        }
        assert_eq!(numbers.1.n_live.load(Ordering::Relaxed), 1, "the live part is read once for all");
    }

    #[tokio::test]
    async fn a_subscriber_slower_than_the_ring_reads_the_missing_range_itself() {
        let numbers = numbers(0);
        let mut slow = CatchUpStream::new(&numbers.0, 1, Arc::clone(&numbers.1) as Arc<dyn Source<i64, i64>>, 0);
        numbers.1.head.send_replace(1);
        assert_eq!(slow.next().await.map(|item| item.value), Some(1));
        numbers.1.head.send_replace(5_000);
        assert_eq!(take(&numbers, 4_900, 100).await.len(), 100, "another subscriber keeps up");
        let mut seen = Vec::new();
        while seen.len() < 4_999 {
            seen.push(slow.next().await.expect("an item").value);
        }
        assert_eq!(seen, (2..=5_000).collect::<Vec<_>>());
        assert!(numbers.1.ranges.lock().expect("no panic").len() > 1, "it reads a range of its own");
    }

    #[tokio::test]
    async fn a_position_beyond_the_end_is_refused_with_or_without_other_subscribers() {
        let numbers = numbers(10);
        assert_eq!(take(&numbers, 11, 2).await, [-1]);
        let mut other = CatchUpStream::new(&numbers.0, 1, Arc::clone(&numbers.1) as Arc<dyn Source<i64, i64>>, 9);
        assert_eq!(other.next().await.map(|item| item.value), Some(10));
        assert_eq!(take(&numbers, 11, 2).await, [-1]);
        numbers.1.head.send_replace(11);
        sleep(Duration::from_millis(1)).await;
        assert_eq!(other.next().await.map(|item| item.value), Some(11), "other subscribers are not affected");
    }
}
