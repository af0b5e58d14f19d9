//! Probes of debates that have ended: on request, through the API and the command line, measured and refused.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};

use crate::support::client::{SPEAKERS, start_debate_input};
use crate::support::database::migrated_database;
use crate::support::environment::project_path;
use crate::support::log_reads::read_all_events;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

const PROBE: &str = "mutation ($input: ProbeDebateInput!) { probeDebate(input: $input) { debate { id status } } }";
const MEASURES: &str = r#"query ($id: ID!) { debate(id: $id) {
    regime { kind }
    measures(keys: ["contract_contradictions", "probed_contradictions", "endorsement", "least_endorsement",
        "endorsement_spread", "probe_agreement"]) { definition { key } value absentReason parts { label turnIds } }
} }"#;

fn kinds(events: &[Recorded]) -> Vec<&str> {
    events.iter().map(|recorded| recorded.event.kind()).collect()
}

/// Requests probes and waits for the end of this many rounds; returns all events.
async fn probe(server: &TestServer, debate: DebateId, provider: Option<&str>, rounds: usize) -> Vec<Recorded> {
    let input = json!({ "input": { "debateId": debate, "provider": provider } });
    server.client.data(PROBE, input).await;
    poll_until("the probes have ended", async || {
        let events = read_all_events(&server.log, debate).await;
        let ended = kinds(&events).iter().filter(|kind| **kind == "probes_concluded").count();
        (ended == rounds).then_some(events)
    })
    .await
}

/// Value of a measure in a response, and whether a reason is given for its absence.
fn value(data: &Value, key: &str) -> (Option<f64>, bool) {
    let measures = data["debate"]["measures"].as_array().expect("measures");
    let found = measures.iter().find(|it| it["definition"]["key"] == key).expect("the measure");
    (found["value"].as_f64(), found["absentReason"].is_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offline_debate_is_probed_twice_and_measured() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    // One of the three changes sides, so that they agree on the topic.
    let mut asked = start_debate_input("dialectic", json!({ "passages": 4 }));
    asked["provider"] = json!("offline");
    asked["personaIds"] = json!(["edda-tolvane", "gus-ormerand", "dara-velloway"]);
    asked["seed"] = json!(1);
    let debate = server.client.start(&asked).await;
    server.wait_for_end(debate).await;
    let before = server.client.data(MEASURES, json!({ "id": debate })).await;
    for key in ["contract_contradictions", "endorsement", "probe_agreement"] {
        assert_eq!(value(&before, key), (None, true), "{key}: {before:#}");
    }

    let events = probe(&server, debate, None, 1).await;
    let requested = kinds(&events).iter().position(|kind| *kind == "probes_requested").expect("a request");
    let (first, rest) = events[requested..].split_first().expect("a request");
    assert!(matches!(&first.event, Event::ProbesRequested(it) if it.provider == "offline"), "{:?}", first.event);
    let abandoned: Vec<&Recorded> = rest.iter().filter(|it| it.event.kind() == "effect_abandoned").collect();
    assert!(abandoned.is_empty(), "{abandoned:?}");
    let after = server.client.data(MEASURES, json!({ "id": debate })).await;
    assert_eq!(after["debate"]["regime"], before["debate"]["regime"], "no verdict depends on a probe");
    // No annotation says what contradicts a contract.
    assert_eq!(value(&after, "contract_contradictions"), (None, true), "{after:#}");
    let (endorsement, spread) = (value(&after, "endorsement").0, value(&after, "endorsement_spread").0);
    assert!(endorsement.is_some_and(|mean| (2.0..=6.0).contains(&mean)), "{after:#}");
    assert!(spread.is_some_and(|spread| [0.0, 2.0, 4.0].contains(&spread)), "{after:#}");
    assert_eq!(value(&after, "probe_agreement"), (None, true), "{after:#}");

    probe(&server, debate, Some("offline"), 2).await;
    let again = server.client.data(MEASURES, json!({ "id": debate })).await;
    assert_eq!(value(&again, "probe_agreement"), (Some(1.0), false), "{again:#}");
    assert_eq!(value(&again, "endorsement").0, endorsement);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_of_running_debates_and_by_unknown_providers_are_refused() {
    let server = TestServer::start(&scripted_replies(300)).await;
    let debate = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let input = |provider: Option<&str>| json!({ "input": { "debateId": debate, "provider": provider } });
    assert_eq!(server.client.error_code(PROBE, input(None)).await, "CONFLICT");
    server.wait_for_end(debate).await;
    assert_eq!(server.client.error_code(PROBE, input(Some("oracle"))).await, "NOT_FOUND");
    let nobody = json!({ "input": { "debateId": "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b" } });
    assert_eq!(server.client.error_code(PROBE, nobody).await, "NOT_FOUND");
    let events = read_all_events(&server.log, debate).await;
    assert!(!kinds(&events).contains(&"probes_requested"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_to_probes_that_nobody_can_read_are_recorded_as_abandoned() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut script = scripted_replies(0);
    for purpose in ["probe_contract", "probe_contradiction", "probe_endorsement"] {
        script[format!("{purpose}/*")] = json!([{ "$text": "[{\"contradictions\": " }]);
    }
    let variables = home.environment(&database.options, &script);
    let speakers = SPEAKERS.join(",");
    let topic = "Should the city close its centre to private cars?";
    let asked = ["debate", topic, "--engine", "dialectic", "--personas", &speakers, "--provider", "scripted"];
    let set = ["--set", "rounds=1", "--set", "passages=0", "--seed", "7", "--json"];
    let lines = run_json_command(&variables, &[&asked[..], &set[..]].concat()).await;
    let id = lines[0]["debateId"].as_str().expect("an id").to_owned();

    let probed = run_json_command(&variables, &["probe", &id, "--json"]).await;
    let (measured, events) = probed.split_last().expect("events, and measures");
    assert_eq!((&events[0]["kind"], &events[0]["body"]["provider"]), (&json!("probes_requested"), &json!("scripted")));
    let of_kind = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
    assert!(of_kind("effect_abandoned") >= SPEAKERS.len() && of_kind("contract_probed") == 0, "{events:?}");
    assert_eq!(events.last().map(|event| &event["kind"]), Some(&json!("probes_concluded")));
    let measures = measured["measures"].as_array().expect("measures");
    assert_eq!(measures.len(), 6, "{measured}");
    assert!(measures.iter().all(|it| it["value"].is_null() && it["absentReason"].is_string()), "{measured}");
    // People are shown the same, with the reasons; and the log is sound.
    let shown = run_command(&variables, &["probe", &id]).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("Contradictions with contracts"), "{}", shown.stdout);
    let verified = run_command(&variables, &["verify", &id]).await;
    assert!(verified.stdout.contains("0 faults"), "{}", verified.stdout);
}
