//! Reads a stream ahead of its client, in a task that never waits for a socket.
//!
//! A stream that is polled only while its client takes what is written can stop in the middle of a read: it then holds a
//! database connection, or a place in the pool's queue, for as long as the client likes. A task of its own finishes each
//! read, gives the connection back, and waits for room afterwards.

use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;

/// Reads that one connection may have under way at once, over all of its operations.
pub const CONNECTION_READS: usize = 4;
/// Bytes that are read ahead of one connection, over all of its operations; one item is read whatever its size.
pub const AHEAD_BYTES: usize = 64 * 1024;
/// Items that are read ahead of one operation at most.
const AHEAD_ITEMS: usize = 64;

/// The reads of one connection and the room for what they bring. Clones share both.
#[derive(Clone, Debug)]
pub struct ConnectionReads {
    reads: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

impl Default for ConnectionReads {
    fn default() -> Self {
        ConnectionReads {
            reads: Arc::new(Semaphore::new(CONNECTION_READS)),
            room: Arc::new(Semaphore::new(AHEAD_BYTES)),
        }
    }
}

impl ConnectionReads {
    /// The source's next item, and the room that it takes. Waits until the connection may begin another read, and then
    /// for room: so a connection whose client does not read has no more than its reads in hand.
    async fn next<T>(
        &self,
        source: &mut BoxStream<'static, T>,
        bytes: fn(&T) -> usize,
    ) -> Option<(T, OwnedSemaphorePermit)> {
        let _reading = self.reads.acquire().await.ok()?;
        let item = source.next().await?;
        let taken = bytes(&item).min(AHEAD_BYTES) as u32;
        let room = Arc::clone(&self.room).acquire_many_owned(taken).await.ok()?;
        Some((item, room))
    }
}

/// Ends a task when it is dropped.
#[derive(Debug)]
pub struct AbortOnDrop(pub AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The same items, read ahead by at most `AHEAD_ITEMS`, and `AHEAD_BYTES` a connection as `bytes` counts them. Every item that the
/// source yields has to be there or be read soon: while it is waited for, it counts as one of the connection's reads.
pub fn read_ahead<T: Send + 'static>(
    mut source: BoxStream<'static, T>,
    reads: ConnectionReads,
    bytes: fn(&T) -> usize,
) -> BoxStream<'static, T> {
    let (sender, receiver) = mpsc::channel(AHEAD_ITEMS);
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
    async fn it_reads_ahead_within_its_bounds_and_keeps_the_order() {
        // One more is in hand while it waits for room.
        assert_eq!(read_without_a_client(|_| 1).await, AHEAD_ITEMS + 1);
        assert_eq!(read_without_a_client(|_| AHEAD_BYTES / 2).await, 3);
        assert_eq!(read_without_a_client(|_| AHEAD_BYTES * 9).await, 2, "one item whatever its size");
        let n_read = Arc::default();
        let all: Vec<usize> = read_ahead(counted(&n_read), ConnectionReads::default(), |_| 1).collect().await;
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_connection_has_so_many_reads_under_way_and_no_more() {
        let reads = ConnectionReads::default();
        let waiting: Vec<_> =
            (0..20).map(|_| read_ahead(stream::pending::<usize>().boxed(), reads.clone(), |_| 1)).collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(reads.reads.available_permits(), 0);
        drop(waiting);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(reads.reads.available_permits(), CONNECTION_READS, "a dropped stream ends its read");
    }
}
