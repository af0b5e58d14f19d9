//! Erasures beside the workers that embed and pair the questions of the same debate.

use faultline_core::events::dispute::Side;
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::Embedder;
use faultline_runtime::read_model_cache::{build_rows, fold_stream};
use faultline_store::erasure::erasure::{ErasureOrder, ErasureOutcome};
use faultline_store::library::open::Library;
use faultline_store::log::log::Log;
use faultline_store::stored_embedder::StoredEmbedder;
use faultline_store::views::views::Views;
use sqlx::Executor;

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::waiting::poll_until;

/// A debate with two questions, which are stored and not embedded yet, and the embedder in use.
async fn debate_with_questions(database: &Database, log: &Log) -> (DebateBuilder, StoredEmbedder) {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    for question in ["Is the ferry late?", "Is the ferry full?"] {
        let raised = builder.raise_dispute(question, &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.discuss_in_room(raised, question, &["ada", "ben"]);
    }
    let version = builder.append_new(log).await;
    let read_model = fold_stream(log, builder.id, version).await.expect("read");
    let rows = build_rows(1, vec![(builder.id, read_model.into())]).await.expect("rows");
    Views::new(database.pool.clone()).save(&rows).await.expect("saved");
    let library = Library::new(database.pool.clone());
    let by = library.embedder(Hashing.name(), Hashing.width(), false).await.expect("registered");
    (builder, by)
}

fn order() -> ErasureOrder {
    ErasureOrder { asked_by: "a test".to_owned(), reason: "asked for".to_owned() }
}

async fn count(database: &Database, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&database.pool).await.expect("count")
}

/// Waits until a transaction of the database waits for a lock.
async fn wait_for_waiting_transaction(database: &Database) {
    let sql = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event <> 'relation'";
    poll_until("a transaction waits", async || (count(database, sql).await > 0).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_waits_for_questions_that_are_being_embedded() {
    let database = migrated_database().await;
    let log = database.log().await;
    let (builder, by) = debate_with_questions(&database, &log).await;
    let views = Views::new(database.pool.clone());
    let claim = views.claim_questions(&by, 0, 8).await.expect("claimed");
    assert_eq!(claim.texts.len(), 2);
    let vectors = Hashing.embed(&claim.texts).await.expect("embedded");
    let deletable = "select count(*) from (select from questions for update skip locked) as deletable";
    assert_eq!(count(&database, deletable).await, 0);

    let (erasing, id) = (log.clone(), builder.id);
    let erasure = tokio::spawn(async move { erasing.erase(id, &order()).await });
    wait_for_waiting_transaction(&database).await;
    // An erasure that held the questions and waited for their rows of the queue would end this transaction, or its own.
    claim.store(&by, &vectors).await.expect("stored");
    let erased = erasure.await.expect("no panic").expect("erased");
    assert!(matches!(erased, ErasureOutcome::Erased(_)), "{erased:?}");
    let left = "select (select count(*) from questions) + (select count(*) from question_queue)
        + (select count(*) from question_vectors)";
    assert_eq!(count(&database, left).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_skip_questions_that_are_being_erased() {
    let database = migrated_database().await;
    let log = database.log().await;
    let (_, by) = debate_with_questions(&database, &log).await;
    let views = Views::new(database.pool.clone());
    let mut erasing = database.pool.begin().await.expect("a transaction");
    erasing.execute("select from questions where text = 'Is the ferry late?' for update").await.expect("locked");
    let claim = views.claim_questions(&by, 0, 8).await.expect("claimed");
    assert_eq!(claim.texts, ["Is the ferry full?"]);
    let vectors = Hashing.embed(&claim.texts).await.expect("embedded");
    claim.store(&by, &vectors).await.expect("stored");
    erasing.rollback().await.expect("rolled back");

    let claim = views.claim_questions(&by, 0, 8).await.expect("claimed");
    let vectors = Hashing.embed(&claim.texts).await.expect("embedded");
    claim.store(&by, &vectors).await.expect("stored");
    let mut erasing = database.pool.begin().await.expect("a transaction");
    erasing.execute("select from questions where text = 'Is the ferry full?' for update").await.expect("locked");
    assert_eq!(views.pair_questions(&by, 0.0, 8).await.expect("compared"), 0, "one of the pair may be erased");
    assert_eq!(count(&database, "select count(*) from question_pairs").await, 0);
    erasing.rollback().await.expect("rolled back");
    assert_eq!(views.pair_questions(&by, 0.0, 8).await.expect("compared"), 2);
    assert_eq!(count(&database, "select count(*) from question_pairs").await, 1);
    views.remove_paired_questions(&by).await.expect("removed");
    assert_eq!(count(&database, "select count(*) from question_queue").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_that_postgres_ends_for_a_deadlock_is_attempted_again() {
    let database = migrated_database().await;
    let log = database.log().await;
    let (builder, _) = debate_with_questions(&database, &log).await;
    let mut other = database.pool.begin().await.expect("a transaction");
    // The erasure looks for a deadlock first, once, after it has waited for a second.
    other.execute("set local deadlock_timeout = '10s'").await.expect("set");
    other.execute("select from question_queue for update").await.expect("locked");
    let (erasing, id) = (log.clone(), builder.id);
    let erasure = tokio::spawn(async move { erasing.erase(id, &order()).await });
    wait_for_waiting_transaction(&database).await;
    // Returns once the erasure, which holds the questions, has been ended; with an error if this test came too late.
    drop(other.execute("select from questions for key share").await);
    other.rollback().await.expect("rolled back");
    let erased = erasure.await.expect("no panic").expect("erased");
    assert!(matches!(erased, ErasureOutcome::Erased(_)), "{erased:?}");
    assert_eq!(count(&database, "select count(*) from questions").await, 0);
}
