//! Rooms and threads of offline debates: opened for annotated sides that stand against each other, played on their
//! question, and closed with a card that quotes what was said.

use std::path::Path;
use std::sync::LazyLock;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::support::offline::{OfflineDebate, Shipped};

const CARS: &str = "Should the city close its centre to private cars?";
const REVIEW: &str = "Should software be merged without human review when a machine wrote it?";
const CLOSURE: &[&str] = &["edda-tolvane", "gus-ormerand", "dara-velloway"];
const ONE_TABLE: &[&str] = &["dorrit-halvane", "emeric-soldane", "hester-gannick"];
const OTHER_TABLE: &[&str] = &["isbel-corvath", "kitto-sarn", "oswin-crake"];
const SIX: &[&str] =
    &["dorrit-halvane", "emeric-soldane", "hester-gannick", "isbel-corvath", "kitto-sarn", "oswin-crake"];

/// Debate with rooms, and the number of rooms that it must have with a card.
type Played = (OfflineDebate, usize, Vec<Recorded>);

static PLAYED: LazyLock<Vec<Played>> = LazyLock::new(|| {
    let shipped = Shipped::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let debates = [
        ("crux_rooms", CARS, CLOSURE, 1),
        ("crux_rooms", REVIEW, ONE_TABLE, 1),
        ("crux_rooms", REVIEW, OTHER_TABLE, 1),
        ("forum", CARS, CLOSURE, 2),
        ("forum", REVIEW, SIX, 2),
    ];
    let of = |(engine, topic, personas, n): (&'static str, &'static str, &[&'static str], usize)| {
        let debate = OfflineDebate { topic, engine, personas: personas.to_vec(), seed: 1, ..OfflineDebate::default() };
        let log = shipped.play(&debate);
        (debate, n, log)
    };
    debates.into_iter().map(of).collect()
});

#[test]
fn rooms_come_back_with_cards_that_quote_both_sides() {
    for (debate, n, log) in PLAYED.iter() {
        let model = DebateReadModel::of(log);
        let mut n_cards = 0;
        for (id, room) in &model.rooms.rooms {
            let Some(card) = room.closed.as_ref().and_then(|closed| closed.closed.card.as_ref()) else { continue };
            n_cards += 1;
            let sides: Vec<_> = room.stances.values().filter(|stance| stance.quote.is_some()).collect();
            assert!(sides.len() >= 2, "{debate:?}, {id}: {sides:?}");
            let quoted: Vec<&str> = card.diagnosis.split(['“', '”']).skip(1).step_by(2).collect();
            assert!(!quoted.is_empty(), "{debate:?}, {id}: {}", card.diagnosis);
            for words in quoted {
                let mut turns = room.turns.iter().filter_map(|turn| model.transcript.turn(*turn));
                assert!(turns.any(|turn| turn.text.contains(words)), "{debate:?}, {id}: nobody said {words:?}");
            }
        }
        assert!(n_cards >= *n, "{debate:?}: {n_cards} cards");
    }
}

#[test]
fn a_thread_stays_with_its_question() {
    for (debate, _, log) in PLAYED.iter().filter(|(debate, ..)| debate.engine == "forum") {
        let model = DebateReadModel::of(log);
        for turn in model.transcript.turns.iter().filter(|turn| turn.room.is_some()) {
            let answered = turn.answers.and_then(|id| model.transcript.turn(id));
            assert!(answered.is_none_or(|answered| answered.room == turn.room), "{debate:?}: {turn:?}");
        }
        let mut questions: Vec<&str> = model.rooms.rooms.values().map(|room| room.opened.question.as_str()).collect();
        questions.dedup();
        assert_eq!(questions.len(), model.rooms.rooms.len(), "{debate:?}");
    }
}

#[test]
fn nothing_that_the_detector_or_a_clerk_finds_is_refused() {
    for (debate, _, log) in PLAYED.iter() {
        for recorded in log {
            let refused: &[String] = match &recorded.event {
                Event::DisagreementsDetected(it) => &it.refused,
                Event::TurnsCrystallized(it) => &it.refused,
                Event::ExitChecked(it) => &it.refused,
                Event::TurnTaken(it) => &it.refused,
                _ => &[],
            };
            assert!(refused.is_empty(), "{debate:?}: {refused:?}");
        }
    }
}

#[test]
fn the_floor_of_a_place_is_given_before_each_of_its_turns() {
    for (debate, _, log) in PLAYED.iter().filter(|(debate, ..)| debate.engine == "forum") {
        let model = DebateReadModel::of(log);
        let with_turn: Vec<_> = model.floor.given.iter().filter_map(|entry| entry.turn).collect();
        for turn in model.transcript.turns.iter().filter(|turn| turn.room.is_some()) {
            assert!(with_turn.contains(&turn.turn), "{debate:?}: nobody was given the floor for {}", turn.turn);
        }
        let scored = model.attention.turns.values().flat_map(|scored| &scored.scores);
        assert!(scored.clone().all(|score| (0.0..=1.0).contains(&score.score)), "{debate:?}");
        assert!(scored.count() > 0 && !model.agenda.set.is_empty(), "{debate:?}");
    }
}
