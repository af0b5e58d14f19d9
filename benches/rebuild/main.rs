//! All stored views made anew: events in a second, beside a bare read of the same log in the same run.
//!
//! `cargo bench --bench rebuild`, optionally with the number of debates, 2,000 where none is given; each has 50 events:
//! turns, arguments, attacks, disputes and stances. Then the same while lists are read over HTTP and debates go on. It uses
//! the server that `DATABASE_URL` names, else a private one under `.faultline/bench-postgres`, makes a database of its own
//! and deletes it. Absolute figures depend on the machine and on who else is busy; the ratio holds.

mod load;
#[path = "../log/server.rs"]
mod server;

use std::time::{Duration, Instant};

use faultline::events::argument::{ArgumentAdvanced, AttackJudged, AttackKind, AttackRaised, Component};
use faultline::events::dispute::{DisputeRaised, Side, StanceTaken};
use faultline::events::event::Event;
use faultline::events::ids::{ArgumentId, AttackId, DebateId, DisputeId, TurnId};
use faultline::events::lifecycle::{DebateConcluded, DebateOpened, Limits, Outcome, PhaseEntered};
use faultline::events::persona::{Contract, Persona, Voice};
use faultline::events::turn::{Move, TurnTaken};
use faultline::runtime::builder::Builder;
use faultline::runtime::rows::NAMES;
use faultline::store::append::{Append, NewEvent};
use faultline::store::generations::{Reason, Wanted};
use faultline::store::lanes::{Cursor, LANES};
use faultline::store::open::Store;
use faultline::store::pool::Settings;
use faultline::verdicts::board::REVISION;
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value;
use uuid::Uuid;

use crate::server::Server;

const REFERENCE: &str = "
goal: >= 60,000 events/s, time linear in debates, memory flat";
const EVENTS: usize = 50;
const SPEAKERS: [&str; 2] = ["ada", "ben"];
/// Debates that are appended at once.
const AT_ONCE: usize = 64;
/// Events read at once in the bare read.
const PAGE: i64 = 5_000;

#[tokio::main]
async fn main() {
    let n_debates: usize = std::env::args().skip(1).find_map(|it| it.parse().ok()).unwrap_or(2_000);
    let server = Server::with_database("faultline_bench_rebuild").await;
    let store = Store::over(server.options.clone(), &Settings::default()).await.expect("a store");

    let debates = fill(&store, n_debates).await;
    sqlx::query("analyze").execute(store.log.pool()).await.expect("analyze");
    println!("{n_debates} debates of {EVENTS} events, {} in all", n_debates * EVENTS);
    println!("                            events/s   seconds   MB at most");
    for _ in 0..2 {
        let begun = Instant::now();
        tell("read by position", read(&store).await, begun.elapsed());
        let begun = Instant::now();
        tell("read by debate", read_streams(&store).await, begun.elapsed());
    }
    for workers in [1, 2] {
        let begun = Instant::now();
        let n_events = rebuild(&store, workers).await;
        tell(&format!("rebuild, {workers} workers"), n_events, begun.elapsed());
    }
    let files = tempfile::tempdir().expect("a folder");
    load::load(&store, &server.options, files.path(), &debates, 1).await;
    println!("{REFERENCE}");

    store.close().await;
    drop(store);
    server.close().await;
}

fn tell(what: &str, n_events: i64, lasted: Duration) {
    let rate = n_events as f64 / lasted.as_secs_f64();
    println!("{what:>24} {rate:>11.0} {:>9.2} {:>12}", lasted.as_secs_f64(), peak_megabytes());
}

/// The most memory that this process has had at once.
fn peak_megabytes() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("-".to_owned(), |it| (it / 1024).to_string())
}

async fn read(store: &Store) -> i64 {
    let (mut cursor, heads) = (Cursor::default(), store.log.heads().await.expect("heads"));
    let mut n_events = 0;
    loop {
        let (events, reached) = store.log.read_to(&cursor, &heads, PAGE).await.expect("read");
        if events.is_empty() {
            return n_events;
        }
        n_events += events.len() as i64;
        cursor = reached;
    }
}

async fn read_streams(store: &Store) -> i64 {
    let mut n_events = 0;
    for lane in 0..LANES {
        let mut after = None;
        loop {
            let events = store.log.streams(lane, after, PAGE).await.expect("read");
            n_events += events.len() as i64;
            after = events.last().map(|it| (it.debate, it.version));
            if (events.len() as i64) < PAGE {
                break;
            }
        }
    }
    n_events
}

/// Makes a whole generation and lets it take over.
async fn rebuild(store: &Store, workers: i32) -> i64 {
    let generations = store.views.generations();
    let wanted = Wanted { revision: REVISION, reason: Reason::Asked, workers: Some(workers), holds: false };
    let generation = generations.want(wanted).await.expect("want");
    let builder = Builder::new(store.log.clone(), store.views.clone(), &generation);
    builder.clone().build().await.expect("build");
    let cursor = builder.catch_up().await.expect("catch up");
    assert!(generations.serve(generation.id, &NAMES, &cursor).await.expect("serve"));
    let progress = generations.progress(&generation).await.expect("progress");
    progress.total
}

/// Debates in the order in which they were opened, but for those that were opened at once.
async fn fill(store: &Store, n_debates: usize) -> Vec<DebateId> {
    let appends = (0..n_debates).map(|n| {
        let debate = DebateId(Uuid::now_v7());
        let events = events(n).into_iter().map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: None });
        let append = Append { debate, expected: 0, events: events.collect(), fence: None, actor: None };
        async move {
            store.log.append(append).await.expect("append");
            debate
        }
    });
    stream::iter(appends).buffer_unordered(AT_ONCE).collect().await
}

/// A debate as they come: two who take turns, each argument attacked by the next, three disputes.
fn events(n: usize) -> Vec<Event> {
    let speaker = |k: usize| SPEAKERS[k % 2].parse().expect("a persona");
    let text = |what: &str, k: usize| {
        format!("{what} {k} of debate {n}: crews rest too little, ferries are late, and nobody pays for the night. ")
            .repeat(3)
    };
    let opened = DebateOpened {
        topic: format!("Should ferry {n} run at night?"),
        engine: "graph".to_owned(),
        engine_revision: 1,
        options: Value::Null,
        participants: SPEAKERS.iter().map(|it| persona(it)).collect(),
        limits: Limits::default(),
        seed: n as u64,
        provider: "elsewhere".to_owned(),
    };
    let begun = PhaseEntered { phase: "opening".to_owned(), round: None, reason: None };
    let mut events = vec![Event::DebateOpened(Box::new(opened)), Event::PhaseEntered(begun)];
    for k in 1..=10 {
        let (turn, argument) = (TurnId(k as u32), ArgumentId(k as u32));
        events.push(turn_taken(turn, speaker(k), text("Turn", k)));
        events.push(Event::ArgumentAdvanced(ArgumentAdvanced {
            argument,
            speaker: speaker(k),
            turn,
            claim: text("Claim", k),
            premises: vec![text("Premise", k)],
            assumptions: vec![format!("Assumption {} of debate {n}", k / 3)],
            evidence: vec![],
            carries: None,
            answers_topic: k == 1,
        }));
        if k > 1 {
            let attack = AttackId(k as u32);
            events.push(Event::AttackRaised(AttackRaised {
                attack,
                speaker: speaker(k),
                turn,
                source: argument,
                target: ArgumentId(k as u32 - 1),
                component: Component::Claim,
                kind: AttackKind::Rebut,
                rationale: text("Attack", k),
                confidence: 0.5,
            }));
            events.push(Event::AttackJudged(AttackJudged {
                attack,
                valid: k % 4 != 0,
                strength: 0.5,
                reason: text("Judged", k),
                kind: None,
                component: None,
            }));
        }
    }
    for k in 0..3 {
        let dispute = DisputeId(k + 1);
        events.push(Event::DisputeRaised(DisputeRaised::bare(dispute, format!("Is point {k} of {n} so?"), false)));
        for (j, side) in [Side::Yes, Side::No].into_iter().enumerate() {
            let (speaker, turn) = (speaker(j), TurnId(9 + j as u32));
            events.push(Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None }));
        }
    }
    events.push(Event::DebateConcluded(DebateConcluded { outcome: Outcome::Converged { reason: "done".to_owned() } }));
    assert_eq!(events.len(), EVENTS);
    events
}

fn turn_taken(turn: TurnId, speaker: faultline::events::ids::PersonaId, text: String) -> Event {
    Event::TurnTaken(TurnTaken {
        turn,
        speaker,
        round: None,
        moves: vec![Move::Claim],
        answers: None,
        text,
        citations: vec![],
        dangling: 0,
        refused: vec![],
    })
}

fn persona(id: &str) -> Persona {
    Persona {
        id: id.parse().expect("a persona id"),
        name: id.to_uppercase(),
        about: format!("{id} of the bench"),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    }
}
