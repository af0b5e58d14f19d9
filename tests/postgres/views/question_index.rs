//! Index of the vectors of many questions, by which similar ones are found.

use faultline_store::library::open::Library;
use faultline_store::questions::pairing::MAX_PAIRS;
use faultline_store::stored_embedder::StoredEmbedder;
use faultline_store::views::views::Views;
use sqlx::AssertSqlSafe;

use crate::support::database::{Database, migrated_database};
use crate::support::waiting::poll_until;

/// Number of texts that were compared before.
const N_PAIRED: i32 = 3_000;
/// Number of texts that are to be compared.
const N_NEW: i32 = 40;

/// Adds texts with vectors around a hundred centres.
async fn add_questions(database: &Database, by: &StoredEmbedder) {
    let sql = format!(
        "create temporary table centres as
            select n as centre, i, random() - 0.5 as x from generate_series(0, 99) as n, generate_series(1, {width}) as i;
        insert into questions (hash, text)
            select question_hash('case ' || n), 'case ' || n from generate_series(1, {last}) as n;
        insert into question_vectors (embedder, question, width, vector, paired)
            select embedders.id, questions.id, width, vector, n <= {N_PAIRED}
            from generate_series(1, {last}) as n
            join questions on hash = question_hash('case ' || n)
            cross join lateral (
                select array_agg(x + random() * 0.8 - 0.4 order by i)::real[]::halfvec as vector
                from centres
                where centre = n % 100
            ) as drawn
            cross join embedders
            where in_use;
        delete from question_queue where question in (select question from question_vectors where paired);
        analyze question_vectors;
        drop table centres;",
        width = by.width,
        last = N_PAIRED + N_NEW,
    );
    database.run(&sql).await;
}

/// Counts the pairs of the new texts that are among the nearest of one of them, and those of them that are stored.
async fn nearest_and_stored(database: &Database) -> (i64, i64) {
    let sql = format!(
        "with near as (
            select distinct least(due.question, found.question) as one, greatest(due.question, found.question) as other
            from question_vectors as due
            cross join lateral (
                select others.question, 1 - (others.vector <=> due.vector) as cosine
                from question_vectors as others
                where others.question <> due.question
                order by cosine desc
                limit {MAX_PAIRS}
            ) as found
            where due.question > (select max(question) - {N_NEW} from question_vectors)
            and cosine >= 0.5
        )
        select count(*), count(question_pairs.one)
        from near
        left join question_pairs using (one, other)"
    );
    sqlx::query_as(AssertSqlSafe(sql)).fetch_one(&database.pool).await.expect("count")
}

async fn index_names(database: &Database) -> Vec<String> {
    let sql = "select indexname::text from pg_indexes where indexname like 'question_vectors_near_%' order by 1";
    sqlx::query_scalar(sql).fetch_all(&database.pool).await.expect("the indexes")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_questions_are_paired_by_an_index_which_is_not_called_exact() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let by = library.embedder("hashing-a", 256, false).await.expect("registered");
    add_questions(&database, &by).await;
    let worker = database.second_log().await;
    let views = Views::new(worker.pool().clone());
    assert!(
        !views.maintain_question_index(&by, i64::from(N_PAIRED) + 100).await.expect("too few"),
        "too few for an index"
    );
    assert!(views.is_pairing_exact(&by).await.expect("no index"));
    assert!(views.maintain_question_index(&by, 1_000).await.expect("built"));
    assert!(!views.maintain_question_index(&by, 1_000).await.expect("there"), "it is built once");
    assert!(!views.is_pairing_exact(&by).await.expect("an index"));

    while views.pair_questions(&by, 0.5, 16).await.expect("paired") > 0 {}
    let (nearest, stored) = nearest_and_stored(&database).await;
    assert!(nearest > 500, "{nearest} pairs are to be found");
    assert!(stored * 100 >= nearest * 95, "{stored} of {nearest}");
    // Sessions report all of their counts when they end, which may be after the driver has closed them.
    worker.pool().close().await;
    let used = "select coalesce(sum(idx_scan), 0)::bigint from pg_stat_user_indexes
        where indexrelname like 'question_vectors_near_%'";
    poll_until("each of the new texts was compared by the index", async || {
        let n_scans: i64 = sqlx::query_scalar(used).fetch_one(&database.pool).await.expect("statistics");
        (n_scans >= i64::from(N_NEW)).then_some(())
    })
    .await;

    // An index that was built with other parameters is used until it is replaced.
    let views = Views::new(database.pool.clone());
    let names = index_names(&database).await;
    database.run(&format!("alter index {} set (ef_construction = 40)", names[0])).await;
    assert!(!views.is_pairing_exact(&by).await.expect("an index"));
    assert!(views.maintain_question_index(&by, 1_000).await.expect("replaced"));
    assert!(!views.maintain_question_index(&by, 1_000).await.expect("there"), "it is replaced once");
    assert_eq!(index_names(&database).await, names);

    // The index of an embedder that is no longer in use is dropped.
    let newcomer = library.register_embedder("hashing-b", 256, false).await.expect("a new embedder");
    library.activate(&newcomer).await.expect("the switch succeeds");
    assert_eq!(index_names(&database).await.len(), 1);
    assert!(!views.maintain_question_index(&newcomer, 1_000).await.expect("dropped"));
    assert!(index_names(&database).await.is_empty());
}
