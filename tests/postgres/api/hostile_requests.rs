//! Fuzz test of HTTP requests: 500 malformed and hostile requests from a seeded generator. The service does not fail,
//! its memory stays bounded, and a well-behaved client is answered meanwhile.

use faultline_core::engines::registry::ENGINES;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::database::migrated_database;
use crate::support::process_stats::resident_kib;
use crate::support::random::Random;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};

const N_REQUESTS: u64 = 500;
/// Maximum number of requests that are never completed and stay open to the end.
const MAX_N_SLOW: u64 = 40;
/// Permitted growth of resident memory, in KiB: pools, buffers and caches fill once.
const MAX_GROWN_KIB: u64 = 96 * 1024;

/// Behaviour of the client after it has sent its bytes.
#[derive(Clone, Copy, PartialEq)]
enum AfterSending {
    /// Waits for the answer.
    Listens,
    /// Closes its half of the connection in the middle of a request.
    Leaves,
    /// Sends nothing more and keeps the connection open.
    Hangs,
}

/// Bytes of a request, and the behaviour of its client.
struct RawRequest {
    what: &'static str,
    bytes: Vec<u8>,
    then: AfterSending,
}

/// POST request with this body.
fn post(kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn query(text: &str) -> Vec<u8> {
    post("application/json", json!({ "query": text }).to_string().as_bytes())
}

const KINDS: usize = 20;

/// Query that is expensive to parse, validate or execute.
fn bomb(chance: &mut Random, kind: usize) -> (&'static str, Vec<u8>) {
    let n = 1 + chance.below(3_000);
    let (open, close) = *chance.choose(&[("[", "]"), ("{a:", "}"), ("[{a:", "}]"), ("{a:[", "]}")]);
    let fragments = |n: usize, to: &dyn Fn(usize) -> String| {
        (0..n).map(|index| format!(" fragment F{index} on Query {{ {} }}", to(index))).collect::<String>()
    };
    match kind {
        0 => ("nested values", query(&format!("{{ debate(id: {}1{}) {{ id }} }}", open.repeat(n), close.repeat(n)))),
        1 => ("values that never close", query(&format!("{{ debate(id: {}", open.repeat(n)))),
        2 => ("nested selections", query(&format!("{}id{}", "{ debates { edges { node ".repeat(n), "}".repeat(3 * n)))),
        3 => (
            "aliases",
            query(&format!("{{ {} }}", (0..n).map(|i| format!("a{i}: engines {{ name }} ")).collect::<String>())),
        ),
        4 => ("directives", query(&format!("{{ engines {} {{ name }} }}", "@include(if: true) ".repeat(n)))),
        5 => {
            let n = 2 + chance.below(90);
            let bomb = fragments(n, &|index| format!("...F{0} ...F{0}", (index + 1).min(n - 1)));
            ("fragments of fragments", query(&format!("{{ ...F0 }}{bomb}")))
        }
        6 => {
            let n = 1 + chance.below(300);
            (
                "fragments in a ring",
                query(&format!("{{ ...F0 }}{}", fragments(n, &|index| format!("...F{}", (index + 1) % n)))),
            )
        }
        7 => ("repeated fields", query(&format!("{{ {} }}", "engines { name } ".repeat(n)))),
        8 => ("pages without end", query(&format!("{{ debates(first: {}) {{ edges {{ cursor }} }} }}", chance.next()))),
        _ => ("a query with bytes exchanged", {
            let mut text =
                b"query Q($id: ID!) { debate(id: $id, at: 3) { turns { id text } cruxes { explanation } } }".to_vec();
            for _ in 0..=chance.below(6) {
                let at = chance.below(text.len());
                text[at] = *chance.choose(b"{}()[]:!$@#\"\\,.|& \n\0a9-");
            }
            query(&String::from_utf8_lossy(&text))
        }),
    }
}

/// Malformed and hostile paths.
const PATHS: &[&str] = &[
    "/graphql?query=%ff%fe&variables=%7B",
    "/graphql?query=mutation%7Ba%7D",
    "//../../etc/passwd",
    "/graphiql/..%2f..%2fx",
    "/debates/%00/events",
    "/graphql/ws",
    "/log.jsonl?after=v1.%ff&kinds=,,,",
    "/debates/0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b/events?after=-9223372036854775808",
];

/// Malformed or hostile request with this seed.
fn raw_request(seed: u64) -> RawRequest {
    let mut chance = Random(seed);
    let kind = (seed as usize) % KINDS;
    let n = 1 + chance.below(3_000);
    let whole = |what, bytes| RawRequest { what, bytes, then: AfterSending::Listens };
    match kind {
        0..10 => {
            let (what, bytes) = bomb(&mut chance, kind);
            whole(what, bytes)
        }
        10 => whole(
            "a batch",
            post(
                "application/json",
                json!(vec![json!({ "query": "{ engines { name } }" }); n % 400]).to_string().as_bytes(),
            ),
        ),
        11 => {
            let value = chance.choose(&[json!(7), json!([]), json!({}), json!(true), json!(1e300), json!("x")]).clone();
            let mut body = json!({ "query": "{ engines { name } }" });
            let names = ["query", "variables", "operationName", "extensions", "documentId"];
            if chance.below(2) == 0 {
                body["extensions"] = json!({ "persistedQuery": value });
            } else {
                body[*chance.choose(&names)] = value;
            }
            whole("fields of wrong types", post("application/json", body.to_string().as_bytes()))
        }
        12 => {
            let text = r#"{"query":"{ engines { name } }"}"#;
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
            let broken = [b"{\"query\":\"", &b"\xff\xfe\xc0\xaf"[..], b"\"}"].concat();
            let body = chance.choose(&[wide, marked, broken]).clone();
            whole("another encoding", post("application/json; charset=utf-16", &body))
        }
        13 => {
            let text = query("{ engines { name } }");
            let cut = 1 + chance.below(text.len() - 1);
            RawRequest {
                what: "half a request",
                bytes: text[..cut].to_vec(),
                then: if (seed / KINDS as u64).is_multiple_of(2) { AfterSending::Hangs } else { AfterSending::Leaves },
            }
        }
        14 => {
            let headers: String = (0..n).map(|index| format!("x-{index}: {}\r\n", "y".repeat(n % 90))).collect();
            whole(
                "headers",
                format!("GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}\r\n")
                    .into_bytes(),
            )
        }
        15 => whole(
            "random characters",
            query(&format!("{{ {}: engines {{ {} }} }} # {}", chance.text(20), chance.text(5), chance.text(n))),
        ),
        16 => {
            let body = format!(
                r#"{{"query":"query ($a: ID!) {{ debate(id: $a) {{ id }} }}","variables":{{"a":{}1{}}}}}"#,
                "[".repeat(n),
                "]".repeat(n)
            );
            whole("deep variables", post("application/json", body.as_bytes()))
        }
        17 => {
            let number =
                *chance.choose(&["1e999", "-0", "99999999999999999999999999", "1e-999", "NaN", "0x1", "\"\\ud800\""]);
            let body = format!(
                r#"{{"query":"query ($a: Int) {{ debates(first: $a) {{ edges {{ cursor }} }} }}","variables":{{"a":{number}}}}}"#
            );
            whole("invalid numbers", post("application/json", body.as_bytes()))
        }
        18 => {
            let (method, path) =
                (*chance.choose(&["GET", "PUT", "TRACE", "DELETE", "CONNECT", "BREW", "\u{0}"]), *chance.choose(PATHS));
            let path = if n.is_multiple_of(3) { format!("{path}&{}", "z".repeat(n * 40)) } else { path.to_owned() };
            whole(
                "methods and paths",
                format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n").into_bytes(),
            )
        }
        _ => {
            let lengths = [
                "content-length: -1",
                "content-length: 9999999999999999999",
                "transfer-encoding: chunked",
                "content-length: 5\r\ncontent-length: 6",
                "authorization: Bearer \u{1}\u{2}",
                "if-none-match: \"",
                "accept: */*;q=,,;",
                "content-encoding: gzip",
                "expect: 100-continue",
            ];
            let head = format!(
                "POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\n{}\r\n\r\nzzzz\r\n{{",
                chance.choose(&lengths)
            );
            whole("contradictions", head.into_bytes())
        }
    }
}

/// Sends a request; returns the status of the response, `None` without one. Hanging connections are stored in `held`.
async fn send_raw_request(address: &str, shot: &RawRequest, held: &Mutex<Vec<TcpStream>>) -> Option<u16> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let _cut_off = stream.write_all(&shot.bytes).await;
    if shot.then == AfterSending::Hangs {
        held.lock().expect("a lock").push(stream);
        return None;
    }
    if shot.then == AfterSending::Leaves {
        let _half = stream.shutdown().await;
    }
    let mut heard = Vec::new();
    // Endless streams are read for five seconds only.
    let _end = timeout(Duration::from_secs(5), stream.read_to_end(&mut heard)).await;
    let text = String::from_utf8_lossy(&heard[..heard.len().min(64)]).into_owned();
    text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_and_hostile_requests_do_no_harm() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let log = std::path::PathBuf::from(home.path("log"));
    let service = ServiceProcess::start_logging(&home.environment(&database.options, &scripted_replies(0)), &log).await;
    let client = service.client.clone();
    // Fill pools and caches before the measurement.
    for _ in 0..50 {
        client.data("{ engines { name } personas { id } debates { edges { cursor } } }", json!({})).await;
    }
    let before = resident_kib(service.pid());

    let (over, n_answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let healthy = tokio::spawn({
        let (client, over, n_answered) = (client.clone(), Arc::clone(&over), Arc::clone(&n_answered));
        async move {
            while !over.load(Ordering::Relaxed) {
                let data = client.data("{ engines { name } }", json!({})).await;
                assert_eq!(data["engines"].as_array().map(Vec::len), Some(ENGINES.len()));
                n_answered.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    let held = Mutex::default();
    let shots = iter(0..N_REQUESTS).map(async |seed| {
        let shot = raw_request(seed);
        let status = send_raw_request(&client.address, &shot, &held).await;
        (shot.what, seed, status)
    });
    let answers: Vec<_> = shots.buffer_unordered(16).collect().await;
    over.store(true, Ordering::Relaxed);
    healthy.await.expect("the healthy client is always answered");

    let faults: Vec<_> = answers.iter().filter(|(.., status)| status.is_some_and(|code| code >= 500)).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(answers.len() as u64, N_REQUESTS);
    let n_held = held.lock().expect("a lock").len() as u64;
    assert!((1..=MAX_N_SLOW).contains(&n_held), "{n_held} held open");
    assert!(n_answered.load(Ordering::Relaxed) > 20, "{n_answered:?} answered meanwhile");
    let grown = resident_kib(service.pid()).saturating_sub(before);
    assert!(grown < MAX_GROWN_KIB, "{grown} KiB more than the {before} before");
    service.kill().await;
    let actual = std::fs::read_to_string(&log).expect("a log");
    assert!(!actual.contains("panicked"), "{actual}");
    let answered = answers.iter().filter(|(.., status)| status.is_some()).count();
    println!(
        "{N_REQUESTS} hostile requests, {answered} answered, {n_held} held open; {n_answered:?} healthy ones meanwhile; {grown} KiB more than {before}"
    );
}
