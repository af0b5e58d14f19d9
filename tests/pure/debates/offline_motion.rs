//! Debates on a motion played offline, with facts checked by annotations.

use std::path::Path;
use std::sync::LazyLock;

use faultline_core::events::checks::check::CheckVerdict;
use faultline_core::events::dispute::Side;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::export::report::markdown::markdown;
use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_providers::offline::phrases;
use faultline_service::offline_topics::check_offline_sides;
use serde_json::{Value, json};

use crate::support::offline::{OfflineDebate, Shipped};

const CARS: &str = "Should the city close its centre to private cars?";
const REVIEW: &str = "Should software be merged without human review when a machine wrote it?";
/// Sentence of Gus Ormerand that the records of a county contradict.
const PLOVERCROSS: &str = "The car park at Plovercross took 4,800 more cars a day";

/// Claim of Dara Velloway that is annotated as an attack on Gus Ormerand, who is on her side, and on nobody else.
const AGAINST_GUS: &str = "Every parked car in the Kettle should stay gone";

static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| Shipped::read(Path::new(env!("CARGO_MANIFEST_DIR"))));

fn played(
    topic: &'static str,
    personas: &[&'static str],
    seed: u64,
    options: Value,
) -> (DebateReadModel, Vec<Recorded>) {
    let personas = personas.to_vec();
    let log =
        SHIPPED.play(&OfflineDebate { topic, engine: "pro_con", personas, seed, options, ..OfflineDebate::default() });
    (DebateReadModel::of(&log), log)
}

fn closure(seed: u64, mode: &str) -> (DebateReadModel, Vec<Recorded>) {
    played(CARS, &["edda-tolvane", "gus-ormerand"], seed, json!({ "fact_check": mode }))
}

#[test]
fn sides_are_those_of_the_writings_and_speak_in_turn() {
    let (model, _) = closure(1, "off");
    let sides = model.motion.sides.as_ref().expect("sides");
    assert_eq!((sides.pro.len(), sides.con.len()), (1, 1));
    let topic = &model.disputes.topic().expect("the topic").1.stances;
    assert_eq!([&sides.pro[0], &sides.con[0]].map(|id| topic[id].side), [Side::Yes, Side::No]);
    let speeches: Vec<(Option<u32>, &str)> = model
        .transcript
        .turns
        .iter()
        .filter(|turn| turn.preparation.is_some())
        .map(|turn| (turn.round, turn.speaker.as_ref().expect("a speaker").as_str()))
        .collect();
    let expected: Vec<(Option<u32>, &str)> =
        (1..=3).flat_map(|round| [(Some(round), "edda-tolvane"), (Some(round), "gus-ormerand")]).collect();
    assert_eq!(speeches, expected);
    assert!(matches!(&model.summary.outcome, Some(DebateOutcome::Limit { limit, .. }) if limit == "rounds"));
    assert_eq!(model.motion.announcements.len(), 3);
}

#[test]
fn a_strict_debate_sends_a_false_claim_back_and_takes_the_corrected_speech() {
    let is_rejected = |seed: &u64| closure(*seed, "strict").0.motion.drafts.values().any(|it| it.rejected.is_some());
    let seed = (1..=20).find(is_rejected).expect("a seed with which the false sentence comes up");
    let (model, log) = closure(seed, "strict");
    let draft = model.motion.drafts.values().find(|draft| draft.rejected.is_some()).expect("a rejected draft");
    assert!(draft.drafted.turn.text.contains(PLOVERCROSS), "{}", draft.drafted.turn.text);
    let check = &model.fact_checks.checks[&draft.rejected.as_ref().expect("a rejection").checks[0]].checked;
    assert_eq!((check.verdict, check.by.as_str()), (CheckVerdict::False, "annotations, on passages of the corpora"));
    let source = &check.sources[0];
    assert_eq!(source.title, "what-the-counters-can-carry");
    assert!(source.excerpt.as_ref().is_some_and(|words| words.contains("1,900 more cars a day")), "{source:?}");
    // Nobody hears the sentence, and the turn is not lost.
    let mut turns = model.transcript.turns.iter();
    assert!(turns.all(|turn| !turn.text.contains(PLOVERCROSS)), "seed {seed}");
    let next = model.motion.drafts.values().find(|it| it.drafted.attempt == 2).expect("a second draft");
    assert!(next.said_in.is_some() && next.drafted.turn.speaker == draft.drafted.turn.speaker);
    let speeches = model.transcript.turns.iter().filter(|turn| turn.preparation.is_some());
    assert_eq!(speeches.count(), 6);
    let rejections = log.iter().filter(|recorded| matches!(recorded.event, Event::TurnRejected(_))).count();
    let gus = &model.speaker_use.speakers[&draft.drafted.turn.speaker];
    assert_eq!((gus.rejections as usize, gus.violations), (rejections, 0));
}

/// In every mode, what is checked was said, and what is found true or false is found in a corpus.
#[test]
fn every_check_quotes_the_speech_and_its_source() {
    let review = ["dorrit-halvane", "emeric-soldane", "isbel-corvath", "kitto-sarn"];
    let mut verdicts = [0; 3];
    for seed in 1..=6 {
        for mode in ["standard", "strict"] {
            let debates = [closure(seed, mode), played(REVIEW, &review, seed, json!({ "fact_check": mode }))];
            for (model, _) in debates {
                for check in model.fact_checks.checks.values() {
                    let text = match check.checked.draft {
                        Some(draft) => &model.motion.drafts[&draft].drafted.turn.text,
                        None => &model.transcript.turn(check.checked.turn).expect("a turn").text,
                    };
                    let quote = check.checked.quote.as_ref().unwrap_or(&check.checked.claim);
                    assert!(turn_quotes::is_quoted(text, quote), "{quote:?} in {text:?}");
                    let decides = check.checked.verdict != CheckVerdict::Unverifiable;
                    assert_eq!(decides, !check.checked.sources.is_empty(), "{:?}", check.checked);
                    verdicts[check.checked.verdict as usize] += 1;
                }
                assert!(model.fact_checks.unchecked.is_empty(), "{:?}", model.fact_checks.unchecked);
            }
        }
    }
    assert!(verdicts.iter().all(|n| *n > 0), "true, false and undecided: {verdicts:?}");
}

#[test]
fn nobody_speaks_offline_for_a_side_that_their_writings_do_not_take() {
    let options = json!({ "pro": ["gus-ormerand"], "con": ["edda-tolvane"], "fact_check": "off" });
    let (model, _) = played(CARS, &["edda-tolvane", "gus-ormerand"], 1, options);
    let Some(DebateOutcome::Failed { reason }) = &model.summary.outcome else { panic!("{:?}", model.summary.outcome) };
    assert_eq!(reason, "in round 1, Edda Tolvane's turn and Gus Ormerand's turn were abandoned");
    let why = &model.missed.calls[0].abandoned.reason;
    assert!(why.starts_with("gus-ormerand cannot speak for the motion offline"), "{why}");
}

#[test]
fn whoever_takes_no_side_speaks_offline_for_none() {
    let personas = ["dorrit-halvane", "emeric-soldane", "hester-gannick"];
    let (model, _) = played(REVIEW, &personas, 1, json!({ "fact_check": "off" }));
    let speeches = model.transcript.turns.iter().filter(|turn| turn.preparation.is_some());
    let speakers: Vec<&str> = speeches.filter_map(|turn| turn.speaker.as_ref()).map(PersonaId::as_str).collect();
    assert!(speakers.contains(&personas[0]) && !speakers.contains(&personas[2]), "{speakers:?}");
    let takers = "dorrit-halvane, kitto-sarn (for) and emeric-soldane, isbel-corvath (against)";
    let why = &model.missed.calls[0].abandoned.reason;
    assert!(why.starts_with("hester-gannick cannot speak for the motion offline") && why.contains(takers), "{why}");
    // The service refuses such a debate before it is opened.
    let ids: Vec<PersonaId> = personas.iter().map(|id| id.parse().expect("an id")).collect();
    let refused = check_offline_sides(&SHIPPED.positions, REVIEW, &ids).expect_err("it is refused").reason;
    let expected = "the annotated writings of hester-gannick take no side of the motion";
    assert!(refused.starts_with(expected) && refused.contains(takers), "{refused}");
    assert_eq!(check_offline_sides(&SHIPPED.positions, REVIEW, &ids[..2]), Ok(()));
}

/// Nobody debates their own side, and reflects on anything but what they answer.
#[test]
fn speeches_answer_the_other_side_and_are_prepared_in_quoted_words() {
    let closure = ["edda-tolvane", "gus-ormerand", "dara-velloway"];
    let review = ["dorrit-halvane", "emeric-soldane", "isbel-corvath", "kitto-sarn"];
    for seed in 1..=4 {
        for (topic, personas) in [(CARS, &closure[..]), (REVIEW, &review[..])] {
            let (model, log) = played(topic, personas, seed, json!({ "fact_check": "off" }));
            let sides = model.motion.sides.as_ref().expect("sides");
            let mut n_answers = 0;
            for speech in model.transcript.turns.iter().filter(|turn| turn.preparation.is_some()) {
                let speaker = speech.speaker.as_ref().expect("a speaker");
                let preparation = speech.preparation.as_ref().expect("a speech");
                let (reflection, critique) = (&preparation.reflection, &preparation.critique);
                assert!(!speech.text.contains(AGAINST_GUS), "{speech:?}");
                assert_eq!(reflection.is_empty(), critique.is_empty(), "{speech:?}");
                let words = critique.split_once(": \"").and_then(|(_, words)| words.strip_suffix('"'));
                let is_quoted = words.is_some_and(|words| SHIPPED.quotations(speaker).iter().any(|own| own == words));
                let is_marked = critique.contains(phrases::AS_ANNOTATED);
                assert!(critique.is_empty() || is_quoted || is_marked, "{critique}");
                let Some(answered) = speech.answers.and_then(|turn| model.transcript.turn(turn)) else { continue };
                let other = answered.speaker.as_ref().and_then(|other| sides.side_of(other));
                assert_ne!(sides.side_of(speaker), other, "{speaker} answers {}", answered.turn);
                assert!(!reflection.is_empty(), "{speech:?}");
                n_answers += 1;
            }
            assert!(n_answers > 0, "{topic} {seed}");
            let report = markdown(&model, &log);
            assert!(!report.contains("*Reflection: *") && !report.contains("*Critique: *"), "{report}");
        }
    }
}

#[test]
fn a_debate_without_anybody_against_the_motion_stalls() {
    let (model, _) = played(CARS, &["gus-ormerand", "dara-velloway"], 1, Value::Null);
    let topic = model.disputes.topic().expect("the topic").1;
    assert!(topic.stances.values().all(|stance| stance.side == Side::No), "{:?}", topic.stances);
    let Some(DebateOutcome::Stalled { reason }) = &model.summary.outcome else { panic!("{:?}", model.summary.outcome) };
    assert!(reason.starts_with("nobody speaks for the motion: no opening statement takes that side"), "{reason}");
}
