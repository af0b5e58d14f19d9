//! Turns of imported arguments: found by words where the file does not state them, never younger than an attack on the
//! argument, and marked. Cruxes of imports: one for each group of statements under the same arguments.

use std::collections::BTreeSet;
use std::fs;

use faultline_core::events::ids::{ArgumentId, TurnId};
use faultline_core::events::imported::TurnBasis;
use faultline_core::imports::import::{Imported, read_value};
use faultline_core::projections::argument_graph::ArgumentGraph;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::crux_id::normal;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::{Value, json};

use crate::formats::import_files::{FIXTURES, argument, attack, import_talk, imported, says};

fn fixtures() -> Vec<(String, Imported)> {
    let mut names: Vec<String> = fs::read_dir(FIXTURES)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".md"))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), imported(&name))).collect()
}

/// A v2 result file of two participants, who speak in turns.
fn result(said: &[&str], arguments: &[Value], attacks: &[Value]) -> Imported {
    let speakers = ["Alma Voss", "Bram Keller"];
    let transcript: Vec<Value> = said
        .iter()
        .enumerate()
        .map(|(n, words)| json!({ "turnIndex": n, "personaId": speakers[n % 2], "dialogue": words, "phase": 1, "move": "CLAIM" }))
        .collect();
    let graph = json!({ "arguments": arguments, "attacks": attacks });
    let file = json!({ "topic": "Is it so?", "personaIds": speakers, "transcript": transcript, "graph": graph,
        "regime": "consensus", "commonGround": [], "camps": [], "concessionTrail": [] });
    read_value(file).expect("a result file")
}

/// Turn and basis of each argument, and the turn of each attack.
fn turns(imported: &Imported) -> (Vec<(Option<u32>, TurnBasis)>, Vec<u32>) {
    let graph = DebateReadModel::of(&imported.events).arguments;
    let argument = graph.arguments.values().map(|it| (it.turn().map(|turn| turn.0), it.turn_basis));
    (argument.collect(), graph.attacks.values().map(|attack| attack.raised.turn.0).collect())
}

const SAID: [&str; 4] = ["Ferries sink.", "Bridges last.", "Bridges rust badly.", "Ferries float well."];

#[test]
fn an_argument_belongs_to_the_turn_that_shares_the_most_words_with_it() {
    let found = result(
        &SAID,
        &[argument("one", "Alma Voss", "All bridges rust."), argument("two", "Bram Keller", "Unrelated thing.")],
        &[],
    );
    assert_eq!(turns(&found).0, [(Some(3), TurnBasis::MatchedWords), (None, TurnBasis::Unknown)]);
    let notes = found.report.notes.join("\n");
    assert!(notes.contains("shares the most words") && notes.contains("their turns are unknown"), "{notes}");
}

#[test]
fn an_argument_is_not_attributed_to_a_turn_younger_than_an_attack_on_it() {
    let bridges = argument("bridges", "Alma Voss", "Ferries and bridges rust badly.");
    let last = argument("last", "Bram Keller", "Bridges last.");
    let undercut = attack("k", "Bram Keller", "last", "bridges", "claim");
    // By words alone it would be t3, but an argument of t2 attacks it.
    let found = turns(&result(&SAID, &[bridges, last.clone()], std::slice::from_ref(&undercut)));
    assert_eq!(found, (vec![(Some(1), TurnBasis::MatchedWords), (Some(2), TurnBasis::MatchedWords)], vec![2]));
    // No older turn shares a word with it.
    let rust = argument("bridges", "Alma Voss", "Bridges rust badly.");
    let found = turns(&result(&SAID, &[rust.clone(), last.clone()], std::slice::from_ref(&undercut)));
    assert_eq!(found, (vec![(None, TurnBasis::Unknown), (Some(2), TurnBasis::MatchedWords)], vec![2]));
    // Two that attack each other: the older one is attacked in a turn after the younger one.
    let back = attack("l", "Alma Voss", "bridges", "last", "claim");
    let found = turns(&result(&SAID, &[rust, last], &[undercut, back]));
    assert_eq!(found, (vec![(Some(3), TurnBasis::MatchedWords), (Some(2), TurnBasis::MatchedWords)], vec![4, 3]));
}

#[test]
fn an_argument_of_a_stream_is_not_younger_than_the_attack_of_the_same_record() {
    let found = import_talk(&[
        says(0, "Alma Voss", "Ferries sink.", "CLAIM"),
        says(1, "Bram Keller", "Bridges last.", "CLAIM"),
        says(2, "Alma Voss", "Sinking ferries cost lives.", "CLAIM"),
        json!({"type": "crystallization", "result": {
            "newArgs": [argument("one", "Alma Voss", "Ferries sink and cost lives."), argument("two", "Bram Keller", "Bridges last.")],
            "newAttacks": [attack("k", "Bram Keller", "two", "one", "claim")],
        }}),
    ]);
    assert_eq!(turns(&found), (vec![(Some(1), TurnBasis::MatchedWords), (Some(2), TurnBasis::MatchedWords)], vec![2]));
}

#[test]
fn no_imported_argument_is_younger_than_an_attack_on_it() {
    let mut n_by_words = 0;
    for (name, imported) in fixtures() {
        let graph = DebateReadModel::of(&imported.events).arguments;
        for attack in graph.attacks.values() {
            let raised = &attack.raised;
            let made = graph.turn(raised.target).unwrap_or(TurnId(0));
            assert!(
                made <= raised.turn,
                "{name}: {} attacks {} of {made} in {}",
                raised.attack,
                raised.target,
                raised.turn
            );
        }
        n_by_words += graph.arguments.values().filter(|it| it.turn_basis == TurnBasis::MatchedWords).count();
        let unknown = graph.arguments.values().filter(|it| it.turn_basis == TurnBasis::Unknown).count();
        assert_eq!(unknown, 0, "{name}");
    }
    assert_eq!(n_by_words, 16);
}

/// Live arguments that contain a statement as claim, premise or assumption.
fn resting(graph: &ArgumentGraph, statement: &str) -> BTreeSet<ArgumentId> {
    let is_it = |text: &String| normal(text) == normal(statement);
    let rests = graph.live().filter(|(_, argument)| {
        let advanced = &argument.advanced;
        is_it(&advanced.claim) || advanced.premises.iter().chain(&advanced.assumptions).any(is_it)
    });
    rests.map(|(id, _)| id).collect()
}

/// Number of arguments, of structural cruxes, of their other statements, and of contested premises.
const CRUXES: &[(&str, [usize; 4])] = &[
    ("graph-3p.events.jsonl", [12, 2, 0, 0]),
    ("v1-o2.result.json", [16, 13, 0, 1]),
    ("v2-2p-20-moves.events.jsonl", [5, 3, 0, 0]),
    ("v2-2p-30.events.jsonl", [5, 3, 0, 0]),
    ("v2-2p-6.events.jsonl", [4, 2, 0, 0]),
    ("v2-o1-mutual.result.json", [8, 5, 0, 2]),
    ("v2-o1.result.json", [8, 2, 0, 4]),
];

#[test]
fn statements_under_the_same_arguments_are_one_crux() {
    let mut found = Vec::new();
    for (name, imported) in fixtures() {
        let read_model = DebateReadModel::of(&imported.events);
        let (graph, verdict) = (&read_model.arguments, read_model.verdict());
        let cruxes: Vec<&Crux> =
            verdict.cruxes.iter().chain(&verdict.contested).filter(|crux| crux.consequence.is_some()).collect();
        let mut groups = BTreeSet::new();
        for crux in &cruxes {
            let group = resting(graph, &crux.statement);
            for other in &crux.other_statements {
                assert_eq!(resting(graph, other), group, "{name}: {other:?} is under other arguments");
            }
            assert!(groups.insert(group), "{name}: {:?} is under the arguments of another crux", crux.statement);
        }
        let n_open = verdict.cruxes.iter().filter(|crux| crux.consequence.is_some()).count();
        let n_others = cruxes.iter().map(|crux| crux.other_statements.len()).sum();
        if !graph.arguments.is_empty() {
            found.push((name, [graph.arguments.len(), n_open, n_others, verdict.contested.len()]));
        }
    }
    let found: Vec<(&str, [usize; 4])> = found.iter().map(|(name, counts)| (name.as_str(), *counts)).collect();
    assert_eq!(found, CRUXES);
}
