//! The service, its database, or both are killed while debates are opened, appended to, rebuilt and erased: nothing that was
//! acknowledged is lost, unreadable, doubled or undone.
//!
//! `FAULTLINE_TRIALS=200` kills two hundred times, `FAULTLINE_SEED` draws other moments, and `FAULTLINE_ATTACKED` names another
//! build.

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
use crate::client::{Client, Home, Service, input, program, script, until};
use crate::outside::{APPEND, event, opening, turn};
use crate::support::{cache, trials};

/// Clients that open debates, and that append to them.
const N_OPENERS: u64 = 4;
const N_APPENDERS: u64 = 6;
/// Time that clients go on for after the database alone was killed: it is back by then, or they wait for it.
const AFTERWARDS: Duration = Duration::from_millis(1_200);
/// Between two full comparisons of the ledger with the service.
const FULL_CHECK: usize = 25;

/// A small generator with a seed: another run draws the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A client, busy until it is told to stop or nobody answers.
struct Load {
    client: Client,
    ledger: Arc<Ledger>,
    over: Arc<AtomicBool>,
    dice: Dice,
}

impl Load {
    fn goes_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    /// Appends, asking again under the same ids while the database is away; `None` where nobody answers, or it is refused.
    async fn append(&self, debate: Uuid, at: i64, events: Vec<Value>) -> Option<i64> {
        let id = |it: &Value| it["id"].as_str().and_then(|it| it.parse().ok()).expect("an id");
        self.ledger.sends(debate, &events.iter().map(id).collect::<Vec<Uuid>>());
        while self.goes_on() {
            let asked = json!({ "id": debate, "at": at, "events": events });
            let answer = self.client.try_ask(APPEND, asked).await.ok()?;
            match answer["errors"][0]["extensions"]["code"].as_str() {
                None => {
                    let appended = &answer["data"]["appendEvents"];
                    self.ledger.heard(debate, appended);
                    return appended["version"].as_i64();
                }
                Some("UNAVAILABLE") => sleep(Duration::from_millis(50)).await,
                Some(_) => return None,
            }
        }
        None
    }

    async fn opens(mut self) -> HashSet<Uuid> {
        let mut touched = HashSet::new();
        while self.goes_on() {
            let debate = Uuid::now_v7();
            touched.insert(debate);
            let events = vec![opening(), turn(1, "anna", &"It should. ".repeat(self.dice.below(40) as usize + 1))];
            if self.append(debate, 0, events).await.is_none() {
                break;
            }
        }
        touched
    }

    async fn appends(mut self, debate: Option<(Uuid, i64)>) -> HashSet<Uuid> {
        let Some((debate, mut at)) = debate else { return HashSet::new() };
        while self.goes_on() {
            let text = "x".repeat(self.dice.below(3_000) as usize + 1);
            let said = |n: u64| {
                event("interjected", json!({ "turn": format!("t{}", at as u64 + n), "text": text, "speaker": null }))
            };
            let n_events = self.dice.below(4) + 1;
            match self.append(debate, at, (0..n_events).map(said).collect()).await {
                Some(version) => at = version,
                None => break,
            }
        }
        HashSet::from([debate])
    }

    /// Debates that the service drives itself: the log grows by its own hand as well.
    async fn starts(self) -> HashSet<Uuid> {
        let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { id } }";
        for engine in ["graph", "dialectic"] {
            let asked = json!({ "input": input(engine, json!({ "rounds": 1 })) });
            if !self.goes_on() || self.client.try_ask(start, asked).await.is_err() {
                break;
            }
        }
        HashSet::new()
    }

    async fn rebuilds(self) -> HashSet<Uuid> {
        let rebuild = "mutation { rebuildProjection(name: \"debates\", workers: 2) { name } }";
        if let Ok(answer) = self.client.try_ask(rebuild, json!({})).await
            && answer["errors"].is_null()
        {
            self.ledger.rebuilds();
        }
        HashSet::new()
    }

    async fn erases(self, debates: Vec<(Uuid, i64)>) -> HashSet<Uuid> {
        let erase = "mutation ($id: ID!) { eraseDebate(id: $id, reason: \"a trial\") { sealed } }";
        let mut touched = HashSet::new();
        for (debate, _) in debates {
            if !self.goes_on() {
                break;
            }
            touched.insert(debate);
            self.ledger.erases(debate);
            match self.client.try_ask(erase, json!({ "id": debate })).await {
                Ok(answer) if answer["errors"].is_null() => self.ledger.erased(debate),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        touched
    }
}

/// The process that is killed, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Service,
    Postmaster,
    Both,
}

fn kill_postmaster(data: &Path) {
    // One that is just being started again by its service has none.
    if let Some(pid) = pid_file::read(data).and_then(|it| Pid::from_raw(it.pid)) {
        let _gone = kill_process(pid, Signal::KILL);
    }
}

/// Starts everything that clients do.
fn loads(client: &Client, ledger: &Arc<Ledger>, over: &Arc<AtomicBool>, dice: &mut Dice) -> JoinSet<HashSet<Uuid>> {
    let mut load = || Load {
        client: client.clone(),
        ledger: Arc::clone(ledger),
        over: Arc::clone(over),
        dice: Dice(dice.below(u64::from(u32::MAX))),
    };
    let mut running = JoinSet::new();
    let mut standing = ledger.standing();
    standing.sort();
    let to_erase: Vec<_> = standing.iter().take(2).copied().collect();
    let mut to_grow = standing.into_iter().rev();
    for _ in 0..N_OPENERS {
        running.spawn(load().opens());
    }
    for _ in 0..N_APPENDERS {
        let debate = to_grow.next().filter(|it| !to_erase.contains(it));
        running.spawn(load().appends(debate));
    }
    running.spawn(load().starts());
    running.spawn(load().rebuilds());
    running.spawn(load().erases(to_erase));
    running
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_kept_whatever_is_killed() {
    let home = Home::new();
    let mut variables = home.variables(&PgConnectOptions::new_without_pgpass(), &script(5));
    variables.retain(|(name, _)| *name != "DATABASE_URL" && *name != "FAULTLINE_HOME");
    let bin = postgres_bin(&cache()).await.expect("binaries");
    variables.push(("FAULTLINE_HOME", home.path("home")));
    variables.push(("FAULTLINE_PG_BIN", bin.display().to_string()));
    variables.push(("FAULTLINE_LEASE_SECONDS", "2".to_owned()));
    // Clients here ask as fast as they can.
    variables.push(("FAULTLINE_LIMITS", "rate_address=0".to_owned()));
    let data = PathBuf::from(home.path("home")).join("postgres/data");
    let mut dice =
        Dice(std::env::var("FAULTLINE_SEED").map_or(1, |it| it.parse().expect("FAULTLINE_SEED is a number")));
    let ledger = Arc::<Ledger>::default();
    let log = PathBuf::from(home.path("log"));
    let start = async || Service::start_logging(&variables, &log).await;
    let mut service = start().await;
    let mut longest = Duration::ZERO;
    let n_kills = trials(6);
    for n in 0..n_kills {
        let victim = [Victim::Postmaster, Victim::Service, Victim::Both][n % 3];
        let over = Arc::new(AtomicBool::new(false));
        let running = loads(&service.client, &ledger, &over, &mut dice);
        sleep(Duration::from_millis(10 + dice.below(700))).await;
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
        until("the service is ready", async || {
            let ready = client.http.get(client.at("/readyz")).send().await.ok()?;
            ready.status().is_success().then_some(())
        })
        .await;
        let is_full = n % FULL_CHECK == FULL_CHECK - 1 || n + 1 == n_kills;
        ledger.check(client, (!is_full).then_some(&touched)).await;
    }
    let figures = ledger.figures();
    println!("{n_kills} kills, longest restart {longest:.1?}: {figures}");
    let verified = program(&variables, &["verify", "--json"]).output().await.expect("it runs");
    let verified: Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    println!("verify: {} debates, {} faults", verified["debates"], verified["faults"].as_array().map_or(0, Vec::len));
    let (none, found) = (Figures::default(), figures);
    assert_eq!(
        (found.lost, found.unreadable, found.doubled, found.gaps, found.undone),
        (none.lost, none.unreadable, none.doubled, none.gaps, none.undone)
    );
    assert_eq!(verified["faults"], json!([]));
    assert!(found.n_acknowledged > 0 && found.n_erased > 0, "something was tried");
    service.kill().await;
}
