//! Resumption under failures: a reader that reconnects with its last cursor receives every event once, whatever was
//! killed meanwhile.
//!
//! Real processes and sockets, with a proxy between them that breaks connections at random. `FAULTLINE_TRIALS` sets how
//! often readers must have resumed before the test ends; the default is low.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline_core::events::ids::DebateId;
use faultline_store::log::log::Log;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{interval, sleep};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::client::Client;
use crate::support::database::migrated_database;
use crate::support::environment::n_trials;
use crate::support::log_reads::read_all_events;
use crate::support::phase_events::{append_phases, new_debate_id};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};

/// Interval at which connections are broken.
const TICK: Duration = Duration::from_millis(100);
/// Breaks one connection in this many at each tick: a tenth of them in a second.
const ONE_IN: u64 = 100;

const EVENTS: &str = "subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) { version } }";
const LOG: &str = "subscription ($after: String) { log(after: $after) { debateId version cursor } }";

/// Transport by which a reader connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Transport {
    Socket,
    SocketOfAll,
    Stream,
    Events,
}

const TRANSPORTS: [Transport; 4] = [Transport::Socket, Transport::SocketOfAll, Transport::Stream, Transport::Events];

/// Proxied connections to a service whose address changes.
struct FlakyProxy {
    address: String,
    target: Arc<Mutex<String>>,
    lines: Arc<Mutex<Vec<AbortHandle>>>,
    rng: u64,
}

impl FlakyProxy {
    async fn open(target: &str) -> FlakyProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (target, lines) = (Arc::new(Mutex::new(target.to_owned())), Arc::default());
        let wire = FlakyProxy { address, target, lines, rng: 0x9e37_79b9_7f4a_7c15 };
        let (target, lines) = (Arc::clone(&wire.target), Arc::clone(&wire.lines));
        tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.expect("a line");
                let target = target.lock().expect("no panic").clone();
                let line = tokio::spawn(async move {
                    let Ok(mut far) = TcpStream::connect(target).await else { return };
                    let _broken = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
                lines.lock().expect("no panic").push(line.abort_handle());
            }
        });
        wire
    }

    fn set_target(&self, target: &str) {
        target.clone_into(&mut self.target.lock().expect("no panic"));
    }

    /// Breaks some connections, with whatever is in transit on them.
    fn break_some(&mut self) {
        let mut lines = self.lines.lock().expect("no panic");
        lines.retain(|line| !line.is_finished());
        for line in lines.iter() {
            // Pseudo-random numbers, the same in every run.
            self.rng ^= self.rng << 13;
            self.rng ^= self.rng >> 7;
            self.rng ^= self.rng << 17;
            if self.rng.is_multiple_of(ONE_IN) {
                line.abort();
            }
        }
    }
}

/// Reader that reconnects until it is stopped.
struct Reader {
    door: Transport,
    address: String,
    debate: DebateId,
    heard: Arc<Mutex<ReaderState>>,
    resumes: Arc<AtomicUsize>,
}

/// State of a reader: the cursor to resume from, and the events of each debate.
#[derive(Default)]
struct ReaderState {
    cursor: Option<String>,
    events: Vec<(String, i64)>,
}

impl Reader {
    async fn read(self) {
        let client = Client::new(&self.address);
        loop {
            let cursor = self.heard.lock().expect("no panic").cursor.clone();
            let _broken = match self.door {
                Transport::Socket | Transport::SocketOfAll => self.by_socket(cursor).await,
                Transport::Stream | Transport::Events => self.by_stream(&client, cursor).await,
            };
            sleep(Duration::from_millis(20)).await;
        }
    }

    async fn by_socket(&self, cursor: Option<String>) -> Option<()> {
        let mut request = format!("ws://{}/graphql/ws", self.address).into_client_request().expect("a request");
        request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a header"));
        let (mut socket, _) = connect_async(request).await.ok()?;
        let payload = if self.door == Transport::Socket {
            let after = cursor.as_deref().map_or(0, |cursor| cursor.parse::<i64>().expect("a version"));
            json!({ "query": EVENTS, "variables": { "id": self.debate, "after": after } })
        } else {
            json!({ "query": LOG, "variables": { "after": cursor } })
        };
        for said in
            [json!({ "type": "connection_init" }), json!({ "id": "1", "type": "subscribe", "payload": payload })]
        {
            socket.send(Message::text(said.to_string())).await.ok()?;
        }
        let mut is_back = cursor.is_some();
        while let Some(Ok(message)) = socket.next().await {
            let Message::Text(text) = message else { continue };
            let mut actual: Value = serde_json::from_str(&text).expect("JSON");
            match actual["type"].as_str() {
                Some("next") => self.hear(actual["payload"]["data"].take(), &mut is_back),
                Some("connection_ack") => {}
                _ => panic!("{:?}: not expected: {actual}", self.door),
            }
        }
        None
    }

    async fn by_stream(&self, client: &Client, cursor: Option<String>) -> Option<()> {
        let request = match self.door {
            Transport::Events => client.http.get(client.url(&format!("/debates/{}/events", self.debate))),
            _ => client
                .http
                .post(client.url("/graphql/stream"))
                .json(&json!({ "query": EVENTS, "variables": { "id": self.debate } })),
        };
        let mut is_back = cursor.is_some();
        let request = cursor.into_iter().fold(request, |request, cursor| request.header("last-event-id", cursor));
        let mut response = request.header("accept", "text/event-stream").send().await.ok()?;
        // A service that starts or stops answers 503; the request is repeated.
        if response.status().as_u16() == 503 {
            return None;
        }
        assert_eq!(response.status().as_u16(), 200, "{:?}", self.door);
        let mut text = String::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            text.push_str(std::str::from_utf8(&chunk).expect("UTF-8, cut between events"));
            while let Some((block, rest)) = text.split_once("\n\n") {
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                if let Some(data) = field("data") {
                    let mut actual: Value = serde_json::from_str(data).expect("JSON");
                    let actual = if self.door == Transport::Events {
                        json!({ "debateEvents": actual })
                    } else {
                        assert!(actual.get("errors").is_none(), "{actual}");
                        actual["data"].take()
                    };
                    let version = actual["debateEvents"]["version"].to_string();
                    assert_eq!(field("id"), Some(&*version), "the event id is the cursor to resume from");
                    self.hear(actual, &mut is_back);
                }
                text = rest.to_owned();
            }
        }
        None
    }

    /// Records an event; the first event of a resumed connection counts as a resume.
    fn hear(&self, actual: Value, is_back: &mut bool) {
        let mut heard = self.heard.lock().expect("no panic");
        let (event, debate) = match self.door {
            Transport::SocketOfAll => {
                (&actual["log"], actual["log"]["debateId"].as_str().expect("a debate").to_owned())
            }
            _ => (&actual["debateEvents"], self.debate.to_string()),
        };
        let version = event["version"].as_i64().unwrap_or_else(|| panic!("no event: {actual}"));
        heard.cursor = Some(event["cursor"].as_str().map_or_else(|| version.to_string(), str::to_owned));
        heard.events.push((debate, version));
        if std::mem::take(is_back) {
            self.resumes.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Appends to both debates, more to the first, until `stop` is set.
async fn write(log: Log, debates: [DebateId; 2], stop: Arc<AtomicBool>) {
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        append_phases(&log, debates[usize::from(n % 3 == 2)], &[&format!("event {n}")]).await;
        sleep(Duration::from_millis(25)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_reconnects_receives_every_event_once() {
    let wanted = n_trials(40);
    let n_readers = (wanted / 10).clamp(40, 120);
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let mut service = ServiceProcess::start(&variables).await;
    let log = database.log().await;
    let debates = [new_debate_id(), new_debate_id()];
    for debate in debates {
        append_phases(&log, debate, &["first"]).await;
    }
    let mut wire = FlakyProxy::open(&service.client.address).await;
    let resumes = Arc::new(AtomicUsize::new(0));
    let mut readers = Vec::new();
    for n in 0..n_readers {
        let (heard, door) = (Arc::<Mutex<ReaderState>>::default(), TRANSPORTS[n % TRANSPORTS.len()]);
        let address = wire.address.clone();
        let (kept, resumes) = (Arc::clone(&heard), Arc::clone(&resumes));
        let reader = Reader { door, address, debate: debates[0], heard: kept, resumes };
        readers.push((door, heard, tokio::spawn(reader.read())));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writing = tokio::spawn(write(log.clone(), debates, Arc::clone(&stop)));

    let mut tick = interval(TICK);
    let (mut n_kills, mut n_deaf) = (0, 0);
    let mut before = 0;
    let mut ticks_since = 0;
    loop {
        tick.tick().await;
        wire.break_some();
        let done = resumes.load(Ordering::Relaxed);
        ticks_since = if done == before { ticks_since + 1 } else { 0 };
        before = done;
        assert!(ticks_since < 600, "readers do not resume: {done} of {wanted}");
        if readers.iter().any(|reader| reader.2.is_finished()) {
            break;
        }
        if n_kills == 0 && done >= wanted / 3 {
            service.kill().await;
            service = ServiceProcess::start(&variables).await;
            wire.set_target(&service.client.address);
            n_kills += 1;
        } else if n_deaf == 0 && done >= wanted * 2 / 3 {
            let ended = poll_until("there is a listener", async || {
                let ended: i64 = sqlx::query_scalar(
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity
                    where datname = current_database() and application_name like '% tail'",
                )
                .fetch_one(&database.pool)
                .await
                .expect("end the listeners");
                Some(ended).filter(|n| *n > 0)
            });
            n_deaf += ended.await;
        } else if done >= wanted && n_kills > 0 && n_deaf > 0 {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    with_timeout("the writer ends", writing).await.expect("the writer does not panic");

    let mut written = BTreeMap::new();
    for debate in debates {
        written.insert(debate.to_string(), read_all_events(&log, debate).await.len() as i64);
    }
    let (first, all) = (written[&debates[0].to_string()], written.values().sum::<i64>());
    let (mut n_lost, mut n_repeated) = (0, 0);
    for (door, heard, task) in readers {
        let expected = if door == Transport::SocketOfAll { all } else { first } as usize;
        poll_until("a reader has received the rest", async || {
            let n_heard = heard.lock().expect("no panic").events.len();
            // A reader that failed reports its error below.
            (n_heard >= expected || task.is_finished()).then_some(())
        })
        .await;
        if task.is_finished() {
            task.await.expect("a reader failed");
            continue;
        }
        task.abort();
        let heard = heard.lock().expect("no panic");
        for (debate, head) in &written {
            let versions: Vec<i64> =
                heard.events.iter().filter(|event| event.0 == *debate).map(|event| event.1).collect();
            if versions.is_empty() && door != Transport::SocketOfAll {
                continue;
            }
            let missing = (1..=*head).filter(|version| !versions.contains(version)).count();
            n_lost += missing;
            n_repeated += versions.len() + missing - *head as usize;
            assert!(versions.iter().copied().eq(1..=*head), "{door:?}: {versions:?} of {head}");
        }
    }
    let n = resumes.load(Ordering::Relaxed);
    println!(
        "{n} resumes of {n_readers} readers, {first} events each (all of the log: {all}), {n_kills} kill of the service, \
         {n_deaf} of its listener: {n_lost} lost, {n_repeated} repeated"
    );
    service.kill().await;
}
