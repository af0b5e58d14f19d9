//! Measures of debates against values computed by hand, and their documentation. `UPDATE=1 cargo test --test pure measures`
//! rewrites `docs/measures.md`.

use std::collections::BTreeSet;
use std::path::Path;

use faultline_core::events::argument::ArgumentPart::Claim;
use faultline_core::events::argument::{ArgumentWithdrawn, AttackKind};
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::receipt::{
    EffectAnswered, EffectFailed, EffectKey, EffectRequested, Failure, FailureKind, ProviderAnswer, Tier, Usage,
};
use faultline_core::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade};
use faultline_core::measures::measure::{MeasureGroup, Measured, rounded};
use faultline_core::measures::registry::{MEASURES, measures, measures_with_timeline};
use faultline_core::verdicts::diff::timeline::Timeline;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::debates::verdicts::verdict_debate::VerdictDebate;
use crate::support::personas::persona_id;

/// Checks measures of a debate: key, and value or `None`.
fn check(debate: &VerdictDebate, expected: &[(&str, Option<f64>)]) {
    let found = measured(debate);
    for (key, value) in expected {
        let actual = found.iter().find(|it| it.definition.key == *key).expect("a measure");
        assert_eq!(actual.measurement.value, *value, "{key}: {:?}", actual.measurement);
        assert_eq!(actual.measurement.absent.is_some(), value.is_none(), "{key}");
    }
}

fn measured(debate: &VerdictDebate) -> Vec<Measured> {
    let (mut timeline, mut read_model) = (Timeline::default(), DebateReadModel::default());
    timeline.extend(&mut read_model, &debate.recorded());
    measures_with_timeline(&read_model, &read_model.verdict(), Some(timeline.until(i64::MAX)))
}

/// Ada: t1 `alpha`, t4 `gamma`, t5 attacks ben (invalid). Ben: t2 `beta`, t3 attacks ada (valid).
fn attacks(one: &str, other: &str) -> VerdictDebate {
    let mut debate = VerdictDebate::new(&[one, other]);
    let first = debate.add_claim(one, "alpha");
    let second = debate.add_claim(other, "beta");
    debate.add_attack(second, first);
    let third = debate.add_claim(one, "gamma");
    let attack = debate.raise_attack(third, second, AttackKind::Undercut, Claim);
    debate.judge_attack(attack, false);
    debate
}

#[test]
fn measures_of_attacks_are_those_computed_by_hand() {
    check(
        &attacks("ada", "ben"),
        &[
            ("valid_attacks", Some(0.5)),
            // (0.5 - 1)² and (0.5 - 0)²
            ("attack_calibration", Some(0.25)),
            ("novelty", Some(1.0)),
            ("diversity", Some(1.0)),
            // t5 attacks a2, from which the valid attack in t3 came.
            ("dropped_attacks", Some(0.0)),
            ("answer_latency", Some(2.0)),
            // Of t3, t4 and t5, t3 and t5 attack.
            ("responsiveness", Some(0.6667)),
            // Words 2 and 3: 2 (1 · 2 + 2 · 3) / (2 · 5) - 3 / 2
            ("word_inequality", Some(0.1)),
            ("supported_claims", Some(0.0)),
            ("grounded_turns", Some(0.0)),
            ("verified_quotations", None),
            ("circling", Some(0.0)),
            ("distinct_word_pairs", None),
            ("stance_drift", None),
            ("topic_entropy", None),
            ("factuality", None),
            ("tokens_per_turn", Some(0.0)),
            ("waste", None),
            ("failed_calls", None),
            ("model_variety", None),
            ("audit_agreement", None),
            ("probe_agreement", None),
            ("contract_contradictions", None),
            ("endorsement", None),
            ("unread_turns", Some(0.0)),
            ("contradicted_common_ground", Some(0.0)),
        ],
    );
}

#[test]
fn measures_of_the_course_are_those_computed_by_hand() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    let first = debate.add_claim("ada", "alpha");
    let second = debate.add_claim("ben", "beta");
    // alpha: IN to OUT
    debate.add_attack(second, first);
    let third = debate.add_claim("ada", "gamma");
    // beta: IN to OUT, alpha: OUT to IN
    debate.add_attack(third, second);
    check(&debate, &[("label_changes", Some(1.0))]);

    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    check(&debate, &[("label_changes", None), ("crux_persistence", None), ("crux_turnover", None)]);
    let dispute = debate.raise_dispute_with_stances("Is there a crew?", "ada yes, ben no");
    let n_before = debate.read_model().transcript.turns.len();
    debate.say("ada", "one");
    debate.say("ben", "two");
    let n_turns = n_before + 2;
    check(&debate, &[("crux_persistence", Some(rounded(2.0 / n_turns as f64))), ("crux_turnover", Some(0.0))]);
    debate.take_side("ben", dispute, Side::Yes);
    check(&debate, &[("crux_persistence", None), ("crux_turnover", Some(1.0))]);

    let read_model = debate.read_model();
    let without = measures(&read_model, &read_model.verdict());
    let stored = without.iter().filter(|it| it.definition.needs_timeline);
    assert!(stored.clone().count() == 3 && stored.into_iter().all(|it| it.measurement.value.is_none()));
}

#[test]
fn an_attack_is_dropped_if_nobody_answers_it() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    let first = debate.add_claim("ada", "alpha");
    let second = debate.add_claim("ben", "beta");
    debate.add_attack(second, first);
    check(&debate, &[("dropped_attacks", None), ("answer_latency", None)]);
    debate.turn("ada");
    check(&debate, &[("dropped_attacks", Some(1.0)), ("answer_latency", None)]);
}

#[test]
fn measures_of_stances_are_those_computed_by_hand() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    let topic = debate.ask_topic("ada yes, ben no");
    check(
        &debate,
        &[
            // Half on yes, half on no: ln 2 / ln 3.
            ("topic_entropy", Some(0.6309)),
            ("topic_distance", Some(2.0)),
            ("group_consensus", None),
            ("collapse_turn", None),
            ("unexplained_flips", Some(0.0)),
            ("capitulation", None),
        ],
    );
    debate.raise_dispute_with_stances("Is it dear?", "ada yes, ben yes");
    // Yes: (1 + 1) / (2 + 1) on each side, 4 / 9; no: 1 / 9.
    check(&debate, &[("group_consensus", Some(0.4444))]);
    debate.take_side("ada", topic, Side::No);
    check(
        &debate,
        &[
            // Ada moved from 1 to -1 on one of four positions.
            ("stance_drift", Some(0.5)),
            ("stance_path", Some(0.5)),
            ("unexplained_flips", Some(1.0)),
            ("capitulation", Some(1.0)),
            ("capitulation_gap", None),
            ("collapse_turn", Some(5.0)),
            ("topic_entropy", Some(0.0)),
            ("topic_distance", Some(0.0)),
            ("group_consensus", None),
            ("contradicted_common_ground", Some(0.0)),
        ],
    );
}

#[test]
fn a_flip_after_a_valid_attack_is_explained() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    let topic = debate.ask_topic("ada yes, ben no");
    let first = debate.add_claim("ada", "alpha");
    let second = debate.add_claim("ben", "beta");
    debate.add_attack(second, first);
    debate.take_side("ada", topic, Side::No);
    check(&debate, &[("unexplained_flips", Some(0.0)), ("capitulation", Some(0.0)), ("stance_drift", Some(1.0))]);
}

#[test]
fn measures_of_concessions_are_those_computed_by_hand() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    debate.ask_topic("ada yes, ben no");
    let first = debate.add_claim("ada", "The bus runs every ten minutes.");
    let second = debate.add_claim("ben", "Nobody is waiting at the stops.");
    debate.add_attack(second, first);
    let turn = debate.say("ada", "I take that back.");
    debate.events.push(Event::ConcessionMade(ConcessionMade {
        turn,
        speaker: persona_id("ada"),
        kind: ConcessionExtent::Full,
        what: "The bus runs every ten minutes.".into(),
        quote: Some("I take that back.".into()),
        effect: ConcessionEffect::Withdrew { argument: first },
        granted: None,
    }));
    let reason = "conceded".into();
    let withdrawn = ArgumentWithdrawn { argument: first, turn, superseded_by: None, reason };
    debate.events.push(Event::ArgumentWithdrawn(withdrawn));
    check(
        &debate,
        &[
            ("concession_integrity", Some(1.0)),
            ("relapses", Some(0.0)),
            ("novelty", Some(1.0)),
            ("dropped_attacks", Some(0.0)),
            ("answer_latency", Some(1.0)),
        ],
    );
    debate.add_claim("ada", "The bus runs every ten minutes.");
    check(&debate, &[("relapses", Some(1.0)), ("novelty", Some(0.6667))]);
}

#[test]
fn measures_of_calls_are_those_computed_by_hand() {
    let mut debate = VerdictDebate::new(&["ada", "ben"]);
    let key = EffectKey { purpose: "open".into(), subject: "ada".into(), ordinal: 0 };
    let answer = |usage: Usage| ProviderAnswer {
        by: "script/model".into(),
        text: String::new(),
        usage,
        millis: 1_500,
        request_id: None,
        tries: 1,
        grounds: vec![],
    };
    let requested = |attempt| {
        Event::EffectRequested(EffectRequested {
            key: key.clone(),
            attempt,
            tier: Tier::Deep,
            system: String::new(),
            prompt: String::new(),
            grounds: vec![],
            search: None,
        })
    };
    let unreadable = Usage { input_tokens: 30, ..Usage::default() };
    let usage =
        Usage { input_tokens: 60, cache_read_tokens: 40, output_tokens: 20, cost_micros: 2_000, ..Usage::default() };
    debate.events.extend([
        requested(1),
        Event::EffectFailed(EffectFailed {
            key: key.clone(),
            attempt: 1,
            failure: Failure { kind: FailureKind::Unreadable, message: "no JSON".into(), advice: None, answer: None },
            answer: Some(answer(unreadable)),
        }),
        requested(2),
        Event::EffectAnswered(EffectAnswered {
            key: key.clone(),
            attempt: 2,
            answer: answer(usage),
            ignored: false,
            repaired: false,
        }),
    ]);
    debate.turn("ada");
    debate.turn("ben");
    check(
        &debate,
        &[
            ("cost", Some(0.002)),
            ("cost_per_turn", Some(0.001)),
            ("tokens_per_turn", Some(75.0)),
            // 30 of 150 tokens, and 40 of 130 read.
            ("waste", Some(0.2)),
            ("cache_share", Some(0.3077)),
            ("failed_calls", Some(0.5)),
            ("call_seconds_per_turn", Some(1.5)),
            ("model_variety", Some(1.0)),
        ],
    );
}

/// Values depend on neither the names of the participants nor their order in the alphabet.
#[test]
fn measures_are_invariant_under_renaming() {
    let values = |debate: &VerdictDebate| -> Vec<(&str, Option<f64>)> {
        measured(debate).iter().map(|it| (it.definition.key, it.measurement.value)).collect()
    };
    assert_eq!(values(&attacks("ada", "ben")), values(&attacks("zoe", "cleo")));
}

#[test]
fn keys_are_unique_and_formulas_are_sentences() {
    let keys: BTreeSet<&str> = MEASURES.iter().map(|it| it.key).collect();
    assert_eq!(keys.len(), MEASURES.len());
    for it in MEASURES {
        assert!(it.key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", it.key);
        assert!(it.formula.ends_with('.'), "{}", it.key);
    }
}

#[test]
fn docs_list_all_measures() {
    let mut page = String::from(
        "# Measures\n\n\
         A measure is a figure on one debate, computed from its log by a stated formula, with the turns behind it. None decides\n\
         anything: verdicts rest on the rules of [argumentation.md](argumentation.md) and never on a measure. This page is\n\
         generated; `faultline measures` prints the same list, `faultline measures ID` a debate's values, and\n\
         `faultline stats --measure KEY` means over many debates. In GraphQL: `Debate.measures`, `measureDefinitions`,\n\
         `debateStats(measures:)`.\n\n\
         A value is absent, with the reason, if there is nothing to measure; it is never 0 for that reason. Likeness of two texts is\n\
         the cosine of their character trigrams, from 0 to 1: it needs no embedder, and is the same on every machine. The first 1,000\n\
         claims and turns are compared. Claims are those of arguments, or of reasons in debates without arguments.\n\n\
         ## Probes\n\n\
         Some measures need answers that the log does not have. `faultline probe ID` or the mutation `probeDebate` asks a model for\n\
         them after the end of a debate: a clerk reads the turns of each participant beside the participant's contract, and pairs\n\
         of statements of the common ground; each participant rates the statements of the common ground. A statement is a question\n\
         with the answer on which the participants agree. The answers are events of the debate, each with the model that gave it;\n\
         words that a turn does not contain are refused, and what a model left out is listed as unread. A further probe asks\n\
         everything again: the latest round that has ended with answers counts, and `probe_agreement` compares it with the one before.\n\
         A round has at most 480 turns, 120 pairs and 24 rated statements, the first ones; its end names what was left out.\n\n\
         Nobody qualifies the models that answer, so no verdict depends on a probe. Without `--provider`, the provider of the debate\n\
         answers. The provider `offline` rates statements whose question a persona's writings answer, calls two statements on the\n\
         very same question contradictory if their answers differ, and reads no turns.\n",
    );
    for group in MeasureGroup::ALL {
        page += &format!("\n## {}\n\n| key | name | unit | formula |\n|---|---|---|---|\n", title(group));
        for it in MEASURES.iter().filter(|it| it.group == group) {
            let unit = it.unit.name().replace('_', " ");
            let formula = it.formula.replace('|', "\\|");
            page += &format!("| `{}` | {} | {unit} | {formula} |\n", it.key, it.name);
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/measures.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the page");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/measures.md differs: UPDATE=1 cargo test --test pure measures");
}

fn title(group: MeasureGroup) -> String {
    let name = group.name();
    name[..1].to_uppercase() + &name[1..]
}
