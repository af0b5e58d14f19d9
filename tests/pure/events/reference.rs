//! Reference of event kinds: docs/events.md and docs/events.schema.json are what the code defines, everything in them
//! is described, and a new version of them breaks no stored event. `UPDATE=1 cargo test --test pure events` rewrites
//! both files.

use std::fs;
use std::path::PathBuf;

use faultline_core::events::event::Event;
use faultline_core::events::reference;
use serde_json::Value;

use crate::events::body_schema::{BodySchema, variant_name};

fn committed(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

#[test]
fn the_committed_reference_of_events_is_current_and_breaks_no_stored_event() {
    let path = committed("events.schema.json");
    if let Ok(before) = fs::read_to_string(&path) {
        let before: Value = serde_json::from_str(&before).expect("docs/events.schema.json is JSON");
        let broken = breaking(&before, &reference::event_schemas());
        let advice = "raise the schema number of the kind and add an upcast";
        assert!(broken.is_empty(), "stored events would be misread; {advice}:\n{}", broken.join("\n"));
    }
    for (name, now) in [("events.schema.json", reference::json()), ("events.md", reference::markdown())] {
        let path = committed(name);
        if fs::read_to_string(&path).is_ok_and(|text| text == now) {
            continue;
        }
        assert!(
            std::env::var_os("UPDATE").is_some(),
            "docs/{name} is not what the code defines; if the change is intended: UPDATE=1 cargo test --test pure events"
        );
        fs::write(&path, now).expect("docs is writable");
    }
}

/// Lists the changes that make stored bodies unreadable or surprise readers: kinds, fields and words that disappeared,
/// and optional fields that became required, each in an unchanged schema number.
fn breaking(before: &Value, now: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    for (kind, before) in before["kinds"].as_object().expect("an object of kinds") {
        let now = &now["kinds"][kind];
        if now.is_null() {
            broken.push(format!("{kind} was removed"));
        } else if now["schema"] == before["schema"] {
            compare(&BodySchema::of(&before["body"]), &BodySchema::of(&now["body"]), kind, &mut broken);
        }
    }
    broken
}

fn compare(before: &BodySchema, now: &BodySchema, path: &str, broken: &mut Vec<String>) {
    for (name, field, was_required) in before.fields() {
        let path = format!("{path}/{name}");
        match now.fields().into_iter().find(|(other, ..)| *other == name) {
            None => broken.push(format!("{path} was removed")),
            Some((_, _, true)) if !was_required => broken.push(format!("{path} became required")),
            Some((_, other, _)) => compare(&field, &other, &path, broken),
        }
    }
    for variant in before.variants() {
        let name = variant_name(variant.value);
        match now.variants().into_iter().find(|other| variant_name(other.value) == name) {
            None => broken.push(format!("{path} has no {} any more", name.unwrap_or_default())),
            Some(other) => compare(&variant, &other, path, broken),
        }
    }
    if let (Some(item), Some(other)) = (before.items(), now.items()) {
        compare(&item, &other, path, broken);
    }
}

#[test]
fn breaking_changes_of_bodies_are_recognized() {
    let now = reference::event_schemas();
    let check = |pointer: &str, change: &dyn Fn(&mut Value), wanted: &str| {
        let mut other = now.clone();
        change(other.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} exists")));
        assert_eq!(breaking(&now, &other), [wanted], "{pointer}");
    };
    let without =
        |name: &'static str| move |value: &mut Value| drop(value.as_object_mut().map(|object| object.remove(name)));
    check("/kinds", &without("debate_paused"), "debate_paused was removed");
    check("/kinds/turn_taken/body/properties", &without("round"), "turn_taken/round was removed");
    let require = |value: &mut Value| value.as_array_mut().expect("a list").push("round".into());
    check("/kinds/turn_taken/body/required", &require, "turn_taken/round became required");
    let shorten = |value: &mut Value| drop(value.as_array_mut().expect("a list").pop());
    check("/kinds/attack_raised/body/$defs/AttackKind/oneOf", &shorten, "attack_raised/kind has no undercut any more");
    assert_eq!(breaking(&now, &now), [""; 0]);
}

#[test]
fn every_kind_field_type_and_word_of_events_is_described() {
    let mut missing = Vec::new();
    for (kind, entry) in reference::event_schemas()["kinds"].as_object().expect("an object of kinds") {
        undescribed(&entry["body"], kind, &mut missing);
    }
    assert!(missing.is_empty(), "add doc comments to:\n{}", missing.join("\n"));
}

fn undescribed(schema: &Value, path: &str, missing: &mut Vec<String>) {
    let described = schema["description"].as_str().is_some_and(|text| text.ends_with('.'));
    if !described && schema["const"].is_null() {
        missing.push(path.to_owned());
    }
    for group in ["properties", "$defs"] {
        for (name, field) in schema[group].as_object().into_iter().flatten() {
            undescribed(field, &format!("{path}/{name}"), missing);
        }
    }
    for variant in schema["oneOf"].as_array().into_iter().flatten() {
        let name = variant_name(variant).unwrap_or_default();
        let empty = variant["description"].as_str().is_none_or(str::is_empty);
        missing.extend(empty.then(|| format!("{path}: {name}")));
        undescribed(variant, &format!("{path}/{name}"), missing);
    }
}

#[test]
fn every_kind_is_recorded_by_somebody_and_has_a_name_of_its_own() {
    for (at, kind) in Event::KINDS.iter().enumerate() {
        assert!(!kind.recorded_by.is_empty(), "{} is recorded by nobody", kind.name);
        assert!(Event::KINDS[..at].iter().all(|other| other.name != kind.name), "{} is listed twice", kind.name);
        assert_eq!(Event::find_kind(kind.name).map(|found| found.schema), Ok(kind.schema));
    }
}
