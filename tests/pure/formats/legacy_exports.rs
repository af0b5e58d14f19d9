//! Exports in the event names of the legacy systems: what is exported reads back with the same content.

use std::fs;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::export::legacy::legacy::LegacyTranslator;
use faultline_core::imports::import::{Imported, read};
use faultline_core::imports::shape::Shape;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::Value;

use crate::rehearsal::{Script, perform};

fn imported(name: &str) -> Imported {
    let path = format!("{}/tests/fixtures/legacy/{name}", env!("CARGO_MANIFEST_DIR"));
    read(&fs::read(path).expect("a fixture")).expect("a debate")
}

fn legacy_lines(events: &[Recorded]) -> Vec<Value> {
    let mut legacy = LegacyTranslator::default();
    events.iter().flat_map(|recorded| legacy.translate(recorded)).collect()
}

fn read_back(actual: &[Value]) -> Imported {
    let lines: String = actual.iter().map(|line| format!("{line}\n")).collect();
    read(lines.as_bytes()).expect("a stream in the legacy names")
}

/// Returns the content that must be the same in every format.
fn comparable_content(events: &[Recorded]) -> String {
    let read_model = DebateReadModel::of(events);
    let verdict = read_model.verdict();
    let claims: Vec<String> = read_model
        .arguments
        .live()
        .map(|(id, argument)| format!("{id} {} {}", argument.advanced.speaker, argument.advanced.claim))
        .collect();
    let mut attacks: Vec<String> = read_model
        .arguments
        .active()
        .map(|(_, attack)| format!("{} {:?} {}", attack.raised.source, attack.kind(), attack.raised.target))
        .collect();
    attacks.sort();
    format!(
        "{}\n{claims:#?}\n{attacks:#?}\n{:?} {} {:?}",
        read_model.summary.topic, verdict.labels, verdict.n_extensions, verdict.regime.kind
    )
}

#[test]
fn legacy_exports_read_back() {
    for (name, shape) in [
        ("v2-2p-20-moves.events.jsonl", Shape::Dialogue),
        ("v2-2p-30.events.jsonl", Shape::Dialogue),
        ("v2-2p-6.events.jsonl", Shape::Dialogue),
        ("v2-o1-mutual.result.json", Shape::Dialogue),
        ("v1-o2.result.json", Shape::Dialogue),
    ] {
        let first = imported(name);
        let again = read_back(&legacy_lines(&first.events));
        assert_eq!(again.report.shape, shape, "{name}");
        assert_eq!(comparable_content(&again.events), comparable_content(&first.events), "{name}");
        assert_eq!(again.report.counts.turns, first.report.counts.turns, "{name}");
        let said = |imported: &Imported| {
            let turns = imported.events.iter().filter_map(|recorded| match &recorded.event {
                Event::TurnTaken(recorded) => {
                    Some((recorded.speaker.clone(), recorded.text.clone(), recorded.moves.clone()))
                }
                _ => None,
            });
            turns.collect::<Vec<_>>()
        };
        assert_eq!(said(&again), said(&first), "{name}");
        // The words are now those of the service, so the file and the log agree on the regime.
        assert!(
            again.report.differences.iter().all(|difference| !difference.contains("the file states consensus")),
            "{name}"
        );
    }
}

/// The graph engine reported a counter-argument only by its attack: the counter-argument is reconstructed, and marked.
#[test]
fn a_graph_reads_back_with_reconstructed_counter_arguments() {
    let first = imported("graph-3p.events.jsonl");
    let actual = legacy_lines(&first.events);
    let again = read_back(&actual);
    assert_eq!((again.report.shape, again.report.counts.synthesised), (Shape::Graph, 6));
    assert_eq!(
        comparable_content(&again.events),
        comparable_content(&first.events).replace(&first.report.topic, &again.report.topic)
    );
    let labels =
        actual.iter().rfind(|line| line["type"] == "graph_update").expect("a graph")["labelling"]["labels"].clone();
    assert_eq!(labels.as_object().map(serde_json::Map::len), Some(10), "labels are never lost");
    let complete = actual.last().expect("an end");
    assert_eq!(
        (complete["type"].as_str(), complete["output"]["regime"].as_str()),
        (Some("debate_complete"), Some("undetermined"))
    );
}

#[test]
fn a_debate_that_was_stopped_ends_with_an_error() {
    let mut events = imported("v2-2p-6.events.jsonl").events;
    let cut = read(faultline_core::export::jsonl::jsonl(&events).as_bytes()).expect("an export");
    events.truncate(events.len() - 1);
    assert_eq!(legacy_lines(&cut.events).last().map(|line| line["type"].clone()), Some("engine_complete".into()));
    assert!(legacy_lines(&events).iter().all(|line| line["type"] != "engine_complete"));
}

#[test]
fn print_streams() {
    for name in ["graph_polarized", "dialogue_crux", "disputes_polarized", "graph_three_rounds"] {
        println!("== {name}");
        for line in legacy_lines(&played(name)) {
            println!("{line}");
        }
    }
}

/// Plays a rehearsal.
fn played(name: &str) -> Vec<Recorded> {
    let path = format!("{}/tests/fixtures/rehearsals/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("a rehearsal");
    let script = text.split_once("\n= log").map_or(text.as_str(), |(script, _)| script);
    perform(Script::parse(script), None).0
}
