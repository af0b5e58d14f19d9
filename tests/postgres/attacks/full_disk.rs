//! A private database without disk space, or that does not start: the service reports it, loses nothing, and recovers.

use std::fs;
use std::path::Path;
use std::time::Duration;

use faultline_store::embedded::pid_file;
use faultline_store::provision::postgres::postgres_bin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use tokio::time::sleep;
use uuid::Uuid;

use crate::support::client::Client;
use crate::support::environment::{cache_dir, report_skipped};
use crate::support::event_inputs::{APPEND, event_input, opening_input};
use crate::support::service_process::ServiceProcess;
use crate::support::small_disk::SmallDisk;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;

/// Number of events of one append.
const N_EVENTS: u32 = 4;
/// Length of one event's text, in bytes.
const TEXT_BYTES: usize = 40_000;

/// Starts a service with a private database in a folder.
async fn service_in(home: &TestHome, folder: &str, free_mib: u32) -> ServiceProcess {
    let mut variables = home.environment(&PgConnectOptions::new_without_pgpass(), &scripted_replies(0));
    variables.retain(|(name, _)| *name != "DATABASE_URL" && *name != "FAULTLINE_HOME");
    variables.push(("FAULTLINE_HOME", home.path(folder)));
    let bin = postgres_bin(&cache_dir()).await.expect("binaries");
    variables.push(("FAULTLINE_PG_BIN", bin.display().to_string()));
    variables.push(("FAULTLINE_FREE_MIB", free_mib.to_string()));
    ServiceProcess::start(&variables).await
}

/// Debate that is run by an external engine, and the number of its acknowledged events.
struct Debate {
    id: Uuid,
    acknowledged: u32,
}

impl Debate {
    async fn open(client: &Client) -> Debate {
        let id = Uuid::now_v7();
        client.data(APPEND, json!({ "id": id, "at": 0, "events": [opening_input()] })).await;
        Debate { id, acknowledged: 1 }
    }

    /// Appends a few long interjections; returns the error if they are refused.
    async fn grow(&mut self, client: &Client) -> Result<(), Value> {
        // Compressible text would take no space.
        let text = || (0..TEXT_BYTES / 32).map(|_| Uuid::new_v4().simple().to_string()).collect::<String>();
        let said = |n: u32| {
            event_input(
                "interjected",
                json!({ "turn": format!("t{}", self.acknowledged + n), "text": text(), "speaker": null }),
            )
        };
        let events: Vec<Value> = (0..N_EVENTS).map(said).collect();
        let asked = json!({ "id": self.id, "at": self.acknowledged, "events": events });
        let mut answer = client.query(APPEND, asked).await;
        match answer.get("errors") {
            None => {
                self.acknowledged += N_EVENTS;
                Ok(())
            }
            Some(_) => {
                let error = answer["errors"][0].take();
                // An earlier attempt without a response was recorded after all.
                if let Some(actual) = error["extensions"]["actualVersion"].as_u64() {
                    self.acknowledged = u32::try_from(actual).expect("a version");
                }
                Err(error)
            }
        }
    }

    async fn version(&self, client: &Client) -> Option<i64> {
        let answer = client.query("query ($id: ID!) { debate(id: $id) { version } }", json!({ "id": self.id })).await;
        answer["data"]["debate"]["version"].as_i64()
    }

    async fn erase(&self, client: &Client) -> Value {
        let query = "mutation ($id: ID!) {
            eraseDebate(input: { debateId: $id, reason: \"a test\" }) { erasures { unrecoverable } }
        }";
        client.query(query, json!({ "id": self.id })).await
    }
}

async fn status(client: &Client, path: &str) -> (u16, String) {
    let response = client.http.get(client.url(path)).send().await.expect("the process answers");
    (response.status().as_u16(), response.text().await.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_does_not_start_is_retried_until_it_does() {
    let home = TestHome::new();
    let service = service_in(&home, "home", 0).await;
    let client = service.client.clone();
    let mut debate = Debate::open(&client).await;
    let data = Path::new(&home.path("home")).join("postgres/data");
    let (control, away) = (data.join("global/pg_control"), data.join("global/pg_control.away"));
    fs::rename(&control, &away).expect("rename");
    let postmaster = pid_file::read(&data).expect("it runs").pid;
    kill_process(Pid::from_raw(postmaster).expect("a process"), Signal::KILL).expect("a signal");

    let actual = poll_until("the service reports that it has no database", async || {
        let (code, text) = status(&client, "/healthz").await;
        // More attempts than a fixed limit would allow.
        (code == 503 && text.contains(", 6 attempts")).then_some(text)
    })
    .await;
    assert!(actual.starts_with("no database: the private PostgreSQL has not run for"), "{actual}");
    assert_eq!(debate.grow(&client).await.expect_err("no database")["extensions"]["code"], "UNAVAILABLE");
    fs::rename(&away, &control).expect("rename");
    poll_until("the service can record again", async || {
        sleep(Duration::from_millis(200)).await;
        debate.grow(&client).await.ok()
    })
    .await;
    assert_eq!(status(&client, "/healthz").await, (200, "ok\n".to_owned()));
    assert_eq!(status(&client, "/readyz").await.0, 200);
    assert_eq!(debate.version(&client).await, Some(i64::from(debate.acknowledged)));
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nearly_full_disk_refuses_events_but_erases_and_a_full_one_recovers() {
    let home = TestHome::new();
    let Some(disk) = SmallDisk::mount(&home.path("disk"), 190) else {
        report_skipped("the test of a full disk, because only root may mount a small disk");
        return;
    };
    let service = service_in(&home, "disk", 60).await;
    let client = service.client.clone();
    let mut debates = Vec::new();
    for _ in 0..6 {
        debates.push(Debate::open(&client).await);
    }
    let refused = 'full: loop {
        for debate in &mut debates {
            if let Err(error) = debate.grow(&client).await {
                break 'full error;
            }
        }
    };
    let actual = &refused["extensions"];
    assert_eq!((&actual["code"], &actual["retryAfter"]), (&json!("UNAVAILABLE"), &json!(1)), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("MiB free")), "{refused}");
    let acknowledged: u32 = debates.iter().map(|debate| debate.acknowledged).sum();
    println!("{acknowledged} events acknowledged before the disk was nearly full");
    assert_eq!(status(&client, "/healthz").await.0, 200);
    for debate in &debates {
        assert_eq!(debate.version(&client).await, Some(i64::from(debate.acknowledged)), "acknowledged events are kept");
    }
    let erased = debates.pop().expect("a debate").erase(&client).await;
    assert_eq!(erased["data"]["eraseDebate"]["erasures"][0]["unrecoverable"], true, "{erased}");

    // Another program takes the last byte: this is what the reserve is for.
    disk.fill();
    let gone = debates.pop().expect("a debate");
    poll_until("a debate is erased on a full disk", async || {
        let answer = gone.erase(&client).await;
        sleep(Duration::from_millis(300)).await;
        (answer["data"]["eraseDebate"]["erasures"][0]["unrecoverable"] == true).then_some(())
    })
    .await;
    disk.clear();
    let debate = debates.last_mut().expect("a debate");
    poll_until("events are recorded again", async || {
        sleep(Duration::from_millis(200)).await;
        debate.grow(&client).await.ok()
    })
    .await;
    for debate in &debates {
        assert_eq!(debate.version(&client).await, Some(i64::from(debate.acknowledged)), "nothing is lost");
    }
    assert_eq!(status(&client, "/healthz").await, (200, "ok\n".to_owned()));
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}
