//! Ten thousand cruxes: the time to embed their questions and to compare them with each other, and then the time of a
//! search and of the recurring questions.
//!
//! Run `cargo bench --bench questions`, optionally with the numbers of cruxes to measure at; `cargo bench --bench questions -- pairing`
//! with numbers of vectors measures the pairing of one more text with that many, by an index beside the exact comparison. It uses the server in
//! `DATABASE_URL`, or else a private one under `.faultline/bench-postgres`, and creates and deletes a database of its
//! own. The questions are made of 60 subjects, 42 predicates and 4 phrasings, and are therefore more similar to each
//! other than those of real debates: a hard case. Absolute figures depend on other load; the goal is that both answers
//! take well under a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_providers::minilm::{EmbedderConcurrency, MiniLm};
use faultline_runtime::question_embedder::QuestionEmbedder;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::generations::save::ViewChanges;
use faultline_store::open::Store;
use faultline_store::provision::minilm::minilm_model;
use faultline_store::views::crux_writes::{CruxRow, DebateCruxes};
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery};
use faultline_store::views::debates::{DebateRow, PageDirection};
use serde_json::json;
use serde_json::value::to_raw_value;
use sqlx::Executor;
use uuid::Uuid;

#[path = "../shared/bench_database.rs"]
mod bench_database;
mod pairing;

use bench_database::{BenchDatabase, home_dir};

/// Generation whose rows are read.
const GENERATION: i32 = 1;
/// Cruxes per debate.
const CRUXES: usize = 4;
/// Number of times each answer is requested.
const ROUNDS: usize = 15;
const SEARCHES: &[&str] =
    &["is public transport worth its price", "schools", "who pays for the river", "\"harms the poor\" -taxes"];

#[rustfmt::skip]
const SUBJECTS: &[&str] = &[
    "the reactor", "the wind farm", "rent control", "the four-day week", "the school phone ban", "gene editing",
    "the basic income", "the speed limit", "the meat tax", "the zoo", "the old dam", "remote work", "machine-made art",
    "the lower voting age", "the death penalty", "the Mars flight", "free museums", "homework", "the organ register",
    "the closed centre", "code review", "the night ferry", "the new bridge", "the toll road", "the carbon price",
    "the fishing quota", "the wolf hunt", "the tram line", "the airport", "the harbour", "the stadium", "the opera house",
    "the lottery", "the sugar tax", "the vaccine mandate", "the soda ban", "the plastic ban", "the deposit scheme",
    "the lithium mine", "the peat ban", "the forest reserve", "the hunting season", "the shop closing law", "the pension age",
    "the inheritance tax", "the minimum wage", "the works council", "the strike law", "the press subsidy", "the public channel",
    "the face scanner", "the smart meter", "the digital coin", "the data register", "the drone delivery", "the robot taxi",
    "the border check", "the exchange year", "the army draft", "the peace force",
];

#[rustfmt::skip]
const PREDICATES: &[&str] = &[
    "cost more than it brings", "harm the poor", "help the young", "protect the river", "create jobs", "raise prices",
    "lower rents", "save lives", "divide the town", "please the voters", "need a vote", "need more police", "need more land",
    "pay for itself", "come too late", "come too early", "hurt small firms", "help big firms", "break the law", "need a new law",
    "spread to other towns", "fail in winter", "fail in summer", "need experts", "serve the tourists", "annoy the neighbours",
    "reduce noise", "reduce emissions", "reduce accidents", "increase traffic", "increase trust", "increase fraud",
    "weaken the state", "strengthen the state", "last for ten years", "last for fifty years", "depend on imports",
    "depend on subsidies", "respect privacy", "respect animals", "change habits", "change nothing",
];

fn question(n: usize) -> String {
    let (subject, n) = (SUBJECTS[n % SUBJECTS.len()], n / SUBJECTS.len());
    let (predicate, n) = (PREDICATES[n % PREDICATES.len()], n / PREDICATES.len());
    match n % 4 {
        0 => format!("Does {subject} {predicate}?"),
        1 => format!("Will {subject} {predicate}?"),
        2 => format!("Is it true that {subject} will {predicate}?"),
        _ => format!("We can expect {subject} to {predicate}."),
    }
}

#[tokio::main]
async fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if std::env::args().any(|argument| argument == "pairing") {
        return pairing::measure_all(&sizes).await;
    }
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000];
    }
    let weights = minilm_model(&home_dir().join("cache")).await.expect("the weights");
    println!(
        "cruxes  questions  embedded, s  paired, s    pairs   search p50, ms   max   recurring p50, ms   max   clusters  exact"
    );
    for n in sizes {
        let database = BenchDatabase::create("faultline_bench_questions").await;
        let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");
        let embedder = MiniLm::open(&weights, EmbedderConcurrency::default()).expect("an embedder");
        measure(&store, &Arc::new(embedder), n).await;
        store.close().await;
        database.delete().await;
    }
}

async fn measure(store: &Store, embedder: &Arc<MiniLm>, n: usize) {
    let views = &store.views;
    for from in (0..n).step_by(1_000) {
        views.save(&cruxes(from, n.min(from + 1_000))).await.expect("save");
    }
    let pool = store.log.pool();
    let count = async |sql: &'static str| -> i64 { sqlx::query_scalar(sql).fetch_one(pool).await.expect("count") };
    let question_embedder = QuestionEmbedder::new(views.clone(), store.library.clone(), embedder.clone());
    let begun = Instant::now();
    let catching = tokio::spawn(async move { question_embedder.catch_up().await.map(|_| ()) });
    let total = count("select count(*) from questions").await;
    let embedded = loop {
        if count("select count(*) from question_vectors").await == total {
            break begun.elapsed();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    catching.await.expect("no panic").expect("caught up");
    let paired = begun.elapsed() - embedded;
    pool.execute("analyze").await.expect("analyze");
    let pairs = count("select count(*) from question_pairs").await;

    let search = CrossDebateSearch::new(views.clone(), store.library.clone(), Some(embedder.clone()));
    let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 20, counted: true, brief: false };
    let (filter, mut searching, mut recurring) = (CruxQuery::default(), Vec::new(), Vec::new());
    let (mut clusters, mut exact) = (0, false);
    for round in 0..ROUNDS {
        let begun = Instant::now();
        let sought = search.query(SEARCHES[round % SEARCHES.len()]).await.expect("sought");
        views.cruxes_found(GENERATION, &filter, &sought, &part).await.expect("found");
        searching.push(begun.elapsed());
        let begun = Instant::now();
        let found = search.recurring(GENERATION, &filter, 20).await.expect("found");
        recurring.push(begun.elapsed());
        (clusters, exact) = (found.clusters.len(), found.exact);
    }
    searching.sort_unstable();
    recurring.sort_unstable();
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    println!(
        "{n:6}  {total:9}  {:11.1}  {:9.1}  {pairs:7}   {:14.1} {:5.0}   {:17.1} {:5.0}   {clusters:8}  {exact}",
        embedded.as_secs_f64(),
        paired.as_secs_f64(),
        ms(searching[ROUNDS / 2]),
        ms(searching[ROUNDS - 1]),
        ms(recurring[ROUNDS / 2]),
        ms(recurring[ROUNDS - 1]),
    );
}

/// Builds the cruxes with these numbers, with their debates.
fn cruxes(from: usize, to: usize) -> ViewChanges {
    let mut changes = ViewChanges::default();
    let personas: Vec<PersonaId> = ["ada", "ben"].iter().map(|it| it.parse().expect("a name")).collect();
    for first in (from..to).step_by(CRUXES) {
        let debate = DebateId(Uuid::now_v7());
        let at = Utc::now() + TimeDelta::seconds(first as i64);
        changes.debates.push(DebateRow {
            generation: GENERATION,
            debate,
            version: 1,
            topic: "What of the town?".to_owned(),
            engine: "graph".to_owned(),
            provider: "elsewhere".to_owned(),
            status: "concluded".to_owned(),
            phase: None,
            regime: None,
            opened_at: at,
            changed_at: at,
            ended_at: None,
            n_turns: 1,
            tokens: 0,
            cost_micros: 0,
            participants: personas.clone(),
            outcome: None,
            models: Vec::new(),
            measures: None,
            speaker_figures: Vec::new(),
            n_arguments: None,
            n_attacks: None,
            n_concessions: None,
        });
        let row = |n: usize| CruxRow {
            key: format!("d{}", n - first + 1),
            place: i32::try_from(n - first + 1).expect("a few cruxes"),
            kind: "dispute".to_owned(),
            open: true,
            // Every tenth question repeats an earlier one, word for word.
            statement: question(if n % 10 == 9 { n / 3 } else { n }),
            pivotality: None,
            order: None,
            n_dependents: 0,
            personas: personas.clone(),
            regime: "polarized".to_owned(),
            opened_at: at,
            changed_at: at,
            body: to_raw_value(&json!({ "positions": [
                { "persona": "ada", "side": "yes", "turn": "t1", "argument": null, "words": "Yes." },
                { "persona": "ben", "side": "no", "turn": "t2", "argument": null, "words": "No." },
            ] }))
            .expect("JSON"),
        };
        let rows = (first..to.min(first + CRUXES)).map(row).collect();
        changes.cruxes.push(DebateCruxes { generation: GENERATION, debate, version: 1, rows, unchanged: Vec::new() });
    }
    changes
}
