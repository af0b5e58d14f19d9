//! Debates in a database whose processes are killed, compared with undisturbed ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::receipt::{EffectAnswered, EffectKey};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use futures_util::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use uuid::Uuid;

use crate::support::client::start_debate_input;
use crate::support::database::{Database, migrated_database};
use crate::support::log_reads::wait_for_end;
use crate::support::service_process::{ServiceProcess, run_json_command};
use crate::support::test_home::{TestHome, replies_of, scripted_replies};
use crate::support::waiting::poll_until;

/// Debates that a crash test opens in turn, long enough for many kills each.
#[derive(Clone, Copy)]
pub enum Plays {
    /// Debates in rounds, of two engines.
    Rounds,
    /// Debates of one engine, with rooms beside the main channel.
    Rooms(&'static str),
}

impl Plays {
    fn replies(self, after_millis: u64) -> Value {
        match self {
            Plays::Rounds => scripted_replies(after_millis),
            Plays::Rooms(engine) => replies_of(&[engine], after_millis),
        }
    }

    /// Engines and inputs of the debates.
    fn inputs(self) -> Vec<(&'static str, Value)> {
        let in_rounds = |engine, rounds: u32| (engine, start_debate_input(engine, json!({ "rounds": rounds })));
        match self {
            Plays::Rounds => vec![in_rounds("dialectic", 10), in_rounds("graph", 3)],
            Plays::Rooms(engine) => {
                let (windows, fewest, every) = if engine == "forum" { (1, 4, 2) } else { (2, 3, 1) };
                let options = json!({
                    "turn_budget": 12, "windows": windows, "fewest_detected": fewest, "detect_every": every,
                });
                let mut input = start_debate_input(engine, options);
                let personas = ["edda-tolvane", "gus-ormerand", "dara-velloway", "hester-gannick"];
                input["personaIds"] = personas[..if engine == "forum" { 4 } else { 3 }].into();
                vec![(engine, input)]
            }
        }
    }
}

/// Database that outlives the processes that serve from it, and the debates opened in it.
pub struct CrashTest {
    pub _database: Option<Database>,
    pub _home: TestHome,
    pub variables: Vec<(&'static str, String)>,
    pub pool: PgPool,
    pub log: Log,
    pub tail: Tail,
    pub debates: Vec<(DebateId, &'static str)>,
    pub plays: Plays,
}

impl CrashTest {
    /// Creates a database; every answer of the provider takes `after_millis`.
    pub async fn new(after_millis: u64, lease_seconds: u32) -> CrashTest {
        CrashTest::of(Plays::Rounds, after_millis, lease_seconds).await
    }

    /// Creates a database for these debates; every answer of the provider takes `after_millis`.
    pub async fn of(plays: Plays, after_millis: u64, lease_seconds: u32) -> CrashTest {
        let database = migrated_database().await;
        let (log, options, pool) = (database.log().await, database.options.clone(), database.pool.clone());
        let crash_test = CrashTest::in_database(&options, (pool, log), plays, after_millis, lease_seconds);
        CrashTest { _database: Some(database), ..crash_test }
    }

    pub fn start_over(
        options: &PgConnectOptions,
        pool: PgPool,
        log: Log,
        after_millis: u64,
        lease_seconds: u32,
    ) -> CrashTest {
        CrashTest::in_database(options, (pool, log), Plays::Rounds, after_millis, lease_seconds)
    }

    fn in_database(
        options: &PgConnectOptions,
        (pool, log): (PgPool, Log),
        plays: Plays,
        after_millis: u64,
        lease_seconds: u32,
    ) -> CrashTest {
        let home = TestHome::new();
        let mut variables = home.environment(options, &plays.replies(after_millis));
        variables.push(("FAULTLINE_LEASE_SECONDS", lease_seconds.to_string()));
        let tail = Tail::start(&log);
        CrashTest { _database: None, _home: home, variables, pool, log, tail, debates: Vec::new(), plays }
    }

    /// Opens `n_debates` debates, alternating between the engines.
    pub async fn open(&mut self, service: &ServiceProcess, n_debates: usize) {
        for _ in 0..n_debates {
            let inputs = self.plays.inputs();
            let (engine, input) = &inputs[self.debates.len() % inputs.len()];
            let debate = service.client.start(input).await;
            self.debates.push((debate, engine));
        }
    }

    /// Number of events in the log.
    pub async fn events(&self) -> i64 {
        self.log.heads().await.expect("heads").iter().sum()
    }

    /// Number of debates that have not ended.
    pub async fn running_debates(&self) -> usize {
        let ended: i64 = sqlx::query_scalar("select count(*) from events where kind = 'debate_concluded'")
            .fetch_one(&self.pool)
            .await
            .expect("count");
        self.debates.len() - ended as usize
    }

    /// Processes that have a lease on a debate.
    pub async fn holders(&self) -> BTreeSet<Uuid> {
        let held: Vec<Uuid> = sqlx::query_scalar("select distinct holder from leases where holder is not null")
            .fetch_all(&self.pool)
            .await
            .expect("look at the leases");
        held.into_iter().collect()
    }

    /// Number of unanswered requests in debates that these processes drive.
    pub async fn questions_of(&self, drivers: &BTreeSet<Uuid>) -> i64 {
        sqlx::query_scalar(
            "select count(*) filter (where kind = 'effect_requested') - count(*) filter (where kind = 'effect_answered')
            from events
            join leases using (debate_id)
            where holder = any ($1)",
        )
        .bind(drivers.iter().copied().collect::<Vec<_>>())
        .fetch_one(&self.pool)
        .await
        .expect("count")
    }

    /// Times at which each debate was claimed after its lease had expired. Claims by the former holder itself do not
    /// count: a process never claims a debate that it drives, so they interrupt nothing.
    async fn lapses(&self) -> Lapses {
        let found: Vec<(Uuid, DateTime<Utc>)> =
            sqlx::query_as("select debate_id, claimed_at from lapses where former <> claimant")
                .fetch_all(&self.pool)
                .await
                .expect("look at the lapses");
        let mut lapses = Lapses::new();
        found.into_iter().for_each(|(debate, at)| lapses.entry(DebateId(debate)).or_default().push(at));
        lapses
    }

    /// Returns true if all leases with a holder have expired and none was renewed or claimed.
    pub async fn all_lapsed(&self) -> bool {
        let (held, lapsed): (i64, i64) = sqlx::query_as(
            "select count(*), count(*) filter (where until < now()) from leases where holder is not null",
        )
        .fetch_one(&self.pool)
        .await
        .expect("look at the leases");
        held > 0 && held == lapsed
    }

    /// Waits until `by` more events are recorded or all debates have ended.
    pub async fn wait_for_events(&self, by: i64) {
        let wanted = self.events().await + by;
        poll_until("the log grows", async || {
            (self.events().await >= wanted || self.running_debates().await == 0).then_some(())
        })
        .await;
    }

    /// Waits until killed processes have no sessions on the server; returns the version of every debate then.
    pub async fn versions_after_kill(&self) -> HashMap<DebateId, i64> {
        poll_until("the sessions of killed processes end", async || {
            let sessions: i64 = sqlx::query_scalar(
                "select count(*)
                from pg_stat_activity
                where datname = current_database()
                and application_name like 'faultline%'
                and application_name not like 'faultline test%'",
            )
            .fetch_one(&self.pool)
            .await
            .expect("look at the sessions");
            (sessions == 0).then_some(())
        })
        .await;
        let heads =
            self.debates.iter().map(|(debate, _)| async { (*debate, self.log.head(*debate).await.expect("head")) });
        join_all(heads).await.into_iter().collect()
    }

    /// Waits until every debate has ended, then compares each with the undisturbed run and verifies the whole log.
    /// Returns the number of repeated requests.
    pub async fn check(&self, wanted: &UndisturbedFacts, cuts: Option<&[HashMap<DebateId, i64>]>) -> usize {
        let mut n_again = 0;
        for (debate, engine) in &self.debates {
            let events = wait_for_end(&self.log, &self.tail, *debate).await;
            let lapses = self.lapses().await;
            let versions: Vec<i64> = events.iter().map(|event| event.version).collect();
            assert_eq!(versions, (1..=events.len() as i64).collect::<Vec<_>>(), "{debate}");
            let cuts: Option<Vec<i64>> =
                cuts.map(|cuts| cuts.iter().filter_map(|cut| cut.get(debate).copied()).collect());
            let lapses = lapses.get(debate).map_or(&[][..], Vec::as_slice);
            n_again += count_repeats(&events, cuts.as_deref(), lapses);
            assert_eq!(facts(&events), wanted[engine], "{engine} {debate}");
        }
        let verified = run_json_command(&self.variables, &["verify", "--json"]).await;
        let counted = json!([verified[0]["debates"], verified[0]["events"], verified[0]["faults"]]);
        assert_eq!(counted, json!([self.debates.len(), self.events().await, []]));
        n_again
    }
}

/// Times at which debates were claimed after their leases had expired.
type Lapses = HashMap<DebateId, Vec<DateTime<Utc>>>;
/// Facts of an undisturbed debate of each engine.
pub type UndisturbedFacts = BTreeMap<&'static str, Vec<String>>;

pub async fn undisturbed() -> UndisturbedFacts {
    undisturbed_of(Plays::Rounds).await
}

pub async fn undisturbed_of(plays: Plays) -> UndisturbedFacts {
    let mut crash_test = CrashTest::of(plays, 0, 10).await;
    let service = ServiceProcess::start(&crash_test.variables).await;
    crash_test.open(&service, plays.inputs().len()).await;
    let mut wanted = UndisturbedFacts::new();
    for (debate, engine) in &crash_test.debates {
        let events = wait_for_end(&crash_test.log, &crash_test.tail, *debate).await;
        assert_eq!(count_repeats(&events, Some(&[]), &[]), 0);
        wanted.insert(engine, facts(&events));
    }
    service.kill().await;
    wanted
}

/// Bodies of a debate's events without receipts, in order, and its verdict. The scripted provider is reproducible, so
/// neither kills nor the order in which answers arrive change them. A repeated request moves the versions of later events:
/// an audit names audited events by their places among the facts instead.
fn facts(events: &[Recorded]) -> Vec<String> {
    let is_fact = |event: &&Recorded| !matches!(event.event, Event::EffectRequested(_) | Event::EffectAnswered(_));
    let places: HashMap<i64, i64> = events.iter().filter(is_fact).map(|event| event.version).zip(0..).collect();
    let body = |event: &Recorded| {
        let mut event = event.event.clone();
        if let Event::WordsAudited(audited) = &mut event {
            let named = audited.unread.iter_mut().chain(audited.readings.iter_mut().map(|reading| &mut reading.event));
            named.for_each(|version| *version = places[version]);
        }
        serde_json::to_string(&event).expect("JSON")
    };
    let verdict = DebateReadModel::of(events).verdict();
    let verdict = format!("{:?} {:?}", verdict.regime.kind, verdict.labels);
    events.iter().filter(is_fact).map(body).chain([verdict]).collect()
}

/// Checks that the last request of every key was answered exactly once, and returns the number of repeated requests.
/// Every earlier request must have been open at one of the cuts (not checked for `None`), or when the debate was
/// claimed after its lease had expired.
fn count_repeats(events: &[Recorded], cuts: Option<&[i64]>, lapses: &[DateTime<Utc>]) -> usize {
    let mut requests: BTreeMap<&EffectKey, Vec<&Recorded>> = BTreeMap::new();
    let mut answers: BTreeMap<&EffectKey, Vec<(&EffectAnswered, &Recorded)>> = BTreeMap::new();
    for recorded in events {
        match &recorded.event {
            Event::EffectRequested(it) => requests.entry(&it.key).or_default().push(recorded),
            Event::EffectAnswered(it) => answers.entry(&it.key).or_default().push((it, recorded)),
            Event::EffectFailed(_) | Event::EffectAbandoned(_) => panic!("the script never fails: {recorded:?}"),
            _ => {}
        }
    }
    for (key, requests) in &requests {
        let [(answer, receipt)] = answers[key][..] else { panic!("{key} was answered {} times", answers[key].len()) };
        let last = requests.last().expect("a request");
        let actual = (answer.attempt as usize, answer.ignored, receipt.caused_by);
        assert_eq!(actual, (requests.len(), false, Some(last.id)), "{key}: its last request is the one answered");
        for pair in requests.windows(2) {
            let open_at = |cut: &i64| pair[0].version <= *cut && *cut < pair[1].version;
            // All three times are of the database's clock. A claim waits for running appends, and no append follows it.
            let open_when = |lapse: &DateTime<Utc>| pair[0].at <= *lapse && *lapse <= pair[1].at;
            assert!(
                cuts.is_none_or(|cuts| cuts.iter().any(open_at)) || lapses.iter().any(open_when),
                "{key} was repeated without an interruption"
            );
        }
    }
    requests.values().map(|attempts| attempts.len() - 1).sum()
}
