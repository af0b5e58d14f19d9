//! WebSocket frames, messages, pings and write buffers are bounded.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::attacks::clients::{PeakMemory, pings_without_reading, sends_a_huge_frame, upgraded};
use crate::client::{Home, Service, Socket, in_time, script};
use crate::support::fresh;

/// Hostile sockets.
const N_SOCKETS: usize = 40;
/// Memory that they may take from the service, in KiB. Before, it was 16 MiB for each.
const MAX_GROWN_KIB: u64 = 128 * 1024;

/// Memory that the service holds at most during an attack, beyond what it held before, in KiB.
async fn grown_by(attack: impl AsyncFn(&Service) -> JoinSet<Option<tokio::net::TcpStream>>) -> u64 {
    let (database, home) = (fresh().await, Home::new());
    let service = Service::start(&home.variables(&database.options, &script(0))).await;
    let quiet = PeakMemory::of(service.pid());
    sleep(Duration::from_millis(200)).await;
    let (before, peak) = (quiet.kib(), PeakMemory::of(service.pid()));
    let mut sockets = attack(&service).await;
    let _stuck = timeout(Duration::from_secs(20), async { while sockets.join_next().await.is_some() {} }).await;
    sleep(Duration::from_millis(500)).await;
    peak.kib().saturating_sub(before)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_before_hello_take_next_to_no_memory() {
    let grown = grown_by(async |service| {
        let address = &service.client.address;
        (0..N_SOCKETS).map(|_| sends_a_huge_frame(address.clone())).collect()
    })
    .await;
    println!("{N_SOCKETS} frames of 16 MiB before hello: {} MiB more", grown / 1024);
    assert!(grown < MAX_GROWN_KIB, "{grown} KiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pings_of_a_client_that_does_not_read_take_next_to_no_memory() {
    let grown = grown_by(async |service| {
        let address = &service.client.address;
        (0..N_SOCKETS).map(|_| pings_without_reading(address.clone(), Duration::from_secs(8))).collect()
    })
    .await;
    println!("{N_SOCKETS} sockets that ping and do not read: {} MiB more", grown / 1024);
    assert!(grown < MAX_GROWN_KIB, "{grown} KiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_limit_holds_at_its_edge() {
    let (database, home) = (fresh().await, Home::new());
    let mut variables = home.variables(&database.options, &script(0));
    let limits = "hello_bytes=4096, hello_sockets=2, pings=5";
    variables.push(("FAULTLINE_LIMITS", limits.to_owned()));
    let service = Service::start(&variables).await;
    let client = &service.client;

    // Two sockets may wait with their hello; the third is refused, and let in when one of them has said it.
    let mut first = Socket::connect(client).await;
    let second = Socket::connect(client).await;
    let mut third = upgraded(&client.address).await.expect("a connection");
    let mut refused = [0; 12];
    in_time("an answer", third.read_exact(&mut refused)).await.expect("an answer");
    assert_eq!(&refused, b"HTTP/1.1 503");
    first.say(&serde_json::json!({ "type": "connection_init" })).await;
    assert_eq!(first.hear().await.expect("a word")["type"], "connection_ack");
    let third = Socket::connect(client).await;
    drop((second, third));

    // A hello of 12 KiB is longer than the limit and what is read along with it.
    let mut long = Socket::connect(client).await;
    long.throw(Message::text(format!(
        "{{\"type\":\"connection_init\",\"payload\":{{\"x\":\"{}\"}}}}",
        "x".repeat(20_000)
    )))
    .await;
    assert!(long.hear().await.is_none(), "cut off");

    // Five pings are answered, the sixth closes the socket.
    for n in 0..6 {
        first.throw(Message::text(format!("{{\"type\":\"ping\",\"payload\":{{\"n\":{n}}}}}"))).await;
    }
    let (heard, code) = first.farewell().await;
    assert_eq!((heard.len(), code), (5, Some(4413)), "{heard:?}");
    service.kill().await;
}
