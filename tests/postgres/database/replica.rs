//! Reads from a streaming replica: no client reads backwards, whatever happens to the replica.

use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::log::Log;
use rustix::process::Signal;
use serde_json::{Value, json};
use sqlx::{ConnectOptions, PgPool};

use crate::support::client::{Client, start_debate_input};
use crate::support::database_servers::{DATABASE, DatabaseServer};
use crate::support::log_reads::{read_all_events, wait_for_end};
use crate::support::phase_events::append_phases;
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, database_url, scripted_replies};
use crate::support::test_server::versions;
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

/// Greatest allowed lag of a replica, in seconds.
const LAG: u64 = 1;

/// Primary, standby, and a service that reads from both.
struct PrimaryAndReplica {
    primary: DatabaseServer,
    standby: DatabaseServer,
    service: ServiceProcess,
    variables: Vec<(&'static str, String)>,
    pool: PgPool,
    log: Log,
    tail: Tail,
    _home: TestHome,
}

impl PrimaryAndReplica {
    async fn new() -> PrimaryAndReplica {
        let home = TestHome::new();
        let primary = DatabaseServer::primary(&home, "primary").await;
        let pool = primary.pool(DATABASE).await;
        let standby = primary.standby(&home, "standby").await;
        let mut variables = home.environment(&primary.options(DATABASE), &scripted_replies(20));
        variables.push(("FAULTLINE_READ_URL", database_url(&standby.options(DATABASE))));
        variables.push(("FAULTLINE_READ_LAG_SECONDS", LAG.to_string()));
        let service = ServiceProcess::start(&variables).await;
        let log = Log::start(pool.clone()).await.expect("the log");
        let tail = Tail::start(&log);
        let pair = PrimaryAndReplica { primary, standby, service, variables, pool, log, tail, _home: home };
        pair.wait_until_ready_says("reads go to the replica").await;
        pair
    }

    /// Waits until `/readyz` contains `words`.
    async fn wait_until_ready_says(&self, words: &str) {
        poll_until(words, async || {
            let actual =
                self.service.client.http.get(self.service.client.url("/readyz")).send().await.expect("an answer");
            assert!(actual.status().is_success(), "the service stays ready");
            let actual = actual.text().await.expect("text");
            actual.contains(words).then_some(())
        })
        .await;
    }

    /// Returns the number of queries answered by `place`.
    async fn answered_from(&self, place: &str) -> u64 {
        let line = format!("faultline_reads_total{{from=\"{place}\"}} ");
        let counted = self.metrics().await;
        counted.lines().find_map(|metric| metric.strip_prefix(&line)).map_or(0, |it| it.parse().expect("a count"))
    }

    async fn metrics(&self) -> String {
        let actual = self.service.client.http.get(self.service.client.url("/metrics")).send().await.expect("an answer");
        actual.text().await.expect("text")
    }

    /// Opens a debate and pauses it. Returns its id.
    async fn open_paused(&self) -> String {
        let debate = self.service.client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await.to_string();
        const PAUSE: &str = "mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { version } } }";
        self.service.client.data(PAUSE, json!({ "id": debate })).await;
        debate
    }

    /// Adds an interjection to a debate `times` times, each time reads the debate at once, and checks that the read
    /// includes it.
    async fn assert_reads_own_writes(&self, debate: &str, times: usize) {
        for n in 0..times {
            let said = format!("word {n}");
            let written = interject(&self.service.client, debate, &said).await;
            let read = read(&self.service.client, debate).await;
            assert!(read["version"].as_i64() >= Some(written), "written {written}, read {read}");
            let last = read["events"]["nodes"].as_array().and_then(|events| events.last()).cloned().unwrap_or_default();
            assert!(last["version"].as_i64() >= Some(written), "written {written}, told {last}");
        }
    }
}

/// Adds an interjection to a debate. Returns the resulting version.
async fn interject(client: &Client, debate: &str, text: &str) -> i64 {
    const SAY: &str = "mutation ($id: ID!, $text: String!) {
        interject(input: { debateId: $id, text: $text }) { debate { version } }
    }";
    let data = client.data(SAY, json!({ "id": debate, "text": text })).await;
    data["interject"]["debate"]["version"].as_i64().expect("a version")
}

async fn read(client: &Client, debate: &str) -> Value {
    const READ: &str = "query ($id: ID!) { debate(id: $id) { version events(last: 1) { nodes { version } } } }";
    client.data(READ, json!({ "id": debate })).await["debate"].take()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_read_their_own_writes_and_reads_use_the_replica() {
    let pair = PrimaryAndReplica::new().await;
    let client = &pair.service.client;
    let debate = pair.open_paused().await;
    pair.assert_reads_own_writes(&debate, 60).await;
    let from_replica = pair.answered_from("replica").await;
    println!("read your writes: {from_replica} of 60 from the replica, {} from the primary", 60 - from_replica);
    assert!(from_replica > 0, "{}", pair.metrics().await);

    // Events written by another process are visible in a read at their version.
    for n in 0..20 {
        let written = append_phases(&pair.log, debate.parse().expect("an id"), &["elsewhere"]).await;
        let version = written[0].version;
        const AT: &str = "query ($id: ID!, $at: Int!) { debate(id: $id, at: $at) { version events(last: 1) { nodes { recordId } } } }";
        let read = client.data(AT, json!({ "id": debate, "at": version })).await;
        assert_eq!(read["debate"]["version"], version, "{n}");
        assert_eq!(read["debate"]["events"]["nodes"], json!([{ "recordId": written[0].id }]), "{n}");
    }
    // A client that moves from one process to another sends the position that it has seen.
    let other = ServiceProcess::start(&pair.variables).await;
    const SAY: &str =
        "mutation ($id: ID!) { interject(input: { debateId: $id, text: \"here\" }) { debate { version } } }";
    const READ: &str = "query ($id: ID!) { debate(id: $id) { version } }";
    let ask = async |client: &Client, query: &str, seen: &str| {
        let body = json!({ "query": query, "variables": { "id": debate } });
        let asked = client.http.post(client.url("/graphql")).header("faultline-seen", seen).json(&body);
        let answer = asked.send().await.expect("an answer");
        let seen = answer.headers()["faultline-seen"].to_str().expect("text").to_owned();
        let actual: Value = answer.json().await.expect("JSON");
        let data = &actual["data"];
        let shown = if query == READ { &data["debate"] } else { &data["interject"]["debate"] };
        (shown["version"].as_i64().expect("a version"), seen)
    };
    let (mut seen, mut last) = (format!("{}-0", Cursor::default()), 0);
    for n in 0..20 {
        let (writer, reader) = if n % 2 == 0 { (client, &other.client) } else { (&other.client, client) };
        let (written, actual) = ask(writer, SAY, &seen).await;
        let (version, actual) = ask(reader, READ, &actual).await;
        assert!(version >= written && written > last, "{n}: {version} read, {written} written, {last} before");
        (seen, last) = (actual, version);
    }
    let odd = client
        .http
        .post(client.url("/graphql"))
        .header("faultline-seen", "yesterday")
        .json(&json!({ "query": "{ a }" }));
    assert_eq!(odd.send().await.expect("an answer").status().as_u16(), 400);
    other.kill().await;
    // A command shows everything that was recorded before it started.
    let commands = &pair.variables;
    let written = append_phases(&pair.log, debate.parse().expect("an id"), &["elsewhere"]).await;
    let shown = run_json_command(commands, &["show", &debate, "--json"]).await.remove(0);
    assert_eq!(shown["version"], written[0].version);
    let opened = client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await;
    let events = wait_for_end(&pair.log, &pair.tail, opened).await;
    poll_until("the list has the debate", async || {
        let data =
            client.data("{ debates(first: 5, filter: { status: CONCLUDED }) { nodes { id } } }", json!({})).await;
        data["debates"]["nodes"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|debate| debate["id"] == opened.to_string())
            .then_some(())
    })
    .await;
    let actual = run_json_command(commands, &["history", &opened.to_string(), "--json"]).await;
    assert_eq!(actual.len(), events.len());
    let doctor = run_command(commands, &["doctor", "--json"]).await;
    assert!(doctor.stdout.contains("reads go to the replica"), "{}", doctor.stdout);
    pair.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_client_reads_backwards_whatever_happens_to_the_replica() {
    let mut pair = PrimaryAndReplica::new().await;
    let debate = pair.open_paused().await;
    // A subscription throughout: no gap and no repeat.
    let watched = debate.parse().expect("an id");
    let mut socket = WebSocketClient::open(&pair.service.client).await;
    socket.subscribe_to_debate(watched, 0).await;
    let (actual, mut heard) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(event) = socket.next_event().await {
            actual.send(event["version"].as_i64().expect("a version")).expect("the test waits for it");
        }
    });

    // Replay is paused: the replica answers but does not advance.
    pair.standby.run("postgres", "select pg_wal_replay_pause()").await;
    pair.assert_reads_own_writes(&debate, 5).await;
    pair.wait_until_ready_says("bytes of log behind").await;
    let before = pair.answered_from("replica").await;
    pair.assert_reads_own_writes(&debate, 5).await;
    assert_eq!(pair.answered_from("replica").await, before, "the replica is too far behind to be read");
    assert!(pair.metrics().await.lines().any(|line| line == "faultline_replica_up 0"));
    pair.standby.run("postgres", "select pg_wal_replay_resume()").await;
    pair.wait_until_ready_says("reads go to the replica").await;

    // Killed during reads, and restarted.
    let client = pair.service.client.clone();
    let (asked, reading) = (debate.clone(), tokio::sync::watch::channel(true));
    let mut going = reading.1.clone();
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (client, debate, going) = (client.clone(), asked.clone(), reading.1.clone());
            tokio::spawn(async move {
                let (mut n_reads, mut last) = (0, 0);
                while *going.borrow() {
                    let version = read(&client, &debate).await["version"].as_i64().expect("a version");
                    assert!(version >= last, "a read went backwards: {version} after {last}");
                    (n_reads, last) = (n_reads + 1, version);
                }
                n_reads
            })
        })
        .collect();
    assert!(*going.borrow_and_update());
    for round in 0..3 {
        pair.assert_reads_own_writes(&debate, 3).await;
        pair.standby.crash();
        pair.assert_reads_own_writes(&debate, 3).await;
        pair.wait_until_ready_says("the replica does not answer").await;
        pair.standby.start().await;
        pair.wait_until_ready_says("reads go to the replica").await;
        println!("killed {} times, {} queries asked again", round + 1, pair.answered_from("failover").await);
    }
    reading.0.send_replace(false);
    for reader in readers {
        assert!(reader.await.expect("no read failed") > 0);
    }

    // Stopped: it accepts connections and does not answer.
    pair.standby.signal(Signal::STOP);
    pair.assert_reads_own_writes(&debate, 3).await;
    pair.standby.signal(Signal::CONT);
    pair.wait_until_ready_says("reads go to the replica").await;

    // Promoted: from now on it has a history of its own.
    pair.standby.promote().await;
    pair.wait_until_ready_says("is not a standby").await;
    pair.standby.run(DATABASE, "update lanes set head = head + 1000").await;
    pair.assert_reads_own_writes(&debate, 5).await;
    let doctor = run_command(&pair.variables, &["doctor", "--json"]).await;
    assert!(doctor.stdout.contains("Point DATABASE_URL at it if it was promoted"), "{}", doctor.stdout);

    let events = read_all_events(&pair.log, watched).await;
    let mut seen = Vec::new();
    while seen.len() < events.len() {
        seen.push(with_timeout("an event", heard.recv()).await.expect("the socket stays open"));
    }
    assert_eq!(seen, versions(&events));
    pair.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_continue_from_the_replica_while_the_primary_is_down() {
    let mut pair = PrimaryAndReplica::new().await;
    let debate = pair.open_paused().await;
    pair.assert_reads_own_writes(&debate, 2).await;
    let version = read(&pair.service.client, &debate).await["version"].clone();
    // The replica has received everything before the primary stops.
    let heads = pair.log.heads().await.expect("heads");
    let standby = pair.standby.options(DATABASE);
    poll_until("the replica has caught up", async || {
        let shown: Vec<i64> = sqlx::query_scalar("select head from lanes order by lane")
            .fetch_all(&mut standby.connect().await.expect("connect"))
            .await
            .expect("heads");
        (shown == heads).then_some(())
    })
    .await;
    pair.pool.close().await;
    pair.primary.crash();
    for _ in 0..5 {
        assert_eq!(read(&pair.service.client, &debate).await["version"], version);
    }
    pair.primary.start().await;
    poll_until("the primary takes writes again", async || {
        const SAY: &str =
            "mutation ($id: ID!) { interject(input: { debateId: $id, text: \"again\" }) { debate { version } } }";
        let actual = pair.service.client.query(SAY, json!({ "id": debate })).await;
        actual["data"]["interject"]["debate"]["version"].as_i64()
    })
    .await;
    pair.assert_reads_own_writes(&debate, 3).await;
    pair.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_not_a_replica_of_this_database_is_not_read() {
    let home = TestHome::new();
    let primary = DatabaseServer::primary(&home, "primary").await;
    let other = DatabaseServer::primary(&home, "other").await;
    let _tables = (primary.pool(DATABASE).await, other.pool(DATABASE).await);
    let standby = other.standby(&home, "standby").await;
    let variables = |read: String| {
        let mut variables = home.environment(&primary.options(DATABASE), &scripted_replies(0));
        variables.push(("FAULTLINE_READ_URL", read));
        variables
    };
    for (read, expected) in [
        (database_url(&primary.options(DATABASE)), "is not a standby"),
        (database_url(&standby.options(DATABASE)), "a standby of another server"),
        (database_url(&primary.options(DATABASE).socket("/nowhere")), "does not answer"),
    ] {
        let output = run_command(&variables(read), &["doctor", "--json"]).await;
        assert!(output.stdout.contains(expected), "{expected}: {}", output.stdout);
        assert!(output.stdout.contains("reads go to the primary"), "{}", output.stdout);
    }
    let output = run_command(&variables("not a url".to_owned()), &["list"]).await;
    assert_eq!(
        (output.code, output.stderr.contains("FAULTLINE_READ_URL is not a valid address")),
        (Some(2), true),
        "{output:?}"
    );
    let mut private = variables(database_url(&standby.options(DATABASE)));
    private.retain(|(name, _)| *name != "DATABASE_URL");
    let output = run_command(&private, &["list"]).await;
    assert!(output.stderr.contains("Set DATABASE_URL to the primary"), "{output:?}");
}
