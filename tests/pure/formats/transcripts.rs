//! Transcripts of dialectic debates in the format of the predecessor, and the published examples.

use std::collections::BTreeMap;

use faultline_core::export::registry::find;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::Value;

use crate::rehearsal::{Log, Script, perform};

fn script(name: &str) -> Script {
    let path = format!("{}/tests/fixtures/rehearsals/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a fixture");
    Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(script, _)| script))
}

fn transcript(log: &Log) -> String {
    let exporter = find("txt").expect("the format");
    (exporter.write)(&DebateReadModel::of(&log.0), &log.0)
}

/// Asserts that the lines occur in this order.
fn check_lines(text: &str, expected: &[&str]) {
    let mut lines = text.lines();
    for line in expected {
        assert!(lines.any(|found| found == *line), "{line:?} is missing, or out of order:\n{text}");
    }
}

#[test]
fn the_published_run_has_the_published_transcript() {
    let text = transcript(&perform(script("dialectic_contract_refined"), None));
    let contract = "enforceable(Contract) :- contract(Contract), valid_offer(Contract), valid_acceptance(Contract), \
                    sufficient_consideration(Contract), legal_capacity(Contract), \
                    no_coercion_or_undue_influence(Contract), legal_purpose(Contract), mutually_assented(Contract), \
                    jurisdiction_compatibility(Contract), temporal_validity(Contract), not_prohibited(Contract)";
    check_lines(
        &text,
        &[
            "DIALECTICAL DEBATE TRANSCRIPT",
            "Knowledge Gap: A contract is enforceable when there is mutual agreement, consideration exchanged, legal capacity of parties, and lawful purpose",
            "Total Rounds: 3",
            "Converged: False",
            "Improvement: +0.07",
            "INITIAL PROPOSAL",
            "Reasoning: Balanced approach using negative constraints to handle capacity and purpose exceptions",
            "Confidence: 0.85",
            "ROUND 1",
            "Phase: synthesis",
            "Thesis:",
            "  Confidence: 0.85",
            "Antithesis:",
            "  Issues: 3",
            "  Recommendation: revise",
            "  Argument: Identified 3 issues, 2 edge cases, 0 contradictions. Recommendation: revise",
            "Synthesis:",
            "  Convergence Score: 0.21",
            "ROUND 2",
            "  Confidence: 0.92",
            "  Convergence Score: 0.50",
            "ROUND 3",
            "  Confidence: 0.93",
            &format!("  {contract}"),
            "  Convergence Score: 0.67",
            "FINAL RESULT",
            &format!("Rule: {contract}"),
            "Confidence: 0.92",
            "Convergence Reason: 3 of 3 rounds held",
        ],
    );
    let found = DebateReadModel::of(&perform(script("dialectic_contract_refined"), None).0).proposals.refinement();
    let literals = found.and_then(|found| found.literals).expect("rules");
    assert_eq!((literals.initial, literals.last), (5, 11), "the published numbers of predicates");
}

#[test]
fn an_accepted_rule_has_converged() {
    let text = transcript(&perform(script("dialectic_contract_accepted"), None));
    check_lines(
        &text,
        &[
            "Total Rounds: 2",
            "Converged: True",
            "Improvement: +0.10",
            "Rule: enforceable(C) :- contract(C), signed(C).",
            "Confidence: 0.65",
            "Phase: synthesis",
            "Phase: converged",
            "  Argument: Identified 0 issues, 2 edge cases, 0 contradictions. Recommendation: accept",
            "Rule: enforceable(C) :- contract(C), signed(C), consideration(C), capacity(P1), capacity(P2).",
            "Confidence: 0.75",
            "Convergence Reason: Agnes-wetherlow accepts p2, proposed by Edda-tolvane",
        ],
    );
}

/// Agreement in words and similarity converge; no objection, a limit, a repetition and a failure do not.
#[test]
fn only_agreement_and_similarity_converge() {
    for (name, converged) in [
        ("accepts", true),
        ("alike", true),
        ("layout", true),
        ("ratified", true),
        ("no_objection", false),
        ("not_ratified", false),
        ("accepts_from_the_other_side", false),
        ("accepts_without_reason", false),
        ("rounds_spent", false),
        ("rejects_then_cycles", false),
        ("never_readable", false),
        ("cost_spent", false),
    ] {
        let text = transcript(&perform(script(&format!("dialectic_{name}")), None));
        let line = format!("Converged: {}", if converged { "True" } else { "False" });
        assert!(text.lines().any(|found| found == line), "{name}:\n{text}");
    }
}

#[test]
fn a_debate_without_proposals_has_a_header_only() {
    let text = transcript(&perform(script("graph_polarized"), None));
    check_lines(&text, &["Total Rounds: 0", "Converged: False", "Improvement: none; no proposal was made"]);
    assert!(!text.contains("ROUND") && !text.contains("FINAL RESULT"), "{text}");
}

/// The example files play the rehearsed debates.
#[test]
fn the_examples_are_the_rehearsed_debates() {
    for name in ["contract_accepted", "contract_refined"] {
        let path = format!("{}/examples/dialectic/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let example: BTreeMap<String, Vec<Value>> =
            serde_json::from_str(&std::fs::read_to_string(path).expect("an example")).expect("a script");
        let rehearsed = script(&format!("dialectic_{name}"));
        let replies = rehearsed.answers.iter().map(|(key, replies)| {
            let parsed = replies.iter().map(|reply| serde_json::from_str(reply).expect("JSON"));
            (key.clone(), parsed.collect())
        });
        assert_eq!(example, replies.collect(), "{name}");
    }
}
