//! Rooms and fact checks recorded by an external orchestrator: appended, shown, streamed, read at past versions,
//! erased.

use std::fs;

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::environment::{fixture_path, project_path};
use crate::support::event_inputs::{append, event_input, opening_input, try_append, turn_input};
use crate::support::phase_events::new_debate_id;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

const ROOMS: &str = "query ($id: ID!, $at: Int) { debate(id: $id, at: $at) {
    version regime { kind } commonGround { question } cruxes { question }
    turns(first: 50) { nodes { id: shortId roomId } }
    rooms {
        id: shortId question disputeId participantIds status sourceTurnIds openedReason openedAt openedVersion
        closedAt closedVersion closedReason outcome turnCount turnIds stances { personaId side turnId }
        card { kind diagnosis resolution falsifiers { personaId text } }
        participants { personaId name factuality { trueClaims falseClaims unverifiableClaims share } }
        dispute { id: shortId status }
        turns(first: 1) { totalCount nodes { id: shortId text roomId } pageInfo { hasNextPage endCursor } }
    }
    factChecks {
        id: shortId turnId speakerId claim quote verdict by explanation confidence version at
        sources { title address excerpt citation { alias passageId quotes { text check } passage { text } } }
    }
} }";

/// Puts an event into a room.
fn in_room(room: &str, mut it: Value) -> Value {
    it["body"]["room"] = json!(room);
    it
}

fn room(id: &str) -> Value {
    event_input(
        "room_opened",
        json!({
            "room": id, "question": "Would anybody staff it?", "dispute": "d1", "participants": ["anna", "basil"],
            "turns": ["t1", "t2"], "reason": "opposed in 3 windows in a row",
        }),
    )
}

fn close(id: &str, outcome: &str) -> Value {
    event_input(
        "room_closed",
        json!({
            "room": id, "outcome": outcome, "reason": "it turns on the pay",
            "card": { "kind": "values", "diagnosis": "Pay against rest.", "falsifiers": [{ "speaker": "anna", "text": "A strike." }] },
        }),
    )
}

fn check(id: &str, source: &Value) -> Value {
    event_input(
        "claim_checked",
        json!({
            "check": id, "turn": "t1", "claim": "Nobody can come on weekdays.", "quote": "people who work on weekdays",
            "verdict": "false", "sources": [source], "by": "town-records", "explanation": "Many do.", "confidence": 0.7,
        }),
    )
}

fn stance(speaker: &str, side: &str, turn: &str, quote: &str) -> Value {
    let body = json!({ "dispute": "d1", "speaker": speaker, "side": side, "turn": turn, "quote": quote });
    event_input("stance_taken", body)
}

/// Builds a debate with a dispute that divides it, up to version 6.
fn divided() -> Vec<Value> {
    vec![
        opening_input(),
        turn_input(1, "anna", "It should: people who work on weekdays cannot come otherwise. I would staff it."),
        turn_input(2, "basil", "Nobody would staff it."),
        event_input(
            "dispute_raised",
            json!({ "dispute": "d1", "question": "Would anybody staff it?", "turns": ["t2"] }),
        ),
        stance("anna", "yes", "t1", "I would staff it."),
        stance("basil", "no", "t2", "Nobody would staff it."),
    ]
}

async fn shown(client: &Client, id: DebateId, at: Option<i64>) -> Value {
    client.data(ROOMS, json!({ "id": id, "at": at })).await["debate"].take()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_external_orchestrator_opens_fills_and_closes_a_room() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id) = (&server.client, new_debate_id());
    append(client, id, 0, &divided()).await;
    let mut socket = WebSocketClient::open(client).await;
    socket.subscribe_to_debate(id, 6).await;
    let source = json!({ "title": "Census", "address": "https://example.org/census?y=3#page", "excerpt": "half do" });
    let steps = [
        vec![
            room("m1"),
            in_room("m1", event_input("interjected", json!({ "turn": "t3", "text": "Would anybody staff it?" }))),
        ],
        vec![
            in_room("m1", turn_input(4, "anna", "For double pay.")),
            turn_input(5, "basil", "Meanwhile, out here."),
            stance("anna", "nuanced", "t4", "For double pay."),
        ],
        vec![in_room("m1", turn_input(6, "basil", "There is none.")), check("f1", &source)],
        vec![
            close("m1", "surfaced"),
            event_input("debate_concluded", json!({ "outcome": { "kind": "exhausted", "reason": "said" } })),
        ],
    ];
    let mut at = 6;
    for events in &steps {
        at = append(client, id, at, events).await["version"].as_i64().expect("a version");
    }
    let mut lines = Vec::new();
    while let Some(event) = socket.next_event().await {
        lines.push(event["kind"].as_str().unwrap_or_default().to_owned());
    }
    assert_eq!(
        lines,
        [
            "room_opened",
            "interjected",
            "turn_taken",
            "turn_taken",
            "stance_taken",
            "turn_taken",
            "claim_checked",
            "room_closed",
            "debate_concluded"
        ]
    );

    let now = shown(client, id, None).await;
    assert_shown(client, id, &now).await;
    assert_shown_at_earlier_versions(client, id, &now["rooms"][0]).await;
    assert_eq!(run_json_command(&server.environment(), &["verify", "--json"]).await[0]["faults"], json!([]));
    let output = run_command(&server.environment(), &["export", &id.to_string(), "--format", "md"]).await;
    assert!(
        output.stdout.contains("## Rooms") && output.stdout.contains("## Checks"),
        "{}{}",
        output.stdout,
        output.stderr
    );
    server.stop().await;
}

/// Checks how the room and the check are shown, and that no verdict is derived from them.
async fn assert_shown(client: &Client, id: DebateId, now: &Value) {
    let room = &now["rooms"][0];
    assert_eq!(
        json!([
            room["id"],
            room["question"],
            room["disputeId"],
            room["participantIds"],
            room["status"],
            room["outcome"]
        ]),
        json!(["m1", "Would anybody staff it?", "d1", ["anna", "basil"], "CLOSED", "SURFACED"])
    );
    assert_eq!(
        json!([
            room["sourceTurnIds"],
            room["openedReason"],
            room["openedVersion"],
            room["closedVersion"],
            room["closedReason"]
        ]),
        json!([["t1", "t2"], "opposed in 3 windows in a row", 7, 14, "it turns on the pay"])
    );
    assert_eq!(
        room["card"],
        json!({
            "kind": "VALUES", "diagnosis": "Pay against rest.", "resolution": null,
            "falsifiers": [{ "personaId": "anna", "text": "A strike." }],
        })
    );
    assert_eq!(json!([room["turnCount"], room["turnIds"]]), json!([3, ["t3", "t4", "t6"]]));
    assert_eq!(room["stances"], json!([{ "personaId": "anna", "side": "NUANCED", "turnId": "t4" }]));
    assert_eq!(room["dispute"]["id"], "d1");
    let (page, count) = (&room["turns"], &room["turns"]["totalCount"]);
    assert_eq!(json!([count, page["nodes"][0]["id"], page["pageInfo"]["hasNextPage"]]), json!([3, "t3", true]));
    let next = "query ($id: ID!, $after: String) { debate(id: $id) { rooms { turns(first: 9, after: $after) { nodes { id: shortId } } } } }";
    let next = client.data(next, json!({ "id": id, "after": page["pageInfo"]["endCursor"] })).await;
    assert_eq!(next["debate"]["rooms"][0]["turns"]["nodes"], json!([{ "id": "t4" }, { "id": "t6" }]));
    let factuality = json!({ "trueClaims": 0, "falseClaims": 1, "unverifiableClaims": 0, "share": 0.0 });
    assert_eq!(room["participants"][0], json!({ "personaId": "anna", "name": "ANNA", "factuality": factuality }));
    let places: Vec<&Value> =
        now["turns"]["nodes"].as_array().expect("turns").iter().map(|turn| &turn["roomId"]).collect();
    assert_eq!(json!(places), json!([null, null, "m1", "m1", null, "m1"]));
    let checked = &now["factChecks"][0];
    assert_eq!(
        json!([
            checked["id"],
            checked["turnId"],
            checked["speakerId"],
            checked["verdict"],
            checked["by"],
            checked["version"]
        ]),
        json!(["f1", "t1", "anna", "FALSE", "town-records", 13])
    );
    assert_eq!(
        checked["sources"],
        json!([{
        "title": "Census", "address": "https://example.org/census?y=3#page", "excerpt": "half do", "citation": null }])
    );
    // A room creates no agreement, and no crux besides the existing dispute.
    assert_eq!(json!([now["regime"]["kind"], now["commonGround"]]), json!(["UNDETERMINED", []]));
}

/// Checks how the room is shown at earlier versions.
async fn assert_shown_at_earlier_versions(client: &Client, id: DebateId, room: &Value) {
    // The same fold at any version: absent, open, closed.
    let past = async |at: i64| shown(client, id, Some(at)).await;
    assert_eq!(past(6).await["rooms"], json!([]));
    let open = past(9).await["rooms"][0].take();
    assert_eq!(
        json!([open["status"], open["closedAt"], open["outcome"], open["card"], open["turnIds"], open["stances"]]),
        json!(["OPEN", null, null, null, ["t3", "t4"], []])
    );
    assert_eq!(json!([past(12).await["factChecks"], past(13).await["factChecks"][0]["id"]]), json!([[], "f1"]));
    assert_eq!(past(14).await["rooms"][0], *room);
}

const CHANNEL: &str = "query ($id: ID!) { debate(id: $id) {
    roomCandidates {
        id shortId question participantIds participants { name } streak unseenCount isExpired roomId
        sightings {
            window question confidence version at
            yes { speakerId turnId quote participant { name } } no { speakerId turnId quote }
        }
    }
    floor { speakerId reason turnId version at participant { name } }
    skippedTurns { speakerId roomId reason afterTurnId version at participant { name } }
    rooms { candidateId exitChecks { turnId surfaced reason rejectedParts words { speakerId turnId quote } } }
} }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_channel_and_exit_checks_are_shown() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id) = (&server.client, new_debate_id());
    append(client, id, 0, &divided()).await;
    let words = |speaker: &str, turn: &str, quote: &str| json!({ "speaker": speaker, "turn": turn, "quote": quote });
    let mut opened = room("m1");
    opened["body"]["candidate"] = json!("n1");
    let events = [
        event_input(
            "disagreements_detected",
            json!({ "turns": ["t1", "t2"], "found": [{
                "candidate": "n1", "question": "Would anybody staff it?", "confidence": 0.75,
                "yes": words("anna", "t1", "I would staff it."), "no": words("basil", "t2", "Nobody would staff it.") }] }),
        ),
        opened,
        event_input("floor_given", json!({ "speaker": "basil", "reason": "was addressed in t1" })),
        turn_input(3, "basil", "Out here."),
        event_input("turn_skipped", json!({ "speaker": "anna", "reason": "All is said." })),
        in_room("m1", turn_input(4, "anna", "It is the pay.")),
        in_room("m1", turn_input(5, "basil", "The pay it is.")),
        event_input(
            "exit_checked",
            json!({ "room": "m1", "turn": "t5", "surfaced": true, "reason": "Both name the pay.", "refused": ["t9"],
                "words": [words("anna", "t4", "the pay"), words("basil", "t5", "The pay")] }),
        ),
    ];
    append(client, id, 6, &events).await;
    let now = client.data(CHANNEL, json!({ "id": id })).await["debate"].take();
    let candidate = &now["roomCandidates"][0];
    assert_eq!(
        json!([candidate["id"], candidate["shortId"], candidate["roomId"], candidate["participantIds"]]),
        json!([format!("{id}:room-candidate:n1"), "n1", "m1", ["anna", "basil"]])
    );
    assert_eq!(json!([candidate["streak"], candidate["unseenCount"], candidate["isExpired"]]), json!([1, 0, false]));
    let sighting = &candidate["sightings"][0];
    assert_eq!(json!([sighting["window"], sighting["confidence"], sighting["version"]]), json!([1, 0.75, 7]));
    assert_eq!(
        sighting["yes"],
        json!({ "speakerId": "anna", "turnId": "t1", "quote": "I would staff it.", "participant": { "name": "ANNA" } })
    );
    let (floor, skipped) = (&now["floor"][0], &now["skippedTurns"][0]);
    assert_eq!(json!([floor["speakerId"], floor["turnId"], floor["version"]]), json!(["basil", "t3", 9]));
    assert_eq!(json!([skipped["speakerId"], skipped["roomId"], skipped["afterTurnId"]]), json!(["anna", null, "t3"]));
    let room = &now["rooms"][0];
    let check = &room["exitChecks"][0];
    assert_eq!(json!([room["candidateId"], check["turnId"], check["surfaced"]]), json!(["n1", "t5", true]));
    assert_eq!(json!([check["words"][1]["quote"], check["rejectedParts"]]), json!(["The pay", ["t9"]]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_room_and_check_events_are_refused_with_place_and_code() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id) = (&server.client, new_debate_id());
    append(client, id, 0, &divided()).await;
    append(client, id, 6, &[room("m1"), close("m1", "exhausted"), room("m2")]).await;
    let with = |mut event: Value, name: &str, value: Value| {
        event["body"][name] = value;
        event
    };
    let source = json!({ "title": "Census" });
    let cases = [
        (room("m2"), "CONFLICT", "events[1]: the next room is m3, not m2"),
        (with(room("m3"), "dispute", json!("d9")), "NOT_FOUND", "events[1]: there is no dispute d9"),
        (
            with(room("m3"), "participants", json!(["anna", "carl"])),
            "NOT_FOUND",
            "events[1]: carl is not a participant",
        ),
        (with(room("m3"), "turns", json!(["t8"])), "NOT_FOUND", "events[1]: there is no turn t8"),
        (
            with(room("m3"), "question", json!("\u{1b}[31m")),
            "INVALID",
            "events[1]: a text contains the control character",
        ),
        (with(room("m3"), "question", json!("x".repeat(70_000))), "LIMIT", "events[1]: a text has 70000 bytes"),
        (close("m1", "surfaced"), "CONFLICT", "events[1]: the room m1 was closed"),
        (close("m7", "surfaced"), "NOT_FOUND", "events[1]: there is no room m7"),
        (close("m2", "resolved"), "INVALID", "events[1]: anna says yes to d1 and basil says no, which is not resolved"),
        (close("m2", "failed"), "INVALID", "events[1]: a room with the outcome failed cannot have a card"),
        (close("m2", "agreed"), "INVALID", "events[1]: the body is not a valid room_closed: "),
        (in_room("m1", turn_input(3, "anna", "Still.")), "CONFLICT", "events[1]: the room m1 was closed"),
        (in_room("m3", turn_input(3, "anna", "Still.")), "NOT_FOUND", "events[1]: there is no room m3"),
        (in_room("1", turn_input(3, "anna", "Still.")), "INVALID", "events[1]: the body is not a valid turn_taken: "),
        (with(check("f1", &source), "turn", json!("t5")), "NOT_FOUND", "events[1]: there is no turn t5"),
        (
            with(check("f1", &source), "quote", json!("nobody at all")),
            "INVALID",
            "events[1]: the quote does not occur in t1",
        ),
        (with(check("f1", &source), "sources", json!([])), "INVALID", "events[1]: the verdict false requires a source"),
        (check("f2", &source), "CONFLICT", "events[1]: the next check is f1, not f2"),
        (check("f1", &json!({ "title": "x", "address": "javascript:alert(1)" })), "INVALID", "is not a web address"),
        (
            check("f1", &json!({ "title": "x", "citation": { "alias": "g1", "chunk": id } })),
            "NOT_FOUND",
            "the library has no passage",
        ),
        (with(check("f1", &source), "confidence", json!(-0.1)), "INVALID", "events[1]: the confidence is -0.1"),
    ];
    for (given, code, wanted) in cases {
        let answer =
            try_append(client, id, 9, &[event_input("phase_entered", json!({ "phase": "talk" })), given.clone()]).await;
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], code, "{given}: {answer}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(wanted)), "{given}: {answer}");
    }
    assert_eq!(server.log.head(id).await.expect("a head"), 9, "all or nothing");
    // Two concurrent closes of one room: one of them succeeds.
    let (one, other) = (close("m2", "surfaced"), close("m2", "exhausted"));
    let (first, second) = tokio::join!(
        try_append(client, id, 9, std::slice::from_ref(&one)),
        try_append(client, id, 9, std::slice::from_ref(&other))
    );
    let refused =
        [&first, &second].iter().filter(|answer| answer["errors"][0]["extensions"]["code"] == "CONFLICT").count();
    assert_eq!((refused, server.log.head(id).await.expect("a head")), (1, 10), "{first} {second}");
    server.stop().await;
}

/// The excerpt of a source is compared with the passage, whatever the event body claims about it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_excerpt_is_checked_against_its_passage() {
    let server = TestServer::start_with_corpus(&scripted_replies(0), &project_path("corpus")).await;
    let (client, id) = (&server.client, new_debate_id());
    let found = poll_until("the library is searchable", async || {
        let found = client.data("{ passages(search: \"ferry\", first: 1) { chunkId text } }", json!({})).await;
        found["passages"][0]["chunkId"].is_string().then(|| found["passages"][0].clone())
    })
    .await;
    let words: Vec<&str> = found["text"].as_str().expect("a text").split_whitespace().take(8).collect();
    let source = |excerpt: &str| {
        let forged = json!([{ "text": "Forged.", "check": "verbatim", "ranges": [{ "from": 0, "to": 4 }] }]);
        json!({ "title": "The corpus", "excerpt": excerpt,
            "citation": { "alias": "g1", "chunk": found["chunkId"], "quotes": forged } })
    };
    append(client, id, 0, &divided()).await;
    append(client, id, 6, &[check("f1", &source(&words.join(" "))), check("f2", &source("Nobody ever wrote this."))])
        .await;
    let actual = shown(client, id, None).await;
    for (at, wanted) in ["VERBATIM", "UNVERIFIED"].into_iter().enumerate() {
        let citation = &actual["factChecks"][at]["sources"][0]["citation"];
        assert_eq!(citation["quotes"].as_array().map(Vec::len), Some(1), "{citation}");
        assert_eq!(
            json!([citation["quotes"][0]["check"], citation["passage"]["text"]]),
            json!([wanted, found["text"]])
        );
    }
    server.stop().await;
}

/// A fork shares the rooms of its past and continues the open ones; the end of its origin does not end it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_room_continues_in_a_fork() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, id) = (&server.client, new_debate_id());
    append(client, id, 0, &divided()).await;
    append(client, id, 6, &[room("m1"), event_input("debate_aborted", json!({ "reason": "the light went out" }))])
        .await;
    assert_eq!(shown(client, id, None).await["rooms"][0]["status"], "LEFT_OPEN");
    let fork = "mutation ($id: ID!) {
        forkDebate(input: { debateId: $id, at: 7 }) { debate { id version rooms { status } } }
    }";
    let fork = client.data(fork, json!({ "id": id })).await["forkDebate"]["debate"].take();
    assert_eq!(fork["rooms"], json!([{ "status": "OPEN" }]), "{fork}");
    let forked: DebateId = fork["id"].as_str().expect("an id").parse().expect("an id");
    let at = fork["version"].as_i64().expect("a version");
    append(client, forked, at, &[in_room("m1", turn_input(3, "anna", "By candle, then.")), close("m1", "surfaced")])
        .await;
    assert_eq!(shown(client, forked, None).await["rooms"][0]["turnIds"], json!(["t3"]));
    assert_eq!(shown(client, id, None).await["rooms"][0]["turnIds"], json!([]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rooms_imported_from_the_legacy_system_are_shown() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let text = fs::read_to_string(fixture_path("legacy/dialogue-3p.events.jsonl")).expect("a fixture");
    let import = "mutation ($file: JSON!) { importDebate(input: { document: $file }) { debate { id } } }";
    let id = server.client.data(import, json!({ "file": text })).await["importDebate"]["debate"]["id"].clone();
    let actual = server.client.data(ROOMS, json!({ "id": id })).await["debate"].take();
    let rooms = actual["rooms"].as_array().expect("rooms");
    let brief: Vec<Value> =
        rooms.iter().map(|room| json!([room["id"], room["disputeId"], room["outcome"], room["turnCount"]])).collect();
    assert_eq!(
        json!(brief),
        json!([["m1", "d1", "SURFACED", 11], ["m2", "d1", "SURFACED", 11], ["m3", "d1", "SURFACED", 11]])
    );
    let stances = rooms[2]["stances"].as_array().map(Vec::len);
    assert_eq!(stances, Some(0), "no position is in the words of a turn");
    assert_eq!(json!([rooms[0]["card"]["kind"], actual["regime"]["kind"]]), json!(["HORIZON", "UNDETERMINED"]));
    server.stop().await;
}
