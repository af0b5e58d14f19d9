//! Verdicts of imported debates, compared with the known outcomes of their files.

use faultline_argumentation::labelling::Label;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::preferred;
use faultline_core::events::event::Event;
use faultline_core::events::ids::ArgumentId;
use faultline_core::imports::import::read;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use serde_json::{Value, json};

use crate::formats::import_files::{bytes, imported, stream};

// The oracles.

fn standing(read_model: &DebateReadModel) -> Vec<ArgumentId> {
    read_model.arguments.labels().into_iter().filter(|(_, label)| *label == Label::In).map(|(id, _)| id).collect()
}

pub fn ids(numbers: &[u32]) -> Vec<ArgumentId> {
    numbers.iter().map(|number| ArgumentId(number + 1)).collect()
}

#[test]
fn o1_undefeated_is_not_agreed() {
    let imported = imported("v2-o1.result.json");
    let read_model = DebateReadModel::of(&imported.events);
    assert_eq!(standing(&read_model), ids(&[2, 4, 7]));
    let verdict = read_model.verdict();
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Undetermined, 0));
    assert_eq!(imported.report.claimed.regime.as_deref(), Some("consensus"));
    assert_eq!(
        imported.report.differences[0],
        "the file states consensus (\"Consensus: 3 of 8 arguments in common ground.\"); the log gives undetermined, because \
         no answer is agreed upon, and no question that was asked has both a yes and a no; 9 of 15 comparable pairs of claims were examined"
    );
    // Each argument is assigned to the turn in which it was made, and the plural of a component is understood.
    let turns: Vec<u32> = read_model.arguments.arguments.values().map(|argument| argument.advanced.turn.0).collect();
    assert_eq!(turns, [1, 2, 3, 4, 5, 5, 5, 6]);
    assert_eq!(imported.report.counts.quarantined, 0);
}

#[test]
fn o1_one_mutual_attack_makes_two_camps() {
    let read_model = DebateReadModel::of(&imported("v2-o1-mutual.result.json").events);
    let verdict = read_model.verdict();
    assert_eq!((standing(&read_model), verdict.n_extensions.as_str()), (vec![], "2"));
    let camps: Vec<_> =
        verdict.camps.iter().map(|camp| (camp.arguments.clone(), camp.personas[0].to_string())).collect();
    assert_eq!(camps, [(ids(&[0, 2, 4, 5, 6]), "stella-brandt".into()), (ids(&[1, 3, 7]), "hugo-lerman".into())]);
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Polarized, 0));
}

#[test]
fn o1_what_both_say_in_closing_is_common_ground() {
    let result: Value = serde_json::from_slice(&bytes("v2-o1-mutual.result.json")).expect("JSON");
    let said = "This is where I stand.";
    let room = |question: &str, one: &str, other: &str| {
        let words = |who: &str| {
            json!({"type": "crux_message", "roomId": question,
            "message": {"type": "persona", "personaId": who, "content": said, "phase": "position"}})
        };
        let card = json!({"question": question, "cruxRoomId": question, "personas":
            {"Stella Brandt": {"position": one, "reasoning": said}, "Hugo Lerman": {"position": other, "reasoning": said}}});
        [words("Stella Brandt"), words("Hugo Lerman"), json!({"type": "crux_card_posted", "card": card})]
    };
    let mut lines = vec![json!({"type": "engine_start", "topic": result["topic"], "personaIds": result["personaIds"]})];
    let turns = result["transcript"].as_array().expect("turns").iter();
    lines.extend(turns.map(|turn| json!({"type": "dialogue_turn", "turn": turn})));
    lines.extend(room("Is harbour scrip money?", "YES", "YES"));
    lines.extend(room("Is its adoption determined?", "YES", "NO"));
    lines.push(json!({"type": "engine_complete", "output": result}));
    let imported = read(&stream(&lines)).expect("a stream");
    let verdict = DebateReadModel::of(&imported.events).verdict();
    assert_eq!((verdict.regime.kind, verdict.n_extensions.as_str()), (RegimeKind::Partial, "2"));
    assert_eq!(
        verdict.common_ground.iter().map(|ground| ground.question.as_str()).collect::<Vec<_>>(),
        ["Is harbour scrip money?"]
    );
}

#[test]
fn o2_the_last_speaker_has_not_won() {
    let imported = imported("v1-o2.result.json");
    let read_model = DebateReadModel::of(&imported.events);
    assert_eq!(standing(&read_model), ids(&[8, 10, 11, 13, 15]));
    let verdict = read_model.verdict();
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
            "the file states convergence; the log gives polarized, because 2 open disputes; no answer is agreed upon; the limit \
          events was reached"
        ]
    );
    // A stance counts in the turn that states it; later ones, in turns without their words, are reported.
    let read_model = DebateReadModel::of(&imported.events);
    let cited: Vec<u32> = read_model
        .disputes
        .disputes
        .values()
        .flat_map(|dispute| dispute.stances.values())
        .map(|stance| stance.turn.0)
        .collect();
    assert_eq!(cited, [1, 2, 1, 2]);
}

#[test]
fn o4_the_counter_argument_of_an_unjudged_attack_is_in_no_extension() {
    let imported = imported("graph-3p.events.jsonl");
    let read_model = DebateReadModel::of(&imported.events);
    let framed = read_model.arguments.framework();
    let extensions = preferred(&framed.framework, &SolverLimits::default());
    let inside: std::collections::BTreeSet<_> =
        extensions.sets.iter().flatten().map(|member| framed.id(*member)).collect();
    assert!(extensions.exact && extensions.count.to_string() == "4");
    for (number, is_inside) in [(6, true), (7, true), (8, false), (9, true), (10, true), (11, false)] {
        assert_eq!(inside.contains(&ArgumentId(number + 1)), is_inside, "arg-{number}");
    }
    let marked: Vec<String> = imported
        .events
        .iter()
        .filter_map(|recorded| match &recorded.event {
            Event::ArgumentSynthesised(recorded) => Some(format!("{} {}", recorded.argument, recorded.name)),
            _ => None,
        })
        .collect();
    assert_eq!(marked, ["a7 arg-6", "a8 arg-7", "a9 arg-8", "a10 arg-9", "a11 arg-10", "a12 arg-11"]);
    let unjudged = read_model.arguments.attacks.values().filter(|attack| attack.judged.is_none()).count();
    assert_eq!((unjudged, imported.report.claimed.extensions), (2, Some(1)));
}

#[test]
fn conclusions_of_a_file_are_recorded_as_its_claims_only() {
    let imported = imported("v2-2p-30.events.jsonl");
    let differences = imported.report.differences;
    assert!(differences[0].starts_with("the file states consensus (\"Consensus: 4 of 5"), "{differences:?}");
    assert_eq!(imported.report.regime.kind, RegimeKind::Polarized);
    let said = imported.events.iter().filter_map(|recorded| match &recorded.event {
        Event::VerdictImported(recorded) if recorded.name == "engine_complete" => Some(&recorded.said),
        _ => None,
    });
    let said: Vec<&Value> = said.collect();
    assert_eq!((said.len(), &said[0]["regime"], said[0].get("graph")), (1, &json!("consensus"), None));
}
