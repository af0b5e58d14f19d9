//! Oracles: debates whose verdict is known.

use std::collections::BTreeSet;

use faultline_argumentation::labelling::Label::{In, Undec};
use faultline_argumentation::limits::SolverLimits as Work;
use faultline_argumentation::preferred::preferred;
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::{ArgumentId, DisputeId};
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::verdicts::crux::CruxOrigin;
use faultline_core::verdicts::regime::RegimeKind;

use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate};
use crate::support::personas::persona;

// The oracles.

/// Builds eight arguments: `stella` holds 0, 2, 4, 5, 6 and `hugo` the rest; attacks in one direction, as extracted.
pub fn bitcoin() -> (Vec<ArgumentId>, VerdictDebate) {
    const ATTACKS: [(usize, usize); 9] = [(2, 1), (3, 0), (3, 2), (4, 3), (5, 3), (6, 3), (7, 0), (7, 5), (7, 6)];
    let mut debate = VerdictDebate::new(&["stella", "hugo"]);
    let speaker = |index: usize| if [0, 2, 4, 5, 6].contains(&index) { "stella" } else { "hugo" };
    let ids: Vec<ArgumentId> =
        (0..8).map(|index| debate.add_claim(speaker(index), &format!("claim {index}"))).collect();
    for (source, target) in ATTACKS {
        debate.add_attack(ids[source], ids[target]);
    }
    (ids, debate)
}

#[test]
fn o1_undefeated_is_not_agreed() {
    let (ids, debate) = bitcoin();
    let verdict = debate.verdict();
    let standing: Vec<ArgumentId> =
        verdict.labels.iter().filter(|(_, label)| **label == In).map(|(id, _)| *id).collect();
    assert_eq!(standing, [ids[2], ids[4], ids[7]]);
    assert_eq!((verdict.common_ground.len(), verdict.regime.kind), (0, RegimeKind::Undetermined));
}

#[test]
fn o1_one_missing_rebuttal_makes_two_camps() {
    let (ids, mut debate) = bitcoin();
    debate.add_mutual_attack(ids[4], ids[7]);
    let verdict = debate.verdict();
    assert!(verdict.labels.values().all(|label| *label == Undec));
    assert_eq!((verdict.n_extensions.as_str(), verdict.regime.kind), ("2", RegimeKind::Polarized));
    let of = |those: &[usize]| those.iter().map(|index| ids[*index]).collect::<Vec<_>>();
    let camps: Vec<_> =
        verdict.camps.iter().map(|camp| (camp.arguments.clone(), camp.personas.clone(), camp.tied.len())).collect();
    assert_eq!(
        camps,
        [(of(&[0, 2, 4, 5, 6]), vec![persona("stella").id], 0), (of(&[1, 3, 7]), vec![persona("hugo").id], 0),]
    );
    assert_eq!(verdict.common_ground, []);
}

#[test]
fn o1_what_both_say_in_closing_is_common_ground() {
    let (ids, mut debate) = bitcoin();
    debate.add_mutual_attack(ids[4], ids[7]);
    let topic = debate.ask_topic("stella yes, hugo yes");
    let split = debate.raise_dispute_with_stances("Is adoption determined?", "stella yes, hugo no");
    let verdict = debate.verdict();
    assert_eq!(verdict.regime.kind, RegimeKind::Partial);
    assert_eq!(verdict.common_ground.iter().map(|ground| ground.dispute).collect::<Vec<_>>(), [topic]);
    assert_eq!(verdict.cruxes[0].origin, CruxOrigin::Dispute { dispute: split });
}

/// Sixteen arguments, thirty-two attacks, and a grounded set of five, all of them by the last speaker.
#[test]
fn o2_the_last_speaker_has_not_won() {
    const ATTACKS: [(usize, usize); 32] = [
        (4, 3),
        (4, 3),
        (5, 0),
        (5, 1),
        (6, 0),
        (6, 0),
        (6, 1),
        (7, 0),
        (7, 3),
        (2, 4),
        (3, 4),
        (0, 6),
        (1, 5),
        (0, 5),
        (7, 1),
        (5, 3),
        (6, 2),
        (4, 0),
        (7, 2),
        (5, 0),
        (6, 3),
        (4, 1),
        (5, 2),
        (6, 1),
        (8, 7),
        (9, 8),
        (10, 9),
        (11, 9),
        (12, 10),
        (13, 12),
        (14, 13),
        (15, 14),
    ];
    const STANDING: [usize; 5] = [8, 10, 11, 13, 15];
    let mut debate = VerdictDebate::new(&["stella", "hugo"]);
    let speaker = |index: usize| if index < 4 || STANDING.contains(&index) { "hugo" } else { "stella" };
    let ids: Vec<ArgumentId> =
        (0..16).map(|index| debate.add_claim(speaker(index), &format!("claim {index}"))).collect();
    for (source, target) in ATTACKS {
        debate.add_attack(ids[source], ids[target]);
    }
    let verdict = debate.verdict();
    let standing: Vec<ArgumentId> =
        verdict.labels.iter().filter(|(_, label)| **label == In).map(|(id, _)| *id).collect();
    assert_eq!(standing, STANDING.map(|index| ids[index]));
    assert!(standing.iter().all(|argument| debate.speakers[argument] == persona("hugo").id));
    assert_eq!((verdict.last_word.standing, verdict.last_word.unanswered), (5, 5));
    assert!(verdict.last_word.is_all());
    assert_eq!(verdict.common_ground, []);
    assert_ne!(verdict.regime.kind, RegimeKind::Consensus);
}

/// The warning is about attacks that were not answered, not about claims that were not attacked.
#[test]
fn o2_unattacked_claims_cause_no_last_word_warning() {
    let mut debate = VerdictDebate::new(TWO);
    assert!(!debate.verdict().last_word.is_all());
    let one = debate.add_claim("ada", "one");
    debate.add_claim("ben", "two");
    let word = debate.verdict().last_word;
    assert_eq!((word.standing, word.unanswered, word.is_all()), (2, 0, false));
    let last = debate.add_claim("ben", "three");
    debate.add_attack(last, one);
    let word = debate.verdict().last_word;
    assert_eq!((word.standing, word.unanswered, word.is_all()), (2, 1, false));
}

/// Two personas, for and against every claim, until the event limit is reached: the legacy system reported convergence.
#[test]
fn o3_a_limit_is_not_convergence() {
    let mut debate = VerdictDebate::new(&["alma", "bram"]);
    let claims: Vec<DisputeId> = (0..3).map(|n| debate.raise_dispute(&format!("Does claim {n} hold?"))).collect();
    for _round in 0..4 {
        for claim in &claims {
            debate.take_side("alma", *claim, Side::Yes);
            debate.take_side("bram", *claim, Side::No);
        }
    }
    debate.conclude(DebateOutcome::Limit { limit: "events".into(), reason: "24 of 24 events".into() });
    let verdict = debate.verdict();
    assert_eq!((verdict.regime.kind, verdict.limit.as_deref()), (RegimeKind::Polarized, Some("events")));
    assert_eq!((verdict.cruxes.len(), verdict.common_ground.len()), (3, 0));
}

/// Three speakers with two arguments each; in each of two rounds three attacks, the third of which was never judged.
#[test]
fn o4_the_counter_argument_of_a_rejected_attack_is_in_no_extension() {
    for third in [None, Some(false)] {
        let mut debate = VerdictDebate::new(&["alma", "bram", "cora"]);
        let mut opened = Vec::new();
        for speaker in ["alma", "bram", "cora"] {
            opened.extend([debate.add_claim(speaker, "claim 0"), debate.add_claim(speaker, "claim 1")]);
        }
        let (mut counters, mut rejected) = (Vec::new(), Vec::new());
        for _round in 0..2 {
            for (n, speaker, target) in [(0, "alma", opened[2]), (1, "bram", opened[4]), (2, "cora", opened[0])] {
                let (counter, attack) = debate.add_counterargument(speaker, target, &format!("counter by {n}"));
                let judged = if n == 2 { third } else { Some(true) };
                judged.iter().for_each(|judgement| debate.judge_attack(attack, *judgement));
                if n == 2 { rejected.push(counter) } else { counters.push(counter) }
            }
        }
        let read_model = debate.read_model();
        let framed = read_model.arguments.framework();
        let extensions = preferred(&framed.framework, &Work::default());
        let inside: BTreeSet<ArgumentId> = extensions.sets.iter().flatten().map(|member| framed.id(*member)).collect();
        assert!(extensions.exact && counters.iter().all(|counter| inside.contains(counter)));
        let verdict = read_model.verdict();
        for counter in rejected {
            assert!(!inside.contains(&counter) && !verdict.labels.contains_key(&counter), "{counter}");
            assert!(verdict.camps.iter().all(|camp| !camp.arguments.contains(&counter)), "{counter}");
            assert!(verdict.cruxes.iter().all(|crux| !crux.dependents.contains(&counter)), "{counter}");
        }
        assert_eq!(verdict.n_extensions, "4", "two mutual rebuttals of each of two claims");
    }
}

#[test]
fn o5_k_contradictions_have_two_to_the_k_positions() {
    let mut debate = VerdictDebate::new(TWO);
    for k in 1..=20_u32 {
        let (one, other) = (debate.add_claim("ada", "one"), debate.add_claim("ben", "other"));
        debate.add_mutual_attack(one, other);
        let verdict = debate.verdict();
        let n_positions = 1_usize << k;
        assert_eq!(verdict.n_extensions, n_positions.to_string());
        assert!(verdict.regime.exact && verdict.camps_exact, "{k}");
        assert_eq!(verdict.regime.kind, RegimeKind::Polarized, "{k}");
    }
}
