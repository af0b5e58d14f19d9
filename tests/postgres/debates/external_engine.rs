//! Debates run by an external orchestrator: its appends are checked, recorded once, and readable like those of any
//! other debate.

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use faultline_core::events::event::Event;
use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::{SPEAKERS, start_debate_input};
use crate::support::event_inputs::{APPEND, append, event_input, opening_input, try_append, turn_input};
use crate::support::log_reads::read_all_events;
use crate::support::phase_events::new_debate_id;
use crate::support::service_process::run_json_command;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::{TestServer, versions};
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

fn argument_input(n: u32, speaker: &str, claim: &str) -> Value {
    event_input(
        "argument_advanced",
        json!({
            "argument": format!("a{n}"), "speaker": speaker, "turn": format!("t{n}"), "claim": claim,
            "premises": ["it was so elsewhere"], "answers_topic": true,
        }),
    )
}

fn attack_input(target: &str) -> Value {
    event_input(
        "attack_raised",
        json!({
            "attack": "k1", "speaker": "basil", "turn": "t2", "source": "a2", "target": target,
            "component": { "part": "claim" }, "kind": "rebut", "rationale": "both cannot hold", "confidence": 0.8,
        }),
    )
}

/// Builds the events of a debate that ends in a split: two claims, one attack between them, one dispute.
fn split_debate() -> Vec<Value> {
    let stance = |speaker: &str, turn: &str, side: &str, quote: &str| {
        let body = json!({ "dispute": "d1", "speaker": speaker, "side": side, "turn": turn, "quote": quote });
        event_input("stance_taken", body)
    };
    vec![
        opening_input(),
        turn_input(1, "anna", "It should: people who work on weekdays cannot come otherwise. I would staff it."),
        argument_input(1, "anna", "The library should open on Sundays"),
        turn_input(2, "basil", "It should not: nobody would staff it."),
        argument_input(2, "basil", "The library should stay closed on Sundays"),
        attack_input("a1"),
        event_input(
            "attack_judged",
            json!({ "attack": "k1", "valid": true, "strength": 0.7, "reason": "they exclude each other" }),
        ),
        event_input(
            "dispute_raised",
            json!({ "dispute": "d1", "question": "Would anybody staff it?", "turns": ["t1", "t2"] }),
        ),
        stance("anna", "t1", "yes", "I would staff it."),
        stance("basil", "t2", "no", "nobody would staff it"),
        event_input("debate_concluded", json!({ "outcome": { "kind": "exhausted", "reason": "both have said all" } })),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_external_debate_is_readable_like_any_other() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id, events) = (&server.client, new_debate_id(), split_debate());
    let opened = append(client, id, 0, &events[..1]).await;
    assert_eq!(opened["debate"], json!({ "id": id, "status": "RUNNING", "engine": "external" }));
    let mut socket = WebSocketClient::open(client).await;
    socket.subscribe_to_debate(id, 0).await;
    for (at, event) in events.iter().enumerate().skip(1) {
        append(client, id, at as i64, std::slice::from_ref(event)).await;
    }
    let mut heard = Vec::new();
    while let Some(event) = socket.next_event().await {
        heard.push(json!([event["id"], event["kind"]]));
    }
    let given: Vec<Value> = events.iter().map(|event| json!([event["id"], event["kind"]])).collect();
    assert_eq!(heard, given, "exactly the appended events");

    let query = "query ($id: ID!) { debate(id: $id) {
        topic status version turnCount outcome { kind reason } regime { kind } participants { personaId name }
        turns(first: 100) { nodes { speakerId participant { personaId name } } }
        arguments { speakerId participant { personaId } } attacks { speakerId component participant { personaId } }
        camps { personaIds participants { personaId } }
        arguments { id: shortId } cruxes { question } disputes { id: shortId status } camps { argumentIds }
    } }";
    let seen = client.data(query, json!({ "id": id })).await["debate"].take();
    assert_eq!(
        json!([seen["status"], seen["version"], seen["turnCount"], seen["outcome"]["kind"], seen["regime"]["kind"]]),
        json!(["CONCLUDED", 11, 2, "EXHAUSTED", "POLARIZED"])
    );
    assert_eq!(seen["disputes"][0]["status"], "OPEN");
    assert_participants_are_joined(&seen);
    assert!(seen["cruxes"].as_array().is_some_and(|cruxes| !cruxes.is_empty()), "{seen}");
    let listed = poll_until("the list has the debate", async || {
        let data = client.data("{ debates(first: 5) { edges { node { id regime { kind } } } } }", json!({})).await;
        (data["debates"]["edges"][0]["node"]["regime"]["kind"] == "POLARIZED").then_some(data)
    })
    .await;
    assert_eq!(listed["debates"]["edges"][0]["node"], json!({ "id": id, "regime": { "kind": "POLARIZED" } }));
    assert_eq!(run_json_command(&server.environment(), &["verify", "--json"]).await[0]["faults"], json!([]));
    server.stop().await;
}

/// Checks that the participants beside the ids are those with these ids.
fn assert_participants_are_joined(debate: &Value) {
    let list = |it: &Value| it.as_array().cloned().unwrap_or_default();
    let spoken = [&debate["turns"]["nodes"], &debate["arguments"], &debate["attacks"]].map(list).concat();
    assert!(spoken.len() > 3, "{debate}");
    for it in spoken {
        assert_eq!(it["speakerId"], it["participant"]["personaId"], "{it}");
    }
    assert_eq!(debate["attacks"][0]["component"], "CLAIM");
    for camp in list(&debate["camps"]) {
        let ids: Vec<Value> = list(&camp["participants"]).iter().map(|it| it["personaId"].clone()).collect();
        assert_eq!(camp["personaIds"], json!(ids));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_appends_are_recorded_once_and_differing_ones_conflict() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id, events) = (&server.client, new_debate_id(), split_debate());
    let conflict = async |at: i64, events: &[Value], wanted: &str| {
        let error = try_append(client, id, at, events).await["errors"][0].take();
        let actual = error["message"].as_str().unwrap_or_default();
        assert!(actual.contains(wanted), "{error}");
        json!([error["extensions"]["code"], error["extensions"]["actualVersion"]])
    };
    let first = append(client, id, 0, &events[..5]).await;
    assert_eq!((first["repeated"].clone(), first["version"].clone()), (json!(false), json!(5)));
    for at in [0, 5, 77] {
        let again = append(client, id, at, &events[..5]).await;
        assert_eq!((again["repeated"].clone(), &again["events"]), (json!(true), &first["events"]), "expected {at}");
    }
    let alone = append(client, id, 0, &events[2..3]).await;
    assert_eq!(alone["events"][0]["version"], 3);

    assert_eq!(conflict(5, &events[3..6], "2 of these 3 events are already recorded").await, json!(["CONFLICT", 5]));
    let mut other = events[1].clone();
    other["body"]["text"] = json!("It should not.");
    assert_eq!(conflict(5, &[other], "a different event is already recorded").await, json!(["CONFLICT", 5]));
    for at in [-1, 0, 4, 6] {
        assert_eq!(conflict(at, &events[5..], "is at version 5").await, json!(["CONFLICT", 5]));
    }

    // Eight concurrent appends of the same events, then eight of different events.
    let same = join_all((0..8).map(|_| try_append(client, id, 5, &events[5..7]))).await;
    assert!(same.iter().all(|answer| answer["data"]["appendEvents"]["events"][1]["version"] == 7), "{same:?}");
    let own = join_all((0..8).map(|n| async move {
        try_append(client, id, 7, &[turn_input(3, "anna", &format!("Words number {n}."))]).await
    }))
    .await;
    let won = own.iter().filter(|answer| answer.get("errors").is_none()).count();
    let lost = own.iter().filter(|answer| answer["errors"][0]["extensions"]["actualVersion"] == 8).count();
    assert_eq!((won, lost), (1, 7), "{own:?}");
    assert_eq!(versions(&read_all_events(&server.log, id).await), (1..=8).collect::<Vec<_>>());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_events_are_refused_with_a_reason_and_nothing_is_recorded() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id, events) = (&server.client, new_debate_id(), split_debate());
    append(client, id, 0, &events[..5]).await;
    let with = |at: usize, name: &str, value: Value| {
        let mut event = events[at].clone();
        (event["id"], event["body"][name]) = (json!(Uuid::now_v7()), value);
        event
    };
    let cases = [
        (
            turn_input(3, "carl", "Hello."),
            "NOT_FOUND",
            "events[1]: carl is not a participant; participants: anna, basil",
        ),
        (turn_input(4, "anna", "Hello."), "CONFLICT", "events[1]: the next turn is t3, not t4"),
        (turn_input(3, "anna", " "), "INVALID", "events[1]: the text is empty"),
        (with(1, "turn", json!("x3")), "INVALID", "events[1]: the body is not a valid turn_taken: "),
        (
            with(1, "mood", json!("calm")),
            "INVALID",
            "events[1]: the body is not a valid turn_taken: unknown field mood",
        ),
        (with(2, "argument", json!("a3")), "INVALID", "events[1]: the turn t1 belongs to anna, not to basil"),
        (attack_input("a9"), "NOT_FOUND", "events[1]: there is no argument a9"),
        (attack_input("a2"), "INVALID", "events[1]: a2 is basil's own"),
        (with(5, "component", json!({ "part": "premise", "index": 1 })), "INVALID", "events[1]: a1 has no such part"),
        (with(5, "confidence", json!(1.5)), "INVALID", "events[1]: the confidence is 1.5; it must be between 0 and 1"),
        (with(6, "attack", json!("k7")), "NOT_FOUND", "events[1]: there is no attack k7"),
        (with(8, "dispute", json!("d7")), "NOT_FOUND", "events[1]: there is no dispute d7"),
        (opening_input(), "CONFLICT", "events[1]: the debate has already been opened"),
        (event_input("debate_resumed", json!({})), "CONFLICT", "events[1]: the debate is not paused"),
        (event_input("moon_landed", json!({})), "INVALID", "events[1]: unknown event kind"),
        (
            event_input("debate_concluded", json!({ "outcome": { "kind": "converged", "reason": "x" } })),
            "INVALID",
            "events[1]: the body is not a valid debate_concluded: ",
        ),
        (
            event_input("record_kept", json!({ "name": "x", "record": 1 })),
            "INVALID",
            "can only be recorded by the service",
        ),
        (
            event_input(
                "effect_answered",
                json!({ "key": { "purpose": "say", "subject": "anna", "ordinal": 0 }, "attempt": 1, "answer": { "by": "m", "text": "", "millis": 1 } }),
            ),
            "CONFLICT",
            "events[1]: no effect_requested for say/anna/0 precedes it",
        ),
        (with(2, "carries", json!("k1")), "INVALID", "carries the attack k1, which is not raised in the same call"),
        (
            with(1, "citations", json!([{ "alias": "g1", "chunk": Uuid::max() }])),
            "NOT_FOUND",
            "the library has no passage ffffffff",
        ),
        (json!({ "id": "x", "kind": "turn_taken", "body": {} }), "INVALID", "\"x\" is not an event id; use a UUID"),
        (
            json!({ "id": Uuid::nil(), "kind": "turn_taken", "body": {} }),
            "INVALID",
            "is nil or used by another event of this call",
        ),
        (
            json!({ "id": Uuid::now_v7(), "kind": "debate_paused", "body": {}, "causedBy": Uuid::max() }),
            "NOT_FOUND",
            "events[1]: the cause ffffffff",
        ),
    ];
    for (mut given, code, wanted) in cases {
        if given["kind"] == "argument_advanced" && given["body"]["argument"] == "a3" {
            given["body"]["speaker"] = json!("basil");
        }
        if given["body"]["carries"] == "k1" {
            given["body"]["argument"] = json!("a3");
        }
        let answer =
            try_append(client, id, 5, &[event_input("phase_entered", json!({ "phase": "talk" })), given.clone()]).await;
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], code, "{given}: {answer}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(wanted)), "{given}: {answer}");
    }
    assert_eq!(server.log.head(id).await.expect("a head"), 5, "all or nothing");

    let other = new_debate_id();
    assert_eq!(
        client.error_code(APPEND, json!({ "id": other, "at": 0, "events": [turn_input(1, "anna", "x")] })).await,
        "NOT_FOUND"
    );
    let mut foreign = opening_input();
    foreign["body"]["engine"] = json!("graph");
    assert_eq!(client.error_code(APPEND, json!({ "id": other, "at": 0, "events": [foreign] })).await, "INVALID");
    assert_eq!(client.error_code(APPEND, json!({ "id": other, "at": 0, "events": [] })).await, "INVALID");
    assert_eq!(server.log.head(other).await.expect("a head"), 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attack_between_equal_claims_is_refused() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id, mut events) = (&server.client, new_debate_id(), split_debate());
    events[4] = argument_input(2, "basil", "the library should open on  Sundays.");
    append(client, id, 0, &events[..5]).await;
    let error = try_append(client, id, 5, &events[5..6]).await["errors"][0].take();
    assert_eq!(error["extensions"]["code"], "INVALID", "{error}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("a2 says the same as a1; equal claims do not conflict"), "{error}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_has_limits_on_events_and_bytes() {
    use faultline_service::append::{MAX_BYTES, MAX_EVENTS};
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id) = (&server.client, new_debate_id());
    append(client, id, 0, &[opening_input()]).await;
    let phases = |n: usize| {
        (0..n).map(|n| event_input("phase_entered", json!({ "phase": format!("p{n}") }))).collect::<Vec<_>>()
    };
    let refused = try_append(client, id, 1, &phases(MAX_EVENTS + 1)).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "LIMIT", "{refused}");
    assert_eq!(append(client, id, 1, &phases(MAX_EVENTS)).await["version"], 101);

    let frame = json!({ "phase": "" }).to_string().len();
    let large = |bytes: usize| -> Vec<Value> {
        let sizes = [MAX_BYTES / 4; 3].into_iter().chain([bytes - MAX_BYTES / 4 * 3]);
        sizes.map(|size| event_input("phase_entered", json!({ "phase": "x".repeat(size - frame) }))).collect()
    };
    let refused = try_append(client, id, 101, &large(MAX_BYTES + 1)).await;
    let actual = refused["errors"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert_eq!(actual, "the event bodies of a call may total at most 196608 bytes; these total 196609");
    assert_eq!(append(client, id, 101, &large(MAX_BYTES)).await["version"], 105);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_external_debates_accept_events_and_commands_still_apply_to_them() {
    let server = TestServer::start(&scripted_replies(50)).await;
    let client = &server.client;
    let ours = client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let refused = try_append(client, ours, 1, &[turn_input(1, SPEAKERS[0], "Mine.")]).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "CONFLICT");
    assert!(refused.to_string().contains("run by the engine dialectic"), "{refused}");

    // Opened by the service with its own personas; no process drives it.
    let id = client.start(&json!({ "topic": "Sundays?", "engine": "external", "personaIds": SPEAKERS })).await;
    let first = turn_input(1, SPEAKERS[0], "Yes.");
    append(client, id, 1, std::slice::from_ref(&first)).await;
    let pause = "mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { status } } }";
    client.data(pause, json!({ "id": id })).await;
    let answer = try_append(client, id, 3, &[turn_input(2, SPEAKERS[1], "No.")]).await;
    assert!(answer.to_string().contains("the debate is paused; resume it first"), "{answer}");
    assert_eq!(append(client, id, 1, &[first]).await["repeated"], true, "a recorded event is not recorded again");
    append(client, id, 3, &[event_input("debate_resumed", json!({})), turn_input(2, SPEAKERS[1], "No.")]).await;
    let cancel = "mutation ($id: ID!) { cancelDebate(input: { debateId: $id }) { debate { status } } }";
    client.data(cancel, json!({ "id": id })).await;
    let answer = try_append(client, id, 6, &[turn_input(3, SPEAKERS[0], "Still.")]).await;
    assert!(answer.to_string().contains("the debate is cancelled: nothing can be added to it"), "{answer}");
    let events = server.wait_for_end(id).await;
    assert!(events.iter().all(|event| !matches!(event.event, Event::EffectRequested(_))), "no provider was called");

    let external = json!({ "topic": "x", "engine": "external", "personaIds": SPEAKERS, "provider": "scripted" });
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    assert_eq!(
        client.error_code(start, json!({ "input": external })).await,
        "INVALID",
        "an external debate takes no provider"
    );
    server.wait_for_end(ours).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_cannot_append() {
    let made = |name: &str, role| new_token(name, role, None).expect("a token");
    let (reader, writer) = (made("page", Role::Reader), made("engine", Role::Writer));
    let access = AccessControl::by_tokens(&format!("{}\n{}\n", reader.line, writer.line)).expect("a file");
    let server = TestServer::start_with_access(&scripted_replies(0), access).await;
    let id = new_debate_id();
    let asked = json!({ "query": APPEND, "variables": { "id": id, "at": 0, "events": [opening_input()] } });
    for (token, wanted) in [(&reader.token, "FORBIDDEN"), (&writer.token, "")] {
        let request = server.client.http.post(server.client.url("/graphql")).bearer_auth(token).json(&asked);
        let answer: Value = request.send().await.expect("sent").json().await.expect("JSON");
        assert_eq!(answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default(), wanted, "{answer}");
    }
    assert_eq!(server.log.head(id).await.expect("a head"), 1);
    server.stop().await;
}
