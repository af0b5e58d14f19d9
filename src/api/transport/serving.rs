//! HTTP connections: accepted up to a limit, and closed if their requests do not arrive in time.
//!
//! Axum's own accept loop has neither limit, so clients that open sockets and send a byte a minute could occupy all of
//! them. Here the head of every request has to arrive within [`ApiLimits::send_seconds`], including the first one of a
//! connection and the next one after a pause. The body has its own timeout where it is read.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::header::SEC_WEBSOCKET_KEY;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_service::Service;

use crate::api::transport::receive_meter::{MeteredStream, ReceiveBudget, ReceiveMeter};
use crate::limits::ApiLimits;

/// Delay after a failed accept, for example when file descriptors are exhausted.
const PAUSE: Duration = Duration::from_millis(100);
/// Time that sent data may remain unacknowledged before the kernel closes the connection, for connections without
/// pings. Sockets with pings are closed with a close frame after at most 20 s and 8 s more, so not before this.
const UNREAD: Duration = Duration::from_secs(28);
/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 100;
/// Maximum length of the head of a request, in bytes.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Serves connections until `until` completes; then accepts no more, and returns when all running requests have been
/// answered.
///
/// A failure to accept a connection is logged, and a connection that fails is closed; neither ends the service.
pub async fn serve(listener: TcpListener, router: Router, limits: &ApiLimits, until: impl Future<Output = ()>) {
    let places = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let (slots, stop) = (Arc::new(Semaphore::new(places as usize)), watch::Sender::new(false));
    let limit = Duration::from_secs(limits.send_seconds as u64);
    let budget = ReceiveBudget::new(limits.socket_bytes);
    let accept = async {
        loop {
            // If all slots are taken, new connections wait in the kernel's queue.
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, from)) => {
                    // Without this, a small response can wait for the last one to be acknowledged. A failure only
                    // delays responses.
                    let _nodelay = stream.set_nodelay(true);
                    // On systems without this option, pings have to suffice.
                    let _unknown = set_tcp_user_timeout(&stream, UNREAD.as_millis() as u32);
                    let router = router.clone();
                    let meter = ReceiveMeter::new(&budget);
                    tokio::spawn(connection((stream, meter, from), router, limit, stop.subscribe(), slot));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        () = accept => {}
        () = until => {}
    }
    drop(listener);
    stop.send_replace(true);
    let _all = slots.acquire_many(places).await;
}

/// True for a request for a WebSocket. Its response repeats the spelling of the request's header names.
fn is_upgrade(request: &Request) -> bool {
    request.headers().contains_key(SEC_WEBSOCKET_KEY)
}

async fn connection(
    (stream, meter, from): (TcpStream, Arc<ReceiveMeter>, SocketAddr),
    router: Router,
    limit: Duration,
    mut stopped: watch::Receiver<bool>,
    _slot: OwnedSemaphorePermit,
) {
    let stream = MeteredStream::new(stream, Arc::clone(&meter));
    let answer = service_fn(move |request: hyper::Request<Incoming>| {
        let (mut router, meter) = (router.clone(), Arc::clone(&meter));
        async move {
            let mut request: Request = request.map(axum::body::Body::new);
            let spelling = is_upgrade(&request).then(|| request.extensions().clone());
            request.extensions_mut().insert(ConnectInfo(from));
            request.extensions_mut().insert(meter);
            let mut response = router.call(request).await.unwrap_or_else(|never| match never {});
            response.extensions_mut().extend(spelling.unwrap_or_default());
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limit).max_headers(MAX_HEADERS).max_buf_size(MAX_HEAD_BYTES);
    // Some clients look for `Sec-WebSocket-Protocol` in the response as they spelled it in the request (Python's `gql`).
    http.preserve_header_case(true);
    let mut served = std::pin::pin!(http.serve_connection(TokioIo::new(stream), answer).with_upgrades());
    let stopping = async move { drop(stopped.wait_for(|stopped| *stopped).await) };
    let ended = tokio::select! {
        ended = &mut served => Some(ended),
        () = stopping => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %from, "a connection failed");
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    use super::*;

    /// Starts a service with these limits; returns its address and the sender that stops it.
    async fn open(limits: ApiLimits) -> (SocketAddr, watch::Sender<bool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .route("/", get(|ConnectInfo(from): ConnectInfo<SocketAddr>| async move { from.ip().to_string() }));
        let (stop, mut stopped) = watch::channel(false);
        let until = async move { drop(stopped.wait_for(|stopped| *stopped).await) };
        tokio::spawn(async move { serve(listener, router, &limits, until).await });
        (address, stop)
    }

    /// Returns everything that is received until the connection is closed.
    async fn receive(stream: &mut TcpStream) -> String {
        let mut bytes = Vec::new();
        let read = timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await.expect("closed in time");
        drop(read);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    const ASK: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

    #[tokio::test]
    async fn a_connection_that_sends_no_request_frees_its_slot() {
        let (address, _stop) = open(ApiLimits { send_seconds: 1, connections: 2, ..ApiLimits::default() }).await;
        let mut slow = Vec::new();
        for bytes in [&b""[..], b"GET / HT"] {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            stream.write_all(bytes).await.expect("sent");
            slow.push(stream);
        }
        let mut healthy = TcpStream::connect(address).await.expect("a connection");
        healthy.write_all(ASK).await.expect("sent");
        let text = receive(&mut healthy).await;
        assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("127.0.0.1"), "{text}");
        for mut stream in slow {
            assert!(!receive(&mut stream).await.starts_with("HTTP/1.1 200"));
        }
    }

    #[tokio::test]
    async fn too_many_or_too_long_headers_are_refused() {
        let (address, _stop) = open(ApiLimits::default()).await;
        let many = (0..=MAX_HEADERS).map(|index| format!("x-{index}: 1\r\n")).collect::<String>();
        let long = format!("x: {}\r\n", "y".repeat(2 * MAX_HEAD_BYTES));
        for (headers, status) in [(many, "431"), (long, "431")] {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            let _cut = stream
                .write_all(format!("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{headers}\r\n").as_bytes())
                .await;
            let text = receive(&mut stream).await;
            assert!(text.is_empty() || text.starts_with(&format!("HTTP/1.1 {status}")), "{text}");
        }
    }

    #[tokio::test]
    async fn shutdown_closes_idle_connections() {
        let (address, stop) = open(ApiLimits::default()).await;
        let mut idle = TcpStream::connect(address).await.expect("a connection");
        idle.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
        let mut first = [0; 12];
        idle.read_exact(&mut first).await.expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200");
        stop.send_replace(true);
        receive(&mut idle).await;
        assert!(TcpStream::connect(address).await.is_err(), "no new connection is accepted");
    }
}
