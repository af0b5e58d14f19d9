//! Wire contract: every body ever written can still be read, and bodies written today read back.
//!
//! `tests/fixtures/wire/<kind>.<schema>.json` holds one body of every kind in every schema it ever had, with every
//! optional field present. A fixture is never deleted, and gains only optional fields, because it represents bodies
//! that are stored in databases. The JSON Schemas of the bodies, which `reference` pins, define which fields are optional
//! and which words are allowed; the tests here check that the decoder agrees.

use std::fs;
use std::path::PathBuf;

use faultline_core::events::event::Event;
use faultline_core::events::registry::EventKind;
use faultline_core::events::wire::{decode, encode};
use serde_json::{Value, json};

use crate::events::body_schema::{BodySchema, variant_name};
use crate::support::random::Random;

fn folder() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/wire").into()
}

/// Returns every kind with every schema that it ever had.
fn written() -> impl Iterator<Item = (&'static str, i16)> {
    Event::KINDS.iter().flat_map(|kind| (1..=kind.schema).map(move |schema| (kind.name, schema)))
}

fn current_schema(kind: &str) -> i16 {
    Event::current_schema(kind).unwrap_or_else(|| panic!("{kind} is no event kind"))
}

/// Returns the JSON Schema of a kind's body.
fn body_schema(kind: &EventKind) -> Value {
    (kind.json_schema)().to_value()
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
    let strays: Vec<String> = names.filter(|name| !known.contains(name)).collect();
    assert!(strays.is_empty(), "of an unknown kind or schema: {strays:?}");
}

#[test]
fn fields_are_optional_exactly_where_the_schema_says_so() {
    let mut faults = Vec::new();
    for kind in Event::KINDS {
        let (name, body, schema) = (kind.name, today(kind.name), body_schema(kind));
        for field in fields(&body, "") {
            let mut without = body.clone();
            let (parent, last) = field.rsplit_once('/').expect("a pointer has a slash");
            without.pointer_mut(parent).and_then(Value::as_object_mut).expect("a field's parent").remove(last);
            let required = BodySchema::of(&schema).requires(&body, &field);
            match read(name, kind.schema, &without) {
                Ok(_) if required => faults.push(format!("{name} was read without {field}")),
                Err(fault) if !required => faults.push(format!("{name} was not read without {field}: {fault}")),
                Ok(event) => faults.extend(rewritten(&event).err()),
                Err(_) => {}
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn fixtures_have_every_field_of_the_schema() {
    for kind in Event::KINDS {
        let schema = body_schema(kind);
        let lacking = BodySchema::of(&schema).lacking(&[&today(kind.name)], "");
        assert!(lacking.is_empty(), "the fixture of {} lacks {lacking:?}", kind.name);
    }
}

/// Returns pointers to all fields of all objects in a value.
fn fields(value: &Value, place: &str) -> Box<dyn Iterator<Item = String>> {
    let children: Vec<(String, Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (format!("{place}/{name}"), field.clone())).collect()
        }
        Value::Array(items) => {
            (0..).zip(items).map(|(n, element): (usize, _)| (format!("{place}/{n}"), element.clone())).collect()
        }
        _ => Vec::new(),
    };
    let own = if value.is_object() { children.iter().map(|(place, _)| place.clone()).collect() } else { Vec::new() };
    let below = children.into_iter().flat_map(|(place, child)| fields(&child, &place));
    Box::new(own.into_iter().chain(below))
}

#[test]
fn closed_lists_accept_exactly_their_words() {
    let mut n_words = 0;
    for kind in Event::KINDS {
        let (body, schema) = (today(kind.name), body_schema(kind));
        BodySchema::of(&schema).walk(&body, "", &mut |part, pointer| {
            let variants = part.variants();
            for variant in &variants {
                let Some(changed) = with_variant(&body, pointer, variant) else { continue };
                let word = variant_name(variant.value).unwrap_or_default();
                let event = read(kind.name, kind.schema, &changed).unwrap_or_else(|fault| panic!("{word}: {fault}"));
                assert_eq!(rewritten(&event).as_ref(), Ok(&changed), "{} {pointer} {word}", kind.name);
                n_words += 1;
            }
            for word in ["", "Yes", "UNKNOWN", "other"] {
                let mut changed = body.clone();
                let Some(variant) = variants.first() else { continue };
                let tag = variant.tag().map(|(tag, _)| format!("/{tag}")).unwrap_or_default();
                *changed.pointer_mut(&format!("{pointer}{tag}")).expect("the place") = json!(word);
                assert!(read(kind.name, kind.schema, &changed).is_err(), "{} {pointer} {word:?}", kind.name);
            }
        });
    }
    assert!(n_words > 80, "{n_words} words");
}

/// Puts a variant in place of another: a word, or an object of that tag with those fields of the present one that it
/// has as well. Returns `None` if it needs a field that the present one lacks.
fn with_variant(body: &Value, pointer: &str, variant: &BodySchema) -> Option<Value> {
    let mut changed = body.clone();
    let place = changed.pointer_mut(pointer)?;
    let Some((tag, word)) = variant.tag() else {
        *place = variant.value["const"].clone();
        return Some(changed);
    };
    let fields = variant.fields();
    let present = place.as_object_mut()?;
    present.retain(|name, _| fields.iter().any(|(other, ..)| other == name));
    present.insert(tag.to_owned(), json!(word));
    fields.iter().all(|(name, _, required)| !required || present.contains_key(*name)).then_some(changed)
}

#[test]
fn unknown_fields_are_ignored() {
    for kind in Event::KINDS {
        let mut body = today(kind.name);
        let event = read(kind.name, kind.schema, &body);
        body["a_field_of_the_future"] = json!({ "x": [1] });
        assert_eq!(read(kind.name, kind.schema, &body), event, "{}", kind.name);
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
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..20_000 {
        let state = random.next();
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
