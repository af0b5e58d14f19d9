//! Rebuild of all stored views while clients read lists over HTTP and debates continue: waiting times of readers, and
//! the rows they see.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use faultline::api::admission::tokens::AccessControl;
use faultline::app::equipped_app::EquippedApp;
use faultline::app::server::listen;
use faultline::config::Config;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::PhaseEntered;
use faultline_store::generations::generations::{GenerationState, Generations};
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use faultline_store::open::Store;
use futures_util::future::join_all;
use serde_json::{Value, json};
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::rebuild::rebuild_request;

/// Interval between two queries: fifty a second.
const BETWEEN_QUERIES: Duration = Duration::from_millis(20);
/// Interval between two appends: a hundred events a second.
const BETWEEN_APPENDS: Duration = Duration::from_millis(10);
/// Time that is measured before the rebuild.
const BEFORE: Duration = Duration::from_secs(10);
/// Query for the oldest debates, whose old rows are marked as old.
const READ: &str = "{
    debates(last: 10) { nodes { id topic status } }
    cruxes(first: 10) { nodes { statement } }
    again: debates(last: 10) { nodes { topic } }
}";

/// Result of one query.
struct QueryResult {
    at: Instant,
    took: Duration,
    /// Topics in the answer; `None` if the query failed.
    topics: Option<BTreeSet<String>>,
}

/// Reads and appends before and during a rebuild by this many workers, and prints figures for both.
pub async fn load(store: &Store, options: &PgConnectOptions, files: &Path, debates: &[DebateId], workers: i32) {
    mark(store).await;
    let (address, stop) = service(options, files).await;
    let done = Arc::new(AtomicBool::new(false));
    let growing = tokio::spawn(appends(store.log.clone(), debates.to_vec(), Arc::clone(&done)));
    let reading = tokio::spawn(queries(address, Arc::clone(&done)));
    tokio::time::sleep(BEFORE).await;
    let generations = store.views.generations();
    let begun = Instant::now();
    let id = generations.request(rebuild_request(Some(workers))).await.expect("want").id;
    served(&generations, id).await;
    let switched = Instant::now();
    // The cut-over belongs to the rebuild, and so does what readers see right after it.
    tokio::time::sleep(Duration::from_secs(2)).await;
    done.store(true, Ordering::Relaxed);
    let n_appended = growing.await.expect("appends");
    let seen = reading.await.expect("queries");
    stop.send(()).expect("it serves");

    let (before, during): (Vec<&QueryResult>, Vec<&QueryResult>) = seen.iter().partition(|result| result.at < begun);
    println!("\n50 queries and 100 appends a second     queries   p50 ms   p99 ms  most ms   errors   mixed answers");
    for (name, some) in [("before the rebuild", before), ("during it", during)] {
        let mut times: Vec<Duration> = some.iter().map(|result| result.took).collect();
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 1_000).map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let most = times.last().map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let n_errors = some.iter().filter(|result| result.topics.is_none()).count();
        let n_mixed = some.iter().filter(|result| result.topics.as_ref().is_some_and(is_mixed)).count();
        println!(
            "{name:>36} {:>10} {:>8.1} {:>8.1} {most:>8.1} {n_errors:>8} {n_mixed:>15}",
            times.len(),
            at(500),
            at(990)
        );
    }
    let last = seen.iter().filter_map(|result| result.topics.as_ref()).next_back();
    assert!(last.is_some_and(|topics| !topics.contains("old")), "the last answer has the new rows");
    println!("rebuilt in {:.1} s; {n_appended} events appended meanwhile", (switched - begun).as_secs_f64());
}

/// Returns true if one answer contains rows of both generations.
fn is_mixed(topics: &BTreeSet<String>) -> bool {
    topics.contains("old") && topics.len() > 1
}

/// Marks the served rows as old.
async fn mark(store: &Store) {
    sqlx::query(
        "update views
        set body = jsonb_set(body, '{topic}', '\"old\"')
        where projection = 'summary'
        and debate_id in (select debate_id from debates order by opened_at, debate_id limit 200)",
    )
    .execute(store.log.pool())
    .await
    .expect("mark the old rows");
}

/// Starts a service in this process that reads and rebuilds views. Returns its address, and a sender that stops it.
async fn service(options: &PgConnectOptions, files: &Path) -> (String, oneshot::Sender<()>) {
    let text = |path: &Path| path.display().to_string();
    let personas = Path::new(env!("CARGO_MANIFEST_DIR")).join("personas");
    let config = Config::from_pairs(&[
        ("DATABASE_URL", options.to_url_lossy().as_str()),
        ("FAULTLINE_HOME", &text(files)),
        ("FAULTLINE_PERSONAS", &text(&personas)),
        ("FAULTLINE_CORPUS", &text(files)),
        ("FAULTLINE_EMBEDDER", "hashing"),
        // No rate limit applies.
        ("FAULTLINE_LIMITS", "rate_address=0"),
    ])
    .expect("a configuration");
    let mut app = EquippedApp::open(&config, &|_| {}).await.expect("the service");
    app.opened_mut().start_requested_rebuild();
    let listener = listen("127.0.0.1:0".parse().expect("an address")).await.expect("a socket");
    let address = format!("http://{}/graphql", listener.local_addr().expect("an address"));
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        let until = async { drop(stopped.await) };
        app.serve(listener, &config, AccessControl::default(), until).await.expect("serve");
        app.close().await;
    });
    (address, stop)
}

/// Appends to each of the newest debates in turn.
async fn appends(log: Log, debates: Vec<DebateId>, done: Arc<AtomicBool>) -> usize {
    let some: Vec<DebateId> = debates.iter().rev().take(100).copied().collect();
    let mut versions = Vec::new();
    for debate in &some {
        versions.push(log.head(*debate).await.expect("head"));
    }
    let mut n_appended = 0;
    while !done.load(Ordering::Relaxed) {
        let at = n_appended % some.len();
        let event = Event::PhaseEntered(PhaseEntered::new("talk", None, None));
        let new = NewEvent { id: Uuid::now_v7(), event, caused_by: None };
        let append = Append { debate: some[at], expected: versions[at], events: vec![new], fence: None, actor: None };
        log.append(append).await.expect("append");
        versions[at] += 1;
        n_appended += 1;
        tokio::time::sleep(BETWEEN_APPENDS).await;
    }
    n_appended
}

/// Sends queries on schedule, whether or not the earlier ones are answered.
async fn queries(address: String, done: Arc<AtomicBool>) -> Vec<QueryResult> {
    let client = reqwest::Client::new();
    let mut asked = Vec::new();
    let mut times = tokio::time::interval(BETWEEN_QUERIES);
    while !done.load(Ordering::Relaxed) {
        times.tick().await;
        let (client, address) = (client.clone(), address.clone());
        asked.push(tokio::spawn(async move {
            let at = Instant::now();
            let topics = query(&client, &address).await;
            QueryResult { at, took: at.elapsed(), topics }
        }));
    }
    join_all(asked).await.into_iter().map(|it| it.expect("a query")).collect()
}

/// Returns the topics in an answer; `None` if it is an error.
async fn query(client: &reqwest::Client, address: &str) -> Option<BTreeSet<String>> {
    let answer = client.post(address).json(&json!({ "query": READ })).send().await.ok()?;
    let reply: Value = answer.json().await.ok()?;
    if reply.get("errors").is_some() {
        eprintln!("{reply}");
        return None;
    }
    let data = &reply["data"];
    let nodes = [&data["debates"]["nodes"], &data["again"]["nodes"]].into_iter().filter_map(Value::as_array).flatten();
    Some(nodes.filter_map(|node| node["topic"].as_str().map(str::to_owned)).map(shortened).collect())
}

/// Every debate has a topic of its own; only the mark of an old row matters.
fn shortened(topic: String) -> String {
    if topic == "old" { topic } else { "new".to_owned() }
}

async fn served(generations: &Generations, id: i32) {
    while generations
        .one(id)
        .await
        .expect("the table")
        .is_none_or(|generation| generation.state != GenerationState::Served)
    {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
