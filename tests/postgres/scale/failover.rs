//! The primary is killed while debates are opened: nothing acknowledged is lost, and clients need only try again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use faultline_store::database::pool::{ConnectionSettings, connect};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::scale::database_cluster::DatabaseCluster;
use crate::support::client::{Client, start_debate_input};
use crate::support::environment::n_trials;
use crate::support::service_process::{ServiceProcess, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;

/// Interval between two openings.
const PACE: Duration = Duration::from_millis(200);
/// Time of undisturbed openings before and after a failover.
const CALM: Duration = Duration::from_secs(4);
/// Maximum time without an acknowledgement: the time to live of the primary's lease, and some more.
const MAX_SILENCE: Duration = Duration::from_secs(25);

/// Answers to the openings so far.
#[derive(Default)]
struct Answers {
    acknowledged: BTreeMap<Uuid, Instant>,
    n_repeated: usize,
    refused: Vec<Value>,
}

/// Opens a debate, and repeats the request under the same id for as long as the answer is that it may be repeated.
async fn open(client: Client, answers: Arc<Mutex<Answers>>) {
    const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    let input = start_debate_input("dialectic", json!({ "rounds": 1 }));
    let id: Uuid = input["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
    loop {
        let answer = client.try_query(START, json!({ "input": input })).await.unwrap_or_default();
        if answers.lock().expect("answers").is_final(id, answer) {
            return;
        }
        tokio::time::sleep(PACE).await;
    }
}

impl Answers {
    /// Records an answer. Returns false if the request is to be repeated.
    fn is_final(&mut self, id: Uuid, answer: Value) -> bool {
        match answer["errors"][0]["extensions"]["code"].as_str() {
            None if answer["data"]["startDebate"]["debate"]["id"] == json!(id) => {
                self.acknowledged.insert(id, Instant::now());
                true
            }
            None | Some("UNAVAILABLE") => {
                self.n_repeated += 1;
                false
            }
            Some(_) => {
                self.refused.push(answer);
                true
            }
        }
    }
}

/// Returns the longest time between two acknowledgements.
fn silence(answers: &Answers) -> Duration {
    let mut times: Vec<Instant> = answers.acknowledged.values().copied().collect();
    times.sort_unstable();
    times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_primary_is_killed() {
    let home = TestHome::new();
    let Some(cluster) = DatabaseCluster::start(&home).await else { return };
    let variables = home.environment(&cluster.options, &scripted_replies(0));
    let services = [ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await];
    let pool = connect(cluster.options.clone(), &ConnectionSettings::default()).await.expect("the database");
    let mut n_opened = 0;
    for trial in 1..=n_trials(1) {
        let (answers, mut opening) = (Arc::<Mutex<Answers>>::default(), JoinSet::new());
        let (mut killed, mut calm_since) = (None::<(String, Instant)>, Instant::now());
        loop {
            let client = services[opening.len() % services.len()].client.clone();
            opening.spawn(open(client, Arc::clone(&answers)));
            tokio::time::sleep(PACE).await;
            if calm_since.elapsed() < CALM {
                continue;
            }
            let Some((_, at)) = &killed else {
                killed = Some((cluster.kill_primary(), Instant::now()));
                continue;
            };
            // Calm again once something was opened after the kill.
            let answered = answers.lock().expect("answers").acknowledged.values().any(|time| time > at);
            assert!(at.elapsed() < Duration::from_secs(120), "no failover within two minutes");
            if answered && calm_since < *at {
                calm_since = Instant::now();
            } else if answered {
                break;
            }
        }
        let sent = opening.len();
        while opening.join_next().await.is_some() {}
        let answers = std::mem::take(&mut *answers.lock().expect("answers"));
        println!(
            "failover {trial}: {sent} sent, {} acknowledged, {} requests repeated, silence {:.1} s",
            answers.acknowledged.len(),
            answers.n_repeated,
            silence(&answers).as_secs_f64()
        );
        assert_eq!((answers.acknowledged.len(), &answers.refused), (sent, &vec![]));
        assert!(silence(&answers) <= MAX_SILENCE, "{:?}", silence(&answers));
        n_opened += sent as i64;
        let ids: Vec<Uuid> = answers.acknowledged.keys().copied().collect();
        let found: Vec<Uuid> =
            sqlx::query_scalar("select debate_id from events where debate_id = any ($1) and version = 1 order by 1")
                .bind(&ids)
                .fetch_all(&pool)
                .await
                .expect("the events");
        assert_eq!(found, ids, "what was acknowledged is in the log");
        if let Some((name, _)) = killed {
            cluster.revive(&name);
        }
        poll_until("every debate has ended and is listed", async || {
            let ended = sqlx::query_scalar("select count(*) from debates where outcome is not null");
            let ended: i64 = ended.fetch_one(&pool).await.unwrap_or_default();
            (ended == n_opened).then_some(())
        })
        .await;
    }
    // It reports its progress if there is much to verify.
    let output = run_command(&variables, &["verify", "--json"]).await;
    let verified: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((&verified["debates"], &verified["faults"]), (&json!(n_opened), &json!([])));
    for service in services {
        service.kill().await;
    }
}
