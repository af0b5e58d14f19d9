//! Camps, and limits on the number of positions.

use faultline_core::events::argument::ArgumentAdvanced;
use faultline_core::events::argument::ArgumentPart::Assumption;
use faultline_core::events::ids::{ArgumentId, PersonaId};
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::verdicts::camps::MAX_TIES;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::verdict::Verdict;

use crate::debates::verdicts::verdict_debate::{THREE, TWO, VerdictDebate};
use crate::support::personas::persona;

/// Rule 9.
#[test]
fn a_limit_is_reported_and_no_end_changes_a_split() {
    let reason = || "so it was".to_owned();
    let limited = DebateOutcome::Limit { limit: "turns".into(), reason: reason() };
    for (outcome, limit) in [
        (limited, Some("turns")),
        (DebateOutcome::Settled { reason: reason() }, None),
        (DebateOutcome::Exhausted { reason: reason() }, None),
        (DebateOutcome::Stalled { reason: reason() }, None),
        (DebateOutcome::Failed { reason: reason() }, None),
    ] {
        let mut debate = VerdictDebate::new(TWO);
        debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
        let before = debate.verdict();
        debate.conclude(outcome.clone());
        let verdict = debate.verdict();
        assert_eq!(verdict.limit.as_deref(), limit, "{outcome:?}");
        assert_eq!(Verdict { limit: None, ..verdict }, before, "an end changes nothing else");
    }
}

/// Rule 9: only lists are truncated; computations are not.
#[test]
fn a_truncated_list_is_reported_and_changes_no_verdict() {
    let with_loops = |n: u32| {
        let mut debate = VerdictDebate::in_consensus(TWO);
        for _ in 0..n {
            let (one, other) = (debate.add_claim("ada", "one"), debate.add_claim("ada", "other"));
            debate.add_mutual_attack(one, other);
        }
        debate.verdict()
    };
    for (n, n_camps) in [(1, 2), (6, MAX_TIES), (7, MAX_TIES), (40, MAX_TIES)] {
        let verdict = with_loops(n);
        assert_eq!((verdict.regime.exact, verdict.regime.kind), (true, RegimeKind::Consensus), "{n}");
        assert_eq!(verdict.n_extensions, (1_u64 << n).to_string());
        assert_eq!((verdict.camps.len(), verdict.camps_exact), (n_camps, n <= 6), "{n}");
    }
}

/// Rule 10: of any number of positions, those that belong to a persona are listed.
#[test]
fn no_camp_is_lost_among_many_positions() {
    for n in [3_usize, 11, 40] {
        let mut debate = VerdictDebate::new(TWO);
        let mut own = [Vec::new(), Vec::new()];
        for k in 0..n {
            let (one, other) =
                (debate.add_claim("ada", &format!("ada {k}")), debate.add_claim("ben", &format!("ben {k}")));
            debate.add_mutual_attack(one, other);
            own[0].push(one);
            own[1].push(other);
        }
        let verdict = debate.verdict();
        let camps: Vec<_> = verdict.camps.iter().map(|camp| (camp.arguments.clone(), camp.personas.len())).collect();
        assert_eq!(camps, own.map(|arguments| (arguments, 1)), "of {n} contradictions");
        assert!(verdict.camps_exact && verdict.regime.exact);
        assert_eq!(verdict.regime.kind, RegimeKind::Polarized);
    }
}

/// Rule 10.
#[test]
fn camps_are_listed_by_persona_with_ties() {
    let mut debate = VerdictDebate::new(THREE);
    let camps = |debate: &VerdictDebate| -> Vec<String> {
        let ids = |ids: &[ArgumentId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let who = |who: &[PersonaId]| who.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let mut actual: Vec<String> = debate
            .verdict()
            .camps
            .iter()
            .map(|camp| format!("{}: {} / {}", ids(&camp.arguments), who(&camp.personas), who(&camp.tied)))
            .collect();
        actual.sort();
        actual
    };
    assert_eq!(camps(&debate), [""; 0]);
    let a1 = debate.add_claim("ada", "one");
    let b2 = debate.add_claim("ben", "two");
    assert_eq!(camps(&debate), ["a1 a2: ada ben / "]);
    debate.add_mutual_attack(a1, b2);
    assert_eq!(camps(&debate), ["a1: ada / ", "a2: ben / "]);
    assert_eq!(debate.regime(), RegimeKind::Polarized);
    debate.add_claim("cleo", "three"); // in both: a tie
    assert_eq!(camps(&debate), ["a1 a3: ada / cleo", "a2 a3: ben / cleo"]);
    let c4 = debate.add_claim("cleo", "four");
    debate.add_attack(b2, c4); // one more of cleo's arguments is in ada's camp
    assert_eq!(camps(&debate), ["a1 a3 a4: ada cleo / ", "a2 a3: ben / "]);
}

/// Rule 10: a persona that contradicts only itself opposes nobody.
#[test]
fn camps_split_only_if_each_has_a_member() {
    let mut debate = VerdictDebate::new(TWO);
    let (one, other) = (debate.add_claim("ada", "one"), debate.add_claim("ada", "other"));
    debate.add_mutual_attack(one, other);
    let verdict = debate.verdict();
    assert!(verdict.camps.iter().all(|camp| camp.personas.is_empty() && camp.tied == [persona("ada").id]));
    assert_eq!((verdict.camps.len(), verdict.regime.kind), (2, RegimeKind::Undetermined));
    let third = debate.add_claim("ben", "third");
    debate.add_attack(third, third);
    let of_ben = debate.verdict().camps.iter().any(|camp| camp.personas.contains(&persona("ben").id));
    assert!(!of_ben, "a persona without an accepted argument belongs to no camp");
}

/// Rule 18: a participant whose own answer to the topic is rejected does not stand where the opposite answer is accepted.
#[test]
fn nobody_is_in_a_camp_that_accepts_the_opposite_of_their_thesis() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = |argument: &mut ArgumentAdvanced| argument.answers_topic = true;
    let own = debate.add_argument("ada", "Run the ferry", |argument| {
        argument.answers_topic = true;
        argument.assumptions = vec!["The crews are rested".into()];
    });
    let other = debate.add_argument("ben", "Rest the ferry", thesis);
    debate.add_mutual_attack(other, own);
    debate.add_claim("ada", "Nurses wait on the pier");
    let in_camps = |debate: &VerdictDebate| -> Vec<Vec<PersonaId>> {
        debate.verdict().camps.into_iter().map(|camp| camp.personas).collect()
    };
    assert_eq!(in_camps(&debate), [[persona("ada").id], [persona("ben").id]], "each stands by their own thesis");
    let tired = debate.add_claim("ben", "Nobody slept");
    debate.undermine(tired, own, Assumption(0));
    assert_eq!(
        in_camps(&debate),
        [[persona("ben").id]],
        "one set is left, and it holds ben's thesis and a claim of ada's"
    );
}
