//! Schema upgrades: databases created and filled by earlier versions are migrated, and all their data is found and
//! served.

use faultline_core::events::dispute::Side;
use faultline_core::verdicts::read_model::REVISION;
use faultline_providers::hashing::{Hashing, NAME, WIDTH};
use faultline_providers::ports::Embedder;
use faultline_store::database::migrations::MIGRATOR;
use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::generations::generations::GenerationState;
use faultline_store::library::document_writes::chunk_id;
use faultline_store::library::new_document::{Embedded, NewChunk, NewDocument};
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::library::recall::{CorpusScope, LibrarySearch};
use faultline_store::library::shared_corpora::SharedCorpus;
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery, CruxSort};
use faultline_store::views::debates::{DebateQuery, PageDirection};
use faultline_store::views::disputes::{DisputePageRequest, DisputeQuery};
use faultline_store::views::views::Views;
use futures_util::TryStreamExt;
use pgvector::HalfVector;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection, PgPool};

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{ServiceProcess, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_library::{empty_persona, persona_id};
use crate::support::waiting::poll_until;

/// Creates a database with the schema as it was after a migration.
async fn database_at(version: i64) -> (Database, PgConnection) {
    let database = migrated_database().await;
    database.run("drop schema public cascade; create schema public").await;
    let mut connection = database.options.connect().await.expect("connect");
    MIGRATOR.run_to(version, &mut connection).await.expect("the earlier schema");
    (database, connection)
}

/// Migrates the schema to the latest version, as every process does at start.
async fn migrate(database: &Database) -> PgPool {
    let settings = ConnectionSettings {
        application: "faultline test".to_owned(),
        connections: 4,
        ..ConnectionSettings::default()
    };
    pool::connect(database.options.clone(), &settings).await.expect("the migrations succeed")
}

/// Passages stored by the earlier version: one document each, of one sentence each.
const PASSAGES: [&str; 3] = [
    "The ferry runs at night because the fish do.",
    "A bridge is a promise that somebody else will paint.",
    "Tides are kept by a clerk who has never been wet.",
];

#[tokio::test]
async fn vectors_stored_with_a_fixed_width_are_migrated_and_searchable() {
    let (database, mut connection) = database_at(7).await;
    let texts: Vec<String> = PASSAGES.iter().map(|passage| (*passage).to_owned()).collect();
    let vectors = Hashing.embed(&texts).await.expect("vectors");
    let run = async |connection: &mut PgConnection, statement: &str| {
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
            .execute(connection)
            .await
            .expect("the insert of the earlier version");
    };
    run(
        &mut connection,
        &format!(
            "insert into embedders (name, width, stand_in, in_use) values ('{NAME}', {WIDTH}, true, true);
            insert into personas (id, name, version, topics, body) values ('ada', 'ADA', 1, '{{}}', '{}')",
            serde_json::to_string(&empty_persona("ada")).expect("JSON")
        ),
    )
    .await;
    for ((n, text), vector) in PASSAGES.iter().enumerate().zip(&vectors) {
        let (chunk, vector) =
            (chunk_id(&persona_id("ada"), &format!("d{n}"), 0, text), HalfVector::from_f32_slice(vector));
        run(
            &mut connection,
            &format!(
                "insert into documents (persona, name, title, source, dated, kind, hash)
                    values ('ada', 'd{n}', 'Of {n}', 'a letter', '2024-05-0{}', 'letter', sha256('{n}'));
                insert into chunks (persona, id, document, ordinal, body) values ('ada', '{chunk}', 'd{n}', 0, '{text}');
                insert into sentences (persona, chunk, ordinal, body) values ('ada', '{chunk}', 0, '{text}')",
                n + 1
            ),
        )
        .await;
        for table in [
            "chunk_vectors (persona, embedder, chunk, vector)",
            "sentence_vectors (persona, embedder, chunk, ordinal, vector)",
        ] {
            let ordinal = if table.starts_with("sentence") { ", 0" } else { "" };
            sqlx::query(AssertSqlSafe(format!("insert into {table} select 'ada', id, $1{ordinal}, $2 from embedders")))
                .bind(chunk)
                .bind(&vector)
                .execute(&mut connection)
                .await
                .expect("a vector");
        }
    }
    drop(connection);

    let library = Library::new(migrate(&database).await);
    let by = library.embedder(NAME, WIDTH, true).await.expect("the earlier embedder is in use");
    assert_eq!(
        (
            library.count_unembedded(&by).await.expect("count"),
            library.sentences(&by, &persona_id("ada")).await.expect("read").len()
        ),
        (0, 3)
    );
    for (text, vector) in PASSAGES.iter().zip(&vectors) {
        let search = LibrarySearch { whose: CorpusScope::Of(&[persona_id("ada")]), text, vector, limit: 3 };
        let found = library.search(&by, search).await.expect("a search");
        let first = &found[0];
        assert_eq!(first.passage.text, *text);
        assert!(
            first.why.cosine.is_some_and(|cosine| cosine > 0.999),
            "the stored vector is unchanged: {:?}",
            first.why
        );
    }
    let by_words = LibrarySearch { whose: CorpusScope::All, text: "clerk", vector: &[], limit: 3 };
    assert_eq!(library.search_by_words(by_words).await.expect("a search")[0].passage.text, PASSAGES[2]);
    // New vectors are stored beside the old ones and must have the recorded width.
    let text = "Salt is patient.";
    let document = |vector: Vec<f32>| NewDocument {
        persona: persona_id("ada"),
        name: "new".to_owned(),
        title: "New".to_owned(),
        source: "a letter".to_owned(),
        date: "2026-01-01".parse().expect("a date"),
        kind: "letter".to_owned(),
        hash: [7; 32],
        chunks: vec![NewChunk {
            id: chunk_id(&persona_id("ada"), "new", 0, text),
            text: text.to_owned(),
            embedded: Some(Embedded { vector: vector.clone(), sentences: vec![(text.to_owned(), vector)] }),
        }],
    };
    let narrow = library.put(&by, &document(vec![1.0; 8])).await;
    assert!(matches!(narrow, Err(LibraryError::Width { stored: WIDTH, given: 8, .. })), "{narrow:?}");
    let vector = Hashing.embed(&[text.to_owned()]).await.expect("a vector").remove(0);
    library.put(&by, &document(vector.clone())).await.expect("the document is stored");
    let search = LibrarySearch { whose: CorpusScope::All, text, vector: &vector, limit: 1 };
    assert_eq!(library.search(&by, search).await.expect("a search")[0].passage.text, text);
}

#[tokio::test]
async fn personas_stored_before_shared_corpora_own_their_documents() {
    let (database, mut connection) = database_at(21).await;
    let earlier = "
        insert into personas (id, name, version, topics, body) values ('ada', 'ADA', 1, '{}', '{}'), ('bo', 'BO', 1, '{}', '{}');
        insert into documents (persona, name, title, source, dated, kind, hash)
            select id, 'd', 'Of tides', 'a letter', '2024-05-01', 'letter', sha256('d') from personas;
        insert into sources (persona, name, url, revision) select id, 's', 'https://a.example', 1 from personas;
        insert into shelves (persona, n_passages) select id, 1 from personas";
    sqlx::raw_sql(earlier).execute(&mut connection).await.expect("rows of the earlier version");
    drop(connection);

    let pool = migrate(&database).await;
    let library = Library::new(pool.clone());
    let of = async |table: &str| {
        let sql = format!("select array_agg(persona order by persona) from {table}");
        sqlx::query_scalar::<_, Vec<String>>(AssertSqlSafe(sql)).fetch_one(&pool).await.expect("owners")
    };
    for table in ["documents", "sources", "shelves"] {
        assert_eq!(of(table).await, ["ada", "bo"], "{table}");
    }
    // As the earlier version does, which may still run.
    database.run("delete from personas where id = 'ada'").await;
    for table in ["documents", "sources", "shelves", "(select id as persona from corpus_owners) as owners"] {
        assert_eq!(of(table).await, ["bo"], "{table}");
    }
    let corpus = SharedCorpus { id: persona_id("bo"), name: "Survey".to_owned(), about: "Counts".to_owned() };
    assert!(library.upsert_shared_corpus(&corpus).await.is_err(), "a persona has the id");
    assert!(library.upsert_shared_corpus(&SharedCorpus { id: persona_id("ada"), ..corpus }).await.expect("stored"));
}

/// Rows of the log and of stored views: table, former columns, current columns.
const ROWS: [(&str, &str, &str); 8] = [
    (
        "events",
        "position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, actor, body, hash",
        "position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, actor, body, hash",
    ),
    ("views", "projection, revision, debate_id, version, body", "projection, $of, debate_id, version, body"),
    (
        "debates",
        "revision, debate_id, version, topic, engine, provider, status, phase, regime, opened_at, changed_at, ended_at, \
         n_turns, tokens, cost_micros, participants",
        "$of, debate_id, version, topic, engine, provider, status, phase, regime, opened_at, changed_at, ended_at, \
         n_turns, tokens, cost_micros, participants",
    ),
    (
        "cruxes",
        "revision, debate_id, key, place, kind, open, statement, pivotality, crux_order, n_dependents, personas, regime, \
         opened_at, changed_at, body",
        "$of, debate_id, key, place, kind, open, statement, pivotality, crux_order, n_dependents, personas, regime, \
         opened_at, changed_at, body",
    ),
    (
        "disputes",
        "revision, debate_id, key, statement, status, is_topic, personas, opened_at, changed_at, body",
        "$of, debate_id, key, statement, status, is_topic, personas, opened_at, changed_at, body",
    ),
    ("questions", "hash, text", "hash, text"),
    ("checkpoints", "name, revision, cursor", "name, $of, cursor"),
    ("served", "name, revision", "name, $of"),
];

/// Copies rows from a current database into an earlier one, under the given fold revision.
async fn copy_rows(now: &Database, then: &mut PgConnection, revision: i32) {
    let mut from = now.options.connect().await.expect("connect");
    for (table, old, new) in ROWS {
        let new = new.replace("$of", &format!("{revision}"));
        let out = format!("copy (select {new} from {table}) to stdout");
        let rows = from.copy_out_raw(&out).await.expect("read");
        let rows: Vec<_> = rows.try_collect().await.expect("rows");
        let mut into = then.copy_in_raw(&format!("copy {table} ({old}) from stdin")).await.expect("write");
        for row in &rows {
            into.send(&row[..]).await.expect("a row");
        }
        into.finish().await.expect("written");
    }
    let heads: Vec<(i16, i64)> =
        sqlx::query_as("select lane, head from lanes").fetch_all(&mut from).await.expect("heads");
    for (lane, head) in heads {
        sqlx::query("update lanes set head = $2 where lane = $1")
            .bind(lane)
            .bind(head)
            .execute(&mut *then)
            .await
            .expect("a head");
    }
}

/// Returns the content of the lists of one generation: topics of debates, and questions of cruxes and disputes.
async fn list_texts(views: &Views, generation: i32) -> Vec<String> {
    let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 100, counted: false, brief: false };
    let cruxes = views.cruxes(Some(generation), &CruxQuery::default(), CruxSort::Newest, &part).await.expect("cruxes");
    let part = DisputePageRequest { from: None, toward: PageDirection::Older, limit: 100, counted: false };
    let disputes = views.disputes(generation, &DisputeQuery::default(), None, &part).await.expect("disputes");
    let debates =
        views.list(generation, &DebateQuery::default(), None, PageDirection::Older, 100).await.expect("debates");
    let bodies = cruxes.rows.iter().map(|crux| format!("{} {} {}", crux.debate(), crux.key, crux.body));
    let disputes = disputes.rows.iter().map(|dispute| format!("{} {}", dispute.debate(), dispute.key));
    debates
        .rows
        .iter()
        .map(|debate| format!("{} {}", debate.debate, debate.topic))
        .chain(bodies)
        .chain(disputes)
        .collect()
}

/// Columns of the list of debates that were added after generations.
const LATER_COLUMNS: &str = "outcome, models, measures, speaker_figures, n_arguments, n_attacks, n_concessions";

/// Copies the values of later columns to the rows of the same debates in another database.
async fn fill_later_columns(from: &Database, to: &PgPool) {
    let select = "select distinct on (debate_id) to_jsonb(d) from debates d order by debate_id, generation desc";
    let rows: Vec<Value> = sqlx::query_scalar(select).fetch_all(&from.pool).await.expect("rows");
    let update = format!(
        "update debates d set ({LATER_COLUMNS}) = (select {LATER_COLUMNS} from jsonb_populate_record(null::debates, $1))
        where d.debate_id = ($1 ->> 'debate_id')::uuid"
    );
    for row in rows {
        let updated = sqlx::query(AssertSqlSafe(update.clone())).bind(row).execute(to).await.expect("update");
        assert!(updated.rows_affected() > 0, "a row of the same debate");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_stored_before_generations_are_served_and_rebuilt_if_the_fold_is_older() {
    let (now, home) = (migrated_database().await, TestHome::new());
    // Stored unencrypted, as the earlier version did.
    let log = now.plain_log().await;
    for n in 0..5 {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        builder.raise_dispute(&format!("Is winter {n} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(&log).await;
    }
    let made =
        run_json_command(&home.environment(&now.options, &scripted_replies(0)), &["rebuild", "--json"]).await.remove(0);
    now.store_plain_verdicts().await;
    let wanted = list_texts(&Views::new(now.pool.clone()), made["generation"].as_i64().expect("a number") as i32).await;
    assert!(wanted.len() >= 15, "{wanted:?}");

    for revision in [REVISION, REVISION - 1] {
        let (database, mut then) = database_at(12).await;
        copy_rows(&now, &mut then, revision).await;
        // A rebuild that was in progress and was never served.
        let unserved = "insert into checkpoints (name, revision, cursor) select name, 1, cursor from checkpoints;
            insert into debates select (jsonb_populate_record(d, '{\"revision\": 1}')).* from debates d";
        sqlx::raw_sql(unserved).execute(&mut then).await.expect("insert the unserved rows");
        drop(then);

        let pool = migrate(&database).await;
        if revision == REVISION {
            // A fold of today has filled the columns that the tables of that age did not have.
            fill_later_columns(&now, &pool).await;
        }
        let views = Views::new(pool.clone());
        assert_eq!(views.generation_to_read().await.expect("served"), revision, "the served revision stays served");
        assert_eq!(list_texts(&views, revision).await, wanted);
        let variables = home.environment(&database.options, &scripted_replies(0));
        let service = ServiceProcess::start(&variables).await;
        let is_newest = async || {
            let standing = views.generations().existing().await.expect("generations");
            let newest = standing
                .iter()
                .any(|generation| generation.state == GenerationState::Served && generation.revision == REVISION);
            (newest && standing.iter().all(|generation| generation.id != 1)).then_some(())
        };
        poll_until("the newest fold is served and the unserved rows are deleted", is_newest).await;
        let served = views.generation_to_read().await.expect("served");
        assert_eq!(served == revision, revision == REVISION, "rebuilt if the fold is older, and only then");
        assert_eq!(list_texts(&views, served).await, wanted);
        let data = service.client.data("{ debates(first: 50) { nodes { id } } }", json!({})).await;
        assert_eq!(data["debates"]["nodes"].as_array().map(Vec::len), Some(5));
        let verified = run_json_command(&variables, &["verify", "--json"]).await.remove(0);
        assert_eq!((&verified["debates"], &verified["faults"]), (&Value::from(5), &json!([])));
        service.kill().await;
    }
}
