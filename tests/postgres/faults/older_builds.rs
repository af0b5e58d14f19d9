//! An older build and this one on one database, started and stopped in both orders.
//!
//! `FAULTLINE_OLDER` is the path of the older build; without it, the tests report that they are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex};

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::follow::log_tail::Tail;
use rustix::process::Signal;
use serde_json::json;
use uuid::Uuid;

use super::mixed_versions::followed;
use crate::support::client::{Client, start_debate_input};
use crate::support::database::{Database, empty_database};
use crate::support::environment::report_skipped;
use crate::support::log_reads::{read_all_events, wait_for_end};
use crate::support::service_process::{ServiceProcess, command_at, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::versions;
use crate::support::waiting::{poll_until, with_timeout};

/// Returns the path of the older build; `None`, and a report, if there is none.
fn older_build() -> Option<OsString> {
    let path = std::env::var_os("FAULTLINE_OLDER");
    if path.is_none() {
        report_skipped("FAULTLINE_OLDER is not set: there is no older build of faultline to run beside this one");
    }
    path
}

/// Returns the settings of both builds.
fn settings(database: &Database, home: &TestHome) -> Vec<(&'static str, String)> {
    let mut variables = home.environment(&database.options, &scripted_replies(60));
    // Leases that cannot expire within the test: they must be handed over.
    variables.push(("FAULTLINE_LEASE_SECONDS", "600".to_owned()));
    variables.push(("FAULTLINE_RUNNERS", "4".to_owned()));
    // As docs/operations.md requires for builds from before bodies were encrypted: these could not read them.
    variables.push(("FAULTLINE_SEALED", std::env::var("FAULTLINE_OLDER_SEALED").unwrap_or_else(|_| "0".to_owned())));
    variables
}

/// Returns the lines of a service's log that report errors.
fn complaints(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).expect("a log");
    text.lines().filter(|line| line.contains("ERROR") || line.contains("panicked")).map(str::to_owned).collect()
}

/// Checks that every question was answered once.
fn assert_answered_once(events: &[Recorded]) {
    assert_eq!(versions(events), (1..=events.len() as i64).collect::<Vec<_>>());
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    for recorded in events {
        match &recorded.event {
            Event::EffectAnswered(it) => *answers.entry(it.key.to_string()).or_default() += 1,
            Event::EffectFailed(_) | Event::EffectAbandoned(_) => panic!("the script never fails: {recorded:?}"),
            _ => {}
        }
    }
    assert!(answers.values().all(|count| *count == 1), "{answers:?}");
}

/// Waits until a process lists `n_debates` debates; no response may contain an error.
async fn all_listed(client: &Client, n_debates: usize) {
    const LIST: &str = "{ debates(first: 100) { nodes { id topic status regime { kind exact } participants { name } } }
        cruxes(first: 20) { nodes { id question } } projections { served { number } } }";
    poll_until("the list has all debates", async || {
        let data = client.data(LIST, json!({})).await;
        (data["debates"]["nodes"].as_array().map(Vec::len) == Some(n_debates)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_build_and_this_one_share_a_database() {
    let Some(older_build) = older_build() else { return };
    let (database, home) = (empty_database().await, TestHome::new());
    let variables = settings(&database, &home);
    let logs = [home.path("older.log"), home.path("newer.log")];
    let older = ServiceProcess::start_binary(&older_build, &variables, logs[0].as_ref()).await;
    let mut debates = Vec::new();
    let mut following = Vec::new();
    // Each debate is followed over each process, and from the older to the newer one.
    let mut open = async |at: &Client, over: &[Vec<Client>]| {
        let (engine, rounds) = [("dialectic", 10), ("graph", 3)][debates.len() % 2];
        let debate = at.start(&start_debate_input(engine, json!({ "rounds": rounds }))).await;
        debates.push(debate);
        for clients in over {
            following.push((debate, tokio::spawn(followed(Arc::new(Mutex::new(clients.clone())), debate))));
        }
    };
    let first = older.client.clone();
    for _ in 0..3 {
        open(&first, &[vec![first.clone()]]).await;
    }
    let newer = ServiceProcess::start_logging(&variables, logs[1].as_ref()).await;
    let second = newer.client.clone();
    for turn in 0..8 {
        let (one, other) = (vec![first.clone(), second.clone()], vec![second.clone()]);
        open(if turn % 2 == 0 { &second } else { &first }, &[one, other]).await;
    }
    let mut holders = BTreeSet::new();
    poll_until("both drive debates", async || {
        let held: Vec<Uuid> = sqlx::query_scalar("select distinct holder from leases where holder is not null")
            .fetch_all(&database.pool)
            .await
            .expect("leases");
        let is_over = held.is_empty();
        holders.extend(held);
        (holders.len() >= 2 || is_over).then_some(())
    })
    .await;
    assert_eq!(holders.len(), 2, "four runners each, and eleven debates: both are needed");
    for client in [&first, &second] {
        all_listed(client, 11).await;
    }
    let log = database.log().await;
    for turn in 0..4 {
        open(
            if turn % 2 == 0 { &second } else { &first },
            &[vec![first.clone(), second.clone()], vec![second.clone()]],
        )
        .await;
    }
    older.signal(Signal::TERM);
    assert_eq!(older.wait().await.code(), Some(0), "a clean exit");
    for (debate, following) in following {
        // A process that is told to stop ends its streams: followers that know no other process receive what it had
        // sent.
        if debates[..3].contains(&debate) {
            following.abort();
            continue;
        }
        let seen = with_timeout("followed to the end", following).await.expect("followed");
        assert_eq!(seen, versions(&read_all_events(&log, debate).await), "{debate}: no gap and no repeat");
    }
    let tail = Tail::start(&log);
    for debate in &debates {
        assert_answered_once(&wait_for_end(&log, &tail, *debate).await);
    }
    all_listed(&second, debates.len()).await;
    assert_eq!(run_json_command(&variables, &["verify", "--json"]).await[0]["faults"], json!([]));
    for log in &logs {
        assert_eq!(complaints(log.as_ref()), [""; 0], "{log}");
    }
    // Started once more, the older build accepts additive migrations; otherwise it reports why it cannot run.
    let again = with_timeout("the older one", command_at(&older_build, &variables, &["list", "--json"]).output())
        .await
        .expect("run");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    // Builds before the names of the API became those of `list --json` have it in lower case.
    let listed = String::from_utf8_lossy(&again.stdout).to_uppercase();
    let lives = again.status.success() && listed.contains("CONCLUDED");
    assert!(lives || said.contains("A newer Faultline made these tables"), "{again:?}");
    let word = if lives { "lists them when it is started again" } else { "refuses to start again, and reports why" };
    println!(
        "an older build and this one: {} debates by both, nothing lost or doubled; the older one {word}",
        debates.len()
    );
    newer.kill().await;
}

/// Records from now on who takes a lane of the stored views, and under which fence.
async fn watch_lanes(database: &Database) {
    database
        .run(
            "create table taken_lanes (
                at bigint generated always as identity,
                revision integer not null,
                lane smallint not null,
                holder uuid,
                fence bigint not null
            );
            create function record_taken_lane() returns trigger language plpgsql as $$
            begin
                insert into taken_lanes (revision, lane, holder, fence)
                values (new.revision, new.lane, new.holder, new.fence);
                return null;
            end
            $$;
            create trigger record_taken_lane after insert or update on projection_lanes for each row
            execute function record_taken_lane();
            insert into taken_lanes (revision, lane, holder, fence)
            select revision, lane, holder, fence
            from projection_lanes",
        )
        .await;
}

/// Checks that every holder took its lane under a greater fence than all holders before it. Returns the number of times that
/// a lane was taken.
async fn assert_fences_rise(database: &Database) -> usize {
    let changes: Vec<(i32, i16, Option<Uuid>, i64)> =
        sqlx::query_as("select revision, lane, holder, fence from taken_lanes order by at")
            .fetch_all(&database.pool)
            .await
            .expect("the changes");
    let (mut last, mut n_taken) = (BTreeMap::new(), 0);
    for (revision, lane, holder, fence) in changes {
        if let Some((former, greatest)) = last.insert((revision, lane), (holder, fence)) {
            let is_taken = holder.is_some() && holder != former;
            assert!(
                if is_taken { fence > greatest } else { fence >= greatest },
                "lane {lane}: fence {greatest} of {former:?}, then {fence} of {holder:?}"
            );
            n_taken += usize::from(is_taken);
        }
    }
    n_taken
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn builds_are_started_and_stopped_in_both_orders() {
    let Some(older_build) = older_build() else { return };
    let (database, home) = (empty_database().await, TestHome::new());
    let variables = settings(&database, &home);
    let logs = ["newer.log", "older.log", "newer-again.log"].map(|name| home.path(name));
    let newer = ServiceProcess::start_logging(&variables, logs[0].as_ref()).await;
    watch_lanes(&database).await;
    let mut debates = vec![open(&newer).await, open(&newer).await];
    let can_start = command_at(&older_build, &variables, &["list"]).output().await.expect("run");
    if !can_start.status.success() {
        let said = String::from_utf8_lossy(&can_start.stderr);
        assert!(said.contains("A newer Faultline made these tables"), "{can_start:?}");
        report_skipped("the build in FAULTLINE_OLDER refuses the tables of this one, and reports why");
        newer.kill().await;
        return;
    }
    let stop = async |service: ServiceProcess| {
        service.signal(Signal::TERM);
        assert_eq!(service.wait().await.code(), Some(0), "a clean exit");
    };
    // Back to the older build, and again to this one; each takes over the debates and the lanes of the other.
    let older = ServiceProcess::start_binary(&older_build, &variables, logs[1].as_ref()).await;
    for service in [&newer, &older] {
        debates.extend([open(service).await, open(service).await]);
    }
    stop(newer).await;
    debates.extend([open(&older).await, open(&older).await]);
    all_listed(&older.client, debates.len()).await;
    let newer = ServiceProcess::start_logging(&variables, logs[2].as_ref()).await;
    for service in [&newer, &older] {
        debates.extend([open(service).await, open(service).await]);
    }
    stop(older).await;
    debates.extend([open(&newer).await, open(&newer).await]);
    let log = database.log().await;
    let tail = Tail::start(&log);
    for debate in &debates {
        assert_answered_once(&wait_for_end(&log, &tail, *debate).await);
    }
    all_listed(&newer.client, debates.len()).await;
    assert_eq!(run_json_command(&variables, &["verify", "--json"]).await[0]["faults"], json!([]));
    for log in &logs {
        assert_eq!(complaints(log.as_ref()), [""; 0], "{log}");
    }
    let n_taken = assert_fences_rise(&database).await;
    assert!(n_taken >= 16, "the lanes changed hands {n_taken} times");
    println!("{} debates by both builds in both orders; lanes were taken {n_taken} times", debates.len());
    newer.kill().await;
}

/// Starts a debate that lasts some seconds.
async fn open(at: &ServiceProcess) -> DebateId {
    at.client.start(&start_debate_input("dialectic", json!({ "rounds": 10 }))).await
}
