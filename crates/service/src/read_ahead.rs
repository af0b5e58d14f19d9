//! Reads a stream ahead of its client, in a task that never waits for a socket.
//!
//! A stream that is only polled while its client accepts data can stop in the middle of a read: it then holds a
//! database connection, or a place in the pool's queue, for as long as the client likes. A separate task finishes each
//! read, returns the connection, and waits for buffer space afterwards.

use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;

/// Maximum number of concurrent reads of one connection, over all of its operations.
pub const MAX_CONNECTION_READS: usize = 4;
/// Maximum number of bytes read ahead for one connection, over all of its operations; a single item may be larger.
pub const MAX_AHEAD_BYTES: usize = 64 * 1024;
/// Maximum number of items read ahead for one operation.
const MAX_AHEAD_ITEMS: usize = 64;

/// Read slots of one connection and its buffer budget. Clones share both.
#[derive(Clone, Debug)]
pub struct ConnectionReads {
    reads: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

impl Default for ConnectionReads {
    fn default() -> Self {
        ConnectionReads {
            reads: Arc::new(Semaphore::new(MAX_CONNECTION_READS)),
            room: Arc::new(Semaphore::new(MAX_AHEAD_BYTES)),
        }
    }
}

impl ConnectionReads {
    /// Returns the source's next item and the buffer space it takes. Waits for a read slot first and for buffer space
    /// afterwards, so a connection whose client does not read holds no more items than it has read slots.
    async fn next<T>(
        &self,
        source: &mut BoxStream<'static, T>,
        bytes: fn(&T) -> usize,
    ) -> Option<(T, OwnedSemaphorePermit)> {
        let _reading = self.reads.acquire().await.ok()?;
        let item = source.next().await?;
        let taken = bytes(&item).min(MAX_AHEAD_BYTES) as u32;
        let room = Arc::clone(&self.room).acquire_many_owned(taken).await.ok()?;
        Some((item, room))
    }
}

/// Aborts a task when dropped.
#[derive(Debug)]
pub struct AbortOnDrop(pub AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns the same items, read ahead by at most `MAX_AHEAD_ITEMS` per operation and `MAX_AHEAD_BYTES` per connection, as
/// counted by `bytes`. The source must yield each item promptly: waiting for an item occupies one of the connection's
/// read slots.
pub fn read_ahead<T: Send + 'static>(
    mut source: BoxStream<'static, T>,
    reads: ConnectionReads,
    bytes: fn(&T) -> usize,
) -> BoxStream<'static, T> {
    let (sender, receiver) = mpsc::channel(MAX_AHEAD_ITEMS);
    let task = tokio::spawn(async move {
        while let Some(read) = reads.next(&mut source, bytes).await {
            if sender.send(read).await.is_err() {
                return;
            }
        }
    });
    let state = (receiver, AbortOnDrop(task.abort_handle()));
    stream::unfold(state, |(mut receiver, task)| async move {
        let (item, _room) = receiver.recv().await?;
        Some((item, (receiver, task)))
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn counted(n_read: &Arc<AtomicUsize>) -> BoxStream<'static, usize> {
        let n_read = Arc::clone(n_read);
        stream::iter(0..1_000).inspect(move |_| _ = n_read.fetch_add(1, Ordering::Relaxed)).boxed()
    }

    async fn read_without_a_client(bytes: fn(&usize) -> usize) -> usize {
        let n_read = Arc::new(AtomicUsize::new(0));
        let _ahead = read_ahead(counted(&n_read), ConnectionReads::default(), bytes);
        tokio::time::sleep(Duration::from_millis(50)).await;
        n_read.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn reads_ahead_within_the_limits_and_in_order() {
        // One more item waits for buffer space.
        assert_eq!(read_without_a_client(|_| 1).await, MAX_AHEAD_ITEMS + 1);
        assert_eq!(read_without_a_client(|_| MAX_AHEAD_BYTES / 2).await, 3);
        assert_eq!(read_without_a_client(|_| MAX_AHEAD_BYTES * 9).await, 2, "one item of any size");
        let n_read = Arc::default();
        let all: Vec<usize> = read_ahead(counted(&n_read), ConnectionReads::default(), |_| 1).collect().await;
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_connection_has_a_limited_number_of_concurrent_reads() {
        let reads = ConnectionReads::default();
        let waiting: Vec<_> =
            (0..20).map(|_| read_ahead(stream::pending::<usize>().boxed(), reads.clone(), |_| 1)).collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(reads.reads.available_permits(), 0);
        drop(waiting);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(reads.reads.available_permits(), MAX_CONNECTION_READS, "a dropped stream ends its read");
    }
}
