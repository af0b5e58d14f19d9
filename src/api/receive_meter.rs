//! Bounds on what `WebSockets` may send before a message is whole.
//!
//! The WebSocket library buffers a message until its last byte has come, and its own limits are per message. Here the bytes
//! that lie in those buffers are counted beneath it, for each socket and for all sockets of the process together. A
//! connection that goes beyond either is cut off.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use metrics::counter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// What is received beyond a message's own bytes: the head of its frame, and what of the next is read along with it.
const SLACK: usize = 8 * 1024;

/// The bytes that all sockets together have received of messages that are not whole yet.
#[derive(Debug)]
pub struct ReceiveBudget {
    most: usize,
    taken: AtomicUsize,
}

impl ReceiveBudget {
    /// A budget of so many bytes.
    pub fn new(most: usize) -> Arc<ReceiveBudget> {
        Arc::new(ReceiveBudget { most, taken: AtomicUsize::new(0) })
    }
}

/// Counts what one connection receives. Counts nothing until [`ReceiveMeter::start`].
#[derive(Debug)]
pub struct ReceiveMeter {
    /// The most bytes of a message that is not whole; 0 while nothing is counted.
    most: AtomicUsize,
    pending: AtomicUsize,
    budget: Arc<ReceiveBudget>,
}

impl ReceiveMeter {
    /// A meter that takes from this budget.
    pub fn new(budget: &Arc<ReceiveBudget>) -> Arc<ReceiveMeter> {
        Arc::new(ReceiveMeter { most: AtomicUsize::new(0), pending: AtomicUsize::new(0), budget: Arc::clone(budget) })
    }

    /// Begins to count, or goes on with another limit: messages may be so long, in bytes.
    pub fn start(&self, longest: usize) {
        self.most.store(longest.saturating_add(SLACK), Ordering::Relaxed);
    }

    /// Takes note of a whole message: nothing of it is pending any more.
    pub fn whole_message(&self) {
        self.release(self.pending.swap(0, Ordering::Relaxed));
    }

    /// Takes note of a control frame with so many bytes, which may come in the middle of a message.
    pub fn control_frame(&self, payload: usize) {
        const HEAD: usize = 6;
        let frame = payload + HEAD;
        let less = |pending: usize| Some(pending.saturating_sub(frame));
        let before = self.pending.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_default();
        self.release(before.min(frame));
    }

    /// Counts received bytes; `false` if they are too many.
    fn receive(&self, bytes: usize) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        if most == 0 || bytes == 0 {
            return true;
        }
        let pending = self.pending.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let taken = self.budget.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // A socket that holds next to nothing is not the one that the budget is spent on.
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

/// A connection whose received bytes are counted.
#[derive(Debug)]
pub struct MeteredStream {
    stream: TcpStream,
    meter: Arc<ReceiveMeter>,
}

impl MeteredStream {
    /// Counts what this connection receives.
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
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "too long a message")));
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
    fn a_socket_may_receive_one_message_at_a_time() {
        let budget = ReceiveBudget::new(1 << 20);
        let meter = ReceiveMeter::new(&budget);
        assert!(meter.receive(1 << 30), "nothing is counted before the upgrade");
        meter.start(1_000);
        assert!(meter.receive(1_000 + SLACK));
        assert!(!meter.receive(1));
        meter.whole_message();
        assert!(meter.receive(1_000));
        meter.control_frame(500);
        assert_eq!(meter.pending.load(Ordering::Relaxed), 494, "a ping does not make a message whole");
        drop(meter);
        assert_eq!(budget.taken.load(Ordering::Relaxed), 0, "a closed socket gives everything back");
    }

    #[test]
    fn all_sockets_together_may_receive_so_much() {
        let budget = ReceiveBudget::new(100_000);
        let [one, two, small] = [(); 3].map(|()| ReceiveMeter::new(&budget));
        [&one, &two, &small].iter().for_each(|meter| meter.start(90_000));
        assert!(one.receive(60_000));
        assert!(!two.receive(60_000), "the budget is spent");
        assert!(small.receive(SLACK), "and a small message passes all the same");
    }
}
