//! Ids of objects: unique among all objects of all debates and versions, and resolved by `node` and `nodes`.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};

use crate::support::event_inputs::{append, event_input, opening_input, turn_input};
use crate::support::phase_events::new_debate_id;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

/// Everything in a debate that has an id.
const EVERYTHING: &str = "query ($id: ID!, $other: ID!, $at: Int!) {
    one: debate(id: $id) { ...All } other: debate(id: $other) { ...All } before: debate(id: $id, at: $at) { ...All }
    engines { __typename id } providers { __typename id } personas { __typename id } sharedCorpora { __typename id }
    projections { __typename id generations { __typename id } deadLetters { __typename id } }
} fragment All on Debate {
    __typename id participants { __typename id } turns(first: 50) { nodes { __typename id shortId } }
    events(first: 50) { nodes { __typename id } } arguments { __typename id shortId } attacks { __typename id shortId }
    disputes { __typename id shortId reasons { __typename id shortId } } cruxes(resolved: true) { __typename id shortId }
    contestedPremises { __typename id } cruxProposals { __typename id shortId } rooms { __typename id shortId }
    roomCandidates { __typename id shortId } factChecks { __typename id shortId } grantedStatements { __typename id shortId }
    proposals { __typename id shortId criticism { issues { __typename id shortId } } }
}";

const NODE: &str = "query ($id: ID!) { node(id: $id) { __typename id } }";

/// Collects the types and ids of all objects in a response; each with the number of its places.
fn collect(value: &Value, found: &mut BTreeMap<(String, String), usize>) {
    match value {
        Value::Object(fields) => {
            if let (Some(kind), Some(id)) = (value["__typename"].as_str(), value["id"].as_str()) {
                *found.entry((id.to_owned(), kind.to_owned())).or_default() += 1;
            }
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// Builds a debate with an object of each type.
fn events() -> Vec<Value> {
    let source = json!({ "title": "Census", "excerpt": "half do" });
    let argument = |n: u32, speaker: &str, turn: &str, claim: &str| {
        let body = json!({
            "argument": format!("a{n}"), "speaker": speaker, "turn": turn, "claim": claim, "premises": ["Somebody counts"],
            "assumptions": ["Somebody comes"], "answers_topic": true,
        });
        event_input("argument_advanced", body)
    };
    let stance = |speaker: &str, side: &str, turn: &str, quote: &str| {
        let body = json!({ "dispute": "d1", "speaker": speaker, "side": side, "turn": turn, "quote": quote });
        event_input("stance_taken", body)
    };
    vec![
        opening_input(),
        turn_input(1, "anna", "It should open. I would staff it."),
        turn_input(2, "basil", "It should not. Nobody would staff it."),
        argument(1, "anna", "t1", "The library should open"),
        argument(2, "basil", "t2", "The library should not open"),
        event_input(
            "attack_raised",
            json!({ "attack": "k1", "speaker": "basil", "turn": "t2", "source": "a2", "target": "a1", "kind": "rebut",
                "component": { "part": "claim" }, "rationale": "not both", "confidence": 0.8 }),
        ),
        event_input("attack_judged", json!({ "attack": "k1", "valid": true, "strength": 0.9, "reason": "not both" })),
        event_input(
            "dispute_raised",
            json!({ "dispute": "d1", "question": "Would anybody staff it?", "turns": ["t2"] }),
        ),
        stance("anna", "yes", "t1", "I would staff it."),
        stance("basil", "no", "t2", "Nobody would staff it."),
        event_input(
            "reason_given",
            json!({ "reason": "r1", "dispute": "d1", "speaker": "anna", "turn": "t1", "side": "yes",
                "polarity": "supports", "claim": "I would" }),
        ),
        event_input(
            "crux_proposed",
            json!({ "crux": "c1", "speaker": "anna", "turn": "t1", "statement": "Somebody would staff it" }),
        ),
        event_input(
            "disagreements_detected",
            json!({ "turns": ["t1", "t2"], "found": [{
                "candidate": "n1", "question": "Would anybody staff it?", "confidence": 0.9,
                "yes": { "speaker": "anna", "turn": "t1", "quote": "I would staff it." },
                "no": { "speaker": "basil", "turn": "t2", "quote": "Nobody would staff it." } }] }),
        ),
        event_input(
            "room_opened",
            json!({ "room": "m1", "question": "Would anybody staff it?", "dispute": "d1", "candidate": "n1",
                "participants": ["anna", "basil"], "turns": ["t1", "t2"], "reason": "they are opposed" }),
        ),
        event_input(
            "claim_checked",
            json!({ "check": "f1", "turn": "t1", "claim": "Anna would staff it.", "quote": "I would staff it.",
                "verdict": "false", "sources": [source], "by": "town-records" }),
        ),
        event_input(
            "proposal_drafted",
            json!({ "proposal": "p1", "speaker": "anna", "turn": "t1", "round": 1, "text": "Open it.",
                "reasoning": "People come.", "confidence": 0.7 }),
        ),
        event_input(
            "proposal_criticized",
            json!({ "proposal": "p1", "speaker": "basil", "turn": "t2", "round": 1, "recommendation": "revise",
                "issues": [{ "issue": "i1", "severity": "major", "text": "Nobody would staff it." }] }),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_id_is_unique_and_resolved_by_node() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let client = &server.client;
    let (one, other): (DebateId, DebateId) = (new_debate_id(), new_debate_id());
    for id in [one, other] {
        append(client, id, 0, &events()).await;
    }
    let at = events().len() - 1;
    let data = client.data(EVERYTHING, json!({ "id": one, "other": other, "at": at })).await;
    let mut found = BTreeMap::new();
    collect(&data, &mut found);
    // An event is the same at every version.
    let twice = found.iter().find(|((_, kind), n)| **n > 1 && kind != "Event");
    assert_eq!(twice, None, "an object is at one place of the response only");
    let ids: BTreeSet<&String> = found.keys().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), found.len(), "no two types share an id");
    let kinds: BTreeSet<&str> = found.keys().map(|(_, kind)| kind.as_str()).collect();
    let expected = BTreeSet::from([
        "Argument",
        "Attack",
        "Crux",
        "CruxProposal",
        "Debate",
        "Dispute",
        "DisputeReason",
        "Engine",
        "Event",
        "FactCheck",
        "Generation",
        "Participant",
        "Persona",
        "Projection",
        "Proposal",
        "ProposalIssue",
        "Provider",
        "Room",
        "RoomCandidate",
        "Turn",
    ]);
    assert_eq!(kinds, expected);
    for (id, kind) in found.keys() {
        let node = client.data(NODE, json!({ "id": id })).await["node"].take();
        assert_eq!(node, json!({ "__typename": kind, "id": id }), "{id}");
    }

    // `nodes` returns the same. Short ids behind the id of the debate are accepted too.
    let some: Vec<&String> =
        found.keys().map(|(id, _)| id).filter(|id| id.starts_with(&one.to_string())).take(100).collect();
    let nodes = client.data("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", json!({ "ids": some })).await;
    let expected: Vec<Value> = some.iter().map(|id| json!({ "id": id })).collect();
    assert_eq!(nodes["nodes"], json!(expected));
    let short = client.data(NODE, json!({ "id": format!("{one}:a2") })).await;
    assert_eq!(short["node"], json!({ "__typename": "Argument", "id": format!("{one}:argument:a2") }));
    for nothing in ["argument:a9", "argument:t1", "event:99", "verse:a1", "reason:r9"] {
        assert_eq!(
            client.data(NODE, json!({ "id": format!("{one}:{nothing}") })).await["node"],
            Value::Null,
            "{nothing}"
        );
    }

    // An argument is named by its unique id as well as by its short one.
    let what_if = "query ($id: ID!, $argument: ID!) { debate(id: $id) { whatIf(remove: [$argument]) { labelChanges { argumentId } } } }";
    let ask = async |argument: String| client.data(what_if, json!({ "id": one, "argument": argument })).await;
    assert_eq!(ask("a2".to_owned()).await, ask(format!("{one}:argument:a2")).await);
    server.stop().await;
}
