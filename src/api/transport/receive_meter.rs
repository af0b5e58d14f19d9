//! Limits on the bytes that `WebSockets` may send before a message is complete.
//!
//! The WebSocket library buffers a message until its last byte has arrived, and its own limits are per message. This
//! module counts the buffered bytes below the library, per socket and for all sockets of the process. A connection that
//! exceeds either limit is closed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use metrics::counter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Bytes that may be received beyond those of a message: its frame header, and the part of the next frame that is read
/// with it.
const SLACK: usize = 8 * 1024;

/// Budget for the bytes of incomplete messages on all sockets together.
#[derive(Debug)]
pub struct ReceiveBudget {
    most: usize,
    taken: AtomicUsize,
}

impl ReceiveBudget {
    /// Creates a budget of `most` bytes.
    pub fn new(most: usize) -> Arc<ReceiveBudget> {
        Arc::new(ReceiveBudget { most, taken: AtomicUsize::new(0) })
    }
}

/// Counts the received bytes of one connection. Counting starts with [`ReceiveMeter::start`].
#[derive(Debug)]
pub struct ReceiveMeter {
    /// Maximum number of bytes of an incomplete message; 0 before counting starts.
    most: AtomicUsize,
    pending: AtomicUsize,
    budget: Arc<ReceiveBudget>,
}

impl ReceiveMeter {
    /// Creates a meter that draws on this budget.
    pub fn new(budget: &Arc<ReceiveBudget>) -> Arc<ReceiveMeter> {
        Arc::new(ReceiveMeter { most: AtomicUsize::new(0), pending: AtomicUsize::new(0), budget: Arc::clone(budget) })
    }

    /// Starts counting, or changes the limit: a message may have `longest` bytes.
    pub fn start(&self, longest: usize) {
        self.most.store(longest.saturating_add(SLACK), Ordering::Relaxed);
    }

    /// Records a complete message, after which no bytes are pending.
    pub fn whole_message(&self) {
        self.release(self.pending.swap(0, Ordering::Relaxed));
    }

    /// Records a control frame with a payload of this many bytes, which can arrive in the middle of a message.
    pub fn control_frame(&self, payload: usize) {
        const HEAD: usize = 6;
        let frame = payload + HEAD;
        let less = |pending: usize| Some(pending.saturating_sub(frame));
        let before = self.pending.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_default();
        self.release(before.min(frame));
    }

    /// Counts received bytes; returns `false` if a limit is exceeded.
    fn receive(&self, bytes: usize) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        if most == 0 || bytes == 0 {
            return true;
        }
        let pending = self.pending.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let taken = self.budget.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // A socket with few pending bytes is not the one that exhausts the budget.
        pending <= most && (taken <= self.budget.most || pending <= SLACK)
    }

    fn release(&self, bytes: usize) {
        self.budget.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for ReceiveMeter {
    fn drop(&mut self) {
        self.whole_message();
    }
}

/// TCP connection whose received bytes are counted.
#[derive(Debug)]
pub struct MeteredStream {
    stream: TcpStream,
    meter: Arc<ReceiveMeter>,
}

impl MeteredStream {
    /// Wraps a connection.
    pub fn new(stream: TcpStream, meter: Arc<ReceiveMeter>) -> MeteredStream {
        MeteredStream { stream, meter }
    }
}

impl AsyncRead for MeteredStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() && !self.meter.receive(buffer.filled().len() - before) {
            counter!("faultline_connections_closed_total", "reason" => "too_much_received").increment(1);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the message is too large")));
        }
        read
    }
}

impl AsyncWrite for MeteredStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_an_incomplete_message_are_limited_per_socket() {
        let budget = ReceiveBudget::new(1 << 20);
        let meter = ReceiveMeter::new(&budget);
        assert!(meter.receive(1 << 30), "counting starts after the upgrade");
        meter.start(1_000);
        assert!(meter.receive(1_000 + SLACK));
        assert!(!meter.receive(1));
        meter.whole_message();
        assert!(meter.receive(1_000));
        meter.control_frame(500);
        assert_eq!(meter.pending.load(Ordering::Relaxed), 494, "a ping does not complete a message");
        drop(meter);
        assert_eq!(budget.taken.load(Ordering::Relaxed), 0, "a closed socket returns its bytes to the budget");
    }

    #[test]
    fn bytes_of_incomplete_messages_are_limited_for_all_sockets_together() {
        let budget = ReceiveBudget::new(100_000);
        let [one, two, small] = [(); 3].map(|()| ReceiveMeter::new(&budget));
        [&one, &two, &small].iter().for_each(|meter| meter.start(90_000));
        assert!(one.receive(60_000));
        assert!(!two.receive(60_000), "the budget is spent");
        assert!(small.receive(SLACK), "a small message is accepted nevertheless");
    }
}
