//! Constraints that allow the tables to be split over partitions or machines.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::database::migrated_database;

/// Unique constraints without a lane or a debate, with the reason for each: their tables are small, or the same on
/// every machine.
const WHOLE: &[(&str, &str)] = &[
    ("_sqlx_migrations_pkey", "one row per migration"),
    ("auditors_pkey", "one row per measured auditor"),
    ("bus_key_pkey", "one row: the key of the messages on a bus"),
    ("checkpoints_pkey", "one row per reader of the log"),
    ("erasures_pkey", "a record of what was erased: few rows, the same on every machine"),
    ("fork_origins_pkey", "the fork is a debate, and its id is the key"),
    ("talk_sources_pkey", "the debate is the key"),
    ("served_pkey", "one row per projection"),
    ("generations_pkey", "one row per generation"),
    ("generations_under_way", "one row at most"),
    ("generations_served", "one row at most"),
    ("projector_lease_pkey", "one row: one process coordinates the generations"),
    ("projector_members_pkey", "one row per process"),
    ("store_identity_pkey", "one row: the name of this database in its store"),
    ("spending_pkey", "one row a day for the whole installation: the budget is that of all debates"),
];

/// Tables of the library and of questions. They contain nothing that happened in a debate, and are the same on every
/// machine.
const LIBRARY: &[&str] = &[
    "chunk_vectors",
    "chunks",
    "corpus_owners",
    "deleted_questions",
    "documents",
    "embedders",
    "persona_versions",
    "personas",
    "question_pairs",
    "question_placement",
    "question_queue",
    "question_vectors",
    "questions",
    "sentence_vectors",
    "sentences",
    "shard_question_vectors",
    "shared_corpora",
    "shelves",
    "sources",
    "word_counts",
];

#[tokio::test]
async fn every_unique_constraint_includes_the_lane_or_the_debate() {
    let database = migrated_database().await;
    let found: Vec<(String, String, Vec<String>)> = sqlx::query_as(
        "select
            t.relname::text,
            i.relname::text,
            array(
                select a.attname::text
                from pg_attribute a
                where a.attrelid = x.indrelid
                and a.attnum = any (x.indkey)
                order by a.attname
            )
        from pg_index x
        join pg_class i on i.oid = x.indexrelid
        join pg_class t on t.oid = x.indrelid
        where x.indisunique
        and t.relnamespace = 'public'::regnamespace
        order by 1, 2",
    )
    .fetch_all(&database.pool)
    .await
    .expect("look at the indexes");
    let whole: BTreeMap<&str, &str> = WHOLE.iter().copied().collect();
    let splits = |columns: &[String]| columns.iter().any(|column| column == "lane" || column == "debate_id");
    let others: Vec<String> = found
        .iter()
        .filter(|(table, name, columns)| {
            !splits(columns) && !whole.contains_key(name.as_str()) && !LIBRARY.contains(&table.as_str())
        })
        .map(|(table, name, columns)| format!("{name} on {table} ({})", columns.join(", ")))
        .collect();
    assert_eq!(others, Vec::<String>::new(), "unique constraints without a lane, a debate or a listed reason");
    let names: BTreeSet<&str> = found.iter().map(|constraint| constraint.1.as_str()).collect();
    let gone: Vec<&&str> = whole.keys().filter(|name| !names.contains(**name)).collect();
    assert!(gone.is_empty(), "listed constraints that do not exist: {gone:?}");

    // The log itself can be partitioned by lane.
    let of_events: Vec<&(String, String, Vec<String>)> =
        found.iter().filter(|constraint| constraint.0 == "events").collect();
    assert_eq!(of_events.len(), 3);
    for (_, name, columns) in of_events {
        assert!(columns.iter().any(|column| column == "lane"), "{name}: {columns:?}");
    }
}
