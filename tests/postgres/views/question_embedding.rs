//! Embedding of the questions of debates: killed and restarted, by two processes at once, with another embedder, and
//! search by words before the vectors exist.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::{Embedder, Pending};
use faultline_runtime::projector::Projector;
use faultline_runtime::question_embedder::QuestionEmbedder;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_store::follow::log_tail::Tail;
use faultline_store::library::open::Library;
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery};
use faultline_store::views::debates::PageDirection;
use faultline_store::views::views::Views;
use sqlx::PgPool;
use tokio::sync::{Semaphore, watch};

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::minilm_model::minilm;
use crate::support::waiting::poll_until;

/// Offline embedder under a name of its own, with a gate in front and a record of the texts it embedded.
struct GatedEmbedder {
    name: &'static str,
    gate: Semaphore,
    asked: Mutex<Vec<String>>,
    failing: AtomicUsize,
    /// Number of batches requested, those that wait at the gate included.
    requested: AtomicUsize,
}

impl GatedEmbedder {
    fn open(name: &'static str) -> Arc<GatedEmbedder> {
        GatedEmbedder::with(name, Semaphore::MAX_PERMITS)
    }

    fn with(name: &'static str, permits: usize) -> Arc<GatedEmbedder> {
        let gate = Semaphore::new(permits);
        let (failing, requested) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(GatedEmbedder { name, gate, asked: Mutex::default(), failing, requested })
    }

    fn n_calls(&self) -> usize {
        self.asked.lock().expect("unpoisoned").len()
    }
}

impl Embedder for GatedEmbedder {
    fn name(&self) -> &str {
        self.name
    }

    fn width(&self) -> usize {
        Hashing.width()
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        Box::pin(async move {
            self.requested.fetch_add(1, Ordering::Relaxed);
            self.gate.acquire().await.expect("open").forget();
            let less = |n: usize| n.checked_sub(1);
            if self.failing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
                || texts.iter().any(|text| text.contains("poison"))
            {
                return Err(Failure::new(FailureKind::Unavailable, "not now"));
            }
            self.asked.lock().expect("unpoisoned").extend(texts.iter().cloned());
            Hashing.embed(texts).await
        })
    }
}

fn question_embedder(pool: &PgPool, embedder: Arc<GatedEmbedder>) -> QuestionEmbedder {
    QuestionEmbedder::new(Views::new(pool.clone()), Library::new(pool.clone()), embedder)
}

/// Stores the questions with the numbers 1 to `n`, as the projector would.
async fn store_questions(database: &Database, n: i32) {
    let sql = "
        insert into questions (hash, text)
        select question_hash(text), text
        from (
            select 'Is case ' || n || ' like case ' || n % 7 || ' of the ferry, \\ ' || repeat('more ', n % 5) || '?' as text
            from generate_series(1, $1) as n
        ) as given
        on conflict (hash) do nothing";
    sqlx::query(sql).bind(n).execute(&database.pool).await.expect("ask");
}

async fn count(database: &Database, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&database.pool).await.expect("count")
}

const EMBEDDED: &str = "select count(*) from question_vectors where paired";
/// Counts pairs that are near and not stored, or stored and not near, of the vectors that are at home.
pub const WRONG_PAIRS: &str = "
    with near as (
        select one.question as one, other.question as other
        from question_vectors as one
        join question_vectors as other on other.embedder = one.embedder and other.question > one.question
        where 1 - (one.vector <=> other.vector) >= 0.5
    )
    select count(*)
    from near
    full join question_pairs on question_pairs.one = near.one and question_pairs.other = near.other
    where near.one is null or question_pairs.one is null";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_share_the_work_and_miss_no_pair() {
    let database = migrated_database().await;
    // At most as many questions as pairs kept for each, so that all pairs are expected.
    store_questions(&database, 60).await;
    let (one, other) = (GatedEmbedder::open("hashing-a"), GatedEmbedder::open("hashing-a"));
    let elsewhere = database.second_log().await;
    let (mine, theirs) =
        (question_embedder(&database.pool, one.clone()), question_embedder(elsewhere.pool(), other.clone()));
    let (first, second) = tokio::join!(mine.catch_up(), theirs.catch_up());
    assert_eq!(first.expect("caught up") + second.expect("caught up"), 60);
    assert_eq!(one.n_calls() + other.n_calls(), 60, "each is embedded once");
    // Questions that one process held while the other looked are paired in the next round.
    mine.catch_up().await.expect("caught up");
    assert_eq!((count(&database, EMBEDDED).await, count(&database, WRONG_PAIRS).await), (60, 0));

    // Later questions are compared with all existing ones, and existing ones are not embedded again.
    store_questions(&database, 62).await;
    assert_eq!(mine.catch_up().await.expect("caught up"), 2);
    assert_eq!((count(&database, EMBEDDED).await, count(&database, WRONG_PAIRS).await), (62, 0));
    assert_eq!(mine.catch_up().await.expect("nothing to do"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_releases_its_questions_and_another_continues() {
    let database = migrated_database().await;
    store_questions(&database, 100).await;
    // Lets one batch of 64 through, and then hangs while it holds the rest.
    let stuck = GatedEmbedder::with("hashing-a", 1);
    let (_stop, stopped) = watch::channel(false);
    let elsewhere = database.second_log().await;
    let running = tokio::spawn(question_embedder(elsewhere.pool(), stuck.clone()).run(stopped));
    poll_until("the first batch is stored", async || {
        (count(&database, "select count(*) from question_vectors").await == 64).then_some(())
    })
    .await;
    // A look at the locks would lock a question itself, which the batch would then leave out.
    poll_until("the second batch is held", async || (stuck.requested.load(Ordering::Relaxed) == 2).then_some(())).await;
    let next = question_embedder(&database.pool, GatedEmbedder::open("hashing-a"));
    assert_eq!(next.catch_up().await.expect("nothing is free"), 0);
    running.abort();
    assert!(running.await.is_err());
    poll_until("the rest is done", async || {
        next.catch_up().await.expect("caught up");
        (count(&database, EMBEDDED).await == 100).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_failing_text_does_not_block_the_others() {
    let database = migrated_database().await;
    store_questions(&database, 5).await;
    sqlx::query("insert into questions (hash, text) values (question_hash('poison'), 'poison')")
        .execute(&database.pool)
        .await
        .expect("ask");
    store_questions(&database, 10).await;
    let embedder = GatedEmbedder::open("hashing-a");
    let keeper = question_embedder(&database.pool, embedder.clone());
    assert!(keeper.catch_up().await.is_err(), "the failure is reported");
    assert_eq!(count(&database, EMBEDDED).await, 10, "all other questions are embedded");
    sqlx::query("delete from questions where text = 'poison'").execute(&database.pool).await.expect("delete");
    store_questions(&database, 20).await;
    embedder.failing.store(5, Ordering::Relaxed);
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(keeper.run(stopped));
    poll_until("the rest is embedded after the failures", async || {
        (count(&database, EMBEDDED).await == 20).then_some(())
    })
    .await;
    stop.send_replace(true);
    running.await.expect("the task ends without a panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_embedder_starts_from_scratch_and_vectors_never_mix() {
    let database = migrated_database().await;
    store_questions(&database, 10).await;
    let old = question_embedder(&database.pool, GatedEmbedder::open("hashing-a"));
    old.catch_up().await.expect("caught up");
    let new = GatedEmbedder::open("hashing-b");
    let fresh = question_embedder(&database.pool, new.clone());
    assert!(fresh.catch_up().await.is_err(), "another embedder is in use");
    let library = Library::new(database.pool.clone());
    let newcomer = library.register_embedder("hashing-b", new.width(), true).await.expect("a new embedder");
    library.activate(&newcomer).await.expect("the switch succeeds");
    // Vectors of a retired embedder are deleted with it.
    assert_eq!(library.delete_retired_vectors(10).await.expect("the deletion succeeds"), 0);
    assert_eq!(count(&database, "select count(*) from question_vectors").await, 0);
    assert_eq!(fresh.catch_up().await.expect("caught up"), 10);
    assert!(old.catch_up().await.is_err());
    let kept = "select count(*) from question_vectors join embedders on id = embedder where name = 'hashing-b'";
    assert_eq!((count(&database, kept).await, count(&database, WRONG_PAIRS).await), (10, 0));
    // The database refuses a vector whose width differs from that of the embedder.
    let odd = "insert into question_vectors (embedder, question, width, vector)
        select embedder, 1, width, '[1,2,3]' from question_vectors limit 1";
    sqlx::query("delete from question_vectors where question = 1").execute(&database.pool).await.expect("delete");
    let refused = sqlx::query(odd).execute(&database.pool).await.expect_err("too narrow").to_string();
    assert!(refused.contains("question_vectors_is_of_its_width"), "{refused}");
}

/// Number of rows of texts and vectors of questions that statements have read so far.
async fn rows_read(database: &Database) -> i64 {
    // Sessions report their counts after a second.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let rows = "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint
        from pg_stat_user_tables where relname in ('questions', 'question_vectors')";
    count(database, rows).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_for_work_reads_no_text_that_is_done() {
    let database = migrated_database().await;
    const N_QUESTIONS: i32 = 1_000;
    store_questions(&database, N_QUESTIONS).await;
    let elsewhere = database.second_log().await;
    let busy = question_embedder(elsewhere.pool(), GatedEmbedder::open("hashing-a"));
    busy.catch_up().await.expect("caught up");
    // Sessions report all of their counts when they end.
    elsewhere.pool().close().await;
    let worker = question_embedder(&database.pool, GatedEmbedder::open("hashing-a"));
    // Of the queue itself there are no statistics, as in a new store.
    database.run("vacuum analyze question_vectors, questions").await;
    let (before, views) = (rows_read(&database).await, Views::new(database.pool.clone()));
    for _ in 0..20 {
        assert_eq!(worker.catch_up().await.expect("nothing to do"), 0);
        assert_eq!(views.questions_due().await.expect("counted"), 0);
    }
    let read = rows_read(&database).await - before;
    assert!(read < i64::from(N_QUESTIONS), "{read} rows read, although nothing was to be done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_that_the_queue_lacks_are_found_and_those_that_are_done_leave_it() {
    let database = migrated_database().await;
    store_questions(&database, 10).await;
    let worker = question_embedder(&database.pool, GatedEmbedder::open("hashing-a"));
    worker.catch_up().await.expect("caught up");
    store_questions(&database, 16).await;
    let views = Views::new(database.pool.clone());
    assert_eq!(views.questions_due().await.expect("counted"), 6);
    // Three are missed, as when the embedder is exchanged meanwhile; one is embedded and compared by an earlier version.
    let lost = "delete from question_queue where question in (
        select question from question_queue order by question desc limit 3)";
    let done = "insert into question_vectors (embedder, question, width, vector, paired)
        select embedder, (select min(question) from question_queue), width, vector, true from question_vectors limit 1";
    for statement in [lost, done] {
        sqlx::query(statement).execute(&database.pool).await.expect("a statement");
    }
    assert_eq!(worker.catch_up().await.expect("caught up"), 2);
    assert_eq!(views.questions_due().await.expect("counted"), 0, "the one that is done left the queue");
    let by = Library::new(database.pool.clone()).embedder_in_use().await.expect("read").expect("one is in use");
    views.fill_question_queue(&by).await.expect("filled");
    assert_eq!(views.questions_due().await.expect("counted"), 3);
    assert_eq!(worker.catch_up().await.expect("caught up"), 3);
    assert_eq!((count(&database, EMBEDDED).await, views.questions_due().await.expect("counted")), (16, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_found_by_words_before_it_has_a_vector() {
    let database = migrated_database().await;
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    let tail = Tail::start(&log);
    let (stop, stopped) = watch::channel(false);
    let projecting = tokio::spawn(Projector::new(log.clone(), tail, views.clone()).run(stopped));
    let mut debates = Vec::new();
    for question in ["Is winter rough?", "Is winter  ROUGH", "Is the \\ summer\0 calm?"] {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        builder.raise_dispute(question, &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(&log).await;
        debates.push(builder);
    }
    let embedder = GatedEmbedder::open("hashing-a");
    let inquiry = CrossDebateSearch::new(
        views.clone(),
        Library::new(database.pool.clone()),
        Some(embedder.clone() as Arc<dyn Embedder>),
    );
    let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 10, counted: true, brief: false };
    let found = async |text: &str| {
        let sought = inquiry.query(text).await.expect("sought");
        let generation = views.generation_to_read().await.expect("served");
        views.cruxes_found(generation, &CruxQuery::default(), &sought, &part).await.expect("found")
    };
    let rows = poll_until("the projector has caught up", async || {
        let rows = found("winter").await.rows;
        (rows.len() == 2 && found("summer").await.rows.len() == 1).then_some(rows)
    })
    .await;
    assert!(rows.iter().all(|row| row.hit.cosine.is_none() && row.hit.stems == ["winter"]));
    // Equal wordings count as the same question even without vectors; other similarities are not known yet.
    let generation = views.generation_to_read().await.expect("served");
    let recurring = inquiry.recurring(generation, &CruxQuery::default(), 10).await.expect("found");
    assert_eq!((recurring.clusters.len(), recurring.exact), (1, false));
    assert_eq!((recurring.clusters[0].debates, recurring.clusters[0].wordings), (2, 2));
    assert_eq!(views.questions_due().await.expect("counted"), 3);
    question_embedder(&database.pool, embedder).catch_up().await.expect("caught up");
    assert_eq!(views.questions_due().await.expect("counted"), 0);
    assert!(found("winter").await.rows.iter().all(|row| row.hit.cosine.is_some()));
    stop.send_replace(true);
    projecting.await.expect("the task ends without a panic");
}

/// The labelled pairs carry the cosines by which the rule was tuned; `UPDATE=1` rewrites them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_labelled_pairs_carry_the_cosines_of_the_embedder() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/questions/pairs.tsv");
    let file = std::fs::read_to_string(&path).expect("the pairs");
    let rows: Vec<Vec<&str>> = file.lines().map(|line| line.split('\t').collect()).collect();
    let texts: Vec<String> = rows.iter().flat_map(|row| [row[3].to_owned(), row[4].to_owned()]).collect();
    let vectors = minilm().await.embed(&texts).await.expect("vectors");
    let cosines = vectors.chunks(2).map(|pair| pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum::<f32>());
    let mut updated = String::new();
    for (row, cosine) in rows.iter().zip(cosines) {
        let known: f32 = row[2].parse().expect("a cosine");
        updated.push_str(&format!("{}\t{}\t{cosine:.4}\t{}\t{}\n", row[0], row[1], row[3], row[4]));
        assert!((known - cosine).abs() < 0.002 || std::env::var_os("UPDATE").is_some(), "{row:?}: {cosine}");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, updated).expect("write the pairs");
    }
}
