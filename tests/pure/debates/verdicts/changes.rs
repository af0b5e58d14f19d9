//! Comparison of verdicts and of stored rows: every field that differs is one change of its own kind, and every list that
//! is reversed is a change.

use std::collections::BTreeSet;

use faultline_core::verdicts::diff::stored_change::{StoredChange, changes_of_crux_rows};
use faultline_core::verdicts::diff::verdict_change::{ChangeKind, VerdictChange};
use faultline_core::verdicts::diff::verdict_changes::verdict_changes;
use faultline_core::verdicts::verdict::Verdict;
use serde_json::{Value, json};

use super::changed_fields::fields;

/// A crux with two items in every list.
fn crux(key: &str, origin: Value, open: bool) -> Value {
    let position = |persona: &str, side: &str, turn: u32| json!({ "persona": persona, "name": persona.to_uppercase(), "side": side, "turn": format!("t{turn}"), "turn_basis": "stated", "argument": format!("a{turn}"), "words": format!("Words of {persona}."), "quote": "So.", "basis": "said" });
    let spoken = |persona: &str| json!({ "persona": persona, "source": "spoken", "quote": "If it froze.", "turn": "t2", "on_crux": true });
    json!({
        "key": key,
        "origin": origin,
        "open": open,
        "statement": format!("Statement {key}"),
        "other_statements": ["Nights are long.", "Days are short."],
        "agreed": "c1",
        "question": "Are crews scarce?",
        "why": "It decides one thesis.",
        "pivotality": 0.5,
        "consequence": { "changed": 1, "theses": 2, "order": 1, "searched": 2, "among": "theses" },
        "dependents": ["a1", "a2"],
        "assumptions": ["Fuel is dear.", "Fuel is cheap."],
        "attack_degree": 3,
        "positions": [position("ada", "rests_on", 1), position("ben", "attacks", 2)],
        "turns": ["t1", "t2"],
        "opened": "t1",
        "card": {
            "kind": "premise",
            "kind_reason": "It is a premise of a1.",
            "diagnosis": "Ada rests a1 on it.",
            "diagnosed_in": "m1",
            "horizon": "a year",
            "criteria": ["A cold winter.", "A mild winter."],
            "criteria_missing": "none",
            "mind_changes": [spoken("ada"), spoken("ben")],
            "resolution": "Settled in t2.",
            "resolution_missing": "none",
        },
    })
}

/// A verdict with two items in every list.
fn verdict() -> Value {
    let structure = |level: &str| json!({ "kind": "structure", "level": level });
    let dispute = |n: u32| json!({ "kind": "dispute", "dispute": format!("d{n}") });
    let topic_position = |persona: &str, side: &str, turn: u32| json!({ "persona": persona, "first": "undecided", "side": side, "turn": format!("t{turn}"), "words": "So it is.", "quote": "So it is, and ever was." });
    let words = |dispute: &str, turn: &str, reading: &str| {
        json!({
            "subject": { "kind": "stance", "dispute": dispute }, "question": "Is it so?", "persona": "ada", "turn": turn,
            "words": "Yes.", "recorded": "yes", "reading": reading, "is_audited": true, "is_contested": reading != "yes",
        })
    };
    let ground = |n: u32| {
        json!({ "dispute": format!("d{n}"), "question": format!("Question {n}?"), "side": "yes", "holders": [
        { "persona": "ada", "turn": "t3", "quote": "Yes.", "confidence": 0.8 },
        { "persona": "ben", "turn": "t4", "quote": "So it is.", "confidence": 0.6 },
    ] })
    };
    let granted = |statement: &str| {
        json!({
            "statement": statement,
            "source": { "kind": "argument", "argument": "a1", "component": { "part": "premise", "index": 1 } },
            "author": { "persona": "ada", "turn": "t1", "quote": statement },
            "granters": [
                { "persona": "ben", "turn": "t4", "quote": "I grant it." },
                { "persona": "cleo", "turn": "t5", "quote": "So do I." },
            ],
        })
    };
    let camp = |arguments: [&str; 2], personas: [&str; 2]| json!({ "arguments": arguments, "personas": personas, "tied": ["cleo", "dan"] });
    let verdict = json!({
        "algorithm": "faultline-verdict/1",
        "regime": {
            "kind": "partial",
            "reason": "2 open disputes; 2 questions answered alike",
            "coverage": { "examined": 3, "pairs": 4, "answered": 1, "asked": 2, "unread": 3 },
            "exact": true,
            "unknown_events": 0,
        },
        "topic": {
            "dispute": "d9",
            "question": "Should the ferry run?",
            "positions": [topic_position("ada", "yes", 5), topic_position("ben", "no", 6)],
        },
        "audit": {
            "setting": "required",
            "auditor": {
                "provider": "openai", "model": "reader-1", "revision": 1, "qualified": true, "basis": "measured",
                "precision": 0.95, "recall": 0.8,
            },
            "failure": "no answer",
            "words": [words("d4", "t3", "yes"), words("d5", "t4", "no")],
        },
        "cruxes": [crux("d1", dispute(1), true), crux("s0000000000aa", structure("premise"), true)],
        "resolved": [crux("d2", dispute(2), false), crux("d3", dispute(3), false)],
        "contested": [crux("s0000000000bb", structure("assumption"), true), crux("s0000000000cc", structure("claim"), true)],
        "common_ground": [ground(4), ground(5)],
        "granted": [granted("Crews are scarce."), granted("Fuel is dear.")],
        "camps": [camp(["a1", "a3"], ["ada", "cleo"]), camp(["a2", "a4"], ["ben", "dan"])],
        "camps_exact": true,
        "labels": { "a1": "IN", "a2": "OUT" },
        "n_extensions": "2",
        "last_word": { "standing": 2, "unanswered": 1 },
        "limit": "turns",
    });
    let written = serde_json::to_value(read(&verdict)).expect("JSON");
    assert_eq!(count(&written), count(&verdict), "the example has every field that is written");
    written
}

fn read(verdict: &Value) -> Verdict {
    serde_json::from_value(verdict.clone()).unwrap_or_else(|error| panic!("{error}: {verdict}"))
}

/// Pointers to all values of this JSON without members.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| leaves(value, &format!("{path}/{key}"), found))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| leaves(item, &format!("{path}/{n}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

fn count(value: &Value) -> usize {
    let mut found = Vec::new();
    leaves(value, "", &mut found);
    found.len()
}

/// Pointers to all lists of this JSON.
fn lists(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| lists(value, &format!("{path}/{key}"), found)),
        Value::Array(items) => {
            found.push(path.to_owned());
            items.iter().enumerate().for_each(|(n, item)| lists(item, &format!("{path}/{n}"), found));
        }
        _ => {}
    }
}

fn changed(pointer: &str, value: Value) -> Vec<VerdictChange> {
    let (before, mut after) = (verdict(), verdict());
    *after.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is not in the example")) = value;
    verdict_changes(&read(&before), &read(&after))
}

/// Fields by which items are matched: another value is another item.
const KEYS: [&str; 16] = [
    "/audit/words/*/subject/kind",
    "/audit/words/*/subject/dispute",
    "/audit/words/*/persona",
    "/audit/words/*/turn",
    "/audit/words/*/words",
    "/cruxes/*/card/mind_changes/*/persona",
    "/cruxes/*/card/mind_changes/*/source",
    "/granted/*/granters/*/persona",
    "/granted/*/source/argument",
    "/granted/*/source/component/index",
    "/granted/*/source/component/part",
    "/cruxes/*/key",
    "/cruxes/*/positions/*/persona",
    "/topic/positions/*/persona",
    "/common_ground/*/dispute",
    "/common_ground/*/holders/*/persona",
];

/// The pointer with list indices as stars, and with the lists of cruxes and the kinds of origins as one.
fn pattern(pointer: &str) -> String {
    let parts = pointer.split('/').map(|part| if part.parse::<usize>().is_ok() { "*" } else { part });
    let pattern =
        parts.collect::<Vec<_>>().join("/").replace("/resolved/", "/cruxes/").replace("/contested/", "/cruxes/");
    let pattern = pattern.replace("/labels/a1", "/labels/*").replace("/labels/a2", "/labels/*");
    pattern.replace("/origin/kind", "/origin").replace("/source/kind", "/source")
}

#[test]
fn a_verdict_does_not_differ_from_itself() {
    let verdict = read(&verdict());
    assert_eq!(verdict_changes(&verdict, &verdict), []);
}

#[test]
fn every_field_that_differs_is_one_change_of_its_kind() {
    for (pointer, value, kind, item, from, to) in fields() {
        let found = changed(pointer, value);
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let found: Vec<_> = found
            .iter()
            .map(|change| (change.kind.name(), change.item.to_string(), text(&change.from), text(&change.to)))
            .collect();
        assert_eq!(found, [(kind, item.to_owned(), from.to_owned(), to.to_owned())], "{pointer}");
    }
}

#[test]
fn no_field_of_a_verdict_is_left_out() {
    let mut all = Vec::new();
    leaves(&verdict(), "", &mut all);
    let all: BTreeSet<String> = all.iter().map(|pointer| pattern(pointer)).collect();
    let covered: BTreeSet<String> =
        fields().iter().map(|field| pattern(field.0)).chain(KEYS.into_iter().map(str::to_owned)).collect();
    let missing: Vec<&String> = all.iter().filter(|pointer| !covered.contains(*pointer)).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn an_item_of_one_verdict_only_is_one_change_of_its_kind() {
    let check = |pointer: &str, kind: ChangeKind, from: &str| {
        let (before, mut after) = (verdict(), verdict());
        let items = after.pointer_mut(pointer).and_then(Value::as_array_mut).expect("a list");
        items.pop();
        let (before, after) = (read(&before), read(&after));
        let texts = |changes: Vec<VerdictChange>| -> Vec<_> {
            changes.into_iter().map(|change| (change.kind, change.from, change.to)).collect()
        };
        assert_eq!(texts(verdict_changes(&before, &after)), [(kind, Some(from.to_owned()), None)], "{pointer}");
        assert_eq!(texts(verdict_changes(&after, &before)), [(kind, None, Some(from.to_owned()))], "{pointer}");
    };
    check("/cruxes", ChangeKind::Crux, "Statement s0000000000aa");
    check("/resolved", ChangeKind::Crux, "Statement d3");
    check("/contested", ChangeKind::Crux, "Statement s0000000000cc");
    check("/cruxes/0/positions", ChangeKind::CruxPosition, "attacks");
    check("/topic/positions", ChangeKind::TopicPosition, "no");
    check("/audit/words", ChangeKind::AuditedWords, "yes to \"Is it so?\"");
    check("/common_ground", ChangeKind::CommonGround, "Question 5?");
    check("/common_ground/1/holders", ChangeKind::CommonGroundHolder, "t4");
    check("/granted", ChangeKind::Granted, "Fuel is dear.");
    check("/granted/1/granters", ChangeKind::GrantedHolder, "t5");
    check("/cruxes/0/card/mind_changes", ChangeKind::CruxMindChange, "t2: If it froze.");
    check("/camps", ChangeKind::Camp, "a2, a4");
}

#[test]
fn every_reversed_list_is_a_change() {
    let mut all = Vec::new();
    lists(&verdict(), "", &mut all);
    let kind_of = |pointer: &str| match pattern(&format!("{pointer}/0")).trim_end_matches("/*") {
        "/cruxes" | "/resolved" | "/contested" => "crux_rank",
        "/cruxes/*/positions" => "crux_position_order",
        "/cruxes/*/other_statements" => "crux_other_statements",
        "/cruxes/*/dependents" => "crux_dependents",
        "/cruxes/*/assumptions" => "crux_assumptions",
        "/cruxes/*/turns" => "crux_turns",
        "/cruxes/*/card/criteria" => "crux_criteria",
        "/cruxes/*/card/mind_changes" => "crux_mind_change_order",
        "/topic/positions" => "topic_order",
        "/audit/words" => "audit_order",
        "/common_ground" => "common_ground_order",
        "/granted" => "granted_order",
        "/granted/*/granters" => "granted_holder_order",
        "/camps" => "camp_order",
        "/camps/*/arguments" => "camp_arguments",
        "/camps/*/personas" => "camp_members",
        "/camps/*/tied" => "camp_ties",
        _ => "common_ground_holder_order",
    };
    assert_eq!(all.len(), 60, "{all:?}");
    for pointer in all {
        let mut reversed = verdict().pointer(&pointer).and_then(Value::as_array).cloned().expect("a list");
        reversed.reverse();
        let kinds: BTreeSet<&str> =
            changed(&pointer, Value::Array(reversed)).iter().map(|change| change.kind.name()).collect();
        assert_eq!(kinds, BTreeSet::from([kind_of(&pointer)]), "{pointer}");
    }
}

#[test]
fn a_crux_that_moves_to_another_list_is_named() {
    let (before, mut after) = (verdict(), verdict());
    let moved = after["cruxes"].as_array_mut().expect("cruxes").pop().expect("a crux");
    after["contested"].as_array_mut().expect("contested premises").push(moved);
    let found = verdict_changes(&read(&before), &read(&after));
    let found: Vec<_> =
        found.iter().map(|change| (change.kind, change.from.as_deref(), change.to.as_deref())).collect();
    assert_eq!(found, [(ChangeKind::CruxList, Some("open"), Some("contested"))]);
}

#[test]
fn stored_rows_of_cruxes_are_compared_by_columns_and_by_the_fields_of_the_crux() {
    let row = json!({ "place": 1, "personas": ["ada", "ben"], "body": verdict()["cruxes"][0] });
    let check = |pointer: &str, value: Value, expected: &str| {
        let mut other = row.clone();
        *other.pointer_mut(pointer).expect("a value") = value;
        let found: Vec<String> = changes_of_crux_rows("d1", &row, &other).iter().map(StoredChange::to_string).collect();
        assert_eq!(found, [expected], "{pointer}");
    };
    assert_eq!(changes_of_crux_rows("d1", &row, &row), []);
    check("/place", json!(2), "place of crux d1: \"1\" instead of \"2\"");
    check(
        "/personas",
        json!(["ben", "ada"]),
        "personas of crux d1: \"[\\\"ada\\\",\\\"ben\\\"]\" instead of \"[\\\"ben\\\",\\\"ada\\\"]\"",
    );
    let mut reversed = row["body"]["positions"].as_array().cloned().expect("positions");
    reversed.reverse();
    check("/body/positions", json!(reversed), "crux_position_order of crux d1: \"ada, ben\" instead of \"ben, ada\"");
    let side = "crux_side of crux d1, participant ben: \"attacks\" instead of \"no\"";
    check("/body/positions/1/side", json!("no"), side);
    let unreadable = "body of crux d1, positions.1.side: \"attacks\" instead of \"maybe\"";
    check("/body/positions/1/side", json!("maybe"), unreadable);
    let mut unknown = row.clone();
    unknown["body"]["mood"] = json!("calm");
    let found: Vec<String> = changes_of_crux_rows("d1", &row, &unknown).iter().map(StoredChange::to_string).collect();
    assert_eq!(found, ["body of crux d1, mood: nothing instead of \"calm\""]);
}
