//! The Grafana dashboard for analysts: every query on debates of a service, asked by a role that may read the views of
//! the schema `analyst` and nothing else.

use std::collections::BTreeMap;
use std::fs;

use faultline_core::measures::registry::measure;
use serde_json::{Value, json};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Column, ConnectOptions, Row, TypeInfo};

use crate::support::client::start_debate_input;
use crate::support::environment::project_path;
use crate::support::example_debates::append_debates;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

/// Text for each macro and variable, by its name without `$`.
type Values = BTreeMap<String, String>;

const TIME_FILTER: &str = "__timeFilter(d.opened_at)";

/// Plays a debate offline and one with scripted replies, whose tokens are counted, and waits for their rows.
async fn play(server: &TestServer) {
    let mut offline = start_debate_input("graph", json!({ "rounds": 2, "passages": 4 }));
    offline["provider"] = json!("offline");
    for input in [offline, start_debate_input("dialectic", json!({ "rounds": 1 }))] {
        let debate = server.client.start(&input).await;
        server.wait_for_end(debate).await;
    }
    let sql = "select count(distinct debate_id) from analyst.measures";
    poll_until("the list has the measures of both", async || {
        let n_measured: i64 = sqlx::query_scalar(sql).fetch_one(&server.database.pool).await.expect("a count");
        (n_measured == 2).then_some(())
    })
    .await;
}

async fn rows(connection: &mut PgConnection, sql: &str) -> Result<Vec<PgRow>, String> {
    let read = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(connection).await;
    read.map_err(|error| format!("{error}: {sql}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().expect("a list")
}

/// Quotes values as the data source quotes those of a variable with several.
fn quoted(values: &[String]) -> String {
    values.iter().map(|value| format!("'{}'", value.replace('\'', "''"))).collect::<Vec<_>>().join(",")
}

/// Values of the variables as they are first, and with every value of each query chosen.
async fn values(connection: &mut PgConnection, dashboard: &Value) -> [Values; 2] {
    let range = "d.opened_at between '2000-01-01T00:00:00Z' and '2100-01-01T00:00:00Z'";
    let macros = [(TIME_FILTER, range), ("__timeFrom()", "'2000-01-01T00:00:00Z'")];
    let mut first: Values = macros.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let mut chosen = first.clone();
    for variable in list(&dashboard["templating"], "list").iter().filter(|variable| variable["type"] == "query") {
        let name = variable["name"].as_str().expect("a name").to_owned();
        let found = rows(connection, variable["query"].as_str().expect("a query")).await.expect("rows");
        let found: Vec<String> = found.iter().map(|row| row.get(0)).collect();
        assert!(!found.is_empty() && variable["multi"] == json!(true), "{name}: {found:?}");
        chosen.insert(name.clone(), quoted(&found));
        let current: Vec<String> = serde_json::from_value(variable["current"]["value"].clone()).expect("texts");
        let all = variable["allValue"].as_str().filter(|_| current == ["$__all"]).map(str::to_owned);
        assert!(all.is_some() || current.iter().all(|key| measure(key).is_some()), "{name}: {current:?}");
        first.insert(name, all.unwrap_or_else(|| quoted(&current)));
    }
    [first, chosen]
}

/// Returns what is wrong with the fields of a panel: texts, units of numbers, and columns that its settings name.
fn field_faults(panel: &Value, row: &PgRow) -> Vec<String> {
    let overrides = list(&panel["fieldConfig"], "overrides");
    let unit_of = |name: &str| {
        let own = overrides.iter().filter(|own| own["matcher"]["options"] == name);
        let unit = own.flat_map(|own| list(own, "properties")).find(|property| property["id"] == "unit");
        unit.map_or(&panel["fieldConfig"]["defaults"]["unit"], |unit| &unit["value"]).as_str().unwrap_or_default()
    };
    let is_number = |kind: &str| ["INT4", "INT8", "FLOAT8", "NUMERIC"].contains(&kind);
    let numbers = row.columns().iter().filter(|column| is_number(column.type_info().name())).map(Column::name);
    let unitless = numbers.filter(|name| unit_of(name).is_empty());
    let mut faults: Vec<String> = unitless.map(|name| format!("{name} has no unit")).collect();
    let settings = panel["fieldConfig"].to_string();
    let linked = settings.split("__data.fields.").skip(1).filter_map(|rest| rest.split('}').next());
    let named = overrides.iter().filter_map(|own| own["matcher"]["options"].as_str()).chain(linked);
    let named = named.chain(panel["options"]["xField"].as_str());
    faults.extend(named.filter(|name| row.try_column(*name).is_err()).map(|name| format!("no column {name}")));
    let [title, description] = ["title", "description"].map(|name| panel[name].as_str().unwrap_or_default());
    let is_told = !title.is_empty() && description.ends_with('.');
    faults.extend((!is_told).then(|| "the title is missing, or the description is no sentence".to_owned()));
    faults
}

/// Returns what is wrong with a panel. With the debates of this test, none may be empty.
async fn panel_faults(connection: &mut PgConnection, panel: &Value, [first, chosen]: &[Values; 2]) -> Vec<String> {
    let sql = list(panel, "targets")[0]["rawSql"].as_str().expect("a query");
    let changes = [(TIME_FILTER, "d.opened_at < '2000-01-01'"), ("engine", "'none'"), ("provider", "'none'")];
    let changed = changes.map(|(name, value)| {
        let change = (name.to_owned(), value.to_owned());
        chosen.clone().into_iter().chain([change]).collect::<Values>()
    });
    let (mut faults, mut counts) = (Vec::new(), Vec::new());
    for values in [first, chosen].into_iter().chain(&changed) {
        let filled = values.iter().fold(sql.to_owned(), |sql, (name, value)| sql.replace(&format!("${name}"), value));
        match rows(connection, &filled).await {
            Ok(found) => {
                let row = found.first().filter(|_| counts.is_empty());
                faults.extend(row.into_iter().flat_map(|row| field_faults(panel, row)));
                counts.push(found.len());
            }
            Err(error) => faults.push(error),
        }
    }
    // A panel of sums has one row, whatever is chosen.
    let n_empty = usize::from(panel["type"] == "stat");
    if counts.len() != 5 || counts[..2].contains(&0) || counts[2..] != [n_empty; 3] {
        faults.push(format!("rows by choice of values: {counts:?}"));
    }
    faults.iter().map(|fault| format!("{}: {fault}", panel["title"])).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_panel_of_the_analyst_dashboard_reads_only_views() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    append_debates(&server, 2).await;
    play(&server).await;
    let dashboard = fs::read_to_string(project_path("dashboards/analyst.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&dashboard).expect("JSON");
    let mut connection = server.database.options.connect().await.expect("a connection");
    let role = format!("dashboard_{}", std::process::id());
    let granted = format!(
        "create role {role}; grant usage on schema analyst to {role};
        grant select on all tables in schema analyst to {role}; set role {role}"
    );
    sqlx::raw_sql(AssertSqlSafe(granted)).execute(&mut connection).await.expect("a role");
    assert!(rows(&mut connection, "table public.debates").await.is_err(), "the role may read tables");
    let values = values(&mut connection, &dashboard).await;
    let mut faults = Vec::new();
    for panel in list(&dashboard, "panels") {
        faults.extend(panel_faults(&mut connection, panel, &values).await);
    }
    let dropped = format!("reset role; drop owned by {role}; drop role {role}");
    sqlx::raw_sql(AssertSqlSafe(dropped)).execute(&mut connection).await.expect("no role any more");
    assert_eq!(faults, Vec::<String>::new());
    server.stop().await;
}
