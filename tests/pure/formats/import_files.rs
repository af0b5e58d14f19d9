//! Input files of imports, and short ways to build them.

use std::fs;

use faultline_core::imports::import::{Imported, read};
use serde_json::{Value, json};

pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/legacy");

pub fn bytes(name: &str) -> Vec<u8> {
    fs::read(format!("{FIXTURES}/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn imported(name: &str) -> Imported {
    read(&bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Builds a stream of lines, one event each.
pub fn stream(lines: &[Value]) -> Vec<u8> {
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

pub fn refusal(bytes: &[u8]) -> String {
    read(bytes).expect_err("refused").to_string()
}

/// Imports a stream of two participants with these events.
pub fn import_talk(events: &[Value]) -> Imported {
    let start = json!({"type": "engine_start", "topic": "Is it so?", "personaIds": ["Alma Voss", "Bram Keller"]});
    read(&stream(&[&[start], events].concat())).expect("a talk")
}

pub fn says(turn: u32, who: &str, words: &str, does: &str) -> Value {
    json!({"type": "dialogue_turn", "turn": {"turnIndex": turn, "personaId": who, "dialogue": words, "move": does}})
}

pub fn argument(id: &str, who: &str, claim: &str) -> Value {
    json!({"id": id, "speakerId": who, "claim": claim, "premises": ["p"], "assumptions": ["a"], "evidence": ["e"]})
}

pub fn attack(id: &str, who: &str, from: &str, to: &str, component: &str) -> Value {
    let target = json!({"argId": to, "component": component, "index": 0});
    json!({"id": id, "speakerId": who, "fromArgId": from, "toArgId": to, "type": "undermine", "target": target,
        "counterProposition": "not so", "rationale": "because"})
}

pub fn kinds(imported: &Imported) -> Vec<&str> {
    imported.events.iter().map(|recorded| recorded.event.kind()).collect()
}

pub fn set_aside(imported: &Imported) -> Vec<&str> {
    imported.report.set_aside.iter().map(|aside| aside.reason.as_str()).collect()
}
