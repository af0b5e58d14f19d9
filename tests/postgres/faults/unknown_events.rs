//! Two versions of the program on one database: the older one keeps and shows events that it does not know, and leaves
//! it to the newer one to drive such debates.

use faultline_core::events::dispute::Side;
use faultline_core::events::event::{Event, Opaque};
use faultline_core::events::ids::DebateId;
use faultline_store::log::append::{Append, AppendError, NewEvent};
use faultline_store::log::log::Log;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::start_debate_input;
use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

/// Appends two events of a newer version: an unknown kind, and an unknown shape of a known kind. Returns their
/// versions.
async fn append_unknown_events(log: &Log, debate: DebateId) -> Vec<i64> {
    let opaque = |kind: &str, schema, body: Value| Event::Opaque(Opaque { kind: kind.to_owned(), schema, body });
    let events = [
        opaque("moon_landed", 1, json!({ "crew": ["ada", "ben"], "at": 4.5, "\u{0}": null })),
        opaque("phase_entered", 9, json!({ "phases": ["opening"] })),
    ];
    let events = events.map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: None }).to_vec();
    let mut append = Append { debate, expected: 0, events, fence: None, actor: None };
    loop {
        match log.append(append.clone()).await {
            Ok(recorded) => return recorded.iter().map(|event| event.version).collect(),
            Err(AppendError::Conflict { actual }) => append.expected = actual,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_events_are_kept_and_shown_and_their_debate_is_not_driven() {
    const SHOWN: &str = "query ($id: ID!) { debate(id: $id) { status version regime { kind } } }";
    let server = TestServer::start(&scripted_replies(40)).await;
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 3 }))).await;
    server.wait_for_event(debate, |event| matches!(event, Event::TurnTaken(_))).await;
    let versions = append_unknown_events(&server.log, debate).await;
    server.wait_for_release(debate, "open").await;
    let stands = server.log.head(debate).await.expect("head");
    // Meanwhile, a debate without unknown events is driven to its end.
    let other = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    server.wait_for_end(other).await;
    assert_eq!(server.log.head(debate).await.expect("head"), stands, "this version does not drive the debate");

    let shown = &server.client.data(SHOWN, json!({ "id": debate })).await["debate"];
    assert_eq!(json!([shown["status"], shown["version"]]), json!(["RUNNING", stands]));
    let mut socket = WebSocketClient::open(&server.client).await;
    socket.subscribe_to_debate(debate, versions[0] - 1).await;
    let landed = socket.next_event().await.expect("the unknown kind is streamed");
    let actual = json!([landed["version"], landed["kind"], landed["body"]]);
    assert_eq!(actual, json!([versions[0], "moon_landed", { "crew": ["ada", "ben"], "at": 4.5, "\u{0}": null }]));
    let entered = socket.next_event().await.expect("the unknown shape is streamed");
    assert_eq!(json!([entered["kind"], entered["body"]]), json!(["phase_entered", { "phases": ["opening"] }]));

    let (variables, id) = (server.environment(), debate.to_string());
    for arguments in [
        &["history", &id][..],
        &["show", &id],
        &["replay", &id, "--speed", "1000"],
        &["export", &id, "--format", "jsonl"],
        &["export", &id, "--format", "md"],
        &["export", &id, "--format", "html"],
        &["rebuild"],
    ] {
        let output = run_command(&variables, arguments).await;
        assert_eq!(output.code, Some(0), "{arguments:?}: {}", output.stderr);
        if ["history", "jsonl"].iter().any(|command| arguments.contains(command)) {
            assert!(output.stdout.contains("moon_landed"), "{arguments:?}: {}", output.stdout);
        }
    }
    let verified = poll_until("the views catch up", async || {
        let verified = run_command(&variables, &["verify", "--json"]).await;
        let verified: Value = serde_json::from_str(&verified.stdout).expect("JSON");
        (verified["views"] == json!(10)).then_some(verified)
    })
    .await;
    assert_eq!(json!([verified["debates"], verified["faults"]]), json!([2, []]));

    // A debate with unknown events can still be cancelled.
    let cancel = "mutation ($id: ID!) { cancelDebate(input: { debateId: $id }) { debate { status } } }";
    let cancelled = server.client.data(cancel, json!({ "id": debate })).await;
    assert_eq!(cancelled["cancelDebate"]["debate"]["status"], "CANCELLED");
    server.wait_for_end(debate).await;
    assert_imports_elsewhere(&variables, &id).await;
    server.stop().await;
}

/// Checks that another database imports an export of the debate, event by event.
async fn assert_imports_elsewhere(variables: &[(&'static str, String)], id: &str) {
    let exported = run_command(variables, &["export", id, "--format", "jsonl"]).await.stdout;
    let (database, home) = (migrated_database().await, TestHome::new());
    let file = home.path("debate.jsonl");
    std::fs::write(&file, &exported).expect("a file");
    let there = home.environment(&database.options, &scripted_replies(0));
    let imported = run_command(&there, &["import", &file]).await;
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    assert_eq!(run_command(&there, &["export", id, "--format", "jsonl"]).await.stdout, exported);
    let verified = run_json_command(&there, &["verify", "--json"]).await;
    assert_eq!(json!([verified[0]["debates"], verified[0]["faults"]]), json!([1, []]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_with_unknown_events_has_an_undetermined_regime() {
    const FOUND: &str = "query ($id: ID!) {
        debate(id: $id) { regime { kind exact unknownEvents reason } campsExact }
        debates(first: 9) { nodes { regime { kind exact unknownEvents } } }
    }";
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.audit_off();
    builder.raise_topic(&[("ada", Side::Yes), ("ben", Side::Yes)]);
    builder.raise_dispute("Is winter rough?", &[("ada", Side::Yes), ("ben", Side::Yes)]);
    builder.conclude();
    builder.append_new(&server.log).await;
    let found = async |wanted: Value| {
        poll_until("the list catches up", async || {
            let found = server.client.data(FOUND, json!({ "id": builder.id })).await;
            let (one, listed) = (&found["debate"], &found["debates"]["nodes"][0]["regime"]);
            let of = |regime: &Value| json!([regime["kind"], regime["exact"], regime["unknownEvents"]]);
            assert_eq!(of(&one["regime"]), wanted, "{one}");
            (of(listed) == wanted).then(|| one.clone())
        })
        .await
    };
    let known = found(json!(["CONSENSUS", true, 0])).await;
    assert_eq!(known["campsExact"], true);
    // Unknown events may contain anything, including changed stances.
    append_unknown_events(&server.log, builder.id).await;
    let unknown = found(json!(["UNDETERMINED", false, 2])).await;
    assert_eq!(unknown["campsExact"], false);
    let reason = unknown["regime"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("not all events are known") && reason.contains("2 events"), "{reason}");

    let (variables, id) = (server.environment(), builder.id.to_string());
    let shown = run_json_command(&variables, &["show", &id, "--json"]).await.remove(0);
    let regime = &shown["regime"];
    assert_eq!(json!([regime["kind"], regime["exact"], regime["unknownEvents"]]), json!(["UNDETERMINED", false, 2]));
    for (arguments, wanted) in [
        (&["show", &id][..], "The log contains events of a newer version"),
        (&["export", &id, "--format", "md"], "2 events have kinds that this version does not know"),
        (&["export", &id, "--format", "html"], "2 events have kinds that this version does not know"),
    ] {
        let words = run_command(&variables, arguments).await;
        let words = words.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(wanted), "{arguments:?}: {words}");
    }
    // At a version before the unknown events, no event is unknown.
    let past = "query ($id: ID!, $at: Int!) { debate(id: $id, at: $at) { regime { kind exact unknownEvents } } }";
    let at = server.log.head(builder.id).await.expect("head") - 2;
    let past = server.client.data(past, json!({ "id": builder.id, "at": at })).await;
    assert_eq!(past["debate"]["regime"], json!({ "kind": "CONSENSUS", "exact": true, "unknownEvents": 0 }));
    server.stop().await;
}
