//! Regimes: what follows from the findings, and what a consensus needs.

use faultline_core::events::argument::ArgumentPart::Claim;
use faultline_core::events::argument::AttackKind::Rebut;
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::{DebateAborted, DebateOutcome};
use faultline_core::verdicts::coverage::Coverage;
use faultline_core::verdicts::regime::{Findings, RegimeKind, regime};

use crate::debates::verdicts::verdict_debate::{THREE, TWO, VerdictDebate, exhausted};

fn of_claims(examined: usize, pairs: usize) -> Coverage {
    Coverage { examined, pairs, ..Coverage::default() }
}

/// Findings with every value of every field that decides, in all combinations.
fn all_findings() -> Vec<Findings> {
    let none = Findings {
        split_topic: false,
        split_disputes: 0,
        split_camps: false,
        agreed: 0,
        granted: 0,
        coverage: Coverage::default(),
        exact: true,
        unknown_events: 0,
        obstacles: vec![],
        audit_obstacle: None,
        contradictions: vec![],
    };
    let mut all = vec![none];
    let vary = |all: &mut Vec<Findings>, changes: &[fn(&mut Findings)]| {
        for findings in all.clone() {
            all.extend(changes.iter().map(|change| {
                let mut changed = findings.clone();
                change(&mut changed);
                changed
            }));
        }
    };
    vary(&mut all, &[|it| it.split_topic = true]);
    vary(&mut all, &[|it| it.split_disputes = 1, |it| it.split_disputes = 2]);
    vary(&mut all, &[|it| it.split_camps = true]);
    vary(&mut all, &[|it| it.agreed = 1, |it| it.agreed = 2]);
    vary(&mut all, &[|it| it.granted = 1]);
    vary(
        &mut all,
        &[|it| it.coverage = of_claims(0, 4), |it| it.coverage = of_claims(3, 4), |it| it.coverage = of_claims(4, 4)],
    );
    vary(&mut all, &[|it| it.exact = false]);
    vary(&mut all, &[|it| it.unknown_events = 1]);
    vary(&mut all, &[|it| it.obstacles = vec!["the moon is full".into()]]);
    vary(&mut all, &[|it| it.audit_obstacle = Some("nobody read the words".into())]);
    vary(&mut all, &[|it| it.contradictions = vec!["d1 and d2 contradict each other".into()]]);
    all
}

/// Rules 4, 17, 19 and 23, every case of them: granted statements make a debate partial, and never a consensus.
#[test]
fn a_regime_follows_from_the_findings() {
    let all = all_findings();
    assert_eq!(all.len(), 2 * 3 * 2 * 3 * 2 * 4 * 2 * 2 * 2 * 2 * 2);
    for findings in all {
        let is_split = findings.split_topic || findings.split_disputes > 0 || findings.split_camps;
        let is_whole = findings.exact && findings.unknown_events == 0;
        let is_examined = findings.coverage == of_claims(4, 4);
        let expected = match (is_split, findings.agreed > 0) {
            (true, agreed) if agreed || findings.granted > 0 => RegimeKind::Partial,
            (true, _) => RegimeKind::Polarized,
            (false, true)
                if is_whole && is_examined && findings.obstacles.is_empty() && findings.audit_obstacle.is_none() =>
            {
                RegimeKind::Consensus
            }
            (false, _) => RegimeKind::Undetermined,
        };
        let regime = regime(findings.clone());
        assert_eq!(regime.kind, expected, "{findings:?}");
        assert_eq!((regime.coverage, regime.exact), (findings.coverage, is_whole));
        assert_eq!(regime.reason.contains("1 statement granted"), findings.granted > 0, "{}", regime.reason);
        let mut told = findings.contradictions.clone();
        if !is_split && findings.agreed > 0 {
            told.extend(findings.obstacles);
            told.extend(findings.audit_obstacle);
        }
        assert!(told.iter().all(|clause| regime.reason.contains(clause)), "{told:?} in {:?}", regime.reason);
    }
}

/// Rules 4 and 17, from events: without a question about the topic there is no consensus.
#[test]
fn a_regime_needs_stances() {
    use RegimeKind::{Consensus, Partial, Polarized, Undetermined};
    let check = |stances: &[&str], without_topic: RegimeKind, with_topic: RegimeKind| {
        let mut plain = VerdictDebate::new(TWO);
        for speaker in TWO.iter().chain(TWO) {
            plain.turn(speaker);
        }
        plain.conclude(exhausted());
        for (mut debate, expected) in [(plain, without_topic), (VerdictDebate::in_consensus(TWO), with_topic)] {
            for stances in stances {
                debate.raise_dispute_with_stances("Is it so?", stances);
            }
            assert_eq!(debate.regime(), expected, "{stances:?}");
        }
    };
    check(&[], Undetermined, Consensus);
    check(&[""], Undetermined, Consensus);
    check(&["ada yes"], Undetermined, Consensus);
    check(&["ada yes, ben nuanced"], Undetermined, Consensus);
    check(&["ada yes, ben yes"], Undetermined, Consensus);
    check(&["ada yes, ben no"], Polarized, Partial);
    check(&["ada yes, ben yes", "ada yes, ben no"], Partial, Partial);
    check(&["ada yes, ben yes", "ada yes"], Undetermined, Consensus);
}

/// Rule 5: pairs that were not examined are not agreed.
#[test]
fn consensus_needs_every_pair_examined() {
    let mut debate = VerdictDebate::in_consensus(TWO);
    assert_eq!(debate.regime(), RegimeKind::Consensus);
    let (one, other) = (debate.add_claim("ada", "one"), debate.add_claim("ben", "two"));
    assert_eq!(debate.regime(), RegimeKind::Undetermined);
    let attack = debate.raise_attack(one, other, Rebut, Claim);
    assert_eq!(debate.regime(), RegimeKind::Undetermined);
    debate.judge_attack(attack, false);
    assert_eq!(debate.regime(), RegimeKind::Consensus);
}

/// Rule 19: coverage of no pairs has no share, is not complete, and is no consensus.
#[test]
fn nothing_to_compare_is_not_everything_compared() {
    let none = Coverage::default();
    assert_eq!((none.share(), none.is_complete()), (None, false));
    let all = of_claims(3, 3);
    assert_eq!((all.share(), all.is_complete()), (Some(1.0), true));
    let mut debate = VerdictDebate::in_consensus(TWO);
    for event in &mut debate.events {
        if let Event::DisputeRaised(topic) = event {
            topic.criteria.clear();
        }
    }
    let regime = debate.verdict().regime;
    assert_eq!((regime.kind, regime.coverage), (RegimeKind::Undetermined, none));
    assert_eq!(
        regime.reason,
        "1 question answered alike and no split was found, but there are no claims of different participants to compare"
    );
}

/// Rules 19 and 24: only an ending by `settled` or `exhausted` can be a consensus.
#[test]
fn consensus_needs_an_end_by_itself() {
    let check = |end: Option<Event>, expected: Option<&str>| {
        let mut debate = VerdictDebate::in_consensus(TWO);
        debate.events.retain(|event| !matches!(event, Event::DebateConcluded(_)));
        debate.events.extend(end);
        let regime = debate.verdict().regime;
        let (kind, obstacle) = match expected {
            Some(obstacle) => (RegimeKind::Undetermined, obstacle),
            None => (RegimeKind::Consensus, "none split, and every question was answered by all"),
        };
        assert_eq!(regime.kind, kind, "{}", regime.reason);
        assert!(regime.reason.ends_with(obstacle), "{}", regime.reason);
    };
    let by = |outcome: DebateOutcome| {
        Some(Event::DebateConcluded(faultline_core::events::lifecycle::DebateConcluded { outcome }))
    };
    let reason = || "so it was".to_owned();
    check(None, Some("the debate has not ended"));
    check(by(DebateOutcome::Settled { reason: reason() }), None);
    check(by(DebateOutcome::Exhausted { reason: reason() }), None);
    let limit = DebateOutcome::Limit { limit: "calls".into(), reason: reason() };
    check(by(limit), Some("the debate ended at its limit `calls`"));
    check(by(DebateOutcome::Stalled { reason: reason() }), Some("the debate stalled"));
    check(by(DebateOutcome::Failed { reason: reason() }), Some("the debate failed"));
    let aborted = DebateAborted { reason: reason() };
    check(Some(Event::DebateAborted(aborted)), Some("the debate was cancelled"));
}

/// Rule 19: what was said in the opening alone is no result of the debate.
#[test]
fn consensus_needs_words_of_everybody_after_the_opening() {
    let mut debate = VerdictDebate::new(THREE);
    debate.ask_topic("ada yes, ben yes, cleo yes");
    debate.conclude(exhausted());
    let obstacle = |debate: &VerdictDebate| {
        let regime = debate.verdict().regime;
        let but = regime.reason.split_once(", but ").map(|(_, but)| but.to_owned());
        (regime.kind, but.unwrap_or_default())
    };
    let silent = |who: &str| (RegimeKind::Undetermined, format!("{who} said nothing after the opening"));
    assert_eq!(obstacle(&debate), silent("Ada, Ben, Cleo"));
    debate.turn("ada");
    debate.turn("cleo");
    assert_eq!(obstacle(&debate), silent("Ben"));
    debate.turn("ben");
    assert_eq!(obstacle(&debate), (RegimeKind::Consensus, String::new()));
}

/// Rule 17: who says that it depends, or nothing, is not on the same side as the others.
#[test]
fn consensus_needs_all_on_one_side_of_the_topic() {
    let check = |stances: &str, expected: RegimeKind| {
        let mut debate = VerdictDebate::in_consensus(THREE);
        let topic = debate.read_model().disputes.topic().expect("the topic was asked").0;
        debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes, cleo yes");
        for (speaker, side) in THREE.iter().zip(stances.chars()) {
            let side = match side {
                'y' => Side::Yes,
                'n' => Side::No,
                'd' => Side::Nuanced,
                _ => Side::Undecided,
            };
            debate.take_side(speaker, topic, side);
        }
        let regime = debate.verdict().regime;
        assert_eq!(regime.kind, expected, "{stances}: {}", regime.reason);
    };
    check("yyy", RegimeKind::Consensus);
    check("nnn", RegimeKind::Consensus);
    check("yyn", RegimeKind::Partial);
    check("yyd", RegimeKind::Undetermined);
    check("yyu", RegimeKind::Undetermined);
    check("ddd", RegimeKind::Undetermined);
    check("uuu", RegimeKind::Undetermined);
    let mut never = VerdictDebate::new(THREE);
    never.ask_topic("ada yes, ben yes");
    never.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes, cleo yes");
    for speaker in THREE {
        never.turn(speaker);
    }
    never.conclude(exhausted());
    assert_eq!(never.regime(), RegimeKind::Undetermined, "cleo never said where she stands");
}
