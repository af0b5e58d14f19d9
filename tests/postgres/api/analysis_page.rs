//! Sends the queries of docs/analysis.md to a service with debates that have ended. `documented_commands` runs the
//! commands of the page.

use std::fs;

use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::environment::project_path;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_of_the_analysis_page_works() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    let mut debates = Vec::new();
    for _ in 0..2 {
        let data =
            server.client.data(start, json!({ "input": start_debate_input("graph", json!({ "rounds": 1 })) })).await;
        let id = data["startDebate"]["debate"]["id"].as_str().expect("an id").to_owned();
        server.wait_for_end(id.parse().expect("an id")).await;
        debates.push(id);
    }
    let ended = "{ debateStats { groups { endedCount } } }";
    poll_until("both debates are in the statistics", async || {
        let data = server.client.data(ended, json!({})).await;
        (data["debateStats"]["groups"][0]["endedCount"] == 2).then_some(())
    })
    .await;
    let page = fs::read_to_string(project_path("docs/analysis.md")).expect("the page");
    let mut n_asked = 0;
    for block in page.split("```graphql\n").skip(1) {
        let query = block.split("```").next().expect("the block");
        let variables = if query.contains("$id") { json!({ "id": debates[0] }) } else { json!({}) };
        let data = server.client.data(query, variables).await;
        match data.as_object().expect("data").keys().next().map(String::as_str) {
            Some("debateStats") => check_stats(&data["debateStats"]),
            Some("personaAgreements") => check_agreements(&data["personaAgreements"]),
            _ => check_measures(&data["debate"]["measures"]),
        }
        n_asked += 1;
    }
    assert_eq!(n_asked, 3, "queries of the page");
    server.stop().await;
}

fn check_stats(stats: &Value) {
    let group = &stats["groups"][0];
    assert_eq!(group["debateCount"], 2, "{stats}");
    assert_eq!(group["properties"][0]["by"], "ENGINE");
    let keys: Vec<&str> =
        group["figures"].as_array().expect("figures").iter().filter_map(|it| it["key"].as_str()).collect();
    assert_eq!(keys, ["turns", "tokens", "cost", "seconds", "novelty"]);
}

fn check_agreements(pairs: &Value) {
    for pair in pairs.as_array().expect("a list") {
        let count = |name: &str| pair[name].as_i64().expect("a number");
        assert_eq!(count("agreedCount") + count("opposedCount"), count("questionCount"), "{pair}");
        assert!(count("debateCount") <= 2 && pair["oneName"] != pair["otherName"], "{pair}");
    }
}

fn check_measures(measures: &Value) {
    let keys: Vec<&str> =
        measures.as_array().expect("measures").iter().filter_map(|it| it["definition"]["key"].as_str()).collect();
    assert_eq!(keys, ["novelty", "dropped_attacks"], "in the order of their definitions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_measures_and_too_many_properties_are_refused() {
    let server = TestServer::start(&scripted_replies(0)).await;
    for (query, expected) in [
        ("{ debateStats(measures: [\"beauty\"]) { hasMoreGroups } }", "unknown measure \"beauty\""),
        ("{ debateStats(measures: [\"label_changes\"]) { hasMoreGroups } }", "for one debate at a time"),
        ("{ debateStats(by: [ENGINE, REGIME, TOPIC, MONTH]) { hasMoreGroups } }", "at most 3"),
        ("{ debateStats(filter: { personaId: \"../x\" }) { hasMoreGroups } }", "x"),
        ("{ personaAgreements(first: 0) { agreement } }", "`first` must be between 1 and 1000"),
    ] {
        let response = server.client.query(query, json!({})).await;
        let message = response["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{query}: {response}");
    }
    server.stop().await;
}
