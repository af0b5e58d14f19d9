//! Cost of queries over long debates: folds are charged by their events, and each fold is done once.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::attacks::clients::{InnocentClient, large_debate, percentile};
use crate::support::database::migrated_database;
use crate::support::process_stats::{PeakMemory, cpu_ticks};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};

/// Number of aliases of one query, each for another version of a debate of more than 6,000 events.
const N_VERSIONS: i64 = 99;
/// Number of concurrent queries.
const N_REQUESTS: usize = 5;
/// Maximum memory of the service during these queries, in KiB; without the charge it was several times as much.
const MAX_KIB: u64 = 512 * 1024;
/// Maximum time of an innocent request on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folds_are_charged_by_their_events_and_done_once_per_request() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (debate, last) = large_debate(&database).await;
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.push(("FAULTLINE_LIMITS", "fold_events=20000".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let (client, pid) = (&service.client, service.pid());
    let versions = |of: &dyn Fn(i64) -> i64| -> String {
        let fields = (0..N_VERSIONS).map(|n| {
            format!("a{n}: debate(id: \"{debate}\", at: {}) {{ turns(first: 1) {{ nodes {{ id }} }} }} ", of(n))
        });
        format!("{{ {} }}", fields.collect::<String>())
    };

    // Each version costs the events from which it is folded.
    let (memory, innocent) = (PeakMemory::of(pid), InnocentClient::of(client));
    let different = versions(&|n| last - n);
    let answers = join_all((0..N_REQUESTS).map(|_| client.query(&different, json!({})))).await;
    let (kib, latencies) = (memory.kib(), innocent.latencies().await);
    println!("peak memory {} MiB; innocent client's slowest {:.1?}", kib / 1024, percentile(&latencies, 100));
    for answer in answers {
        let errors = answer["errors"].as_array().expect("errors");
        let refused: Vec<&Value> =
            errors.iter().filter(|error| error["extensions"]["limit"] == "fold_events").collect();
        assert!(!refused.is_empty(), "{:?}", errors.first());
        let actual = &refused[0]["extensions"];
        assert_eq!((&actual["code"], &actual["max"]), (&json!("LIMIT"), &json!(20_000)), "{actual}");
        assert!(actual["actual"].as_i64().is_some_and(|amount| amount > 20_000), "{actual}");
    }
    assert!(kib < MAX_KIB, "{kib} KiB");
    assert!(percentile(&latencies, 100) < TIMEOUT, "{latencies:?}");

    // The same version under many aliases is folded once and costs little more than under one.
    let cost = async |query: &str| {
        let before = cpu_ticks(pid);
        let answer = client.query(query, json!({})).await;
        assert!(answer.get("errors").is_none(), "{}", answer["errors"][0]);
        cpu_ticks(pid) - before
    };
    let once =
        cost(&format!("{{ debate(id: \"{debate}\", at: {last}) {{ turns(first: 1) {{ nodes {{ id }} }} }} }}")).await;
    let often = cost(&versions(&|_| last)).await;
    println!("one alias: {once} ticks, {N_VERSIONS} aliases: {often} ticks");
    assert!(often <= once * 5 + 50, "{often} ticks instead of {once}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_beyond_the_end_are_refused_and_limits_name_the_requested_value() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let log = database.log().await;
    let mut debate = crate::support::debate_builder::DebateBuilder::new(&["anna", "basil"]);
    debate.add_argument("anna", "a claim", "an assumption");
    let last = debate.append_new(&log).await;
    let service = ServiceProcess::start(&home.environment(&database.options, &scripted_replies(0))).await;
    let client = &service.client;
    let (id, beyond) = (debate.id, last + 1);
    for query in [
        format!("{{ debate(id: \"{id}\", at: {beyond}) {{ version }} }}"),
        format!("{{ debate(id: \"{id}\", at: 9223372036854775807) {{ version }} }}"),
        format!("{{ compare(debateId: \"{id}\", from: 1, to: {beyond}) {{ labelChanges {{ argumentId }} }} }}"),
    ] {
        let answer = client.query(&query, json!({})).await;
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], "INVALID", "{query}: {answer}");
        assert!(
            error["message"].as_str().is_some_and(|message| message.contains(&format!("is at version {last}"))),
            "{error}"
        );
    }
    let names: String =
        (0..99).map(|n| format!("a{n}: debates(first: 100) {{ nodes {{ regime {{ kind }} }} }} ")).collect();
    let answer = client.query(&format!("{{ {names} }}"), json!({})).await;
    let actual = &answer["errors"][0]["extensions"];
    assert_eq!((&actual["code"], &actual["limit"], &actual["max"]), (&json!("LIMIT"), &json!("cost"), &json!(20_000)));
    assert!(actual["actual"].as_i64().is_some_and(|cost| cost > 20_000), "{answer}");
    let deep = format!("{{ debates {{ nodes {{ {} id {} }} }} }}", "cruxes { debate { ".repeat(8), "} } ".repeat(8));
    let actual = &client.query(&deep, json!({})).await["errors"][0]["extensions"];
    assert_eq!(
        (&actual["code"], &actual["limit"], &actual["max"]),
        (&json!("LIMIT"), &json!("depth"), &json!(16)),
        "{actual}"
    );
}
