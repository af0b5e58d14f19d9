//! Blackboard debates played offline: decomposed into annotated questions, at one table or at several.

use std::path::Path;
use std::sync::LazyLock;

use faultline_core::events::dispute::Polarity;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::table::TableState;
use faultline_core::projections::tables::Table;
use faultline_core::verdicts::disagreement::stance_measures::stance_measures;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::json;

use crate::support::offline::{OfflineDebate, Shipped};

const CARS: &str = "Should the city close its centre to private cars?";
const REVIEW: &str = "Should software be merged without human review when a machine wrote it?";
const CLOSURE: &[&str] = &["edda-tolvane", "gus-ormerand", "dara-velloway"];
const SIX: &[&str] =
    &["dorrit-halvane", "emeric-soldane", "hester-gannick", "isbel-corvath", "kitto-sarn", "oswin-crake"];

static PLAYED: LazyLock<Vec<(OfflineDebate, Vec<Recorded>)>> = LazyLock::new(|| {
    let shipped = Shipped::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let engines = ["blitz", "classical"];
    let debates = engines.into_iter().flat_map(|engine| [(engine, CARS, CLOSURE), (engine, REVIEW, SIX)]);
    let of = |(engine, topic, personas): (&'static str, &'static str, &[&'static str])| {
        let options = json!({ "stable": 4 });
        let debate =
            OfflineDebate { topic, engine, personas: personas.to_vec(), seed: 1, options, ..OfflineDebate::default() };
        let log = shipped.play(&debate);
        (debate, log)
    };
    debates.map(of).collect()
});

#[test]
fn six_sit_at_two_tables_and_some_of_them_at_a_final_one() {
    for (debate, log) in PLAYED.iter() {
        let tables = DebateReadModel::of(log).tables.tables;
        let seats: Vec<usize> = tables.iter().map(|table| table.seated.participants.len()).collect();
        match debate.personas.len() {
            6 => {
                assert!(seats[..2] == [3, 3] && seats.len() == 3 && tables[2].seated.is_final, "{debate:?}: {seats:?}")
            }
            n => assert_eq!(seats, [n], "{debate:?}"),
        }
        assert!(tables.iter().all(|table| !table.turns.is_empty()), "{debate:?}");
    }
}

#[test]
fn participants_answer_only_what_was_said_at_their_table() {
    for (debate, log) in PLAYED.iter() {
        let model = DebateReadModel::of(log);
        let seated = |table: &Table, turn| {
            let turn = model.transcript.turn(turn);
            turn.and_then(|turn| turn.speaker.as_ref()).is_some_and(|it| table.seated.participants.contains(it))
        };
        for table in &model.tables.tables {
            let turns = table.turns.iter().filter_map(|turn| model.transcript.turn(*turn));
            for answered in turns.filter_map(|turn| turn.answers) {
                assert!(seated(table, answered), "{debate:?}: table {} answers {answered}", table.seated.table);
            }
        }
    }
}

#[test]
fn nothing_that_is_said_or_noted_is_refused() {
    for (debate, log) in PLAYED.iter() {
        for recorded in log {
            let refused: &[String] = match &recorded.event {
                Event::TurnsCrystallized(it) => &it.refused,
                Event::TurnTaken(it) => &it.refused,
                _ => &[],
            };
            assert!(refused.is_empty(), "{debate:?}: {refused:?}");
        }
    }
}

/// A claim supports a side of the topic only if its author says so.
#[test]
fn a_reason_for_a_side_of_the_topic_is_annotated_as_one() {
    let shipped = Shipped::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut n_reasons = 0;
    for (debate, log) in PLAYED.iter() {
        let model = DebateReadModel::of(log);
        let (topic, _) = model.disputes.topic().expect("the topic");
        for recorded in log {
            let Event::ReasonGiven(given) = &recorded.event else { continue };
            if given.dispute != topic || given.polarity != Polarity::Supports {
                continue;
            }
            let positions = shipped.positions[&given.speaker].topic_asked_by(debate.topic).expect("positions");
            let words = given.claim.trim_end_matches('.');
            let mut claims = positions.claims.iter().filter(|claim| claim.sentence.quote.contains(words));
            assert!(claims.any(|claim| claim.is_for_its_side()), "{debate:?}: {given:?}");
            n_reasons += 1;
        }
    }
    assert!(n_reasons > 0);
}

/// The last measures of the first table are those of the stances that its participants had then.
#[test]
fn measures_are_those_of_the_stances() {
    for (debate, log) in PLAYED.iter() {
        let is_measured =
            |recorded: &Recorded| matches!(&recorded.event, Event::ConvergenceMeasured(it) if it.table == 1);
        let last = log.iter().rposition(is_measured).expect("a measurement");
        let model = DebateReadModel::of(&log[..=last]);
        let table = &model.tables.tables[0];
        for measured in &table.measured.last().expect("a measurement").measured.disputes {
            let stances = &model.disputes.disputes[&measured.dispute].stances;
            let held = table.seated.participants.iter().filter_map(|participant| stances.get(participant));
            let shares = stance_measures(held).map(|it| [it.yes, it.no, it.neither]);
            assert_eq!(shares.unwrap_or_default(), [measured.yes, measured.no, measured.neither], "{debate:?}");
        }
    }
}

#[test]
fn everybody_has_a_word_in_a_classical_debate() {
    for (debate, log) in PLAYED.iter().filter(|(debate, _)| debate.engine == "classical") {
        let model = DebateReadModel::of(log);
        for table in model.tables.tables.iter().filter(|table| !table.seated.is_final) {
            let speaks = |persona: &&_| {
                let turns = table.turns.iter().filter_map(|turn| model.transcript.turn(*turn));
                turns.filter(|turn| turn.speaker.as_ref() == Some(*persona)).count() > 1
            };
            let silent: Vec<_> = table.seated.participants.iter().filter(|persona| !speaks(persona)).collect();
            let is_over = table.state() != TableState::Open || table.measured.len() > table.seated.participants.len();
            assert!(silent.is_empty() || !is_over, "{debate:?}: {silent:?} said nothing after the first stances");
        }
    }
}
