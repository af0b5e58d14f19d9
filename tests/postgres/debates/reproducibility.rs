//! A seed reproduces a debate: the same seed, corpora, options and build yield the same bodies of events in the same
//! order, whatever the machine does meanwhile; and after a kill, the same facts.
//!
//! `FAULTLINE_TRIALS=200 cargo test --test postgres reproducib` plays each engine so many times.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline::app::equipped_app::EquippedApp;
use faultline::config::Config;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::receipt::ProviderAnswer;
use faultline_core::kernel::command;
use faultline_core::kernel::command::DebateConfig;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_providers::offline::model::Offline;
use faultline_providers::ports::{Model, Pending};
use faultline_providers::scripted::Scripted;
use faultline_runtime::effect_executor::EffectExecutor;
use faultline_runtime::runner::{RunEnd, RunnerContext, run};
use faultline_service::drafts::draft_board::DraftBoard;
use faultline_store::leases::{DriveRequest, DriveState, Fence};
use faultline_store::log::append::{Append, NewEvent};
use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::environment::{n_trials, project_path};
use crate::support::log_reads::read_all_events;
use crate::support::random::Random;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};

/// Number of debates that run at once. They compete for the machine and for the connections to the database.
const AT_ONCE: usize = 6;
/// Longest delay of an answer, in milliseconds.
const MAX_DELAY_MILLIS: usize = 12;
/// Maximum number of calls in flight in a debate of three with rooms: the detector's, two entry statements, and one of the
/// channel.
const MAX_IN_FLIGHT: usize = 4;
/// Purposes of calls whose answers are spoken.
const SPEECHES: [&str; 5] = ["open", "turn", "enter", "room_turn", "close"];
const LEASE: Duration = Duration::from_secs(600);

/// Provider that answers after a random delay.
struct Delayed<M> {
    model: M,
    random: Mutex<Random>,
}

impl<M: Model> Delayed<M> {
    fn shared(model: M, seed: u64) -> Arc<dyn Model>
    where
        M: 'static,
    {
        Arc::new(Delayed { model, random: Mutex::new(Random(seed)) })
    }
}

impl<M: Model> Model for Delayed<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn about(&self) -> String {
        self.model.about()
    }

    fn is_reproducible(&self) -> bool {
        self.model.is_reproducible()
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        let millis = self.random.lock().expect("the random numbers").below(MAX_DELAY_MILLIS) as u64;
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            self.model.complete(ask).await
        })
    }
}

/// Thread that uses a processor until it is dropped.
struct Burner(Arc<AtomicBool>);

impl Burner {
    fn start() -> Burner {
        let done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&done);
        std::thread::spawn(move || {
            let mut random = Random(1);
            while !told.load(Ordering::Relaxed) {
                std::hint::black_box(random.next());
            }
        });
        Burner(done)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Debate to be played again and again.
#[derive(Clone, Debug)]
struct Play {
    engine: &'static str,
    provider: &'static str,
    options: Value,
}

fn offline_plays() -> Vec<Play> {
    let options = |engine: &str| match engine {
        "graph" | "dialectic" => json!({ "rounds": 1 }),
        // Long enough for a room beside the channel.
        "crux_rooms" => json!({ "turn_budget": 10, "windows": 1, "room_turns": 6, "passages": 2 }),
        "forum" => json!({ "turn_budget": 10, "windows": 1, "thread_turns": 8, "passages": 2 }),
        "blitz" => json!({ "rounds": 2, "passages": 2 }),
        "classical" => json!({ "rounds": 4, "passages": 2 }),
        "baseline" => json!({ "talk_turns": 4, "passages": 2 }),
        "pro_con" => json!({ "rounds": 1, "passages": 2, "fact_check": "strict" }),
        _ => json!({ "turn_budget": 4, "passages": 2 }),
    };
    let engines = ENGINES.iter().filter(|engine| !engine.is_external());
    engines.map(|engine| Play { engine: engine.name, provider: "offline", options: options(engine.name) }).collect()
}

/// The service's store and corpora in a database of its own, with delayed providers.
struct Stage {
    database: Database,
    _home: TestHome,
    app: EquippedApp,
    context: Arc<RunnerContext>,
    holder: Uuid,
}

impl Stage {
    async fn new(script: &Value, seed: u64) -> Stage {
        let (database, home) = (migrated_database().await, TestHome::new());
        let mut variables = home.environment(&database.options, script);
        variables.retain(|(name, _)| *name != "FAULTLINE_CORPUS");
        variables.push(("FAULTLINE_CORPUS", project_path("corpus").display().to_string()));
        let pairs: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let config = Config::from_pairs(&pairs).expect("a configuration");
        let app = EquippedApp::open(&config, &|_| {}).await.expect("the service");
        let scripted = Scripted::parse(&script.to_string()).expect("a script");
        let offline = Offline::new(app.corpora().clone(), app.service().catalog().positions.clone());
        let models = [Delayed::shared(offline, seed), Delayed::shared(scripted, seed + 1)];
        let executor = EffectExecutor::new(models, app.corpora().clone(), config.call_timeout)
            .with_evidence_search(app.evidence_search().clone());
        let (log, tail) = (app.store().log.clone(), app.store().tail.clone());
        let context = Arc::new(RunnerContext { log, tail, executor, drafts: DraftBoard::default(), budget: None });
        Stage { database, _home: home, app, context, holder: Uuid::now_v7() }
    }

    /// Opens a debate with seed 7 between the three speakers of the topic, or two where that would take long.
    async fn open(&self, play: &Play) {
        let is_for_three =
            play.provider == "offline" && ["graph", "crux_rooms", "forum", "blitz", "classical"].contains(&play.engine);
        let n_speakers = if is_for_three { 3 } else { 2 };
        let speakers = ["edda-tolvane", "gus-ormerand", "dara-velloway"].into_iter().take(n_speakers);
        let personas = &self.app.service().catalog().personas;
        let participants = speakers.map(|id| personas[&id.parse().expect("an id")].persona.clone()).collect();
        let opening = DebateConfig {
            topic: "Should the city close its centre to private cars?".to_owned(),
            engine: play.engine.to_owned(),
            options: play.options.clone(),
            participants,
            limits: DebateLimits::default(),
            models: std::collections::BTreeMap::new(),
            seed: 7,
            provider: play.provider.to_owned(),
        };
        let opened = command::open(ENGINES, opening).expect("a debate");
        let debate = DebateId(Uuid::now_v7());
        let new = |event| NewEvent { id: Uuid::now_v7(), event, caused_by: None };
        let events = opened.into_iter().map(new).collect();
        let append = Append { debate, expected: 0, events, fence: None, actor: None };
        self.context.log.append(append).await.expect("the opening");
        self.request(play, debate, 1, DriveState::Open).await;
    }

    /// Records a request. An append of a killed runner may still lock the lease for a moment.
    async fn request(&self, play: &Play, debate: DebateId, version: i64, state: DriveState) {
        let wanted = DriveRequest { debate, version, state, provider: play.provider.to_owned() };
        let requests = [wanted];
        let leases = &self.app.store().leases;
        poll_until("the request is recorded", async || leases.record_requests(&requests).await.ok()).await;
    }

    /// Claims one debate that nobody drives. An append of a killed runner may still lock its lease for a moment.
    async fn claim(&self) -> Fence {
        poll_until("a debate is free", async || {
            let claimed = self.app.store().leases.claim(self.holder, LEASE, 1, None, &[]).await.expect("the leases");
            claimed.first().map(|claimed| claimed.fence)
        })
        .await
    }

    /// Releases the lease of a killed runner.
    async fn release(&self, fence: Fence) {
        poll_until("the lease is released", async || self.app.store().leases.release(fence).await.ok()).await;
    }

    /// Plays a debate to its end. Returns its events.
    async fn play(&self, play: &Play) -> Vec<Recorded> {
        self.open(play).await;
        let fence = self.claim().await;
        let outcome = with_timeout("a debate", run(self.context.clone(), fence)).await.expect("a run");
        assert_eq!(outcome.end, RunEnd::Done, "{play:?}");
        self.finished(play, fence).await
    }

    /// Closes the lease of a debate that has ended. Returns its events.
    async fn finished(&self, play: &Play, fence: Fence) -> Vec<Recorded> {
        let events = read_all_events(&self.context.log, fence.debate).await;
        assert_eq!(DebateReadModel::of(&events).summary.engine, play.engine);
        self.request(play, fence.debate, events.len() as i64, DriveState::Closed).await;
        self.app.store().leases.release(fence).await.expect("the leases");
        events
    }

    /// Plays a debate whose runner is killed each time that it has recorded so many further events. Returns its events.
    async fn play_with_kills(&self, play: &Play, kills: &[i64]) -> Vec<Recorded> {
        self.open(play).await;
        let mut fence = self.claim().await;
        for events in kills {
            let debate = fence.debate;
            let head = async || self.context.log.head(debate).await.expect("a head");
            let until = head().await + events;
            let running = tokio::spawn(run(self.context.clone(), fence));
            poll_until("the log grows", async || (running.is_finished() || head().await >= until).then_some(())).await;
            running.abort();
            if let Ok(ended) = running.await {
                assert_eq!(ended.expect("a run").end, RunEnd::Done, "{play:?}");
                return self.finished(play, fence).await;
            }
            self.release(fence).await;
            fence = self.claim().await;
        }
        let outcome = with_timeout("a debate", run(self.context.clone(), fence)).await.expect("a run");
        assert_eq!(outcome.end, RunEnd::Done, "{play:?}");
        self.finished(play, fence).await
    }

    async fn close(self) {
        self.app.close().await;
        drop(self.database);
    }
}

/// Bodies of events, each with its kind, as they are stored.
fn bodies(events: &[Recorded]) -> Vec<String> {
    events.iter().map(|recorded| serde_json::to_string(&recorded.event).expect("JSON")).collect()
}

/// Bodies of the events that are not receipts.
fn facts(events: &[Recorded]) -> Vec<String> {
    let is_receipt = |event: &Event| {
        matches!(
            event,
            Event::EffectRequested(_)
                | Event::EffectAnswered(_)
                | Event::EffectFailed(_)
                | Event::EffectAbandoned(_)
                | Event::InjectionSuspected(_)
        )
    };
    let mut facts: Vec<Recorded> = events.iter().filter(|recorded| !is_receipt(&recorded.event)).cloned().collect();
    // Readings name events by version. A request that is repeated shifts the versions after it, so facts are numbered.
    let versions: Vec<i64> = facts.iter().map(|recorded| recorded.version).collect();
    let number = |version: &mut i64| {
        *version = versions.iter().position(|other| other == version).map_or(-1, |at| at as i64);
    };
    for recorded in &mut facts {
        if let Event::WordsAudited(audited) = &mut recorded.event {
            audited.readings.iter_mut().for_each(|reading| number(&mut reading.event));
            audited.unread.iter_mut().for_each(number);
        }
    }
    bodies(&facts)
}

/// Asserts that two debates consist of the same bodies, and reports the first difference.
fn assert_equal(one: &[String], other: &[String], what: &str) {
    let differs = one.iter().zip(other).position(|(one, other)| one != other);
    if let Some(at) = differs {
        panic!("{what}: event {} is\n{}\nand was\n{}", at + 1, other[at], one[at]);
    }
    assert_eq!(one.len(), other.len(), "{what}");
}

/// Script of the graph engine in which openings, attacks and the judge fail at their first attempts.
fn script_with_failures() -> Value {
    let mut script = scripted_replies(0);
    for (key, failures) in [("open/edda-tolvane/0", 2), ("attack/gus-ormerand/1", 1), ("judge/clerk/1", 1)] {
        let replies = script[key].as_array_mut().expect("replies");
        for _ in 0..failures {
            replies.insert(0, json!({ "$fail": "unavailable", "message": "the provider is busy" }));
        }
    }
    script
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_seed_reproduces_every_debate_byte_for_byte() {
    let n = n_trials(4);
    let script = script_with_failures();
    // Two databases: ids of passages and orders of rows must not depend on the database either.
    let stages = [Stage::new(&script, 1).await, Stage::new(&script, 2).await];
    let scripted = Play { engine: "graph", provider: "scripted", options: json!({ "passages": 0 }) };
    for play in offline_plays().into_iter().chain([scripted]) {
        let trials = async |numbers: Range<usize>| -> Vec<Vec<Recorded>> {
            let plays = numbers.map(|number| stages[number % stages.len()].play(&play));
            iter(plays).buffered(AT_ONCE).collect().await
        };
        // One half on a busy machine, the other on one that has little else to do.
        let busy = Burner::start();
        let mut played = trials(0..n / 2).await;
        drop(busy);
        played.extend(trials(n / 2..n).await);
        let first = bodies(&played[0]);
        assert!(first.len() > 15, "{}: {} events", play.engine, first.len());
        for (number, events) in played.iter().enumerate() {
            assert_equal(&first, &bodies(events), &format!("{} {} {number}", play.engine, play.provider));
        }
        println!("{} ({}): {n} plays of {} events", play.engine, play.provider, first.len());
    }
    for stage in stages {
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_killed_debate_comes_to_the_same_facts() {
    let n = n_trials(2);
    let stage = Stage::new(&scripted_replies(0), 3).await;
    let (mut random, mut n_interrupted) = (Random(4), 0);
    for play in offline_plays() {
        let wanted = facts(&stage.play(&play).await);
        let mut n_repeated = 0;
        for number in 0..n {
            let kills: Vec<i64> = (0..4).map(|_| 1 + random.below(8) as i64).collect();
            let events = stage.play_with_kills(&play, &kills).await;
            assert_equal(&wanted, &facts(&events), &format!("{} {number}, killed after {kills:?} events", play.engine));
            let repeats =
                |recorded: &&Recorded| matches!(&recorded.event, Event::EffectRequested(it) if it.attempt > 1);
            n_repeated += events.iter().filter(repeats).count();
        }
        println!("{}: {n} debates with 4 kills each, {n_repeated} requests repeated", play.engine);
        n_interrupted += n_repeated;
    }
    assert!(n_interrupted > 0, "no kill interrupted a request");
    stage.close().await;
}

/// Nothing is lost or doubled: each call is answered once, each spoken answer is one turn, and only calls in flight are asked
/// again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_debate_with_rooms_is_killed_again_and_again() {
    for engine in ["crux_rooms", "forum"] {
        kill_again_and_again(engine).await;
    }
}

async fn kill_again_and_again(engine: &str) {
    let n = n_trials(20);
    let stage = Stage::new(&scripted_replies(0), 5).await;
    let play = offline_plays().into_iter().find(|play| play.engine == engine).expect("the engine");
    let mut random = Random(6);
    let kills: Vec<i64> = (0..n).map(|_| 1 + random.below(340 / n) as i64).collect();
    let events = stage.play_with_kills(&play, &kills).await;
    let read_model = DebateReadModel::of(&events);
    let rooms = &read_model.rooms.rooms;
    assert!(rooms.values().any(|room| room.closed.is_some()), "{engine}: no room was closed");
    assert!(matches!(events.last().map(|last| &last.event), Some(Event::DebateConcluded(_))));
    let (mut answered, mut speeches, mut n_again) = (BTreeSet::new(), 0, 0);
    for recorded in &events {
        match &recorded.event {
            Event::EffectAnswered(it) if !it.ignored => {
                assert!(answered.insert(it.key.clone()), "{} was answered twice", it.key);
                speeches += usize::from(SPEECHES.contains(&it.key.purpose.as_str()));
            }
            Event::EffectRequested(it) => n_again += usize::from(it.attempt > 1),
            _ => {}
        }
    }
    let turns: Vec<u32> = read_model.transcript.turns.iter().map(|turn| turn.turn.0).collect();
    assert_eq!(turns, (1..=speeches as u32).collect::<Vec<_>>(), "each spoken answer is one turn");
    assert!(n_again <= n * MAX_IN_FLIGHT, "{n_again} calls were asked again after {n} kills");
    println!("{engine}: {n} kills in {} events: {n_again} calls asked again", events.len());
    stage.close().await;
}
