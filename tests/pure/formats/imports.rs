//! Imports: every kind of input file, and the debate that must result from it.

use std::fs;

use faultline_core::events::event::Event;
use faultline_core::events::ids::ArgumentId;
use faultline_core::imports::import::{Imported, read, read_value};
use faultline_core::imports::limits;
use faultline_core::imports::report::ImportCounts;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::{Value, json};

use crate::formats::import_files::{
    FIXTURES, argument, attack, bytes, import_talk, imported, kinds, refusal, says, set_aside, stream,
};

// The fixtures.

/// Expected counts, in this order: records, events, turns, phases, arguments, attacks, judgements, disputes, stances,
/// rooms; synthesised, quarantined, opaque, verdicts, repaired.
const BECOMES: &str = "
blitz-2p.events.jsonl                          blitz     polarized     32  55  18   3   0   0   0   2  20   0   0   0   0   9   0
blitz-3p-output-fallback.events.jsonl          blitz     polarized     33  60  21   3   0   0   0   2  24   0   0   0   0   7   0
blitz-3p.events.jsonl                          blitz     polarized     33  60  21   3   0   0   0   2  24   0   0   0   0   7   0
classical-3p.events.jsonl                      classical polarized     50  75  19   4   0   0   0   2  22   0   0   0   8  17   0
dialogue-2p-unmatched-reply-name.events.jsonl  crux      undetermined  25  24  16   5   0   0   0   0   0   0   0   0   0   1   0
dialogue-2p.events.jsonl                       crux      undetermined  79  91  52   8   0   0   0   1   6   3   0   0   3  10   0
dialogue-3p.events.jsonl                       crux      undetermined  87  99  60   8   0   0   0   1   6   3   0   0   3  10   0
graph-3p.events.jsonl                          graph     undetermined  29  58   9   8  12   6   4   0   0   0   6   0   0  11   0
v1-o2.result.json                              v1        polarized     33  98  10   3  16  32  32   0   0   0   0   0   0   3   0
v2-2p-20-moves.events.jsonl                    dialogue  polarized     27  44   8   2   5   3   3   0   0   0   0   1   0   8   0
v2-2p-30.events.jsonl                          dialogue  polarized     25  42   8   2   5   3   3   0   0   0   0   1   0   8   0
v2-2p-6.events.jsonl                           dialogue  polarized     24  37   8   4   4   2   2   0   0   0   0   0   0   6   0
v2-o1-mutual.result.json                       v2        polarized     26  50   8   3   8  10  10   0   0   0   0   0   0   1   0
v2-o1.result.json                              v2        undetermined  25  48   8   3   8   9   9   0   0   0   0   0   0   1   0
";

#[test]
fn every_fixture_has_the_expected_counts() {
    let mut text = String::from("\n");
    for wanted in BECOMES.trim().lines() {
        let name = wanted.split_whitespace().next().expect("a name");
        let report = imported(name).report;
        let ImportCounts { read, events, turns, phases, arguments, attacks, judgements, disputes, stances, .. } =
            report.counts;
        let ImportCounts { rooms, synthesised, quarantined, opaque, verdicts, mended, .. } = report.counts;
        let made = [read, events, turns, phases, arguments, attacks, judgements, disputes, stances, rooms];
        let kept = [synthesised, quarantined, opaque, verdicts, mended];
        let counts: Vec<String> = made.iter().chain(&kept).map(|count| format!("{count:>3}")).collect();
        let shape = report.shape.about().split(' ').next().unwrap_or_default();
        text += &format!("{name:<47}{shape:<10}{:<13}{}\n", report.regime.kind.name(), counts.join(" "));
    }
    assert_eq!(text, BECOMES);
    let files = fs::read_dir(FIXTURES).expect("fixtures").count();
    assert_eq!(BECOMES.trim().lines().count() + 1, files, "every file but the README is listed");
}

/// Every record of a file becomes an event, a reported result of its system, or is kept verbatim.
#[test]
fn no_record_is_dropped() {
    let told_by_the_opening = ["table_assigned", "engine_start", "dialogue_start", "debate_start", "round_end"];
    for entry in fs::read_dir(FIXTURES).expect("fixtures") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let Some(_) = name.strip_suffix(".events.jsonl") else { continue };
        let text = String::from_utf8(bytes(&name)).expect("text");
        let whole = imported(&name).report.counts.events;
        let lines: Vec<&str> = text.lines().collect();
        for (n, line) in lines.iter().enumerate() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let kind = record["type"].as_str().expect("a type");
            let mut others = lines.clone();
            others.remove(n);
            // Without the line there is less, except for a phase that was the current one anyway.
            if !told_by_the_opening.contains(&kind)
                && !["phase_start", "phase_transition", "status", "round_start"].contains(&kind)
            {
                let without = read(others.join("\n").as_bytes()).expect("read").report.counts;
                let replaced = without.quarantined + without.synthesised;
                assert!(without.events < whole || replaced > 0, "{name}:{}: {kind} leaves no trace", n + 1);
            }
        }
    }
}

#[test]
fn the_same_content_is_the_same_debate() {
    for name in ["blitz-2p.events.jsonl", "graph-3p.events.jsonl", "dialogue-3p.events.jsonl"] {
        let once = imported(name);
        assert_eq!(imported(name), once, "{name}");
        let text = String::from_utf8(bytes(name)).expect("text");
        let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for other in [json!(records), json!(text), json!(text.replace('\n', "\r\n\r\n"))] {
            let again = read_value(other).expect("the same");
            assert_eq!((again.debate, &again.events), (once.debate, &once.events), "{name}");
        }
        let spaced = serde_json::to_string_pretty(&records).expect("JSON");
        assert_eq!(read(spaced.as_bytes()).expect("the same").events, once.events, "{name}");
    }
    let (one, other) = (imported("blitz-3p.events.jsonl"), imported("blitz-3p-output-fallback.events.jsonl"));
    assert_ne!(one.debate, other.debate);
}

/// Each file records the reader of its shape, so that a change to one reader leaves earlier imports of other shapes
/// recognizable.
#[test]
fn the_reader_of_a_file_is_recorded() {
    for (name, wanted) in [("dialogue-2p.events.jsonl", 2), ("blitz-2p.events.jsonl", 1), ("v1-o2.result.json", 2)] {
        let opened = imported(name).events[0].event.opening().expect("an opening").clone();
        assert_eq!(opened.options["imported"]["reader"], wanted, "{name}");
    }
}

#[test]
fn an_imported_debate_is_final_and_consistent() {
    for entry in fs::read_dir(FIXTURES).expect("fixtures") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            continue;
        }
        let imported = imported(&name);
        let versions: Vec<i64> = imported.events.iter().map(|recorded| recorded.version).collect();
        assert_eq!(versions, (1..=imported.events.len() as i64).collect::<Vec<_>>(), "{name}");
        assert!(imported.events.is_sorted_by_key(|recorded| recorded.at), "{name}");
        assert!(imported.events.iter().all(|recorded| recorded.debate == imported.debate), "{name}");
        let ids: std::collections::BTreeSet<_> = imported.events.iter().map(|recorded| recorded.id).collect();
        assert_eq!(ids.len(), imported.events.len(), "{name}");
        let read_model = DebateReadModel::of(&imported.events);
        assert!(read_model.summary.status.is_final(), "{name}");
        assert_eq!((read_model.summary.provider.as_str(), read_model.summary.engine_revision), ("import", 0), "{name}");
        let speaks = |speaker: &faultline_core::events::ids::PersonaId| {
            read_model.summary.participants.iter().any(|p| p.persona == *speaker)
        };
        assert!(read_model.transcript.turns.iter().all(|turn| turn.speaker.as_ref().is_none_or(speaks)), "{name}");
        for argument in read_model.arguments.arguments.values() {
            let said = argument.turn().and_then(|turn| read_model.transcript.speaker(turn));
            assert_eq!(said, Some(&argument.advanced.speaker), "{name}: {:?}", argument.advanced.argument);
        }
    }
}

// Faulty files.

#[test]
fn records_of_unknown_speakers_are_set_aside() {
    let imported = import_talk(&[
        says(0, "alma-voss", "I hold that it is so.", "CLAIM"),
        says(1, "BRAM  KELLER", "It is not.", "challenge"),
        says(2, "Cora Lind", "Nor do I.", "CLAIM"),
        says(3, "Alma Voss", "  ", "CLAIM"),
        json!({"type": "dialogue_turn", "turn": {"dialogue": "Who am I?"}}),
        says(4, "Alma Voss", "Let us see.", "SHRUG"),
    ]);
    assert_eq!(
        set_aside(&imported),
        [
            "\"Cora Lind\" is not a participant; the participants are Alma Voss, Bram Keller",
            "it has no text",
            "it names no speaker",
        ]
    );
    assert_eq!(imported.report.notes, ["the move \"SHRUG\" is unknown and is treated as a claim"]);
    let speakers: Vec<&str> = imported
        .events
        .iter()
        .filter_map(|recorded| match &recorded.event {
            Event::TurnTaken(recorded) => Some(recorded.speaker.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(speakers, ["alma-voss", "bram-keller", "alma-voss"]);
    assert_eq!(imported.report.ended, "the imported file breaks off before the debate's end");
}

#[test]
fn dangling_references_are_set_aside() {
    let drawn = |result: Value| json!({"type": "crystallization", "result": result});
    let imported = import_talk(&[
        says(0, "Alma Voss", "It is so.", "CLAIM"),
        drawn(json!({"newArgs": [
            argument("arg-0", "alma-voss", "It is so"),
            argument("arg-1", "bram-keller", "It is not"),
            argument("arg-2", "nobody", "Who knows"),
            argument("arg-0", "alma-voss", "Something else"),
            argument("arg-0", "alma-voss", "It is so"),
            {"id": "arg-3", "speakerId": "alma-voss"},
        ]})),
        says(1, "Bram Keller", "It is not.", "CHALLENGE"),
        drawn(json!({"newArgs": [argument("arg-1", "bram-keller", "It is not")], "newAttacks": [
            attack("atk-0", "bram-keller", "arg-1", "arg-0", "assumptions"),
            attack("atk-0", "bram-keller", "arg-1", "arg-0", "premises"),
            attack("atk-1", "bram-keller", "arg-1", "arg-9", "claim"),
            attack("atk-2", "bram-keller", "arg-NEW-1", "arg-0", "claims"),
            {"id": "atk-3", "speakerId": "bram-keller", "fromArgId": "arg-1", "toArgId": "arg-0", "type": "hug"},
        ], "removedArgIds": ["arg-7"], "removedAttackIds": ["atk-9"], "updatedArgs": [{"id": "arg-8", "claim": "x"}]})),
        json!({"type": "validation_complete", "results": [{"attackId": "atk-9", "valid": true}, {"attackId": "atk-0"}]}),
        json!({"type": "moon_landed", "who": "us"}),
        json!({"no": "type"}),
        json!(7),
    ]);
    assert_eq!(
        set_aside(&imported),
        [
            "bram-keller has no turn yet",
            "\"nobody\" is not a participant; the participants are Alma Voss, Bram Keller",
            "the argument id arg-0 is used twice",
            "arg-3 has no claim",
            "the argument is not in the file",
            "the argument is not in the file",
            "the attack is not in the file",
            "the attack id atk-0 is used twice",
            "its target \"arg-9\" is not in the file",
            "its type is not rebut, undermine or undercut",
            "its attack \"atk-9\" is not in the file",
            "it does not state whether atk-0 is valid",
            "it has no `type`",
            "it has no `type`",
        ]
    );
    let counts = imported.report.counts;
    assert_eq!(
        (counts.arguments, counts.synthesised, counts.attacks, counts.opaque, counts.quarantined),
        (3, 1, 2, 1, 14)
    );
    assert_eq!(imported.report.set_aside[3].place, "line 3");
}

#[test]
fn a_concession_counts_only_if_a_turn_contains_it() {
    let concession = |turn: u32, who: &str| {
        json!({"type": "concession", "concession": {"turnIndex": turn, "personaId": who, "type": "full",
            "concededClaim": "It is so", "removedArgIds": ["arg-0"], "updatedArgIds": []}})
    };
    let imported = import_talk(&[
        says(0, "Alma Voss", "It is so.", "CLAIM"),
        says(1, "Bram Keller", "It is not.", "CHALLENGE"),
        json!({"type": "crystallization", "result": {"newArgs": [argument("arg-0", "alma-voss", "It is so")]}}),
        says(2, "Alma Voss", "You are right.", "CONCEDE"),
        json!({"type": "crystallization", "result": {"removedArgIds": ["arg-0"]}}),
        concession(2, "alma-voss"),
        concession(1, "alma-voss"),
        concession(0, "alma-voss"),
        concession(9, "alma-voss"),
        concession(2, "cora-lind"),
    ]);
    let read_model = DebateReadModel::of(&imported.events);
    let made: Vec<_> = read_model
        .concessions
        .concessions
        .iter()
        .map(|concession| (concession.made.turn.0, concession.made.speaker.as_str()))
        .collect();
    assert_eq!(made, [(3, "alma-voss")]);
    assert!(!read_model.arguments.is_live(ArgumentId(1)));
    assert_eq!(
        set_aside(&imported),
        [
            "it refers to a turn of Bram Keller; no turn of Alma Voss contains it",
            "it refers to t1, which concedes nothing: it was inferred",
            "its turn is not in the debate",
            "\"cora-lind\" is not a participant; the participants are Alma Voss, Bram Keller",
        ]
    );
}

#[test]
fn hints_phases_and_cruxes_are_matched_to_turns() {
    let imported = import_talk(&[
        json!({"type": "phase_start", "phase": 1}),
        says(0, "Alma Voss", "It is so.", "CLAIM"),
        json!({"type": "phase_transition", "from": 1, "to": 2, "reason": "Opening statements complete"}),
        json!({"type": "phase_start", "phase": 2}),
        json!({"type": "steering", "hint": "Alma Voss just conceded a point.", "targetPersonaId": "bram-keller"}),
        says(1, "Bram Keller", "It turns on the tide.", "PROPOSE_CRUX"),
        json!({"type": "crux_proposed", "personaId": "Bram Keller", "statement": "It turns on the tide."}),
        json!({"type": "phase_transition", "from": 3, "to": 4, "reason": "Turn budget >85% consumed"}),
        json!({"type": "engine_complete", "output": {"regime": "partial"}}),
    ]);
    assert_eq!(
        kinds(&imported),
        [
            "debate_opened",
            "phase_entered",
            "turn_taken",
            "phase_entered",
            "hint_given",
            "turn_taken",
            "crux_proposed",
            "phase_entered",
            "verdict_imported",
            "debate_concluded",
        ]
    );
    let read_model = DebateReadModel::of(&imported.events);
    assert_eq!(read_model.transcript.phases[1].reason.as_deref(), Some("Opening statements complete"));
    assert_eq!(imported.report.ended, "limit turns reached: Turn budget >85% consumed");
    assert!(read_model.crux_proposals.acknowledged().next().is_none());
}

#[test]
fn a_doubly_applied_encoding_is_repaired() {
    let once = stream(&[
        json!({"type": "engine_start", "topic": "Le café — d’accord ?", "personaIds": ["José Ñandú", "Łukasz"]}),
        says(0, "José Ñandú", "C’est ça.", "CLAIM"),
        says(1, "Łukasz", "Plain words.", "CLAIM"),
    ]);
    let twice: String = once.iter().map(|byte| char::from(*byte)).collect();
    let (one, other) = (read(&once).expect("the intact file"), read(twice.as_bytes()).expect("the repaired file"));
    assert_eq!((one.report.counts.mended, other.report.counts.mended), (0, 6));
    assert_eq!((one.report.topic, one.report.participants), (other.report.topic, other.report.participants));
    let events =
        |imported: &Imported| imported.events[1..].iter().map(|recorded| recorded.event.clone()).collect::<Vec<_>>();
    assert_eq!(events(&read(&once).expect("once")), events(&read(twice.as_bytes()).expect("twice")));
    assert_ne!(one.debate, other.debate, "a different file is a different debate");
}

#[test]
fn a_hostile_file_is_refused_with_the_place() {
    let whole = bytes("graph-3p.events.jsonl");
    let cut = &whole[..whole.len() - 40];
    assert!(refusal(cut).starts_with("line 29, column "), "{}", refusal(cut));
    assert!(refusal(cut).contains("cut off"));
    assert_eq!(refusal(b"\x7fELF\x01"), "line 1, column 1: expected value");
    assert!(refusal(b"\x1f\x8b\x08\0").starts_with("byte 1 is not valid UTF-8"));
    let start = r#"{"type":"engine_start","topic":"T","personaIds":["A","B"]}"#;
    for (text, wanted) in [
        (
            format!("{start}\n{}", "[".repeat(1 << 20)),
            "line 2, column 65: arrays and objects are nested more than 64 deep",
        ),
        (format!("{start}\n{{\"type\":\"status\",\"type\":\"error\"}}"), "line 2, column 23: duplicate key \"type\""),
        (format!("{start}\n{{\"type\":\"{}\"}}", "x".repeat(limits::MAX_STRING_BYTES + 1)), "the limit is 1048576"),
        (format!("{start}\n").repeat(limits::MAX_EVENTS + 1), "100001 lines; the limit is 100000"),
        (r#"{"type":"moon_landed"}"#.to_owned(), "the first has the type \"moon_landed\""),
        (r#"{"type":"engine_start","topic":"T"}"#.to_owned(), "it names no participants"),
        (r#"{"a":1,"b":2}"#.to_owned(), "an object with the keys a, b"),
        ("[]".to_owned(), "0 JSON values"),
        ("[1,2,3]".to_owned(), "3 JSON values, and the first has no `type`"),
        ("{}".to_owned(), "one JSON value without keys"),
        (start.replace('T', &"t".repeat(2_001)), "the topic: 2001 bytes; the limit is 2000"),
    ] {
        let said = refusal(text.as_bytes());
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let many: Vec<String> = (0..65).map(|number| format!("P{number}")).collect();
    let crowd = stream(&[json!({"type": "engine_start", "topic": "T", "personaIds": many})]);
    assert_eq!(refusal(&crowd), "line 1: 65 participants; the limit is 64");
    let arguments: Vec<Value> = (0..=limits::MAX_ARGUMENTS)
        .map(|number| argument(&format!("arg-{number}"), "A", &format!("claim {number}")))
        .collect();
    let heap = json!({"topic": "T", "personaIds": ["A", "B"], "transcript": [], "regime": "partial", "graph": {"arguments": arguments}});
    assert_eq!(refusal(heap.to_string().as_bytes()), "the graph: 2001 arguments; the limit is 2000");
}

/// Any file, damaged anywhere, is read or refused, and never causes a panic.
#[test]
fn damaged_files_never_crash_the_reader() {
    let mut chance = crate::support::random::Random(7);
    for name in [
        "graph-3p.events.jsonl",
        "v2-2p-20-moves.events.jsonl",
        "v1-o2.result.json",
        "dialogue-2p-unmatched-reply-name.events.jsonl",
    ] {
        let whole = bytes(name);
        for _ in 0..60 {
            let mut damaged = whole.clone();
            for _ in 0..=chance.below(3) {
                let at = chance.below(damaged.len());
                match chance.below(3) {
                    0 => damaged[at] = b" {}[],:\"0ax"[chance.below(11)],
                    1 => damaged.truncate(at.max(1)),
                    _ => drop(damaged.drain(at..(at + 30).min(damaged.len()))),
                }
            }
            if let Ok(imported) = read(&damaged) {
                assert!(DebateReadModel::of(&imported.events).summary.status.is_final());
            }
        }
    }
}
