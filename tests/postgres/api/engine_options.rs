//! Options of engines by GraphQL: enough for a form to check its fields.

use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

const ENGINES: &str = "{ engines { name options { name type minimum maximum notBelow choices default } } }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_have_types_ranges_and_choices() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let data = server.client.data(ENGINES, json!({})).await;
    let engines = data["engines"].as_array().expect("engines");
    let option = |engine: &str, name: &str| {
        let engine = engines.iter().find(|found| found["name"] == engine).expect("an engine");
        let options = engine["options"].as_array().expect("options");
        options.iter().find(|option| option["name"] == name).cloned().expect("an option")
    };
    let expected = |name: &str, kind: &str, range: [Value; 2], choices: &[&str], default: Value| {
        json!({ "name": name, "type": kind, "minimum": range[0], "maximum": range[1], "notBelow": null,
            "choices": choices, "default": default })
    };
    let none = || [Value::Null, Value::Null];
    for (engine, expected) in [
        ("graph", expected("rounds", "INTEGER", [json!(0.0), json!(10.0)], &[], json!(3))),
        ("graph", expected("quorum", "INTEGER", [json!(2.0), Value::Null], &[], Value::Null)),
        ("graph", expected("brevity", "CHOICE", none(), &["short", "medium", "long"], json!("medium"))),
        ("graph", expected("shared_corpus", "TEXT", none(), &[], Value::Null)),
        ("dialectic", expected("veto", "BOOLEAN", none(), &[], json!(true))),
        ("dialectic", expected("alike", "NUMBER", [json!(0.0), json!(1.0)], &[], json!(0.85))),
        ("dialectic", expected("context", "JSON", none(), &[], Value::Null)),
        ("pro_con", expected("con", "TEXT_LIST", none(), &[], json!([]))),
    ] {
        assert_eq!(option(engine, expected["name"].as_str().expect("a name")), expected, "{engine}");
    }
    assert_eq!(option("disputes", "closing_share")["notBelow"], "crux_share");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_option_is_named_for_programs() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    for (options, option) in [
        (json!({ "rounds": 11 }), json!("rounds")),
        (json!({ "rounds": "many" }), json!("rounds")),
        (json!({ "passages": 2, "brevity": "endless" }), json!("brevity")),
        (json!({ "laps": 3 }), json!("laps")),
        (json!(["rounds"]), Value::Null),
    ] {
        let mut input = start_debate_input("graph", json!({}));
        input["options"] = options.clone();
        let response = server.client.query(start, json!({ "input": input })).await;
        let extensions = &response["errors"][0]["extensions"];
        assert_eq!((&extensions["code"], &extensions["option"]), (&json!("INVALID"), &option), "{options}: {response}");
    }
    server.stop().await;
}
