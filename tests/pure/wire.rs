//! Wire contract: every body ever written can still be read, and bodies written today read back.
//!
//! `tests/fixtures/wire/<kind>.<schema>.json` holds one body of every kind in every schema it ever had, with every
//! optional field present. A fixture is never deleted, and gains only optional fields, because it represents bodies
//! that are stored in databases.

use std::fs;
use std::path::PathBuf;

use faultline_core::events::event::Event;
use faultline_core::events::upcast::current_schema;
use faultline_core::events::wire::{decode, encode};
use serde_json::{Value, json};

/// Optional fields of bodies, by kind; `*` stands for any name or index. All other fields are required.
const MAY_BE_ABSENT: &[(&str, &[&str])] = &[
    (
        "debate_opened",
        &[
            "/options/*",
            "/limits/*",
            "/participants/*/voice/examples",
            "/participants/*/voice/examples/*",
            "/participants/*/voice/registers",
            "/participants/*/voice/registers/*",
        ],
    ),
    (
        "debate_forked",
        &[
            "/opened/options/*",
            "/opened/limits/*",
            "/opened/participants/*/voice/examples",
            "/opened/participants/*/voice/examples/*",
            "/opened/participants/*/voice/registers",
            "/opened/participants/*/voice/registers/*",
        ],
    ),
    ("phase_entered", &["/round", "/reason"]),
    ("interjected", &["/speaker", "/room"]),
    ("effect_requested", &["/grounds"]),
    (
        "effect_answered",
        &[
            "/answer/usage",
            "/answer/usage/*",
            "/answer/request_id",
            "/answer/tries",
            "/answer/grounds",
            "/ignored",
            "/repaired",
        ],
    ),
    (
        "effect_failed",
        &["/answer", "/answer/usage", "/answer/usage/*", "/answer/request_id", "/answer/tries", "/answer/grounds"],
    ),
    (
        "turn_taken",
        &[
            "/round",
            "/room",
            "/answers",
            "/citations",
            "/citations/*/quotes",
            "/citations/*/quotes/*/ranges",
            "/refused",
            "/dangling",
        ],
    ),
    ("hint_given", &["/about", "/dispute", "/crux"]),
    (
        "argument_advanced",
        &[
            "/assumptions",
            "/evidence",
            "/evidence/*/citation",
            "/evidence/*/citation/quotes",
            "/evidence/*/citation/quotes/*/ranges",
            "/carries",
            "/answers_topic",
        ],
    ),
    ("attack_judged", &["/kind", "/component"]),
    ("argument_revised", &["/claim", "/assumptions"]),
    ("argument_withdrawn", &["/superseded_by"]),
    ("dispute_raised", &["/is_topic", "/horizon", "/criteria", "/turns"]),
    ("dispute_linked", &["/turns"]),
    ("stance_taken", &["/statement"]),
    (
        "reason_given",
        &[
            "/assumptions",
            "/evidence",
            "/evidence/*/citation",
            "/evidence/*/citation/quotes",
            "/evidence/*/citation/quotes/*/ranges",
            "/attacks",
        ],
    ),
    ("room_opened", &["/dispute", "/turns", "/reason"]),
    ("room_closed", &["/card", "/card/kind", "/card/resolution", "/card/falsifiers"]),
    (
        "claim_checked",
        &[
            "/quote",
            "/sources",
            "/sources/*/address",
            "/sources/*/excerpt",
            "/sources/*/citation",
            "/sources/*/citation/quotes",
            "/sources/*/citation/quotes/*/ranges",
            "/explanation",
            "/confidence",
        ],
    ),
    ("turns_crystallized", &["/refused"]),
    ("claims_compared", &["/refused"]),
    ("progress_measured", &["/circling"]),
    ("verdict_imported", &["/said/*"]),
    ("record_kept", &["/set_aside", "/record/*"]),
    ("proposal_drafted", &["/terms"]),
    ("proposal_criticized", &["/edge_cases", "/contradictions"]),
    ("proposal_synthesized", &["/changes"]),
];

/// Every word of every closed list, with a place in a body at which it may occur.
const WORDS: &[(&str, &str, &[&str])] = &[
    ("debate_concluded", "/outcome/kind", &["converged", "limit", "cycle", "stalled"]),
    ("effect_requested", "/tier", &["quick", "deep"]),
    (
        "effect_failed",
        "/failure/kind",
        &["unreadable", "truncated", "declined", "unavailable", "timed_out", "hopeless"],
    ),
    ("turn_taken", "/citations/0/quotes/0/check", &["verbatim", "abridged", "unverified"]),
    ("turn_taken", "/moves/0", &["claim", "challenge", "clarify", "concede", "reframe", "propose_crux", "propose"]),
    ("attack_raised", "/kind", &["rebut", "undermine", "undercut"]),
    ("attack_raised", "/component/part", &["premise", "assumption"]),
    (
        "hint_given",
        "/hint",
        &[
            "conceded",
            "reframed",
            "circling",
            "one_sided",
            "challenges",
            "stuck",
            "stance_wanted",
            "crux_wanted",
            "flip_wanted",
            "agreement_wanted",
        ],
    ),
    ("concession_made", "/kind", &["full", "partial", "scope"]),
    ("stance_taken", "/side", &["yes", "no", "nuanced", "undecided"]),
    ("reason_given", "/side", &["yes", "no", "nuanced", "undecided"]),
    ("reason_given", "/polarity", &["supports", "attacks"]),
    ("room_closed", "/outcome", &["resolved", "surfaced", "exhausted", "failed", "abandoned"]),
    ("room_closed", "/card/kind", &["horizon", "evidence", "values", "definition", "claim", "premise"]),
    ("claim_checked", "/verdict", &["true", "false", "unverifiable"]),
    ("claims_compared", "/pairs/0/finding", &["conflict", "agreement", "compatible"]),
    ("proposal_criticized", "/issues/0/severity", &["minor", "major", "critical"]),
    ("proposal_criticized", "/recommendation", &["accept", "revise", "reject"]),
];

fn folder() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/wire").into()
}

/// Returns every kind with every schema that it ever had.
fn written() -> impl Iterator<Item = (&'static str, i16)> {
    Event::KINDS.iter().flat_map(|kind| (1..=current_schema(kind)).map(move |schema| (*kind, schema)))
}

/// Reads the fixture of this kind and schema.
fn fixture(kind: &str, schema: i16) -> Result<Value, String> {
    let path = folder().join(format!("{kind}.{schema}.json"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{} is missing: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is not valid JSON: {error}", path.display()))
}

/// Returns the body of this kind in its current schema.
fn today(kind: &str) -> Value {
    fixture(kind, current_schema(kind)).unwrap_or_else(|fault| panic!("{fault}"))
}

fn read(kind: &str, schema: i16, body: &Value) -> Result<Event, String> {
    decode(kind, schema, body.to_string().as_bytes()).map_err(|damaged| damaged.to_string())
}

/// Encodes an event and checks that it reads back. Returns the body.
fn rewritten(event: &Event) -> Result<Value, String> {
    let stored = encode(event);
    let current = current_schema(event.kind());
    if (stored.kind.as_str(), stored.schema) != (event.kind(), current) {
        return Err(format!("was written as {} {}, not {} {current}", stored.kind, stored.schema, event.kind()));
    }
    let again = decode(&stored.kind, stored.schema, &stored.body).map_err(|damaged| damaged.to_string())?;
    if again != *event {
        return Err(format!("came back as {again:?}, not {event:?}"));
    }
    serde_json::from_slice(&stored.body).map_err(|error| error.to_string())
}

#[test]
fn every_body_ever_written_can_be_read() {
    let check = |kind: &str, schema: i16| -> Result<(), String> {
        let body = fixture(kind, schema)?;
        let event = read(kind, schema, &body)?;
        if event.kind() != kind || matches!(event, Event::Opaque(_)) {
            return Err(format!("{kind} {schema} was read as {event:?}"));
        }
        let rewritten = rewritten(&event)?;
        if schema == current_schema(kind) && rewritten != body {
            return Err(format!("{kind} {schema} changed:\n  from {body}\n  to   {rewritten}"));
        }
        Ok(())
    };
    let faults: Vec<String> = written().filter_map(|(kind, schema)| check(kind, schema).err()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_fixture_has_a_known_kind_and_schema() {
    let known: Vec<String> = written().map(|(kind, schema)| format!("{kind}.{schema}.json")).collect();
    let entries = fs::read_dir(folder()).expect("the folder of fixtures");
    let names = entries.map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned());
    let strays: Vec<String> = names.filter(|it| !known.contains(it)).collect();
    assert!(strays.is_empty(), "of an unknown kind or schema: {strays:?}");
}

#[test]
fn optional_fields_are_exactly_those_listed() {
    let mut faults = Vec::new();
    for kind in Event::KINDS {
        let listed = MAY_BE_ABSENT.iter().find(|(it, _)| it == kind).map_or(&[][..], |(_, fields)| fields);
        let body = today(kind);
        for field in fields(&body, "") {
            let mut without = body.clone();
            let (parent, name) = field.rsplit_once('/').expect("a pointer has a slash");
            without.pointer_mut(parent).and_then(Value::as_object_mut).expect("a field's parent").remove(name);
            let may_be_absent = listed.iter().any(|it| fits(it, &field));
            match read(kind, current_schema(kind), &without) {
                Ok(_) if !may_be_absent => faults.push(format!("{kind} was read without {field}")),
                Err(fault) if may_be_absent => faults.push(format!("{kind} was not read without {field}: {fault}")),
                Ok(event) => faults.extend(rewritten(&event).err()),
                Err(_) => {}
            }
        }
        for pattern in listed {
            if !fields(&body, "").any(|it| fits(pattern, &it)) {
                faults.push(format!("the fixture of {kind} lacks {pattern}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns pointers to all fields of all objects in a value.
fn fields(value: &Value, place: &str) -> Box<dyn Iterator<Item = String>> {
    let children: Vec<(String, Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, it)| (format!("{place}/{name}"), it.clone())).collect(),
        Value::Array(items) => {
            (0..).zip(items).map(|(n, it): (usize, _)| (format!("{place}/{n}"), it.clone())).collect()
        }
        _ => Vec::new(),
    };
    let own = if value.is_object() { children.iter().map(|(it, _)| it.clone()).collect() } else { Vec::new() };
    let below = children.into_iter().flat_map(|(place, it)| fields(&it, &place));
    Box::new(own.into_iter().chain(below))
}

fn fits(pattern: &str, pointer: &str) -> bool {
    let (pattern, pointer): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), pointer.split('/').collect());
    pattern.len() == pointer.len() && pattern.iter().zip(&pointer).all(|(wanted, it)| *wanted == "*" || wanted == it)
}

#[test]
fn closed_lists_accept_exactly_their_words() {
    for (kind, place, words) in WORDS {
        for word in *words {
            let mut body = today(kind);
            *body.pointer_mut(place).unwrap_or_else(|| panic!("{kind} has no {place}")) = json!(word);
            if *place == "/outcome/kind" && *word != "limit" {
                body["outcome"].as_object_mut().expect("an outcome").remove("limit");
            }
            let event = read(kind, current_schema(kind), &body).unwrap_or_else(|fault| panic!("{word}: {fault}"));
            assert_eq!(rewritten(&event).as_ref(), Ok(&body), "{kind} {place} {word}");
        }
        for word in ["", "Yes", "UNKNOWN", "other"] {
            let mut body = today(kind);
            *body.pointer_mut(place).expect("the place") = json!(word);
            assert!(read(kind, current_schema(kind), &body).is_err(), "{kind} {place} {word:?}");
        }
    }
}

#[test]
fn unknown_fields_are_ignored() {
    for kind in Event::KINDS {
        let mut body = today(kind);
        let event = read(kind, current_schema(kind), &body);
        body["a_field_of_the_future"] = json!({ "x": [1] });
        assert_eq!(read(kind, current_schema(kind), &body), event, "{kind}");
    }
}

/// A body from before turns had rooms is written again byte for byte: an absent room leaves no trace.
#[test]
fn a_body_without_a_room_is_unchanged() {
    for (kind, body) in [
        ("turn_taken", r#"{"turn":"t1","speaker":"ada","round":0,"moves":["claim"],"answers":"t0","text":"Yes."}"#),
        ("turn_taken", r#"{"turn":"t1","speaker":"ada","moves":[],"text":"Yes.","refused":["x"],"dangling":1}"#),
        ("interjected", r#"{"turn":"t2","text":"And?"}"#),
        ("interjected", r#"{"turn":"t2","text":"And?","speaker":"ben"}"#),
    ] {
        let event = decode(kind, 1, body.as_bytes()).expect("a body of an earlier version");
        let stored = encode(&event);
        assert_eq!((stored.schema, String::from_utf8_lossy(&stored.body).as_ref()), (1, body));
    }
}

#[test]
fn numbers_round_trip_exactly() {
    let check = |number: f64| {
        let mut body = today("attack_raised");
        body["confidence"] = json!(number);
        let text = body.to_string();
        let Ok(Event::AttackRaised(it)) = decode("attack_raised", 1, text.as_bytes()) else {
            panic!("{number:e} cannot be read");
        };
        assert_eq!(it.confidence.to_bits(), number.to_bits(), "{number:e} came back as {:e}", it.confidence);
    };
    let edges = [0.0, -0.0, 0.1, 1.0 / 3.0, f64::MIN_POSITIVE, f64::MAX, 5e-324, 2.225_073_858_507_201e-308];
    edges.into_iter().for_each(check);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let share = (state >> 11) as f64 / (1_u64 << 53) as f64;
        check(share);
        let any = f64::from_bits(state);
        if any.is_finite() {
            check(any);
        }
    }
}

#[test]
fn every_text_round_trips() {
    let texts = [
        String::new(),
        "\u{0}\u{1}\u{7f}\u{9b}\u{2028}\u{feff}".to_owned(),
        "\u{202e}bidi\u{202c} 👩\u{200d}🚀 e\u{301} \u{1f1e9}\u{1f1ea}".to_owned(),
        r#"\" \u0022 {"kind":"debate_paused","body":{}} }"#.to_owned(),
        "long ".repeat(100_000),
    ];
    for text in texts {
        let mut body = today("interjected");
        body["text"] = json!(text);
        let event = read("interjected", 1, &body).expect("a text is a text");
        assert_eq!(rewritten(&event), Ok(body));
    }
}

#[test]
fn a_body_is_one_value_of_its_kind() {
    for body in [
        "",
        "null",
        "[]",
        "{",
        r#"{"phase": null}"#,
        r#"{"phase": "a", "phase": "b"}"#,
        r#"{"phase": "a"} {"phase": "b"}"#,
        r#"{"phase": "a"}, "kind": "debate_paused""#,
        r#"{"phase": "a"}, "body": {"phase": "b"}"#,
        r#"{"phase": "a"}, "more": 1"#,
        "{\"phase\": \"\u{1}\"}",
    ] {
        assert!(decode("phase_entered", 1, body.as_bytes()).is_err(), "{body}");
    }
}
