//! Hostile clients, an innocent client, and measurements of the processes that they use.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use faultline_core::events::ids::DebateId;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::support::client::Client;
use crate::support::database::Database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::process_stats::cpu_ticks;
use crate::support::waiting::with_timeout;

/// Subscriptions that one socket opens and never reads.
const N_SUBSCRIPTIONS: usize = 64;
/// Arguments and attacks of the large debate.
const N_ARGUMENTS: usize = 600;
const N_ATTACKS: usize = 6_000;

/// Requests of an innocent client from an address of its own, one every 20 ms until it is stopped.
pub struct InnocentClient {
    over: Arc<AtomicBool>,
    asking: JoinHandle<(Vec<Duration>, Vec<String>)>,
}

impl InnocentClient {
    pub fn of(client: &Client) -> InnocentClient {
        let over = Arc::new(AtomicBool::new(false));
        let http = reqwest::Client::builder()
            .no_proxy()
            .local_address(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)))
            .timeout(Duration::from_secs(60))
            .build()
            .expect("a client");
        let client = Client { address: client.address.clone(), http };
        let stop = Arc::clone(&over);
        let asking = tokio::spawn(async move {
            let (mut latencies, mut errors) = (Vec::new(), Vec::new());
            while !stop.load(Ordering::Relaxed) {
                let begun = Instant::now();
                match client.try_query("{ debates(first: 5) { nodes { id topic } } }", json!({})).await {
                    Ok(answer) if answer.get("errors").is_none() => {}
                    Ok(answer) => errors.push(answer.to_string()),
                    Err(error) => errors.push(error.to_string()),
                }
                latencies.push(begun.elapsed());
                sleep(Duration::from_millis(20)).await;
            }
            (latencies, errors)
        });
        InnocentClient { over, asking }
    }

    /// Stops the client; returns its latencies in ascending order. Panics if a request failed.
    pub async fn latencies(self) -> Vec<Duration> {
        self.over.store(true, Ordering::Relaxed);
        let (mut latencies, errors) =
            with_timeout("the innocent client's last answer", self.asking).await.expect("no panic");
        assert!(errors.is_empty(), "{} of {} innocent requests failed: {}", errors.len(), latencies.len(), errors[0]);
        latencies.sort();
        latencies
    }
}

pub fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

const UPGRADE: &str = "GET /graphql/ws HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    sec-websocket-protocol: graphql-transport-ws\r\n\r\n";

/// Frame of a client, with a mask of zeroes, which changes nothing.
pub fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match payload.len() {
        n @ 0..126 => bytes.push(0x80 | n as u8),
        n => {
            bytes.push(0x80 | 126);
            bytes.extend((n as u16).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// Upgraded socket with a small receive buffer that is never read.
pub async fn upgraded(address: &str) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.set_recv_buffer_size(4_096).ok()?;
    let mut stream = socket.connect(address.parse().expect("an address")).await.ok()?;
    stream.write_all(UPGRADE.as_bytes()).await.ok()?;
    Some(stream)
}

/// Announces a frame of 16 MiB before `connection_init`, and sends nearly all of it.
pub async fn sends_a_huge_frame(address: String) -> Option<TcpStream> {
    let mut stream = upgraded(&address).await?;
    let mut head = vec![0x81, 0xff];
    head.extend(((16_u64 << 20) - 64).to_be_bytes());
    head.extend([0; 4]);
    stream.write_all(&head).await.ok()?;
    let chunk = vec![b'x'; 64 * 1024];
    for _ in 0..240 {
        stream.write_all(&chunk).await.ok()?;
    }
    Some(stream)
}

/// Sends pings for the given time, and reads no pong.
pub async fn pings_without_reading(address: String, until: Duration) -> Option<TcpStream> {
    let mut stream = upgraded(&address).await?;
    stream.write_all(&frame(1, br#"{"type":"connection_init"}"#)).await.ok()?;
    let pings = frame(9, &[b'x'; 125]).repeat(200);
    let begun = Instant::now();
    while begun.elapsed() < until {
        timeout(Duration::from_secs(3), stream.write_all(&pings)).await.ok()?.ok()?;
    }
    Some(stream)
}

/// Subscribes to the whole log many times, and reads nothing.
pub async fn subscribes_without_reading(address: String) -> Option<TcpStream> {
    let mut stream = upgraded(&address).await?;
    stream.write_all(&frame(1, br#"{"type":"connection_init"}"#)).await.ok()?;
    for id in 0..N_SUBSCRIPTIONS {
        let query = json!({ "query": "subscription { log { version kind summary body } }" });
        let message = json!({ "id": id.to_string(), "type": "subscribe", "payload": query });
        stream.write_all(&frame(1, message.to_string().as_bytes())).await.ok()?;
    }
    Some(stream)
}

/// Records a debate that is expensive to evaluate and to fold; returns its id and version.
pub async fn large_debate(database: &Database) -> (DebateId, i64) {
    let log = database.log().await;
    let mut debate = DebateBuilder::new(&["anna", "basil"]);
    let speaker = |n: usize| if n.is_multiple_of(2) { "anna" } else { "basil" };
    let mut arguments = Vec::new();
    for n in 0..N_ARGUMENTS {
        arguments.push(debate.add_argument(speaker(n), &format!("claim {n}"), &format!("assumption {n}")));
        // An append contains at most a thousand events.
        if n % 100 == 0 {
            debate.append_new(&log).await;
        }
    }
    // A small generator with a fixed seed: the same debate in every run.
    let mut state = 5_u64;
    let mut drawn = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % N_ARGUMENTS
    };
    for n in 0..N_ATTACKS {
        let source = drawn();
        let target = (drawn() & !1) | (1 - source % 2);
        debate.add_attack(speaker(source), arguments[source], arguments[target]);
        if n % 100 == 0 {
            debate.append_new(&log).await;
        }
    }
    let version = debate.append_new(&log).await;
    (debate.id, version)
}

/// Waits until the service uses less than a fifth of a CPU for half a second; returns the time until then.
pub async fn wait_until_idle(pid: u32) -> Duration {
    let begun = Instant::now();
    with_timeout("the service is idle", async {
        loop {
            let (before, since) = (cpu_ticks(pid), begun.elapsed());
            sleep(Duration::from_millis(500)).await;
            if cpu_ticks(pid) - before <= 10 {
                return since;
            }
        }
    })
    .await
}
