//! An erasure reaches every table and column, the planner's statistics and the write-ahead log.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use faultline_store::database::pool::{ConnectionSettings, connect};
use faultline_store::erasure::erasure::{ErasureOrder, ErasureOutcome};
use faultline_store::provision::postgres::postgres_bin;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnectOptions, PgPool};
use uuid::Uuid;

use crate::support::client::Client;
use crate::support::database::{compressed_views_contain, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::{cache_dir, project_path};
use crate::support::event_inputs::{APPEND, event_input, opening_input, turn_input};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

/// A word that occurs nowhere else.
const MARK: &str = "quizzelfarthing";
/// A part of the descriptions of the erased debates' participants.
const ABOUT: &str = "of the tests";
const ERASE: &str = "mutation ($id: ID!) {
    eraseDebate(input: { debateId: $id, reason: \"a test\" }) { erasures { unrecoverable } }
}";

/// Tables and columns for which docs/erasure.md documents what happens to them on an erasure.
fn documented() -> BTreeSet<(String, String)> {
    let page = fs::read_to_string(project_path("docs/erasure.md")).expect("the page");
    let (_, section) = page.split_once("## Every table and column").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.flat_map(|row| {
        let mut cells = row.split(" | ");
        let table = cells.next().unwrap_or_default().trim_end_matches('`').to_owned();
        let columns = cells.next().unwrap_or_default().replace('`', "");
        let rule = cells.next().unwrap_or_default().len();
        assert!(rule > 4, "{table} has no rule");
        let pairs: Vec<_> = columns.split(", ").map(|column| (table.clone(), column.trim().to_owned())).collect();
        pairs
    })
    .collect()
}

#[tokio::test]
async fn every_column_has_a_documented_erasure_rule() {
    let database = migrated_database().await;
    let there: Vec<(String, String)> = sqlx::query_as(
        "select c.relname::text, a.attname::text
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p', 'm')
        and c.relname <> '_sqlx_migrations'",
    )
    .fetch_all(&database.pool)
    .await
    .expect("the catalogue");
    let there: BTreeSet<(String, String)> = there.into_iter().collect();
    let documented = documented();
    let missing: Vec<_> = there.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/erasure.md does not list {missing:?}: document what an erasure does to them");
    let gone: Vec<_> = documented.difference(&there).collect();
    assert!(gone.is_empty(), "docs/erasure.md lists columns that do not exist: {gone:?}");
}

/// Tables, including the planner's statistics, that contain a word.
async fn tables_with_word(pool: &PgPool, word: &str) -> Vec<String> {
    let tables: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'public' order by 1")
            .fetch_all(pool)
            .await
            .expect("the tables");
    let bytes: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
    let patterns = vec![format!("%{word}%"), format!("%{bytes}%")];
    let mut found = Vec::new();
    for table in tables.into_iter().chain(["pg_statistic".to_owned()]) {
        let sql = format!("select exists (select from {table} as t where t::text ilike any ($1))");
        let query = sqlx::query_scalar::<_, bool>(sqlx::AssertSqlSafe(sql)).bind(&patterns);
        let is_there = query.fetch_one(pool).await.expect("search a table");
        if is_there || (table == "views" && compressed_views_contain(pool, word).await) {
            found.push(table);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_removes_data_of_that_debate_alone_and_planner_statistics() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (database, log) = (&server.database, &server.log);
    let (mut one, mut other) = (DebateBuilder::new(&["ada", "ben"]), DebateBuilder::new(&["ada", "cleo"]));
    for debate in [&mut one, &mut other] {
        debate.add_argument("ada", &format!("Yes, by the {MARK}."), "The sea is calm.");
        debate.append_new(log).await;
    }
    poll_until("both are projected", async || {
        let n_casts: i64 =
            sqlx::query_scalar("select count(*) from casts").fetch_one(&database.pool).await.expect("count");
        (n_casts == 4).then_some(())
    })
    .await;
    let letter = format!(
        "insert into dead_letters (projection, debate_id, version, lane, position, kind, reason)
        values ('debates', '{}', 2, 0, 1, 'turn_taken', 'unknown variant {MARK}')",
        one.id
    );
    database.run(&letter).await;
    database.run("analyze").await;
    let before = tables_with_word(&database.pool, ABOUT).await;
    assert!(before.contains(&"persona_versions".to_owned()), "{before:?}");
    assert!(before.contains(&"pg_statistic".to_owned()), "{before:?}");

    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "asked for".to_owned() };
    let erased = log.erase(one.id, &order).await.expect("erased");
    assert!(matches!(erased, ErasureOutcome::Erased(_)));
    let left: Vec<String> = sqlx::query_scalar("select persona from persona_versions order by persona")
        .fetch_all(&database.pool)
        .await
        .expect("the versions");
    assert_eq!(left, ["ada", "cleo"], "ada is in another debate as well");
    log.erase(other.id, &order).await.expect("erased");
    log.scrub().await.expect("cleaned");
    for word in [MARK, ABOUT] {
        assert_eq!(tables_with_word(&database.pool, word).await, Vec::<String>::new(), "{word}");
    }
    let verified = log.verify(one.id).await.expect("the log");
    assert_eq!((verified.breaks, verified.erased), (vec![], true));
    server.stop().await;
}

/// Files below a directory that contain a half of the key: the header of a page of the write-ahead log may divide a key, but
/// not both of its halves.
fn files_with(directory: &Path, key: &[u8]) -> Vec<PathBuf> {
    let (first, second) = key.split_at(key.len() / 2);
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, key));
        } else if let Ok(content) = fs::read(&path)
            && content.windows(first.len()).any(|window| window == first || window == second)
        {
            found.push(path);
        }
    }
    found
}

async fn erase(client: &Client, debate: Uuid) {
    let answer = client.data(ERASE, json!({ "id": debate })).await;
    assert_eq!(answer["eraseDebate"]["erasures"][0]["unrecoverable"], true, "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_destroyed_key_is_in_no_file_of_the_server() {
    let home = TestHome::new();
    let mut variables = home.environment(&PgConnectOptions::new_without_pgpass(), &scripted_replies(0));
    variables.retain(|(name, _)| *name != "DATABASE_URL" && *name != "FAULTLINE_HOME");
    variables.push(("FAULTLINE_HOME", home.path("home")));
    let bin = postgres_bin(&cache_dir()).await.expect("binaries");
    variables.push(("FAULTLINE_PG_BIN", bin.display().to_string()));
    let service = ServiceProcess::start(&variables).await;
    let client = &service.client;
    let mut debates = Vec::new();
    for n in 0..3 {
        let id = Uuid::now_v7();
        let interjected =
            event_input("interjected", json!({ "turn": "t2", "text": format!("{MARK} {n}"), "speaker": null }));
        let events = [opening_input(), turn_input(1, "anna", &format!("By the {MARK}.")), interjected];
        let asked: Value = json!({ "id": id, "at": 0, "events": events });
        client.data(APPEND, asked).await;
        debates.push(id);
    }

    let data = PathBuf::from(home.path("home")).join("postgres/data");
    let place = faultline_store::embedded::layout::ClusterLayout::under(Path::new(&home.path("home")));
    let cluster =
        faultline_store::embedded::cluster::attach(&place).await.expect("look for the server").expect("it runs");
    let pool = connect(cluster.options("faultline"), &ConnectionSettings::default()).await.expect("the database");
    let keys: Vec<(Uuid, Vec<u8>)> =
        sqlx::query_as("select debate_id, key from debate_keys").fetch_all(&pool).await.expect("the keys");
    let key = |of: Uuid| keys.iter().find(|(debate, _)| *debate == of).expect("a key").1.clone();
    let in_log = |key: &[u8]| !files_with(&data.join("pg_wal"), key).is_empty();
    assert!(in_log(&key(debates[0])), "the write-ahead log contains the key");

    erase(client, debates[0]).await;
    erase(client, debates[1]).await;
    for debate in &debates[..2] {
        let key = key(*debate);
        poll_until("the key is in no file", async || files_with(&data, &key).is_empty().then_some(())).await;
    }
    let kept = key(debates[2]);
    assert!(!files_with(&data, &kept).is_empty(), "the key of another debate is kept");
    let readable = "query ($id: ID!) { debate(id: $id) { turns { nodes { text } } } }";
    let actual = client.data(readable, json!({ "id": debates[2] })).await.to_string();
    assert!(actual.contains(MARK), "{actual}");
    let n_versions = async || -> i64 {
        let count = sqlx::query_scalar("select count(*) from persona_versions where persona in ('anna', 'basil')");
        count.fetch_one(&pool).await.expect("count")
    };
    poll_until("the debate's participants are stored", async || (n_versions().await == 2).then_some(())).await;
    erase(client, debates[2]).await;
    assert_eq!(n_versions().await, 0, "participants of erased debates only");
    pool.close().await;
    service.kill().await;
}
