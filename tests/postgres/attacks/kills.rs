//! The service, its database, or both are killed while debates are opened, appended to, rebuilt and erased: nothing
//! that was acknowledged is lost, unreadable, duplicated or undone.
//!
//! `FAULTLINE_TRIALS=200` kills 200 times, `FAULTLINE_SEED` selects other moments, and `FAULTLINE_ATTACKED` names
//! another build.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use faultline_store::embedded::pid_file;
use faultline_store::provision::postgres::postgres_bin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

use crate::attacks::ledger::{Figures, Ledger};
use crate::support::client::{Client, start_debate_input};
use crate::support::environment::{cache_dir, n_trials};
use crate::support::event_inputs::{APPEND, event_input, opening_input, turn_input};
use crate::support::random::Random;
use crate::support::service_process::{ServiceProcess, command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;

/// Numbers of clients that open debates, and of clients that append to them.
const N_OPENERS: u64 = 4;
const N_APPENDERS: u64 = 6;
/// Time for which clients continue after the database alone was killed; they wait if it is not back by then.
const AFTERWARDS: Duration = Duration::from_millis(1_200);
/// Number of kills between two full comparisons of the ledger with the service.
const FULL_CHECK: usize = 25;

/// Client that works until it is stopped or the service does not answer.
struct Load {
    client: Client,
    ledger: Arc<Ledger>,
    over: Arc<AtomicBool>,
    random: Random,
}

impl Load {
    fn is_running(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    /// Appends events, with retries under the same ids while the database is unavailable; `None` if there is no
    /// response or the append is refused.
    async fn append(&self, debate: Uuid, at: i64, events: Vec<Value>) -> Option<i64> {
        let id = |event: &Value| event["id"].as_str().and_then(|text| text.parse().ok()).expect("an id");
        self.ledger.record_sent(debate, &events.iter().map(id).collect::<Vec<Uuid>>());
        while self.is_running() {
            let asked = json!({ "id": debate, "at": at, "events": events });
            let answer = self.client.try_query(APPEND, asked).await.ok()?;
            match answer["errors"][0]["extensions"]["code"].as_str() {
                None => {
                    let appended = &answer["data"]["appendEvents"];
                    self.ledger.record_acknowledged(debate, appended);
                    return appended["version"].as_i64();
                }
                Some("UNAVAILABLE") => sleep(Duration::from_millis(50)).await,
                Some(_) => return None,
            }
        }
        None
    }

    async fn open_debates(mut self) -> HashSet<Uuid> {
        let mut touched = HashSet::new();
        while self.is_running() {
            let debate = Uuid::now_v7();
            touched.insert(debate);
            let events = vec![opening_input(), turn_input(1, "anna", &"It should. ".repeat(self.random.below(40) + 1))];
            if self.append(debate, 0, events).await.is_none() {
                break;
            }
        }
        touched
    }

    async fn append_events(mut self, debate: Option<(Uuid, i64)>) -> HashSet<Uuid> {
        let Some((debate, mut at)) = debate else { return HashSet::new() };
        while self.is_running() {
            let text = "x".repeat(self.random.below(3_000) + 1);
            let said = |n: u64| {
                event_input(
                    "interjected",
                    json!({ "turn": format!("t{}", at as u64 + n), "text": text, "speaker": null }),
                )
            };
            let n_events = self.random.below(4) as u64 + 1;
            match self.append(debate, at, (0..n_events).map(said).collect()).await {
                Some(version) => at = version,
                None => break,
            }
        }
        HashSet::from([debate])
    }

    /// Starts debates that the service drives, so that it appends events as well.
    async fn start_debates(self) -> HashSet<Uuid> {
        let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
        for engine in ["graph", "dialectic"] {
            let asked = json!({ "input": start_debate_input(engine, json!({ "rounds": 1 })) });
            if !self.is_running() || self.client.try_query(start, asked).await.is_err() {
                break;
            }
        }
        HashSet::new()
    }

    async fn rebuild(self) -> HashSet<Uuid> {
        let rebuild =
            "mutation { rebuildProjection(input: { name: \"debates\", workers: 2 }) { projection { name } } }";
        if let Ok(answer) = self.client.try_query(rebuild, json!({})).await
            && answer["errors"].is_null()
        {
            self.ledger.record_rebuild();
        }
        HashSet::new()
    }

    async fn erase_debates(self, debates: Vec<(Uuid, i64)>) -> HashSet<Uuid> {
        let erase = "mutation ($id: ID!) {
            eraseDebate(input: { debateId: $id, reason: \"a trial\" }) { erasures { unrecoverable } }
        }";
        let mut touched = HashSet::new();
        for (debate, _) in debates {
            if !self.is_running() {
                break;
            }
            touched.insert(debate);
            self.ledger.record_erasure_request(debate);
            match self.client.try_query(erase, json!({ "id": debate })).await {
                Ok(answer) if answer["errors"].is_null() => self.ledger.record_erasure(debate),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        touched
    }
}

/// Processes to kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Service,
    Postmaster,
    Both,
}

fn kill_postmaster(data: &Path) {
    // A server that is being restarted has no pid file.
    if let Some(pid) = pid_file::read(data).and_then(|file| Pid::from_raw(file.pid)) {
        let _gone = kill_process(pid, Signal::KILL);
    }
}

/// Starts all clients.
fn start_clients(
    client: &Client,
    ledger: &Arc<Ledger>,
    over: &Arc<AtomicBool>,
    random: &mut Random,
) -> JoinSet<HashSet<Uuid>> {
    let mut load = || Load {
        client: client.clone(),
        ledger: Arc::clone(ledger),
        over: Arc::clone(over),
        random: Random(random.next()),
    };
    let mut running = JoinSet::new();
    let mut standing = ledger.live_debates();
    standing.sort();
    let to_erase: Vec<_> = standing.iter().take(2).copied().collect();
    let mut to_grow = standing.into_iter().rev();
    for _ in 0..N_OPENERS {
        running.spawn(load().open_debates());
    }
    for _ in 0..N_APPENDERS {
        let debate = to_grow.next().filter(|debate| !to_erase.contains(debate));
        running.spawn(load().append_events(debate));
    }
    running.spawn(load().start_debates());
    running.spawn(load().rebuild());
    running.spawn(load().erase_debates(to_erase));
    running
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_events_and_erasures_survive_kills() {
    let home = TestHome::new();
    let mut variables = home.environment(&PgConnectOptions::new_without_pgpass(), &scripted_replies(5));
    variables.retain(|(name, _)| *name != "DATABASE_URL" && *name != "FAULTLINE_HOME");
    let bin = postgres_bin(&cache_dir()).await.expect("binaries");
    variables.push(("FAULTLINE_HOME", home.path("home")));
    variables.push(("FAULTLINE_PG_BIN", bin.display().to_string()));
    variables.push(("FAULTLINE_LEASE_SECONDS", "2".to_owned()));
    // The clients send requests as fast as they can.
    variables.push(("FAULTLINE_LIMITS", "rate_address=0".to_owned()));
    let data = PathBuf::from(home.path("home")).join("postgres/data");
    let mut random =
        Random(std::env::var("FAULTLINE_SEED").map_or(1, |seed| seed.parse().expect("FAULTLINE_SEED is a number")));
    let ledger = Arc::<Ledger>::default();
    let log = PathBuf::from(home.path("log"));
    let start = async || ServiceProcess::start_logging(&variables, &log).await;
    let mut service = start().await;
    let mut longest = Duration::ZERO;
    let wanted_kills = n_trials(6);
    let mut n_kills = 0;
    // On a busy machine, kills may come before the first erasure is acknowledged; then there are more.
    while n_kills < wanted_kills || (ledger.figures().n_erased == 0 && n_kills < 4 * wanted_kills) {
        let n = n_kills;
        n_kills += 1;
        let victim = [Victim::Postmaster, Victim::Service, Victim::Both][n % 3];
        let over = Arc::new(AtomicBool::new(false));
        let running = start_clients(&service.client, &ledger, &over, &mut random);
        sleep(Duration::from_millis(10 + random.below(700) as u64)).await;
        match victim {
            Victim::Postmaster => {
                kill_postmaster(&data);
                sleep(AFTERWARDS).await;
            }
            Victim::Both => {
                kill_postmaster(&data);
                service.signal(Signal::KILL);
            }
            Victim::Service => service.signal(Signal::KILL),
        }
        over.store(true, Ordering::Relaxed);
        let touched: HashSet<Uuid> = running.join_all().await.into_iter().flatten().collect();
        if victim != Victim::Postmaster {
            service.kill().await;
            let begun = Instant::now();
            service = start().await;
            longest = longest.max(begun.elapsed());
        }
        let client = &service.client;
        poll_until("the service is ready", async || {
            let ready = client.http.get(client.url("/readyz")).send().await.ok()?;
            ready.status().is_success().then_some(())
        })
        .await;
        let is_full = n % FULL_CHECK == FULL_CHECK - 1 || n_kills >= wanted_kills;
        ledger.check(client, (!is_full).then_some(&touched)).await;
    }
    let figures = ledger.figures();
    println!("{n_kills} kills, longest restart {longest:.1?}: {figures}");
    let verified = command(&variables, &["verify", "--json"]).output().await.expect("it runs");
    let verified: Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    println!("verify: {} debates, {} faults", verified["debates"], verified["faults"].as_array().map_or(0, Vec::len));
    let (none, found) = (Figures::default(), figures);
    assert_eq!(
        (found.lost, found.unreadable, found.doubled, found.gaps, found.undone),
        (none.lost, none.unreadable, none.doubled, none.gaps, none.undone)
    );
    assert_eq!(verified["faults"], json!([]));
    assert!(found.n_acknowledged > 0 && found.n_erased > 0, "events were acknowledged and debates were erased");
    service.kill().await;
}
