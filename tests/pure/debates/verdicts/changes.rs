//! Comparison of verdicts and of stored rows: every field that differs is one change of its own kind, and every list that
//! is reversed is a change.

use std::collections::BTreeSet;

use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::diff::stored_change::{StoredChange, changes_of_crux_rows};
use faultline_core::verdicts::diff::verdict_change::{ChangeKind, VerdictChange};
use faultline_core::verdicts::diff::verdict_changes::verdict_changes;
use faultline_core::verdicts::verdict::Verdict;
use serde_json::{Value, json};

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
            "reason": "2 open disputes; 2 disputes agreed upon",
            "coverage": { "examined": 3, "pairs": 4, "answered": 1, "asked": 2 },
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

/// Pointer to a field, another value, and the change that this makes: kind, item, and both values.
type FieldChange = (&'static str, Value, &'static str, &'static str, &'static str, &'static str);

/// Fields of a verdict, each with another value and its change.
fn fields() -> Vec<FieldChange> {
    let of_cruxes = [fields_of_cruxes(), fields_of_positions(), fields_of_cards()].concat();
    [fields_of_the_whole(), fields_of_audits(), of_cruxes, fields_of_grants(), fields_of_lists()].concat()
}

fn fields_of_the_whole() -> Vec<FieldChange> {
    vec![
        (
            "/algorithm",
            json!("faultline-verdict/2"),
            "algorithm",
            "verdict",
            "faultline-verdict/1",
            "faultline-verdict/2",
        ),
        ("/regime/kind", json!("polarized"), "regime_kind", "verdict", "partial", "polarized"),
        ("/regime/reason", json!("x"), "regime_reason", "verdict", "2 open disputes; 2 disputes agreed upon", "x"),
        (
            "/regime/coverage/examined",
            json!(2),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers",
            "2 of 4, 1 of 2 answers",
        ),
        ("/regime/coverage/pairs", json!(5), "coverage", "verdict", "3 of 4, 1 of 2 answers", "3 of 5, 1 of 2 answers"),
        (
            "/regime/coverage/answered",
            json!(2),
            "coverage",
            "verdict",
            "3 of 4, 1 of 2 answers",
            "3 of 4, 2 of 2 answers",
        ),
        ("/regime/coverage/asked", json!(3), "coverage", "verdict", "3 of 4, 1 of 2 answers", "3 of 4, 1 of 3 answers"),
        ("/regime/exact", json!(false), "regime_exactness", "verdict", "true", "false"),
        ("/regime/unknown_events", json!(7), "unknown_events", "verdict", "0", "7"),
        ("/topic", Value::Null, "topic", "dispute d9", "Should the ferry run?", "-"),
        ("/topic/dispute", json!("d8"), "topic_dispute", "dispute d9", "d9", "d8"),
        ("/topic/question", json!("x?"), "topic_question", "dispute d9", "Should the ferry run?", "x?"),
        ("/topic/positions/0/first", json!("no"), "topic_first_side", "dispute d9, participant ada", "undecided", "no"),
        ("/topic/positions/0/side", json!("no"), "topic_side", "dispute d9, participant ada", "yes", "no"),
        ("/topic/positions/0/turn", json!("t8"), "topic_turn", "dispute d9, participant ada", "t5", "t8"),
        ("/topic/positions/0/words", json!("x"), "topic_words", "dispute d9, participant ada", "So it is.", "x"),
        (
            "/topic/positions/0/quote",
            json!("x"),
            "topic_quote",
            "dispute d9, participant ada",
            "So it is, and ever was.",
            "x",
        ),
        (
            "/cruxes/0/origin",
            json!({ "kind": "acknowledged", "proposal": "c1" }),
            "crux_origin",
            "crux d1",
            "dispute d1",
            "acknowledged c1",
        ),
    ]
}

fn fields_of_audits() -> Vec<FieldChange> {
    const AUDITOR: &str = "reader-1 of openai, revision 1, qualified (measured), precision 0.95, recall 0.8";
    const WORDS: &str = "dispute d4, participant ada";
    let auditor = |field, value, to| (field, value, "auditor", "verdict", AUDITOR, to);
    vec![
        ("/audit/setting", json!("off"), "audit_setting", "verdict", "required", "off"),
        auditor("/audit/auditor", Value::Null, "-"),
        auditor(
            "/audit/auditor/provider",
            json!("x"),
            "reader-1 of x, revision 1, qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/model",
            json!("x"),
            "x of openai, revision 1, qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/revision",
            json!(2),
            "reader-1 of openai, revision 2, qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/qualified",
            json!(false),
            "reader-1 of openai, revision 1, not qualified (measured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/basis",
            json!("unmeasured"),
            "reader-1 of openai, revision 1, qualified (unmeasured), precision 0.95, recall 0.8",
        ),
        auditor(
            "/audit/auditor/precision",
            json!(0.5),
            "reader-1 of openai, revision 1, qualified (measured), precision 0.5, recall 0.8",
        ),
        auditor(
            "/audit/auditor/recall",
            Value::Null,
            "reader-1 of openai, revision 1, qualified (measured), precision 0.95, recall none",
        ),
        ("/audit/failure", Value::Null, "audit_failure", "verdict", "no answer", "-"),
        ("/audit/words/0/question", json!("x?"), "audited_record", WORDS, "yes to \"Is it so?\"", "yes to \"x?\""),
        (
            "/audit/words/0/recorded",
            json!("no"),
            "audited_record",
            WORDS,
            "yes to \"Is it so?\"",
            "no to \"Is it so?\"",
        ),
        ("/audit/words/0/reading", json!("none"), "audit_reading", WORDS, "yes", "none"),
        ("/audit/words/0/reading", Value::Null, "audit_reading", WORDS, "yes", "not read"),
        ("/audit/words/0/is_audited", json!(false), "audit_reading", WORDS, "yes", "yes, not counted"),
        ("/audit/words/0/is_contested", json!(true), "audit_reading", WORDS, "yes", "yes, contested"),
    ]
}

fn fields_of_cruxes() -> Vec<FieldChange> {
    vec![
        ("/cruxes/0/origin/dispute", json!("d8"), "crux_origin", "crux d1", "dispute d1", "dispute d8"),
        ("/cruxes/1/origin/level", json!("claim"), "crux_origin", "crux s0000000000aa", "premise", "claim"),
        ("/cruxes/0/open", json!(false), "crux_open", "crux d1", "true", "false"),
        ("/cruxes/0/statement", json!("x"), "crux_statement", "crux d1", "Statement d1", "x"),
        (
            "/cruxes/0/other_statements/0",
            json!("x"),
            "crux_other_statements",
            "crux d1",
            "\"Nights are long.\", \"Days are short.\"",
            "\"x\", \"Days are short.\"",
        ),
        ("/cruxes/0/question", json!("x?"), "crux_question", "crux d1", "Are crews scarce?", "x?"),
        ("/cruxes/0/why", json!("x"), "crux_reason", "crux d1", "It decides one thesis.", "x"),
        ("/cruxes/0/agreed", json!("c2"), "crux_agreement", "crux d1", "c1", "c2"),
        ("/cruxes/0/agreed", Value::Null, "crux_agreement", "crux d1", "c1", "-"),
        ("/cruxes/0/pivotality", json!(0.25), "crux_pivotality", "crux d1", "0.5", "0.25"),
        ("/cruxes/0/pivotality", Value::Null, "crux_pivotality", "crux d1", "0.5", "-"),
        (
            "/cruxes/0/consequence",
            Value::Null,
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "-",
        ),
        (
            "/cruxes/0/consequence/changed",
            json!(2),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 2 of 2 theses, order 1, searched to 2",
        ),
        (
            "/cruxes/0/consequence/among",
            json!("disputed_claims"),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 2 disputed claims, order 1, searched to 2",
        ),
        (
            "/cruxes/0/consequence/theses",
            json!(3),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 3 theses, order 1, searched to 2",
        ),
        (
            "/cruxes/0/consequence/order",
            Value::Null,
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 2 theses, no order, searched to 2",
        ),
        (
            "/cruxes/0/consequence/searched",
            json!(1),
            "crux_consequence",
            "crux d1",
            "changes 1 of 2 theses, order 1, searched to 2",
            "changes 1 of 2 theses, order 1, searched to 1",
        ),
        ("/cruxes/0/dependents/0", json!("a7"), "crux_dependents", "crux d1", "a1, a2", "a7, a2"),
        (
            "/cruxes/0/assumptions",
            json!([]),
            "crux_assumptions",
            "crux d1",
            "\"Fuel is dear.\", \"Fuel is cheap.\"",
            "-",
        ),
        (
            "/cruxes/0/assumptions/1",
            json!("x"),
            "crux_assumptions",
            "crux d1",
            "\"Fuel is dear.\", \"Fuel is cheap.\"",
            "\"Fuel is dear.\", \"x\"",
        ),
    ]
}

fn fields_of_positions() -> Vec<FieldChange> {
    vec![
        ("/cruxes/0/attack_degree", json!(4), "crux_attack_degree", "crux d1", "3", "4"),
        ("/cruxes/0/positions/0/side", json!("yes"), "crux_side", "crux d1, participant ada", "rests_on", "yes"),
        ("/cruxes/0/positions/0/turn", json!("t8"), "crux_position_turn", "crux d1, participant ada", "t1", "t8"),
        (
            "/cruxes/0/positions/0/turn_basis",
            json!("matched_words"),
            "crux_position_turn",
            "crux d1, participant ada",
            "t1",
            "t1 by matching words",
        ),
        (
            "/cruxes/0/positions/0/basis",
            json!("assumed"),
            "crux_position_basis",
            "crux d1, participant ada",
            "said",
            "assumed",
        ),
        (
            "/cruxes/0/positions/0/argument",
            Value::Null,
            "crux_position_argument",
            "crux d1, participant ada",
            "a1",
            "-",
        ),
        (
            "/cruxes/0/positions/0/words",
            json!("x"),
            "crux_position_words",
            "crux d1, participant ada",
            "Words of ada.",
            "x",
        ),
        ("/cruxes/0/positions/0/name", json!("A"), "crux_position_name", "crux d1, participant ada", "ADA", "A"),
        ("/cruxes/0/positions/0/quote", json!("x"), "crux_position_quote", "crux d1, participant ada", "So.", "x"),
        ("/cruxes/0/turns/1", json!("t8"), "crux_turns", "crux d1", "t1, t2", "t1, t8"),
        ("/cruxes/0/opened", json!("t2"), "crux_opening_turn", "crux d1", "t1", "t2"),
    ]
}

fn fields_of_cards() -> Vec<FieldChange> {
    let premise = "premise: It is a premise of a1.";
    let diagnosis = "Ada rests a1 on it. (room m1)";
    let criteria = "\"A cold winter.\", \"A mild winter.\"; none";
    let (mind, of_ada) = ("crux_mind_change", "crux d1, participant ada");
    vec![
        (
            "/cruxes/0/card/kind",
            Value::Null,
            "crux_disagreement",
            "crux d1",
            premise,
            "unknown: It is a premise of a1.",
        ),
        ("/cruxes/0/card/kind_reason", json!("x"), "crux_disagreement", "crux d1", premise, "premise: x"),
        ("/cruxes/0/card/diagnosis", json!("x"), "crux_diagnosis", "crux d1", diagnosis, "x (room m1)"),
        ("/cruxes/0/card/diagnosed_in", Value::Null, "crux_diagnosis", "crux d1", diagnosis, "Ada rests a1 on it."),
        ("/cruxes/0/card/horizon", Value::Null, "crux_horizon", "crux d1", "a year", "-"),
        (
            "/cruxes/0/card/criteria/0",
            json!("x"),
            "crux_criteria",
            "crux d1",
            criteria,
            "\"x\", \"A mild winter.\"; none",
        ),
        (
            "/cruxes/0/card/criteria_missing",
            Value::Null,
            "crux_criteria",
            "crux d1",
            criteria,
            "\"A cold winter.\", \"A mild winter.\"",
        ),
        ("/cruxes/0/card/resolution", Value::Null, "crux_resolution", "crux d1", "Settled in t2.; none", "none"),
        (
            "/cruxes/0/card/resolution_missing",
            Value::Null,
            "crux_resolution",
            "crux d1",
            "Settled in t2.; none",
            "Settled in t2.",
        ),
        ("/cruxes/0/card/mind_changes/0/quote", json!("x"), mind, of_ada, "t2: If it froze.", "t2: x"),
        ("/cruxes/0/card/mind_changes/0/turn", json!("t8"), mind, of_ada, "t2: If it froze.", "t8: If it froze."),
        (
            "/cruxes/0/card/mind_changes/0/on_crux",
            json!(false),
            mind,
            of_ada,
            "t2: If it froze.",
            "t2, on the topic: If it froze.",
        ),
        (
            "/cruxes/0/card/mind_changes/0",
            json!({ "persona": "ada", "source": "unknown", "reason": "Never." }),
            mind,
            of_ada,
            "t2: If it froze.",
            "unknown: Never.",
        ),
    ]
}

fn fields_of_grants() -> Vec<FieldChange> {
    let key = CruxKey::of_statement("Crews are scarce.").to_string();
    let item: &'static str = format!("granted statement {key}").leak();
    let of_ben: &'static str = format!("granted statement {key}, participant ben").leak();
    let kind = "granted_statement";
    let from = "\"Crews are scarce.\" by ada in t1 (\"Crews are scarce.\"), from premise 2 of a1";
    let turn = json!({ "kind": "turn", "turn": "t1" });
    vec![
        (
            "/granted/0/statement",
            json!("crews are SCARCE"),
            kind,
            item,
            from,
            "\"crews are SCARCE\" by ada in t1 (\"Crews are scarce.\"), from premise 2 of a1",
        ),
        (
            "/granted/0/source",
            turn,
            kind,
            item,
            from,
            "\"Crews are scarce.\" by ada in t1 (\"Crews are scarce.\"), from a statement of t1",
        ),
        (
            "/granted/0/author/persona",
            json!("dan"),
            kind,
            item,
            from,
            "\"Crews are scarce.\" by dan in t1 (\"Crews are scarce.\"), from premise 2 of a1",
        ),
        (
            "/granted/0/author/turn",
            json!("t8"),
            kind,
            item,
            from,
            "\"Crews are scarce.\" by ada in t8 (\"Crews are scarce.\"), from premise 2 of a1",
        ),
        (
            "/granted/0/author/quote",
            Value::Null,
            kind,
            item,
            from,
            "\"Crews are scarce.\" by ada in t1 (not spoken), from premise 2 of a1",
        ),
        ("/granted/0/granters/0/turn", json!("t8"), "granted_turn", of_ben, "t4", "t8"),
        ("/granted/0/granters/0/quote", json!("x"), "granted_words", of_ben, "I grant it.", "x"),
    ]
}

fn fields_of_lists() -> Vec<FieldChange> {
    vec![
        ("/common_ground/0/question", json!("x?"), "common_ground_question", "dispute d4", "Question 4?", "x?"),
        ("/common_ground/0/side", json!("no"), "common_ground_side", "dispute d4", "yes", "no"),
        (
            "/common_ground/0/holders/0/turn",
            json!("t8"),
            "common_ground_turn",
            "dispute d4, participant ada",
            "t3",
            "t8",
        ),
        (
            "/common_ground/0/holders/0/quote",
            json!("x"),
            "common_ground_words",
            "dispute d4, participant ada",
            "Yes.",
            "x",
        ),
        (
            "/common_ground/0/holders/0/confidence",
            json!(0.5),
            "common_ground_confidence",
            "dispute d4, participant ada",
            "0.8",
            "0.5",
        ),
        ("/camps/1/arguments/0", json!("a8"), "camp_arguments", "camp 2", "a2, a4", "a8, a4"),
        ("/camps/1/personas/0", json!("eve"), "camp_members", "camp 2", "ben, dan", "eve, dan"),
        ("/camps/1/tied/0", json!("eve"), "camp_ties", "camp 2", "cleo, dan", "eve, dan"),
        ("/camps_exact", json!(false), "camps_exactness", "verdict", "true", "false"),
        ("/labels/a1", json!("UNDEC"), "label", "argument a1", "in", "undecided"),
        ("/n_extensions", json!("3"), "extension_count", "verdict", "2", "3"),
        ("/last_word/standing", json!(3), "unanswered", "verdict", "1 of 2", "1 of 3"),
        ("/last_word/unanswered", json!(2), "unanswered", "verdict", "1 of 2", "2 of 2"),
        ("/limit", Value::Null, "limit", "verdict", "turns", "-"),
    ]
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
