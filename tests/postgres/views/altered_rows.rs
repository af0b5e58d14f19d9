//! Altered rows of stored views: `faultline verify` and `faultline rebuild --diff --dry-run` name every altered field and
//! every reversed list.

use faultline_core::events::dispute::Side;
use faultline_store::log::log::Log;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::views::rebuild_steps::wait_for_projector;

/// Alteration of the stored rows of one debate: statement with `$debate` as the place of the id, the name of the changed
/// field in the statistics, and a part of the fault that `verify` reports.
const ALTERATIONS: &[(&str, &str, &str)] = &[
    (
        "update views set body = jsonb_set(body, '{cruxes}', $reversed(body -> 'cruxes')) where $of_verdict",
        "verdict.crux_rank",
        "crux_rank of crux d2: \"3\" instead of \"1\"",
    ),
    (
        "update views set body = jsonb_set(body, '{cruxes,0,positions}', $reversed(body #> '{cruxes,0,positions}'))
        where $of_verdict",
        "verdict.crux_position_order",
        "crux_position_order of crux d2: \"ben, ada\" instead of \"ada, ben\"",
    ),
    (
        "update views set body = jsonb_set(body, '{cruxes,1,question}', '\"Is it?\"') where $of_verdict",
        "verdict.crux_question",
        "crux_question of crux d3: \"Is it?\" instead of \"Is winter rough?\"",
    ),
    (
        "update views set body = jsonb_set(body, '{cruxes,0,positions,0,words}', '\"Maybe.\"') where $of_verdict",
        "verdict.crux_position_words",
        "crux_position_words of crux d2, participant ada: \"Maybe.\" instead of",
    ),
    (
        "update views set body = jsonb_set(body, '{regime,reason}', '\"so\"') where $of_verdict",
        "verdict.regime_reason",
        "regime_reason of verdict: \"so\" instead of",
    ),
    (
        "update views set body = jsonb_set(body, '{regime,coverage,examined}', '9') where $of_verdict",
        "verdict.coverage",
        "coverage of verdict: \"9 of ",
    ),
    (
        "update views set body = jsonb_set(body, '{topic,positions}', $reversed(body #> '{topic,positions}'))
        where $of_verdict",
        "verdict.topic_order",
        "topic_order of dispute d1: \"ben, ada\" instead of \"ada, ben\"",
    ),
    (
        "update views set body = jsonb_set(body, '{topic,positions,1,side}', '\"nuanced\"') where $of_verdict",
        "verdict.topic_side",
        "topic_side of dispute d1, participant ben: \"nuanced\" instead of \"no\"",
    ),
    (
        "update views set body = jsonb_set(body, '{common_ground,0,holders}', $reversed(body #> '{common_ground,0,holders}'))
        where $of_verdict",
        "verdict.common_ground_holder_order",
        "common_ground_holder_order of dispute d4: \"ben, ada\" instead of \"ada, ben\"",
    ),
    (
        "update views set body = jsonb_set(body, '{camps}', $reversed(body -> 'camps')) where $of_verdict",
        "verdict.camp_order",
        "camp_order of verdict: \"[a2], [a1]\" instead of \"[a1], [a2]\"",
    ),
    (
        "update views set body = jsonb_set(body, '{topic}', '\"Another\"') where projection = 'summary' and $of",
        "summary.topic",
        "stored summary differs from the fold of its first 28 events: topic: \"Another\" instead of \"Should the ferry",
    ),
    (
        "update debates set participants = array['ben', 'ada'] where $of",
        "listing.participants",
        "stored row of the list of debates differs from the fold of its first 28 events: participants: ",
    ),
    (
        "update cruxes set body = jsonb_set(body, '{positions}', $reversed(body -> 'positions')) where key = 'd2' and $of",
        "cruxes.crux_position_order",
        "stored list of cruxes differs from the fold of its first 28 events: crux_position_order of crux d2: \"ben, ada\"",
    ),
    (
        "update cruxes set place = 5 - place where $of",
        "cruxes.row_order",
        "place of crux d3: \"3\" instead of \"2\"; place of crux d2: \"4\" instead of \"1\"; row_order: ",
    ),
    (
        "update cruxes set personas = array['ben', 'ada'] where key = 'd2' and $of",
        "cruxes.personas",
        "personas of crux d2: \"[\\\"ben\\\",\\\"ada\\\"]\" instead of",
    ),
    ("delete from cruxes where key = 'd3' and $of", "cruxes.row", "row of crux d3: nothing instead of \"Is winter rough?\""),
    (
        "update disputes set personas = array['ben', 'ada'] where key = 'd2' and $of",
        "disputes.personas",
        "stored list of disputes differs from the fold of its first 28 events: personas of dispute d2: ",
    ),
    (
        "update disputes set body = jsonb_set(body, '{ben,side}', '\"yes\"') where key = 'd2' and $of",
        "disputes.body",
        "body of dispute d2, ben.side: \"yes\" instead of \"no\"",
    ),
    (
        "update views set body = jsonb_set(body, '{cruxes}', '7') where $of_verdict",
        "",
        "stored verdict differs from the fold of its first 28 events: row: \"unreadable: invalid type",
    ),
];

const REVERSED: &str = "
    create function reversed(jsonb) returns jsonb language sql as $$
        select jsonb_agg(item order by place desc) from jsonb_array_elements($1) with ordinality as items (item, place)
    $$";

/// Appends a debate with a topic, two cruxes, common ground and two camps.
async fn debate(log: &Log) -> Uuid {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let opposed = [("ada", Side::Yes), ("ben", Side::No)];
    builder.raise_topic(&opposed);
    let own = builder.add_argument("ada", "Crews are rested.", "Winters are mild.");
    let theirs = builder.add_argument("ben", "Fuel costs too much.", "Prices stay.");
    builder.add_mutual_attack("ben", theirs, own);
    builder.raise_dispute("Is fuel dear?", &opposed);
    builder.raise_dispute("Is winter rough?", &opposed);
    builder.raise_dispute("Is the harbour open?", &[("ada", Side::Yes), ("ben", Side::Yes)]);
    builder.append_new(log).await;
    builder.id.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_altered_row_is_named_by_verify_and_by_a_dry_run() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (variables, views) = (server.environment(), Views::new(server.database.pool.clone()));
    let untouched = debate(&server.log).await;
    let mut debates = Vec::new();
    for _ in ALTERATIONS {
        debates.push(debate(&server.log).await);
    }
    wait_for_projector(&views, &server.log).await;
    server.database.store_plain_verdicts().await;
    server.database.run(REVERSED).await;
    for ((statement, ..), debate) in ALTERATIONS.iter().zip(&debates) {
        let of = format!("debate_id = '{debate}'");
        let statement = statement
            .replace("$reversed", "reversed")
            .replace("$of_verdict", &format!("projection = 'verdict' and {of}"))
            .replace("$of", &of);
        server.database.run(&statement).await;
    }

    let verified = run_command(&variables, &["verify", "--json"]).await;
    let verified: Value = serde_json::from_str(&verified.stdout).expect("JSON");
    let faults: Vec<&str> = verified["faults"].as_array().expect("faults").iter().filter_map(Value::as_str).collect();
    for ((statement, _, wanted), debate) in ALTERATIONS.iter().zip(&debates) {
        let own: Vec<&&str> = faults.iter().filter(|fault| fault.contains(&debate.to_string())).collect();
        assert!(own.len() == 1 && own[0].contains(wanted), "{statement}: {own:?}");
    }
    assert!(!faults.iter().any(|fault| fault.contains(&untouched.to_string())), "{faults:?}");

    let dry = run_json_command(&variables, &["rebuild", "--diff", "--dry-run", "--json"]).await.remove(0);
    let diff = &dry["diff"];
    let n_compared = ALTERATIONS.len();
    assert_eq!(json!([diff["compared"], diff["unchanged"], diff["unreadable"]]), json!([n_compared, 1, 1]), "{diff}");
    for ((statement, field, _), debate) in
        ALTERATIONS.iter().zip(&debates).filter(|((_, field, _), _)| !field.is_empty())
    {
        let examples = diff["changes"][field]["examples"].as_array().unwrap_or_else(|| panic!("{field}: {diff}"));
        let named = examples.iter().any(|example| example["debate"] == debate.to_string());
        assert!(named, "{statement}: {examples:?}");
    }
    let text = run_command(&variables, &["rebuild", "--diff", "--dry-run"]).await.stdout;
    for expected in ["cruxes.row_order: 1 change in 1 debate\n", "dispute d1, participant ben: nuanced → no\n"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    server.stop().await;
}
