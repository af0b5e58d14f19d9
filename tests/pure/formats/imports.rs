//! Imports: every kind of input file, and the debate that must result from it.

use std::fs;

use faultline_argumentation::labelling::Label;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::preferred;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::ArgumentId;
use faultline_core::export::jsonl::jsonl;
use faultline_core::imports::import::{Imported, read, read_value};
use faultline_core::imports::limits;
use faultline_core::imports::report::ImportCounts;
use faultline_core::imports::shape::Shape;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use serde_json::{Value, json};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/legacy");

fn bytes(name: &str) -> Vec<u8> {
    fs::read(format!("{FIXTURES}/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn imported(name: &str) -> Imported {
    read(&bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Builds a stream of lines, one event each.
fn stream(lines: &[Value]) -> Vec<u8> {
    lines.iter().map(|it| format!("{it}\n")).collect::<String>().into_bytes()
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes).expect_err("refused").to_string()
}

/// Imports a stream of two participants with these events.
fn import_talk(events: &[Value]) -> Imported {
    let start = json!({"type": "engine_start", "topic": "Is it so?", "personaIds": ["Alma Voss", "Bram Keller"]});
    read(&stream(&[&[start], events].concat())).expect("a talk")
}

fn says(turn: u32, who: &str, words: &str, does: &str) -> Value {
    json!({"type": "dialogue_turn", "turn": {"turnIndex": turn, "personaId": who, "dialogue": words, "move": does}})
}

fn argument(id: &str, who: &str, claim: &str) -> Value {
    json!({"id": id, "speakerId": who, "claim": claim, "premises": ["p"], "assumptions": ["a"], "evidence": ["e"]})
}

fn attack(id: &str, who: &str, from: &str, to: &str, component: &str) -> Value {
    let target = json!({"argId": to, "component": component, "index": 0});
    json!({"id": id, "speakerId": who, "fromArgId": from, "toArgId": to, "type": "undermine", "target": target,
        "counterProposition": "not so", "rationale": "because"})
}

fn kinds(imported: &Imported) -> Vec<&str> {
    imported.events.iter().map(|it| it.event.kind()).collect()
}

fn set_aside(imported: &Imported) -> Vec<&str> {
    imported.report.set_aside.iter().map(|it| it.reason.as_str()).collect()
}

// The fixtures.

/// Expected counts, in this order: records, events, turns, phases, arguments, attacks, judgements, disputes, stances,
/// rooms; synthesised, quarantined, opaque, verdicts, repaired.
const BECOMES: &str = "
blitz-2p.events.jsonl                          blitz     polarized     32  54  18   3   0   0   0   2  20   0   0   0   0   9   0
blitz-3p-output-fallback.events.jsonl          blitz     polarized     33  59  21   3   0   0   0   2  24   0   0   0   0   7   0
blitz-3p.events.jsonl                          blitz     polarized     33  59  21   3   0   0   0   2  24   0   0   0   0   7   0
classical-3p.events.jsonl                      classical polarized     50  74  19   4   0   0   0   2  22   0   0   0   8  17   0
dialogue-2p-unmatched-reply-name.events.jsonl  crux      undetermined  25  24  16   5   0   0   0   0   0   0   0   0   0   1   0
dialogue-2p.events.jsonl                       crux      polarized     79  91  52   8   0   0   0   1   6   3   0   0   3  10   0
dialogue-3p.events.jsonl                       crux      polarized     87  99  60   8   0   0   0   1   6   3   0   0   3  10   0
graph-3p.events.jsonl                          graph     undetermined  29  58   9   8  12   6   4   0   0   0   6   0   0  11   0
v1-o2.result.json                              v1        polarized     33  98  10   3  16  32  32   0   0   0   0   0   0   3   0
v2-2p-20-moves.events.jsonl                    dialogue  polarized     27  39   8   2   5   3   3   0   0   0   0   1   0   8   0
v2-2p-30.events.jsonl                          dialogue  polarized     25  37   8   2   5   3   3   0   0   0   0   1   0   8   0
v2-2p-6.events.jsonl                           dialogue  polarized     24  33   8   4   4   2   2   0   0   0   0   0   0   6   0
v2-o1-mutual.result.json                       v2        polarized     26  42   8   3   8  10  10   0   0   0   0   0   0   1   0
v2-o1.result.json                              v2        undetermined  25  40   8   3   8   9   9   0   0   0   0   0   0   1   0
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
        let counts: Vec<String> = made.iter().chain(&kept).map(|it| format!("{it:>3}")).collect();
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
        let records: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
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
    for (name, wanted) in [("dialogue-2p.events.jsonl", 2), ("blitz-2p.events.jsonl", 1), ("v1-o2.result.json", 1)] {
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
        let versions: Vec<i64> = imported.events.iter().map(|it| it.version).collect();
        assert_eq!(versions, (1..=imported.events.len() as i64).collect::<Vec<_>>(), "{name}");
        assert!(imported.events.is_sorted_by_key(|it| it.at), "{name}");
        assert!(imported.events.iter().all(|it| it.debate == imported.debate), "{name}");
        let ids: std::collections::BTreeSet<_> = imported.events.iter().map(|it| it.id).collect();
        assert_eq!(ids.len(), imported.events.len(), "{name}");
        let board = DebateReadModel::of(&imported.events);
        assert!(board.summary.status.is_final(), "{name}");
        assert_eq!((board.summary.provider.as_str(), board.summary.engine_revision), ("import", 0), "{name}");
        let speaks =
            |it: &faultline_core::events::ids::PersonaId| board.summary.participants.iter().any(|p| p.persona == *it);
        assert!(board.transcript.turns.iter().all(|it| it.speaker.as_ref().is_none_or(speaks)), "{name}");
        for argument in board.arguments.arguments.values() {
            let said = board.transcript.speaker(argument.advanced.turn);
            assert_eq!(said, Some(&argument.advanced.speaker), "{name}: {:?}", argument.advanced.argument);
        }
    }
}

// The oracles.

fn standing(board: &DebateReadModel) -> Vec<ArgumentId> {
    board.arguments.labels().into_iter().filter(|(_, it)| *it == Label::In).map(|(id, _)| id).collect()
}

fn ids(numbers: &[u32]) -> Vec<ArgumentId> {
    numbers.iter().map(|it| ArgumentId(it + 1)).collect()
}

#[test]
fn o1_undefeated_is_not_agreed() {
    let imported = imported("v2-o1.result.json");
    let board = DebateReadModel::of(&imported.events);
    assert_eq!(standing(&board), ids(&[2, 4, 7]));
    let verdict = board.verdict();
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Undetermined, 0));
    assert_eq!(imported.report.claimed.regime.as_deref(), Some("consensus"));
    assert_eq!(
        imported.report.differences[0],
        "the file states consensus (\"Consensus: 3 of 8 arguments in common ground.\"); the log gives undetermined, because \
         nothing is agreed and no split was found; 9 of 15 pairs of claims were examined"
    );
    // Each argument is assigned to the turn in which it was made, and the plural of a component is understood.
    let turns: Vec<u32> = board.arguments.arguments.values().map(|it| it.advanced.turn.0).collect();
    assert_eq!(turns, [1, 2, 3, 4, 5, 5, 5, 6]);
    assert_eq!(imported.report.counts.quarantined, 0);
}

#[test]
fn o1_one_mutual_attack_makes_two_camps() {
    let board = DebateReadModel::of(&imported("v2-o1-mutual.result.json").events);
    let verdict = board.verdict();
    assert_eq!((standing(&board), verdict.n_extensions.as_str()), (vec![], "2"));
    let camps: Vec<_> = verdict.camps.iter().map(|it| (it.arguments.clone(), it.personas[0].to_string())).collect();
    assert_eq!(camps, [(ids(&[0, 2, 4, 5, 6]), "stella-brandt".into()), (ids(&[1, 3, 7]), "hugo-lerman".into())]);
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Polarized, 0));
}

#[test]
fn o1_what_both_say_in_closing_is_common_ground() {
    let result: Value = serde_json::from_slice(&bytes("v2-o1-mutual.result.json")).expect("JSON");
    let room = |question: &str, one: &str, other: &str| {
        let words = |who: &str| {
            json!({"type": "crux_message", "roomId": question,
            "message": {"type": "persona", "personaId": who, "content": "This is where I stand.", "phase": "position"}})
        };
        let card = json!({"question": question, "cruxRoomId": question, "personas":
            {"Stella Brandt": {"position": one, "reasoning": "r"}, "Hugo Lerman": {"position": other, "reasoning": "r"}}});
        [words("Stella Brandt"), words("Hugo Lerman"), json!({"type": "crux_card_posted", "card": card})]
    };
    let mut lines = vec![json!({"type": "engine_start", "topic": result["topic"], "personaIds": result["personaIds"]})];
    let turns = result["transcript"].as_array().expect("turns").iter();
    lines.extend(turns.map(|it| json!({"type": "dialogue_turn", "turn": it})));
    lines.extend(room("Is harbour scrip money?", "YES", "YES"));
    lines.extend(room("Is its adoption determined?", "YES", "NO"));
    lines.push(json!({"type": "engine_complete", "output": result}));
    let imported = read(&stream(&lines)).expect("a stream");
    let verdict = DebateReadModel::of(&imported.events).verdict();
    assert_eq!((verdict.regime.kind, verdict.n_extensions.as_str()), (RegimeKind::Partial, "2"));
    assert_eq!(
        verdict.common_ground.iter().map(|it| it.question.as_str()).collect::<Vec<_>>(),
        ["Is harbour scrip money?"]
    );
}

#[test]
fn o2_the_last_speaker_has_not_won() {
    let imported = imported("v1-o2.result.json");
    let board = DebateReadModel::of(&imported.events);
    assert_eq!(standing(&board), ids(&[8, 10, 11, 13, 15]));
    let verdict = board.verdict();
    assert_eq!((verdict.last_word.standing, verdict.last_word.unanswered, verdict.last_word.is_all()), (5, 5, true));
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Polarized, 0));
    assert_eq!(verdict.limit.as_deref(), Some("rounds"));
    assert!(
        imported.report.differences[0].starts_with("the file states consensus"),
        "{:?}",
        imported.report.differences
    );
}

#[test]
fn o3_a_limit_is_not_convergence() {
    let imported = imported("blitz-2p.events.jsonl");
    let verdict = DebateReadModel::of(&imported.events).verdict();
    assert_eq!((verdict.regime.kind, verdict.limit.as_deref()), (RegimeKind::Polarized, Some("events")));
    assert_eq!((verdict.cruxes.len(), verdict.common_ground.len()), (2, 0));
    assert_eq!(imported.report.ended, "limit events reached: 16 of 15 events");
    assert_eq!(
        imported.report.differences,
        [
            "the file states convergence; the log gives polarized, because 2 open disputes; nothing is agreed upon; the limit \
          events was reached"
        ]
    );
    // A stance cites the turn that discussed its claim.
    let board = DebateReadModel::of(&imported.events);
    let cited: Vec<u32> =
        board.disputes.disputes.values().flat_map(|it| it.stances.values()).map(|it| it.turn.0).collect();
    assert_eq!(cited, [15, 17, 16, 18]);
}

#[test]
fn o4_the_counter_argument_of_an_unjudged_attack_is_in_no_extension() {
    let imported = imported("graph-3p.events.jsonl");
    let board = DebateReadModel::of(&imported.events);
    let framed = board.arguments.framework();
    let extensions = preferred(&framed.framework, &SolverLimits::default());
    let inside: std::collections::BTreeSet<_> = extensions.sets.iter().flatten().map(|it| framed.id(*it)).collect();
    assert!(extensions.exact && extensions.count.to_string() == "4");
    for (number, is_inside) in [(6, true), (7, true), (8, false), (9, true), (10, true), (11, false)] {
        assert_eq!(inside.contains(&ArgumentId(number + 1)), is_inside, "arg-{number}");
    }
    let marked: Vec<String> = imported
        .events
        .iter()
        .filter_map(|it| match &it.event {
            Event::ArgumentSynthesised(it) => Some(format!("{} {}", it.argument, it.name)),
            _ => None,
        })
        .collect();
    assert_eq!(marked, ["a7 arg-6", "a8 arg-7", "a9 arg-8", "a10 arg-9", "a11 arg-10", "a12 arg-11"]);
    let unjudged = board.arguments.attacks.values().filter(|it| it.judged.is_none()).count();
    assert_eq!((unjudged, imported.report.claimed.extensions), (2, Some(1)));
}

#[test]
fn conclusions_of_a_file_are_recorded_as_its_claims_only() {
    let imported = imported("v2-2p-30.events.jsonl");
    let differences = imported.report.differences;
    assert!(differences[0].starts_with("the file states consensus (\"Consensus: 4 of 5"), "{differences:?}");
    assert_eq!(imported.report.regime.kind, RegimeKind::Polarized);
    let said = imported.events.iter().filter_map(|it| match &it.event {
        Event::VerdictImported(it) if it.name == "engine_complete" => Some(&it.said),
        _ => None,
    });
    let said: Vec<&Value> = said.collect();
    assert_eq!((said.len(), &said[0]["regime"], said[0].get("graph")), (1, &json!("consensus"), None));
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
        .filter_map(|it| match &it.event {
            Event::TurnTaken(it) => Some(it.speaker.as_str()),
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
    let board = DebateReadModel::of(&imported.events);
    let made: Vec<_> =
        board.concessions.concessions.iter().map(|it| (it.made.turn.0, it.made.speaker.as_str())).collect();
    assert_eq!(made, [(3, "alma-voss")]);
    assert!(!board.arguments.is_live(ArgumentId(1)));
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
    let board = DebateReadModel::of(&imported.events);
    assert_eq!(board.transcript.phases[1].reason.as_deref(), Some("Opening statements complete"));
    assert_eq!(imported.report.ended, "limit turns reached: Turn budget >85% consumed");
    assert!(board.crux_proposals.acknowledged().next().is_none());
}

#[test]
fn a_doubly_applied_encoding_is_repaired() {
    let once = stream(&[
        json!({"type": "engine_start", "topic": "Le café — d’accord ?", "personaIds": ["José Ñandú", "Łukasz"]}),
        says(0, "José Ñandú", "C’est ça.", "CLAIM"),
        says(1, "Łukasz", "Plain words.", "CLAIM"),
    ]);
    let twice: String = once.iter().map(|it| char::from(*it)).collect();
    let (one, other) = (read(&once).expect("the intact file"), read(twice.as_bytes()).expect("the repaired file"));
    assert_eq!((one.report.counts.mended, other.report.counts.mended), (0, 6));
    assert_eq!((one.report.topic, one.report.participants), (other.report.topic, other.report.participants));
    let events = |it: &Imported| it.events[1..].iter().map(|it| it.event.clone()).collect::<Vec<_>>();
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
        (format!("{start}\n{{\"type\":\"{}\"}}", "x".repeat(limits::STRING_BYTES + 1)), "the limit is 1048576"),
        (format!("{start}\n").repeat(limits::EVENTS + 1), "100001 lines; the limit is 100000"),
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
    let many: Vec<String> = (0..65).map(|it| format!("P{it}")).collect();
    let crowd = stream(&[json!({"type": "engine_start", "topic": "T", "personaIds": many})]);
    assert_eq!(refusal(&crowd), "line 1: 65 participants; the limit is 64");
    let arguments: Vec<Value> =
        (0..=limits::ARGUMENTS).map(|it| argument(&format!("arg-{it}"), "A", &format!("claim {it}"))).collect();
    let heap = json!({"topic": "T", "personaIds": ["A", "B"], "transcript": [], "regime": "partial", "graph": {"arguments": arguments}});
    assert_eq!(refusal(heap.to_string().as_bytes()), "the graph: 2001 arguments; the limit is 2000");
}

/// Any file, damaged anywhere, is read or refused, and never causes a panic.
#[test]
fn damaged_files_never_crash_the_reader() {
    let mut chance = crate::laws::Chance(7);
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

// Exports of this service.

/// Returns events as the log does: with positions among the events of other debates.
fn exported(events: &[Recorded]) -> String {
    jsonl(events)
}

#[test]
fn an_export_is_imported_unchanged() {
    for name in
        ["blitz-2p.events.jsonl", "v2-2p-20-moves.events.jsonl", "v1-o2.result.json", "dialogue-3p.events.jsonl"]
    {
        let first = imported(name);
        let text = exported(&first.events);
        let second = read(text.as_bytes()).expect("an export");
        assert_eq!((second.report.shape, second.timed), (Shape::Own, true));
        assert_eq!((second.debate, &second.events), (first.debate, &first.events), "{name}");
        assert_eq!(exported(&second.events), text, "{name}");
    }
}

/// The output of `history --json` is an export as well.
#[test]
fn history_json_is_imported_unchanged() {
    let first = imported("v2-2p-6.events.jsonl");
    let text = exported(&first.events);
    let actual = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        record.as_object_mut().expect("an object").remove("schema");
        record["position"] = json!("3.17");
        record
    });
    assert_eq!(read(&stream(&actual.collect::<Vec<_>>())).expect("an export").events, first.events);
}

#[test]
fn an_export_that_was_changed_is_refused() {
    let text = exported(&imported("v2-2p-6.events.jsonl").events);
    let lines: Vec<&str> = text.lines().collect();
    let without = |n: usize| {
        lines.iter().enumerate().filter(|(it, _)| *it != n).map(|(_, it)| *it).collect::<Vec<_>>().join("\n")
    };
    let changed = |n: usize, change: &dyn Fn(&mut Value)| {
        let mut record: Value = serde_json::from_str(lines[n]).expect("JSON");
        change(&mut record);
        lines
            .iter()
            .enumerate()
            .map(|(it, line)| if it == n { record.to_string() } else { (*line).to_owned() })
            .collect::<Vec<_>>()
            .join("\n")
    };
    for (text, wanted) in [
        (without(0), "line 1: it has the version 2, but 1 is expected"),
        (without(3), "line 4: it has the version 5, but 4 is expected"),
        (without(lines.len() - 1), "the debate is still running: pause it"),
        (
            changed(4, &|it| it["id"] = serde_json::from_str::<Value>(lines[3]).expect("JSON")["id"].clone()),
            "belongs to another event",
        ),
        (
            changed(4, &|it| it["debateId"] = json!("0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")),
            "it belongs to another debate",
        ),
        (changed(4, &|it| it["at"] = json!("2001-01-01T00:00:00Z")), "recorded before the event that it follows"),
        (changed(4, &|it| it["body"] = json!({"x": 1})), "line 5: the stored body of a"),
        (changed(4, &|it| it["extra"] = json!(1)), "line 5: it is not an exported event"),
        (changed(0, &|it| it["body"]["limits"]["calls"] = json!(1_000_000)), "the limit calls is 1000000"),
        (changed(0, &|it| it["body"]["topic"] = json!("a\u{0}b")), "contains control characters"),
        (text.replace("\"t8\"", "\"t4000000000\""), "has the number 4000000000"),
    ] {
        let said = refusal(text.as_bytes());
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let opaque = changed(4, &|it| {
        it["kind"] = json!("moon_landed");
        it["schema"] = json!(3);
    });
    let kept = read(opaque.as_bytes()).expect("an unknown kind is kept");
    assert_eq!(kept.events[4].event.kind(), "moon_landed");
}
