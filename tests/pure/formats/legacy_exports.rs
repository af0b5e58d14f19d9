//! Exports in the event names of the legacy systems: what is exported reads back with the same content.

use std::fs;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DisputeId, TurnId};
use faultline_core::events::lifecycle::PhaseEntered;
use faultline_core::export::legacy::legacy::LegacyTranslator;
use faultline_core::imports::import::{Imported, read};
use faultline_core::imports::shape::Shape;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::{Value, json};

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

fn types(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["type"].as_str()).collect()
}

/// The order of the old graph engine: arguments by participant, attacks and judgements by round, a message for each
/// valid attack, and the measurements of the round.
#[test]
fn a_graph_debate_has_the_events_of_the_old_engine_in_their_order() {
    let lines = legacy_lines(&played("graph_polarized"));
    let round = ["graph_convergence", "convergence_update", "blackboard_update"];
    let opening = ["arguments_submitted", "initial_stance", "arguments_submitted", "initial_stance", "graph_update"];
    let first = ["status", "attacks_generated", "status", "validation_complete", "agent_turn", "agent_turn"];
    let expected = [
        &["status", "debate_start", "table_assigned", "status"][..],
        &opening,
        &first,
        &["graph_update"],
        &round,
        // The last round, and the closing statements.
        &["status", "status", "attacks_generated", "graph_update"],
        &round,
        &["status", "debate_complete"],
    ];
    assert_eq!(types(&lines), expected.concat());
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    let counts = |kind: &str, list: &str| -> Vec<usize> {
        of(kind).iter().filter_map(|line| line[list].as_array().map(Vec::len)).collect()
    };
    assert_eq!(counts("arguments_submitted", "arguments"), [2, 1]);
    assert_eq!(counts("attacks_generated", "attacks"), [2, 0]);
    assert_eq!(counts("validation_complete", "results"), [2]);
    let stances: Vec<&Value> = of("initial_stance").iter().map(|line| &line["stances"][0]["stance"]).collect();
    assert_eq!(stances, ["pro", "con"]);
    let turns: Vec<&Value> = of("agent_turn").iter().map(|line| &line["content"]).collect();
    assert_eq!(
        turns,
        ["[UNDERMINE] A second crew can be hired in the port.", "[REBUT] Running at night is worth less than rest."]
    );
    let metrics: Vec<&Value> = of("convergence_update").iter().map(|line| &line["metrics"]).collect();
    let brief = |it: &Value| json!([it["converged"], it["diverged"], it["eventCount"], it["maxEvents"]]);
    assert_eq!(brief(metrics[0]), json!([false, false, 1, 3]));
    assert_eq!(brief(metrics[1]), json!([false, true, 2, 3]), "an ending that settles nothing is no convergence");
}

/// Last words belong to the last round, and a stance in them is a message and no initial stance.
#[test]
fn last_words_of_a_graph_debate_are_messages_of_its_last_round() {
    let mut events = played("graph_polarized");
    let end = events.pop().expect("an end");
    let stance =
        |recorded: &Recorded| matches!(&recorded.event, Event::StanceTaken(taken) if taken.speaker.as_str() == "ben");
    let at = events.iter().position(stance).expect("a stance");
    let (Event::TurnTaken(mut turn), Event::StanceTaken(mut taken)) =
        (events[at - 1].event.clone(), events[at].event.clone())
    else {
        panic!("a stance follows its turn")
    };
    turn.turn = TurnId(99);
    taken.turn = TurnId(99);
    let closing = PhaseEntered::new("closing", None, None);
    let last = [Event::PhaseEntered(closing), Event::TurnTaken(turn), Event::StanceTaken(taken), end.event.clone()];
    events.extend(last.into_iter().map(|event| Recorded { event, ..end.clone() }));
    let lines = legacy_lines(&events);
    let before = legacy_lines(&played("graph_polarized"));
    let count = |lines: &[Value], kind: &str| types(lines).iter().filter(|it| **it == kind).count();
    for kind in ["initial_stance", "graph_update", "graph_convergence", "attacks_generated"] {
        assert_eq!(count(&lines, kind), count(&before, kind), "{kind}");
    }
    let said = lines.iter().rfind(|line| line["type"] == "agent_turn").expect("a message");
    assert_eq!(json!([said["personaId"], said["stance"]["stance"], said["round"]]), json!(["Ben", "con", 2]));
    assert_eq!(said["content"], "The crew sleeps at night.");
}

#[test]
fn the_results_of_a_graph_debate_are_those_of_its_arguments() {
    let lines = legacy_lines(&played("graph_polarized"));
    let output = &lines.last().expect("an end")["output"];
    assert_eq!(
        output["faultLines"],
        json!([{
            "category": "assumptions",
            "description": "Ada: \"The ferry should run at night.\" / Ben: \"Running at night is worth less than rest.\"",
            "relatedCruxIds": ["crux-1", "crux-2"],
        }])
    );
    let conditions: Vec<&Value> =
        output["flipConditions"].as_array().expect("a list").iter().map(|it| &it["condition"]).collect();
    assert_eq!(
        conditions,
        [
            "\"The ferry should run at night.\" would be accepted if \"Running at night is worth less than rest.\" were refuted",
            "\"The ferry should not run at night.\" would be undecided if \"A second crew can be hired in the port.\" were refuted",
        ]
    );
    assert_eq!(
        output["evidenceLedger"],
        json!([
            { "personaId": "Ada", "accepted": ["The petition of May."], "rejected": [] },
            { "personaId": "Ben", "accepted": [], "rejected": [] },
        ])
    );
    assert_eq!(output["resolutionPaths"][0]["relatedCruxIds"], json!(["crux-1"]));
    assert_eq!(output["graph"]["groundedExtension"], json!(["arg-1", "arg-3"]));
    assert_eq!(
        output["graph"]["preferredExtensions"],
        json!([["arg-0", "arg-1", "arg-3"], ["arg-1", "arg-3", "arg-4"]])
    );
}

#[test]
fn a_talk_reaches_all_four_phases() {
    let lines = legacy_lines(&played("disputes_polarized"));
    let phases: Vec<&Value> =
        lines.iter().filter(|line| line["type"] == "phase_start").map(|line| &line["phase"]).collect();
    assert_eq!(phases, [1, 2, 3, 4]);
    let turns = lines.iter().filter(|line| line["type"] == "dialogue_turn").count();
    let output = &lines.last().expect("an end")["output"];
    assert_eq!(output["transcript"].as_array().map(Vec::len), Some(turns));
}

#[test]
fn disputes_are_reported_after_each_distillation() {
    let lines = legacy_lines(&played("disputes_polarized"));
    let updates: Vec<&Value> = lines.iter().filter(|line| line["type"] == "dcg_update").collect();
    let questions = |update: &Value, list: &str| -> Vec<String> {
        let all = update[list].as_array().expect("a list").iter();
        all.filter_map(|it| it["disputeId"].as_str().map(str::to_owned)).collect()
    };
    let last = updates.last().expect("an update");
    assert_eq!(questions(updates[0], "cruxes"), Vec::<String>::new(), "a dispute needs a yes and a no");
    assert_eq!(questions(last, "cruxes"), ["d-1", "d-3", "d-4"]);
    assert_eq!(questions(last, "commonGround"), ["d-2"]);
    assert_eq!((last["regime"].as_str(), updates.len()), (Some("partial"), 11));
    let stances = last["dcgState"]["stances"].as_array().expect("a list");
    let moved = stances.iter().find(|stance| stance["id"] == "s-201").expect("a stance");
    assert_eq!(json!([moved["speakerId"], moved["side"], moved["derivedFromTurns"]]), json!(["Ben", "YES", [9]]));
    assert!(legacy_lines(&played("dialogue_polarized")).iter().all(|line| line["type"] != "dcg_update"));
}

#[test]
fn the_crux_is_the_one_that_participants_agreed_on() {
    let crux = |name: &str| legacy_lines(&played(name)).last().expect("an end")["output"]["crux"].clone();
    let agreed = crux("dialogue_crux");
    assert_eq!(
        json!([agreed["proposedBy"], agreed["acknowledgedBy"], agreed["acknowledged"]]),
        json!([["Ada"], ["Ben"], true])
    );
    let open = crux("disputes_polarized");
    assert_eq!(
        json!([open["proposedBy"], open["statement"], open["acknowledged"]]),
        json!([[], "Can the port man a second crew by April?", false]),
        "a proposal that nobody agreed with is no crux"
    );
}

/// A client that reconnects after any event receives exactly the rest.
#[test]
fn what_follows_an_event_does_not_depend_on_when_it_is_read() {
    for name in ["graph_three_rounds", "dialogue_crux", "disputes_polarized", "graph_cancelled"] {
        let events = played(name);
        let per_event = |events: &[Recorded]| -> Vec<Vec<Value>> {
            let mut legacy = LegacyTranslator::default();
            events.iter().map(|recorded| legacy.translate(recorded)).collect()
        };
        let all = per_event(&events);
        for cut in 0..events.len() {
            assert_eq!(per_event(&events[..cut]), all[..cut], "{name} {cut}");
        }
    }
}

/// A debate with rooms reads back with the same messages in the same rooms, the same detections and the same cards.
#[test]
fn rooms_read_back() {
    for name in ["crux_rooms_surfaces", "crux_rooms_staged", "crux_rooms_panel"] {
        let events = played(name);
        let lines = legacy_lines(&events);
        assert_eq!(types(&lines).last().copied(), Some("dialogue_complete"), "{name}");
        let again = read_back(&lines);
        assert_eq!(again.report.shape, Shape::CruxRooms, "{name}");
        assert_eq!(rooms_of(&again.events), rooms_of(&events), "{name}");
        assert_eq!(messages_of(&again.events), messages_of(&events), "{name}");
    }
}

/// The streams of the old system are told in its own names again: every message, room, report of the detector and card.
#[test]
fn streams_of_the_old_rooms_are_told_again() {
    for name in ["dialogue-2p.events.jsonl", "dialogue-3p.events.jsonl"] {
        let first = imported(name);
        let again = read_back(&legacy_lines(&first.events));
        assert_eq!(rooms_of(&again.events), rooms_of(&first.events), "{name}");
        assert_eq!(messages_of(&again.events), messages_of(&first.events), "{name}");
    }
}

/// The shipped streams, told in the old names, read back and told again, are the same byte for byte, times and ids included.
#[test]
fn told_streams_read_back_byte_for_byte() {
    for name in ["dialogue-2p.events.jsonl", "dialogue-3p.events.jsonl"] {
        let told = legacy_lines(&imported(name).events);
        let again = legacy_lines(&read_back(&told).events);
        let text = |lines: &[Value]| lines.iter().map(Value::to_string).collect::<Vec<_>>();
        assert_eq!(text(&again), text(&told), "{name}");
    }
}

/// A debate of the engine `blitz` or `classical` has the events of the old engine in their order.
#[test]
fn blackboard_debates_have_the_events_of_the_old_engines() {
    let told = |name: &str| -> Vec<String> {
        let lines = legacy_lines(&played(name));
        let told = lines.iter().map(|line| match line["type"].as_str().unwrap_or_default() {
            "status" => format!("status {}", line["phase"].as_str().unwrap_or_default()),
            "initial_stance" | "agent_turn" | "speaker_selected" => {
                format!(
                    "{} {}",
                    line["type"].as_str().unwrap_or_default(),
                    line["personaId"].as_str().unwrap_or_default()
                )
            }
            other => other.to_owned(),
        });
        told.collect()
    };
    let [round, end] = [["blackboard_update", "convergence_update"].as_slice(), &["debate_complete"]];
    let start = ["status claims", "debate_start", "status agents", "status stances", "table_assigned"];
    let stances = ["initial_stance Ada", "initial_stance Ben", "status debate"];
    let turns = ["agent_turn Ada", "agent_turn Ben"];
    let expected = [&start, &stances[..], &turns, round, &turns, round, end].concat();
    assert_eq!(told("blitz_diverges"), expected);
    let quiet = [["status silence"].as_slice(), round].concat();
    let ben = [["speaker_selected Ben", "agent_turn Ben"].as_slice(), round].concat();
    let ada = [["speaker_selected Ada", "agent_turn Ada"].as_slice(), round].concat();
    let expected = [&start, &stances[..], &ben, &ada, &quiet, &quiet, &quiet, end].concat();
    assert_eq!(told("classical_silent"), expected);
}

/// The measures are those of the old engine where its formula was right: the entropy of two opposite sides on two claims.
#[test]
fn measures_of_blackboard_debates_are_told() {
    let lines = legacy_lines(&played("blitz_diverges"));
    let measured: Vec<&Value> = lines.iter().filter(|line| line["type"] == "convergence_update").collect();
    let last = &measured.last().expect("a measurement")["metrics"];
    // Shares of 9/17 and 8/17 each: an entropy of 0.6914 / ln 3; distances of 1.7 of 2.
    assert_eq!(last["entropy"], 0.6294);
    assert_eq!(last["confidenceWeightedDistance"], 0.85);
    assert_eq!([&last["converged"], &last["diverged"]], [false, true]);
    assert_eq!([&last["eventCount"], &last["maxEvents"]], [2, 5]);
}

/// A crux surfaced at the tables at which somebody answered or named it, and its fault line quotes both sides.
#[test]
fn results_of_blackboard_debates_name_tables_and_lines() {
    let events = played("blitz_tables");
    let output = |events: &[Recorded]| legacy_lines(events).last().expect("an end")["output"].clone();
    let tables = |output: &Value| -> Vec<Value> {
        output["cruxes"].as_array().expect("a list").iter().map(|crux| crux["surfacedByTables"].clone()).collect()
    };
    assert_eq!(tables(&output(&events)), [json!([0, 1]), json!([0, 1])]);
    // The final table, which has the id 2, takes up what the others surfaced.
    let at_first = |recorded: &&Recorded| match &recorded.event {
        Event::StanceTaken(taken) => {
            taken.dispute != DisputeId(2) || ["ben", "dan", "eve"].contains(&taken.speaker.as_str())
        }
        _ => true,
    };
    let events: Vec<Recorded> = events.iter().filter(at_first).cloned().collect();
    let output = output(&events);
    assert_eq!(tables(&output), [json!([0]), json!([0, 1])]);
    assert_eq!(
        output["faultLines"][1],
        json!({
            "category": "assumptions",
            "description": "Can a second crew be hired this year? Eve: \"A crew can be hired.\" / Ben: \"No crew can be hired.\"",
            "relatedCruxIds": ["crux-1"],
        })
    );
    let graph = legacy_lines(&played("graph_polarized"));
    assert_eq!(tables(&graph.last().expect("an end")["output"])[0], json!([0]), "a debate without tables has one");
}

/// A debate of the engine `pro_con` is told as the states of the old orchestrator, one after each of its steps: moderator, draft,
/// checks, and the same side again after a rejected draft. It names no winner.
#[test]
fn debates_on_a_motion_have_the_states_of_the_old_orchestrator() {
    let lines = legacy_lines(&played("pro_con_strict"));
    let told: Vec<(&str, u64, bool, usize, bool)> = lines
        .iter()
        .map(|state| {
            let speaker = state["currentSpeaker"].as_str().expect("a side");
            let n_said = state["transcript"].as_array().expect("a list").len();
            let (retries, rejects) = (state["retryCount"].as_u64().expect("a count"), &state["shouldRejectTurn"]);
            (speaker, retries, *rejects == true, n_said, state["isDebateComplete"] == true)
        })
        .collect();
    let expected = [
        ("pro", 0, false, 0, false),
        // The first draft, its check and its rejection; the second draft, its check and its turn.
        ("pro", 0, false, 0, false),
        ("pro", 0, false, 0, false),
        ("pro", 1, true, 0, false),
        ("pro", 1, false, 0, false),
        ("pro", 1, false, 0, false),
        ("pro", 0, false, 1, false),
        // A draft with two claims, which is rejected, and taken because no other one comes.
        ("con", 0, false, 1, false),
        ("con", 0, false, 1, false),
        ("con", 0, false, 1, false),
        ("con", 1, true, 1, false),
        ("con", 0, false, 2, false),
        ("con", 0, false, 2, true),
    ];
    assert_eq!(told, expected);
    let last = lines.last().expect("a state");
    assert_eq!([&last["topicMotion"], &last["factCheckMode"]], ["Should the ferry run at night?", "strict"]);
    assert_eq!([&last["totalRounds"], &last["wordLimitPerTurn"], &last["currentRound"]], [1, 500, 1]);
    assert_eq!(last["transcript"][1]["acceptedWithViolation"], true);
    let logs: Vec<&Value> =
        last["factCheckLogs"].as_array().expect("a list").iter().map(|log| &log["verdict"]).collect();
    assert_eq!(logs, ["false", "true", "false", "false"]);
    assert_eq!(last["metadata"]["stats"]["pro"]["rejections"], 1);
    assert!(!last.to_string().to_lowercase().contains("winner"));
}

/// The shipped streams of the old engines, told in their own names, read back and told again, are the same byte for byte; and
/// what they told of turns, selections and measures is told as they did.
#[test]
fn streams_of_the_old_blackboard_engines_are_told_again() {
    for name in ["blitz-2p.events.jsonl", "blitz-3p.events.jsonl", "classical-3p.events.jsonl"] {
        let told = legacy_lines(&imported(name).events);
        let again = legacy_lines(&read_back(&told).events);
        // The id of a debate is that of its file.
        let text = |lines: &[Value]| -> Vec<String> {
            let id = lines[1]["debateId"].as_str().expect("an id");
            lines.iter().map(|line| line.to_string().replace(id, "ID")).collect()
        };
        // The results are computed here each time, from the words that the file has for them.
        let but_last = |lines: &[Value]| text(&lines[..lines.len() - 1]);
        assert_eq!(but_last(&again), but_last(&told), "{name}");
        let path = format!("{}/tests/fixtures/legacy/{name}", env!("CARGO_MANIFEST_DIR"));
        let original = fs::read_to_string(path).expect("a fixture");
        let original: Vec<Value> = original.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(types(&told), types(&original), "{name}");
        for (told, original) in told.iter().zip(&original) {
            let same =
                ["personaId", "content", "stance", "round", "tableId", "metrics", "urgency", "intent", "summary"];
            for field in same.iter().filter(|field| original["type"] != "debate_start" && !original[**field].is_null())
            {
                if *field == "stance" {
                    assert_eq!(told["stance"]["stance"], original["stance"]["stance"], "{name}: {original}");
                    continue;
                }
                assert_eq!(told[*field], original[*field], "{name}: {original}");
            }
        }
    }
}

/// Rooms with their question, participants, outcome and card, one line each.
fn rooms_of(events: &[Recorded]) -> Vec<String> {
    let rooms = DebateReadModel::of(events).rooms.rooms;
    let told = rooms.values().map(|room| {
        let names: Vec<&str> = room.opened.participants.iter().map(|persona| persona.as_str()).collect();
        let closed = room.closed.as_ref().map(|closing| (closing.closed.outcome.name(), &closing.closed.card));
        format!("{} {} {closed:?}", room.opened.question, names.join(", "))
    });
    told.collect()
}

/// Messages of participants with their rooms.
fn messages_of(events: &[Recorded]) -> Vec<String> {
    let turns = events.iter().filter_map(|recorded| match &recorded.event {
        Event::TurnTaken(taken) => Some(format!("{} {:?}: {}", taken.speaker, taken.room, taken.text)),
        _ => None,
    });
    turns.collect()
}

/// Plays a rehearsal.
fn played(name: &str) -> Vec<Recorded> {
    let path = format!("{}/tests/fixtures/rehearsals/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("a rehearsal");
    let script = text.split_once("\n= log").map_or(text.as_str(), |(script, _)| script);
    perform(Script::parse(script), None).0
}
