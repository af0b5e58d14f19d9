//! Tables over HTTP and on the command line: every table in every format, filters, roles, refusals, clients that leave,
//! debates that cannot be read, and the views of the schema `analyst`.

use std::fs;
use std::process::Command;
use std::time::Duration;

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use faultline_core::events::dispute::Side;
use faultline_core::export::tables::cell::TableRows;
use faultline_core::export::tables::export_table::TableSource;
use faultline_core::export::tables::registry::{TABLES, find_table};
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::log::log::Log;
use faultline_tables::encoder::TableEncoder;
use faultline_tables::format::TableFormat;
use reqwest::Response;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::report_skipped;
use crate::support::example_debates::append_debates;
use crate::support::service_process::{ServiceProcess, command, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::view_waits::wait_for_views;
use crate::support::waiting::{poll_until, with_timeout};

async fn ask(server: &TestServer, path: &str, token: Option<&str>) -> Response {
    let request = server.client.http.get(server.client.url(path));
    let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
    with_timeout("a response", request.send()).await.expect("a response")
}

async fn bytes(server: &TestServer, path: &str) -> Vec<u8> {
    let response = ask(server, path, None).await;
    assert_eq!(response.status().as_u16(), 200, "{path}");
    with_timeout("the file", response.bytes()).await.expect("a whole file").to_vec()
}

/// Rows of a table as JSON.
async fn rows(server: &TestServer, file: &str) -> Vec<Value> {
    let (table, query) =
        file.split_once('?').map_or((file, String::new()), |(table, query)| (table, format!("?{query}")));
    let text = String::from_utf8(bytes(server, &format!("/tables/{table}.jsonl{query}")).await).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Runs a debate of the graph engine and waits for its end and its row in the list.
async fn played(server: &TestServer) -> String {
    let start = "mutation { startDebate(input: { topic: \"Should the harbour freeze?\", engine: \"graph\", seed: 7, provider: \"scripted\", \
                 personaIds: [\"edda-tolvane\", \"gus-ormerand\"], options: { rounds: 1 } }) { debate { id } } }";
    let started = server.client.query(start, json!({})).await;
    let id = started["data"]["startDebate"]["debate"]["id"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    let events = server.wait_for_end(id.parse().expect("an id")).await;
    poll_until("the list catches up", async || {
        let sql = "select version from analyst.debates where debate_id::text = $1 and version >= $2";
        let found: Option<i64> = sqlx::query_scalar(sql)
            .bind(&id)
            .bind(events.len() as i64)
            .fetch_optional(&server.database.pool)
            .await
            .expect("look at the list");
        found.map(|_| ())
    })
    .await;
    id
}

/// JSON Lines of a table, made of the whole log without the service.
async fn expected(log: &Log, table: &str, debates: &[DebateBuilder]) -> String {
    let table = find_table(table).expect("a table");
    let TableSource::Events { fold, .. } = table.source else { panic!("{} is stored", table.name) };
    let mut rows = TableRows::default();
    for debate in debates {
        let mut fold = fold();
        log.read(debate.id, 0, 10_000).await.expect("the log").iter().for_each(|event| fold.apply(event));
        fold.push_rows(debate.id, &mut rows);
    }
    let mut encoder = TableEncoder::new(table, TableFormat::Jsonl).expect("an encoder");
    String::from_utf8(encoder.push(rows).expect("rows")).expect("UTF-8")
}

/// Counts the records of a CSV file, each of which must be readable.
fn csv_records(file: &[u8]) -> usize {
    let records: Result<Vec<_>, _> = csv::Reader::from_reader(file).records().collect();
    records.expect("CSV").len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_is_exported_in_every_format_with_filters() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = append_debates(&server, 30).await;
    for table in TABLES.iter().filter(|table| matches!(table.source, TableSource::Events { .. })) {
        let found = bytes(&server, &format!("/tables/{}.jsonl", table.name)).await;
        let expected = expected(&server.log, table.name, &debates).await;
        assert_eq!(String::from_utf8_lossy(&found), expected, "{}", table.name);
    }
    let played = played(&server).await;
    for table in TABLES {
        let n_rows = rows(&server, table.name).await.len();
        assert!(n_rows > 0 || ["concessions", "citations"].contains(&table.name), "{} has no rows", table.name);
        let csv = bytes(&server, &format!("/tables/{}.csv", table.name)).await;
        let n_records = csv_records(&csv);
        assert_eq!(n_records, n_rows, "{}", table.name);
        let parquet = bytes(&server, &format!("/tables/{}.parquet", table.name)).await;
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{}", table.name);
        let response = ask(&server, &format!("/tables/{}.parquet", table.name), None).await;
        let header = |name: &str| response.headers()[name].to_str().expect("a header").to_owned();
        assert_eq!(header("content-type"), "application/vnd.apache.parquet");
        assert_eq!(header("content-disposition"), format!("attachment; filename=\"{}.parquet\"", table.name));
        assert_eq!(header("cache-control"), "no-store");
    }
    let all = rows(&server, "debates").await;
    assert_eq!(all.len(), 31);
    let opened: Vec<&str> = all.iter().map(|row| row["opened_at"].as_str().expect("a time")).collect();
    assert!(opened.is_sorted(), "oldest first");
    let row = all.iter().find(|row| row["debate_id"] == json!(played)).expect("the debate");
    assert_eq!((&row["seed"], &row["status"], &row["engine"]), (&json!("7"), &json!("concluded"), &json!("graph")));
    assert_eq!(row["participants"], "edda-tolvane,gus-ormerand");
    let calls = rows(&server, &format!("calls?debate={played}")).await;
    let tokens = |row: &Value| {
        let kinds = ["input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"];
        kinds.iter().map(|kind| row[kind].as_i64().expect("a number")).sum::<i64>()
    };
    assert_eq!(calls.iter().map(tokens).sum::<i64>(), row["tokens"].as_i64().expect("a number"));
    let turns = rows(&server, &format!("turns?debate={}", &played[28..])).await;
    let is_of_a_call = |turn: &Value| calls.iter().any(|call| call["receipt_id"] == turn["receipt_id"]);
    assert!(!turns.is_empty() && turns.iter().all(is_of_a_call), "turns join with calls");
    let day = &opened[0][..10];
    for (query, n_debates) in [
        ("status=concluded", 1),
        ("status=running", 30),
        ("persona=gus-ormerand", 1),
        ("persona=nobody-here", 0),
        ("search=harbour%20FREEZE", 1),
        ("search=harbour+freeze&persona=ada", 0),
        ("openedAfter=2001-01-01&openedBefore=2100-01-01T00:00:00%2B02:00", 31),
        (&format!("openedBefore={day}"), 0),
        (
            "provider=scripted&regime=undetermined",
            rows(&server, "debates?regime=undetermined&provider=scripted").await.len(),
        ),
    ] {
        let found = rows(&server, &format!("debates?{query}")).await;
        assert_eq!(found.len(), n_debates, "{query}");
        let ids: Vec<&Value> = found.iter().map(|row| &row["debate_id"]).collect();
        let turns = rows(&server, &format!("turns?{query}")).await;
        assert!(turns.iter().all(|turn| ids.contains(&&turn["debate_id"])), "{query}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unusable_requests_are_refused_with_the_reason() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = append_debates(&server, 2).await;
    let names = TABLES.iter().map(|table| table.name).collect::<Vec<_>>().join(", ");
    let parameters =
        "debate, status, engine, provider, model, regime, outcome, persona, search, openedAfter, openedBefore";
    let nobody = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
    for (path, status, reason) in [
        ("events.csv", 404, format!("unknown table \"events\"; available: {names}")),
        (
            "turns.xlsx",
            404,
            "unknown format \"xlsx\"; available: csv, parquet, jsonl; for example /tables/turns.csv".into(),
        ),
        ("turns.csv?first=3", 400, format!("unknown parameter \"first\"; available: {parameters}")),
        (
            "turns.csv?status=over",
            400,
            "`status`: unknown status \"over\"; available: running, paused, concluded, cancelled".into(),
        ),
        (
            "turns.csv?persona=Ada",
            400,
            "`persona`: \"Ada\" is not a persona id, lower-case letters, digits and dashes, such as ada-quill".into(),
        ),
        (
            "turns.csv?debate=x",
            400,
            "`debate`: \"x\" is not a debate id, a UUID such as 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b".into(),
        ),
        (
            &format!("turns.csv?debate={nobody}&engine=graph"),
            400,
            "`debate` selects a single debate, and cannot be combined with filters".into(),
        ),
        (&format!("turns.csv?debate={nobody}"), 404, format!("there is no debate {nobody}")),
    ] {
        let response = ask(&server, &format!("/tables/{path}"), None).await;
        let found = (response.status().as_u16(), response.text().await.expect("text").trim_end().to_owned());
        assert_eq!(found, (status, reason), "{path}");
    }
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    server.log.erase(debates[0].id, &order).await.expect("erased");
    for table in TABLES {
        let path = format!("/tables/{}.csv?debate={}", table.name, debates[0].id);
        assert_eq!(ask(&server, &path, None).await.status().as_u16(), 410, "{path}");
        let left = rows(&server, table.name).await;
        assert!(left.iter().all(|row| row["debate_id"] == json!(debates[1].id)), "{}", table.name);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_requires_the_token_of_a_reader() {
    let reader = new_token("page", Role::Reader, None).expect("a token");
    let access = AccessControl::by_tokens(&format!("{}\n", reader.line)).expect("a file");
    let server = TestServer::start_with_access(&scripted_replies(0), access).await;
    for (token, status) in [(None, 401), (Some("page.guess"), 401), (Some(reader.token.as_str()), 200)] {
        assert_eq!(ask(&server, "/tables/turns.csv", token).await.status().as_u16(), status, "{token:?}");
    }
    server.stop().await;
}

/// Appends debates whose turns are too long for the buffers of a connection.
async fn append_long_debates(log: &Log, n: usize) -> Vec<DebateBuilder> {
    let mut debates = Vec::new();
    for _ in 0..n {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        for at in 0..8 {
            builder.add_argument("ada", &format!("{at} {}", "It pays, and so on. ".repeat(5_000)), "It is so.");
        }
        builder.append_new(log).await;
        debates.push(builder);
    }
    debates
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_for_a_client_that_leaves_ends_and_makes_room_for_another() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let log = database.log().await;
    let debates = append_long_debates(&log, 40).await;
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.push(("FAULTLINE_LIMITS", "tables=1".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let client = &service.client;
    poll_until("the list catches up", async || {
        let listed: i64 = sqlx::query_scalar("select count(*) from analyst.debates")
            .fetch_one(&database.pool)
            .await
            .expect("a count");
        (listed == debates.len() as i64).then_some(())
    })
    .await;
    let get = async || with_timeout("a response", client.http.get(client.url("/tables/arguments.csv")).send()).await;
    let mut held = get().await.expect("a response");
    let first = with_timeout("a piece", held.chunk()).await.expect("read").expect("a piece");
    assert!(first.starts_with(b"debate_id,version,argument_id"));
    let refused = get().await.expect("a response");
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().expect("a value")));
    assert!(refused.text().await.expect("text").contains("at most 1 tables are exported at a time (limit tables)"));
    // A client that does not read holds no connection of the pool: queries are answered.
    for _ in 0..20 {
        let answer = client.query("{ debates(first: 1) { totalCount } }", json!({})).await;
        assert_eq!(answer["data"]["debates"]["totalCount"], json!(debates.len()));
    }
    drop(held);
    let whole = poll_until("the permit is released", async || {
        let response = get().await.expect("a response");
        (response.status().as_u16() == 200).then_some(response)
    })
    .await;
    let whole = with_timeout("the file", whole.bytes()).await.expect("a whole file");
    let n_rows = csv_records(&whole);
    assert_eq!(n_rows, debates.len() * 8);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_that_cannot_be_read_ends_a_table_with_an_error() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut debates = append_long_debates(&server.log, 20).await;
    let mut versions = Vec::new();
    for debate in &mut debates {
        debate.raise_dispute("Is it late?", &[("ada", Side::Yes), ("ben", Side::No)]);
        versions.push(debate.append_new(&server.log).await);
    }
    wait_for_views(&server, &debates.iter().zip(versions).collect::<Vec<_>>()).await;
    let broken = debates[15].id;
    let tamper = format!(
        "begin; alter table events disable trigger all; update events set body = '7' where debate_id = '{broken}' and \
         kind = 'argument_advanced'; alter table events enable trigger all; commit"
    );
    server.database.run(&tamper).await;
    for format in TableFormat::ALL {
        let response = ask(&server, &format!("/tables/arguments.{}", format.name()), None).await;
        assert_eq!(response.status().as_u16(), 200, "it has begun");
        let read = with_timeout("the end", response.bytes()).await;
        assert!(read.is_err(), "{format:?}: a client sees that the file is not whole");
    }
    // Other tables do not read the damaged events.
    assert_eq!(rows(&server, "debates").await.len(), debates.len());
    assert!(!rows(&server, "stances").await.is_empty());
    let home = TestHome::new();
    let path = home.path("arguments.csv");
    fs::write(&path, "as it was").expect("a file");
    let failed = run_command(&server.environment(), &["export", "--table", "arguments", "-o", &path]).await;
    assert_eq!(failed.code, Some(3), "{failed:?}");
    assert!(failed.stderr.contains(&broken.to_string()), "{}", failed.stderr);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "as it was");
    assert!(!fs::exists(format!("{path}.partial")).expect("a look"), "nothing is left behind");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_writes_the_same_files() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = append_debates(&server, 3).await;
    let (variables, home) = (server.environment(), TestHome::new());
    for format in TableFormat::ALL {
        let path = home.path(&format!("turns.{}", format.name()));
        let written = run_command(&variables, &["export", "--table", "turns", "-o", &path]).await;
        assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{written:?}");
        let served = bytes(&server, &format!("/tables/turns.{}", format.name())).await;
        assert_eq!(fs::read(&path).expect("the file"), served, "{format:?}");
    }
    let id = debates[1].id.to_string();
    let one = run_command(&variables, &["export", &id[28..], "--table", "stances", "--format", "csv"]).await;
    let served = bytes(&server, &format!("/tables/stances.csv?debate={id}")).await;
    assert_eq!((one.code, one.stdout.as_bytes()), (Some(0), served.as_slice()), "{}", one.stderr);
    // Standard output that is no terminal takes Parquet.
    let piped = with_timeout(
        "the command",
        command(&variables, &["export", "--table", "debates", "--format", "parquet"]).output(),
    );
    let piped = piped.await.expect("run");
    assert!(piped.status.success() && piped.stdout.ends_with(b"PAR1"));
    for (arguments, reason) in [
        (&["export"] as &[&str], "<ID>"),
        (&["export", "--table", "turns"], "choose a format of tables with --format: csv, parquet, jsonl"),
        (&["export", "--table", "turns", "--format", "svg"], "choose a format of tables"),
        (&["export", "--table", "events", "--format", "csv"], "[possible values: debates, turns,"),
        (&["export", &id, "--format", "csv"], "csv is a format of tables; choose one with --table"),
        (
            &["export", "--table", "turns", "--format", "csv", "--regime", "odd"],
            "--regime: unknown regime \"odd\"; available: consensus,",
        ),
        (&["export", "--table", "turns", "--format", "csv", "--since", "soon"], "--since: \"soon\" is neither a day"),
        (&["export", &id, "--status", "running", "--table", "turns"], "cannot be used with"),
    ] {
        let refused = run_command(&variables, arguments).await;
        assert!(refused.code == Some(2) && refused.stderr.contains(reason), "{arguments:?}: {refused:?}");
    }
    let into = home.path("no such folder/turns.csv");
    let refused = run_command(&variables, &["export", "--table", "turns", "-o", &into]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("could not be written"), "{refused:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_show_the_served_rows_to_a_role_that_may_read_nothing_else() {
    let server = TestServer::start(&scripted_replies(0)).await;
    append_debates(&server, 3).await;
    played(&server).await;
    let pool = &server.database.pool;
    let rebuilt = run_command(&server.environment(), &["rebuild"]).await;
    assert_eq!(rebuilt.code, Some(0), "{rebuilt:?}");
    let count = async |sql: &str| -> i64 {
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned()))
            .fetch_one(pool)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    };
    assert!(count("select count(distinct generation) from debates").await > 0);
    assert_eq!(count("select count(*) from analyst.debates").await, 4, "of one generation");
    for (view, table) in [("debates", "debates"), ("cruxes", "cruxes")] {
        let sql = format!("select count(*) from analyst.{view}");
        assert_eq!(count(&sql).await, rows(&server, table).await.len() as i64, "{view}");
    }
    for row in rows(&server, "debates").await {
        let id = row["debate_id"].as_str().expect("an id");
        for (column, view) in [("n_disputes", "disputes"), ("n_cruxes", "cruxes"), ("n_participants", "participants")] {
            let sql = format!("select count(*) from analyst.{view} where debate_id = '{id}'");
            assert_eq!(count(&sql).await, row[column].as_i64().expect("a number"), "{id} {column}");
        }
        let sql = "select coalesce(sum(input_tokens + output_tokens), 0)::bigint from analyst.usage where grouped_by = 'model' and debate_id = ";
        assert_eq!(count(&format!("{sql}'{id}'")).await, row["tokens"].as_i64().expect("a number"), "{id}");
        for (table, column) in
            [("arguments", "n_arguments"), ("attacks", "n_attacks"), ("concessions", "n_concessions")]
        {
            let n_rows = rows(&server, &format!("{table}?debate={id}")).await.len() as i64;
            assert_eq!(row[column].as_i64(), Some(n_rows), "{id} {column}");
        }
    }
    let stances = rows(&server, "stances").await.iter().filter(|row| row["is_current"] == json!(true)).count();
    assert_eq!(count("select count(*) from analyst.stances").await, stances as i64);
    assert!(
        count("select count(*) from analyst.positions where persona_id is not null and side is not null").await > 0
    );
    let role = format!("analyst_{}", std::process::id());
    let mut connection = pool.acquire().await.expect("a connection");
    let mut run = async |sql: String| sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *connection).await;
    run(format!(
        "create role {role}; grant usage on schema analyst to {role}; grant select on analyst.cruxes, analyst.usage to {role}; \
         grant select (debate_id, engine, regime, n_turns) on analyst.debates to {role}; set role {role}"
    ))
    .await
    .expect("a role");
    for (sql, is_allowed) in [
        ("select count(*) from analyst.cruxes", true),
        ("select engine, regime, sum(n_turns) from analyst.debates group by 1, 2", true),
        ("select topic from analyst.debates", false),
        ("select count(*) from analyst.positions", false),
        ("select count(*) from debates", false),
        ("select count(*) from events", false),
    ] {
        assert_eq!(run(sql.to_owned()).await.is_ok(), is_allowed, "{sql}");
    }
    run(format!("reset role; drop owned by {role}; drop role {role}")).await.expect("no role any more");
    server.stop().await;
}

/// Reads tables with pandas, polars and `DuckDB`, as docs/tables.md shows.
const PYTHON: &str = r#"
import sys, urllib.request
base, folder = sys.argv[1:]
import pandas, polars, duckdb
for name in ["debates", "turns", "arguments", "attacks", "stances", "cruxes", "concessions", "citations", "checks", "calls"]:
    lines = urllib.request.urlopen(f"{base}/{name}.jsonl").read().splitlines()
    assert not lines or len(pandas.read_json(f"{base}/{name}.jsonl", lines=True)) == len(lines), name
    for form, read in [("csv", pandas.read_csv), ("parquet", pandas.read_parquet)]:
        assert len(read(f"{base}/{name}.{form}")) == len(lines), (name, form)
    whole = urllib.request.urlopen(f"{base}/{name}.parquet").read()
    assert polars.read_parquet(whole).height == len(lines), name
    with open(f"{folder}/{name}.parquet", "wb") as file:
        file.write(whole)
    assert duckdb.sql(f"select count(*) from '{folder}/{name}.parquet'").fetchall()[0][0] == len(lines), name
turns = polars.read_parquet(f"{folder}/turns.parquet")
assert turns["at"].dtype == polars.Datetime("us", "UTC"), turns["at"].dtype
exact = {row["turn_id"]: row["text"] for row in polars.read_ndjson(f"{folder}/turns.jsonl").to_dicts()}
assert all(exact[row["turn_id"]] == row["text"] for row in turns.to_dicts()), "texts"
print(duckdb.sql(f"select speaker_id, sum(n_words) from '{folder}/turns.parquet' group by 1 order by 1").fetchall())
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_frames_read_the_files_back() {
    let python = std::env::var("FAULTLINE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python).args(["-c", "import pandas, pyarrow, polars, duckdb"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        report_skipped(
            "reading tables back: pandas with pyarrow, polars and duckdb for python3, or for the python in FAULTLINE_PYTHON",
        );
        return;
    }
    let server = TestServer::start(&scripted_replies(0)).await;
    append_debates(&server, 1).await;
    let folder = TestHome::new();
    fs::write(folder.path("turns.jsonl"), bytes(&server, "/tables/turns.jsonl").await).expect("a file");
    let arguments = [PYTHON.to_owned(), server.client.url("/tables"), folder.path("")];
    let mut run = tokio::process::Command::new(&python);
    run.arg("-c").args(arguments).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(120), run.output()).await.expect("in time").expect("run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    server.stop().await;
}
