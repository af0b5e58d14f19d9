//! Fuzz test of WebSocket connections: 400 sockets with malformed frames and messages from a seeded generator. The
//! service does not fail, its memory stays bounded, and a well-behaved client follows the log meanwhile.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::database::migrated_database;
use crate::support::phase_events::{append_phases, new_debate_id};
use crate::support::process_stats::resident_kib;
use crate::support::random::Random;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::websocket_client::WebSocketClient;

const N_SOCKETS: u64 = 400;
/// Permitted growth of resident memory, in KiB: pools, buffers and caches fill once.
const MAX_GROWN_KIB: u64 = 96 * 1024;
/// Time for which a socket that stays open is read.
const HEARD_FOR: Duration = Duration::from_secs(2);

const UPGRADE: &[u8] = b"GET /graphql/ws HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
    sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    sec-websocket-protocol: graphql-transport-ws\r\n\r\n";
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;

/// A frame of RFC 6455, masked as frames of a client must be.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = head(first, 0x80, payload.len() as u64);
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    bytes.extend(mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

/// Head of a frame: opcode and length.
fn head(first: u8, masked: u8, length: u64) -> Vec<u8> {
    let mut bytes = vec![first];
    match length {
        0..=125 => bytes.push(masked | length as u8),
        126..=0xffff => {
            bytes.push(masked | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        _ => {
            bytes.push(masked | 127);
            bytes.extend(length.to_be_bytes());
        }
    }
    bytes
}

fn text(message: &str) -> Vec<u8> {
    frame(0x80 | TEXT, message.as_bytes())
}

fn hello() -> Vec<u8> {
    text(r#"{"type":"connection_init"}"#)
}

/// Name and bytes of the attack with this seed.
fn attack(seed: u64) -> (&'static str, Vec<u8>) {
    let mut chance = Random(seed);
    let n = 1 + chance.below(4_000);
    match seed % 16 {
        0 => ("any bytes", (0..n).map(|_| chance.next() as u8).collect()),
        1 => ("reserved bits and opcodes", frame(chance.next() as u8 | 0x80, &vec![b'x'; n % 200])),
        2 => {
            let length = *chance.choose(&[u64::MAX, 1 << 63, u64::from(u32::MAX), 1 << 30, 1 << 20]);
            ("a frame that announces a large length", [head(0x80 | TEXT, 0x80, length), vec![0; n]].concat())
        }
        3 => ("no mask", [head(0x80 | TEXT, 0, n as u64), vec![b'{'; n]].concat()),
        4 => ("a control frame too long", frame(0x80 | *chance.choose(&[PING, CLOSE, 10]), &vec![b'p'; 126 + n])),
        5 => ("a control frame in pieces", frame(PING, b"half")),
        6 => ("invalid UTF-8", frame(0x80 | TEXT, &(0..n).map(|_| chance.next() as u8 | 0x80).collect::<Vec<_>>())),
        7 => {
            let pieces = (0..n).flat_map(|at| frame(u8::from(at == 0) * TEXT, b"{"));
            ("a message without an end", [hello(), pieces.collect()].concat())
        }
        8 => ("a continuation without a start", frame(0x80, b"}")),
        9 => ("pings", (0..n).flat_map(|_| frame(0x80 | PING, b"?")).collect()),
        10 => ("closing codes", frame(0x80 | CLOSE, &(chance.next() as u16).to_be_bytes())),
        11 => {
            let whole = [hello(), text(r#"{"id":"1","type":"subscribe","payload":{"query":"{ engines { name } }"}}"#)];
            let whole = whole.concat();
            ("half a frame", whole[..1 + chance.below(whole.len() - 1)].to_vec())
        }
        12 => {
            let mut message =
                br#"{"id":"1","type":"subscribe","payload":{"query":"{ engines { name } }","variables":{}}}"#.to_vec();
            for _ in 0..1 + n % 6 {
                let at = chance.below(message.len());
                message[at] = (chance.next() % 128) as u8;
            }
            ("a message with changed bytes", [hello(), frame(0x80 | TEXT, &message)].concat())
        }
        13 => {
            let deep = format!(r#"{{"id":"1","type":"subscribe","payload":{}1{}}}"#, "[".repeat(n), "]".repeat(n));
            ("a deep message", [hello(), text(&deep)].concat())
        }
        14 => {
            let letters = format!("{{ {} }}", chance.text(n));
            let query = chance.choose(&["{ a ".repeat(n), "\u{0}".repeat(n), letters]).clone();
            let message = json!({ "id": "x".repeat(n), "type": "subscribe", "payload": { "query": query } });
            ("an invalid query", [hello(), text(&message.to_string())].concat())
        }
        _ => {
            let message = |id: usize| {
                let payload =
                    json!({ "query": "subscription { log(after: \"v1.x\") { id } }", "extensions": { "a": id } });
                text(&json!({ "id": id.to_string(), "type": "subscribe", "payload": payload }).to_string())
            };
            ("many operations", [hello(), (0..n % 300).flat_map(message).collect()].concat())
        }
    }
}

/// Sends these bytes on a new socket; returns the code of its close frame, or else `closed` or `open`.
async fn run_attack(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(UPGRADE).await.expect("sent");
    let mut heard = vec![0; 4_096];
    let n = stream.read(&mut heard).await.expect("an answer");
    assert!(heard[..n].starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&heard[..n]));
    let _cut_off = stream.write_all(bytes).await;
    let (mut all, mut over) = (Vec::new(), false);
    let _quiet = timeout(HEARD_FOR, async {
        while let Ok(n) = stream.read(&mut heard).await {
            over = n == 0;
            if over {
                break;
            }
            all.extend_from_slice(&heard[..n]);
        }
    })
    .await;
    closing_code(&all).map_or_else(|| if over { "closed" } else { "open" }.to_owned(), |code| code.to_string())
}

/// The code of the close frame among a server's frames.
fn closing_code(mut frames: &[u8]) -> Option<u16> {
    loop {
        let [first, second, rest @ ..] = frames else { return None };
        let (length, rest) = match second & 0x7f {
            126 => (usize::from(u16::from_be_bytes(rest.get(..2)?.try_into().ok()?)), &rest[2..]),
            127 => (usize::try_from(u64::from_be_bytes(rest.get(..8)?.try_into().ok()?)).ok()?, &rest[8..]),
            short => (usize::from(short), rest),
        };
        if first & 0x0f == CLOSE {
            return Some(u16::from_be_bytes(rest.get(..2)?.try_into().ok()?));
        }
        frames = rest.get(length..)?;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_frames_and_messages_do_no_harm() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let traces = std::path::PathBuf::from(home.path("log"));
    let service =
        ServiceProcess::start_logging(&home.environment(&database.options, &scripted_replies(0)), &traces).await;
    let (address, log) = (service.client.address.clone(), database.log().await);
    let debate = new_debate_id();
    append_phases(&log, debate, &["0"]).await;
    let mut healthy = WebSocketClient::open(&service.client).await;
    healthy.subscribe_to_debate(debate, 0).await;
    assert_eq!(healthy.next_event().await.expect("an event")["version"], 1);
    let before = resident_kib(service.pid());

    let mut ends: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for round in 0..N_SOCKETS / 50 {
        let sockets = iter(round * 50..(round + 1) * 50).map(async |seed| {
            let (what, bytes) = attack(seed);
            (what, run_attack(&address, &bytes).await)
        });
        for (what, ended) in sockets.buffer_unordered(25).collect::<Vec<_>>().await {
            *ends.entry(what).or_default().entry(ended).or_default() += 1;
        }
        append_phases(&log, debate, &["more"]).await;
        assert_eq!(healthy.next_event().await.expect("an event")["version"], round + 2);
    }
    let grown = resident_kib(service.pid()).saturating_sub(before);
    assert!(grown < MAX_GROWN_KIB, "{grown} KiB more than the {before} before");
    service.kill().await;
    let actual = std::fs::read_to_string(&traces).expect("a log");
    assert!(!actual.contains("panicked") && !actual.contains("ERROR"), "{actual}");
    assert_eq!(ends["no mask"].keys().collect::<Vec<_>>(), ["closed"], "a frame without a mask closes the socket");
    assert!(ends["pings"].contains_key("open"), "pings are allowed: {ends:?}");
    println!("{N_SOCKETS} hostile sockets; {grown} KiB more than {before}; how they ended: {ends:?}");
}
