//! WebSocket frames, messages, pings and write buffers are bounded.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::attacks::clients::{pings_without_reading, sends_a_huge_frame, upgraded};
use crate::support::database::migrated_database;
use crate::support::process_stats::PeakMemory;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::with_timeout;
use crate::support::websocket_client::WebSocketClient;

/// Number of hostile sockets.
const N_SOCKETS: usize = 40;
/// Permitted growth of the service's memory, in KiB; without limits it was 16 MiB per socket.
const MAX_GROWN_KIB: u64 = 128 * 1024;

/// Runs an attack on a new service; returns the growth of its peak memory, in KiB.
async fn grown_by(attack: impl AsyncFn(&ServiceProcess) -> JoinSet<Option<tokio::net::TcpStream>>) -> u64 {
    let (database, home) = (migrated_database().await, TestHome::new());
    let service = ServiceProcess::start(&home.environment(&database.options, &scripted_replies(0))).await;
    let quiet = PeakMemory::of(service.pid());
    sleep(Duration::from_millis(200)).await;
    let (before, peak) = (quiet.kib(), PeakMemory::of(service.pid()));
    let mut sockets = attack(&service).await;
    let _stuck = timeout(Duration::from_secs(20), async { while sockets.join_next().await.is_some() {} }).await;
    sleep(Duration::from_millis(500)).await;
    peak.kib().saturating_sub(before)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_before_connection_init_take_little_memory() {
    let grown = grown_by(async |service| {
        let address = &service.client.address;
        (0..N_SOCKETS).map(|_| sends_a_huge_frame(address.clone())).collect()
    })
    .await;
    println!("{N_SOCKETS} frames of 16 MiB before connection_init: {} MiB more", grown / 1024);
    assert!(grown < MAX_GROWN_KIB, "{grown} KiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pings_of_a_client_that_does_not_read_take_little_memory() {
    let grown = grown_by(async |service| {
        let address = &service.client.address;
        (0..N_SOCKETS).map(|_| pings_without_reading(address.clone(), Duration::from_secs(8))).collect()
    })
    .await;
    println!("{N_SOCKETS} sockets that ping and do not read: {} MiB more", grown / 1024);
    assert!(grown < MAX_GROWN_KIB, "{grown} KiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_limit_is_enforced_at_its_boundary() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    let limits = "hello_bytes=4096, hello_sockets=2, pings=5";
    variables.push(("FAULTLINE_LIMITS", limits.to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let client = &service.client;

    // Two sockets may be without `connection_init`; a third is refused until one of them has sent it.
    let mut first = WebSocketClient::connect(client).await;
    let second = WebSocketClient::connect(client).await;
    let mut third = upgraded(&client.address).await.expect("a connection");
    let mut refused = [0; 12];
    with_timeout("an answer", third.read_exact(&mut refused)).await.expect("an answer");
    assert_eq!(&refused, b"HTTP/1.1 503");
    first.send(&serde_json::json!({ "type": "connection_init" })).await;
    assert_eq!(first.receive().await.expect("a message")["type"], "connection_ack");
    let third = WebSocketClient::connect(client).await;
    drop((second, third));

    // A `connection_init` of 20 kB exceeds the limit together with the bytes that are read beyond it.
    let mut long = WebSocketClient::connect_once_free(client).await;
    long.send_unchecked(Message::text(format!(
        "{{\"type\":\"connection_init\",\"payload\":{{\"x\":\"{}\"}}}}",
        "x".repeat(20_000)
    )))
    .await;
    assert!(long.receive().await.is_none(), "the socket is closed");

    // Five pings are answered, the sixth closes the socket.
    for n in 0..6 {
        first.send_unchecked(Message::text(format!("{{\"type\":\"ping\",\"payload\":{{\"n\":{n}}}}}"))).await;
    }
    let (heard, code) = first.receive_until_close().await;
    assert_eq!((heard.len(), code), (5, Some(4413)), "{heard:?}");
    service.kill().await;
}
