//! Rules of verdicts: each rule by itself, the metamorphic laws, the oracles.

use std::collections::{BTreeMap, BTreeSet};

use faultline_argumentation::labelling::Label;
use faultline_argumentation::labelling::Label::{In, Out, Undec};
use faultline_argumentation::limits::SolverLimits as Work;
use faultline_argumentation::preferred::preferred;
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::argument::AttackKind;
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::argument::{ArgumentAdvanced, AttackJudged, AttackRaised};
use faultline_core::events::crux::{CruxAcknowledged, CruxProposed};
use faultline_core::events::dispute::{DisputeRaised, DisputeRetired, Side, StanceTaken};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, CruxId, DisputeId, PersonaId, TurnId};
use faultline_core::events::lifecycle::{DebateConcluded, DebateLimits, DebateOpened, DebateOutcome, Interjected};
use faultline_core::events::turn::{Move, TurnTaken};
use faultline_core::projections::argument_graph::ArgumentGraph;
use faultline_core::projections::dispute_graph::{DisputeGraph, DisputeStatus};
use faultline_core::verdicts::camps::MAX_TIES;
use faultline_core::verdicts::candidates::Level;
use faultline_core::verdicts::coverage::Coverage;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::cruxes::{Crux, CruxOrigin};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::{Findings, RegimeKind, regime};
use faultline_core::verdicts::verdict::{ALGORITHM, Verdict, verdict};
use faultline_core::verdicts::what_if::{Added, HypotheticalChange, MAX_ADDED, MAX_WITHDRAWN, WhatIfError, what_if};
use faultline_core::verdicts::why::reasons;
use serde_json::Value;

use crate::laws::Chance;
use crate::rehearsal::{Log, Script, perform, persona};

// Builder of debates.

/// Builder of a debate from the events that matter to a verdict.
#[derive(Clone)]
struct VerdictDebate {
    events: Vec<Event>,
    turns: Vec<PersonaId>,
    speakers: BTreeMap<ArgumentId, PersonaId>,
    n_attacks: u32,
    n_disputes: u32,
}

impl VerdictDebate {
    fn new(speakers: &[&str]) -> VerdictDebate {
        let opened = DebateOpened {
            topic: "Should the ferry run at night?".into(),
            engine: "graph".into(),
            engine_revision: 1,
            options: Value::Null,
            participants: speakers.iter().map(|it| persona(it)).collect(),
            limits: DebateLimits::default(),
            seed: 1,
            provider: "script".into(),
        };
        VerdictDebate {
            events: vec![Event::DebateOpened(Box::new(opened))],
            turns: Vec::new(),
            speakers: BTreeMap::new(),
            n_attacks: 0,
            n_disputes: 0,
        }
    }

    fn turn(&mut self, speaker: &str) -> TurnId {
        let speaker: PersonaId = speaker.parse().expect("a persona");
        self.turns.push(speaker.clone());
        let turn = TurnId(self.turns.len() as u32);
        self.events.push(Event::TurnTaken(TurnTaken {
            turn,
            speaker,
            round: None,
            room: None,
            moves: vec![Move::Claim],
            answers: None,
            text: "...".into(),
            citations: vec![],
            refused: vec![],
            dangling: 0,
        }));
        turn
    }

    fn add_argument(&mut self, speaker: &str, claim: &str, change: impl FnOnce(&mut ArgumentAdvanced)) -> ArgumentId {
        let turn = self.turn(speaker);
        let argument = ArgumentId(self.speakers.len() as u32 + 1);
        let mut advanced = ArgumentAdvanced {
            argument,
            speaker: speaker.parse().expect("a persona"),
            turn,
            claim: claim.into(),
            premises: vec![],
            assumptions: vec![],
            evidence: vec![],
            carries: None,
            answers_topic: false,
        };
        change(&mut advanced);
        self.speakers.insert(argument, advanced.speaker.clone());
        self.events.push(Event::ArgumentAdvanced(advanced));
        argument
    }

    fn add_claim(&mut self, speaker: &str, claim: &str) -> ArgumentId {
        self.add_argument(speaker, claim, |_| {})
    }

    fn add_assuming_argument(&mut self, speaker: &str, claim: &str, assumptions: &[&str]) -> ArgumentId {
        self.add_argument(speaker, claim, |it| it.assumptions = assumptions.iter().map(|it| (*it).to_owned()).collect())
    }

    /// Adds an attack that is not judged.
    fn raise_attack(
        &mut self,
        source: ArgumentId,
        target: ArgumentId,
        kind: AttackKind,
        component: ArgumentPart,
    ) -> AttackId {
        let speaker = self.speakers[&source].clone();
        let turn = self.turn(speaker.as_str());
        self.n_attacks += 1;
        let attack = AttackId(self.n_attacks);
        self.events.push(Event::AttackRaised(AttackRaised {
            attack,
            speaker,
            turn,
            source,
            target,
            component,
            kind,
            rationale: "...".into(),
            confidence: 0.5,
        }));
        attack
    }

    fn judge_attack(&mut self, attack: AttackId, valid: bool) {
        self.judge_attack_as(attack, valid, None, None);
    }

    fn judge_attack_as(
        &mut self,
        attack: AttackId,
        valid: bool,
        kind: Option<AttackKind>,
        component: Option<ArgumentPart>,
    ) {
        let reason = "...".into();
        self.events.push(Event::AttackJudged(AttackJudged { attack, valid, strength: 0.5, reason, kind, component }));
    }

    /// Adds a valid attack in one direction.
    fn add_attack(&mut self, source: ArgumentId, target: ArgumentId) {
        let attack = self.raise_attack(source, target, Undercut, Claim);
        self.judge_attack(attack, true);
    }

    /// Adds a valid attack in both directions.
    fn add_mutual_attack(&mut self, source: ArgumentId, target: ArgumentId) {
        let attack = self.raise_attack(source, target, Rebut, Claim);
        self.judge_attack(attack, true);
    }

    /// Adds a counter-argument and the attack that it carries, which is not judged.
    fn add_counterargument(&mut self, speaker: &str, target: ArgumentId, claim: &str) -> (ArgumentId, AttackId) {
        let attack = AttackId(self.n_attacks + 1);
        let source = self.add_argument(speaker, claim, |it| it.carries = Some(attack));
        (source, self.raise_attack(source, target, Rebut, Claim))
    }

    fn raise_dispute(&mut self, question: &str) -> DisputeId {
        self.n_disputes += 1;
        let dispute = DisputeId(self.n_disputes);
        self.events.push(Event::DisputeRaised(DisputeRaised::bare(dispute, question, false)));
        dispute
    }

    fn take_side(&mut self, speaker: &str, dispute: DisputeId, side: Side) {
        let turn = self.turn(speaker);
        self.take_side_in_turn(speaker, dispute, side, turn);
    }

    fn take_side_in_turn(&mut self, speaker: &str, dispute: DisputeId, side: Side, turn: TurnId) {
        let speaker = speaker.parse().expect("a persona");
        self.events.push(Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None }));
    }

    /// Raises a dispute with stances in order, such as `ada yes, ben no`.
    fn raise_dispute_with_stances(&mut self, question: &str, stances: &str) -> DisputeId {
        let dispute = self.raise_dispute(question);
        for (speaker, side) in parse_stances(stances) {
            self.take_side(speaker, dispute, side);
        }
        dispute
    }

    fn retire_argument(&mut self, dispute: DisputeId) {
        self.events.push(Event::DisputeRetired(DisputeRetired { dispute, reason: "gone".into() }));
    }

    fn conclude(&mut self, outcome: DebateOutcome) {
        self.events.push(Event::DebateConcluded(DebateConcluded { outcome }));
    }

    fn read_model(&self) -> DebateReadModel {
        let mut log = Log::default();
        log.append(self.events.clone());
        DebateReadModel::of(&log.0)
    }

    fn verdict(&self) -> Verdict {
        self.read_model().verdict()
    }

    fn regime(&self) -> RegimeKind {
        self.verdict().regime.kind
    }
}

/// Parses `ada yes, ben no` into speakers and sides.
fn parse_stances(stances: &str) -> Vec<(&str, Side)> {
    let side = |word: &str| match word {
        "yes" => Side::Yes,
        "no" => Side::No,
        "nuanced" => Side::Nuanced,
        "undecided" => Side::Undecided,
        other => panic!("{other} is not a side"),
    };
    let pairs = stances.split(',').filter_map(|it| it.trim().split_once(' '));
    pairs.map(|(speaker, word)| (speaker, side(word))).collect()
}

const THREE: &[&str] = &["ada", "ben", "cleo"];
const TWO: &[&str] = &["ada", "ben"];

fn labels(debate: &VerdictDebate) -> Vec<Label> {
    debate.verdict().labels.into_values().collect()
}

fn structural(verdict: &Verdict) -> impl Iterator<Item = &Crux> {
    verdict.cruxes.iter().filter(|it| matches!(it.origin, CruxOrigin::Structure { .. }))
}

fn statements(verdict: &Verdict) -> Vec<&str> {
    structural(verdict).map(|it| it.statement.as_str()).collect()
}

// The rules.

/// Rule 1.
#[test]
fn common_ground_is_asserted_by_several_and_denied_by_none() {
    let check = |stances: &str, quorum: Option<usize>, expected: Option<Side>| {
        let mut debate = VerdictDebate::new(THREE);
        debate.raise_dispute_with_stances("Is winter rough?", stances);
        let board = debate.read_model();
        let ground = verdict(
            &board.summary,
            &board.transcript,
            &board.arguments,
            &board.disputes,
            &board.crux_proposals,
            quorum,
        )
        .common_ground;
        assert_eq!(ground.first().map(|it| it.side), expected, "{stances} with a quorum of {quorum:?}");
    };
    let (yes, no) = (Some(Side::Yes), Some(Side::No));
    check("ada yes, ben yes, cleo yes", None, yes);
    check("ada no, ben no, cleo no", None, no);
    check("", None, None);
    check("ada yes", None, None);
    check("ada yes, ben yes", None, None); // cleo's silence is not agreement
    check("ada yes, ben yes", Some(2), yes);
    check("ada yes", Some(1), None); // one participant alone is never enough
    check("ada yes, ada yes", Some(2), None); // nor is one participant twice
    check("ada yes", Some(0), None);
    check("ada yes, ben yes, cleo no", None, None);
    check("ada yes, ben yes, cleo no", Some(2), None);
    check("ada yes, ben yes, cleo nuanced", None, None);
    check("ada yes, ben yes, cleo nuanced", Some(2), yes);
    check("ada yes, ben nuanced, cleo undecided", Some(2), None);
    check("ada nuanced, ben nuanced, cleo nuanced", None, None);
    check("ada undecided, ben undecided, cleo undecided", Some(2), None);
    check("ada yes, ben no, cleo yes, ben yes", None, yes); // ben changed his mind
    check("ada yes, ben yes, cleo yes, ada no", None, None);
    check("ada yes, ben yes, cleo yes, ada nuanced", None, None);
}

/// Rule 1: each holder is cited with a turn of their own.
#[test]
fn a_stance_needs_a_turn_of_its_own_speaker() {
    let mut debate = VerdictDebate::new(TWO);
    let (of_ada, of_ben) = (debate.turn("ada"), debate.turn("ben"));
    let dispute = debate.raise_dispute("Is winter rough?");
    debate.take_side_in_turn("ada", dispute, Side::Yes, of_ada);
    for turn in [of_ada, TurnId(99)] {
        let mut borrowed = debate.clone();
        borrowed.take_side_in_turn("ben", dispute, Side::Yes, turn);
        assert_eq!(borrowed.verdict().common_ground, [], "ben in {turn}");
    }
    debate.take_side_in_turn("ben", dispute, Side::Yes, of_ben);
    let ground = debate.verdict().common_ground;
    let holders: Vec<String> = ground[0].holders.iter().map(|(who, turn)| format!("{who} {turn}")).collect();
    assert_eq!((ground[0].dispute, holders), (dispute, vec!["ada t1".to_owned(), "ben t2".to_owned()]));
}

/// Rule 1: an interjection in the name of a participant is a turn of that participant.
#[test]
fn an_interjection_in_a_participants_name_is_a_turn_of_theirs() {
    let mut debate = VerdictDebate::new(TWO);
    let dispute = debate.raise_dispute_with_stances("Is winter rough?", "ada yes");
    for (turn, speaker) in [(TurnId(2), None), (TurnId(3), Some(persona("ben").id))] {
        debate.events.push(Event::Interjected(Interjected { turn, text: "It is.".into(), speaker, room: None }));
    }
    let with = |turn| {
        let mut debate = debate.clone();
        debate.take_side_in_turn("ben", dispute, Side::Yes, turn);
        debate.verdict().common_ground.len()
    };
    assert_eq!((with(TurnId(2)), with(TurnId(3))), (0, 1));
}

/// Rule 13.
#[test]
fn a_crux_by_participants_needs_the_agreement_of_another() {
    let proposed = |debate: &mut VerdictDebate, crux: u32, speaker: &str| {
        let (turn, crux, speaker) = (debate.turn(speaker), CruxId(crux), speaker.parse().expect("a persona"));
        let statement = format!("Whether captains can refuse, {crux}");
        debate.events.push(Event::CruxProposed(CruxProposed { crux, speaker, turn, statement }));
        turn
    };
    let agreed = |debate: &mut VerdictDebate, crux: u32, speaker: &str, cites: TurnId| {
        let (turn, crux, speaker) = (debate.turn(speaker), CruxId(crux), speaker.parse().expect("a persona"));
        debate.events.push(Event::CruxAcknowledged(CruxAcknowledged { crux, speaker, turn, cites }));
    };
    let mut debate = VerdictDebate::new(THREE);
    let first = proposed(&mut debate, 1, "ada");
    agreed(&mut debate, 1, "ada", first); // agreement with oneself does not count
    assert_eq!(debate.verdict().cruxes, [], "proposing is not acknowledging");
    let second = proposed(&mut debate, 2, "ben");
    agreed(&mut debate, 2, "cleo", second);
    agreed(&mut debate, 2, "ada", second);
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let verdict = debate.verdict();
    let actual: Vec<(String, CruxOrigin)> = verdict.cruxes.iter().map(|it| (it.key.to_string(), it.origin)).collect();
    let (dispute, proposal) = (DisputeId(1), CruxId(2));
    let expected = [("d1", CruxOrigin::Dispute { dispute }), ("c2", CruxOrigin::Acknowledged { proposal })];
    assert_eq!(actual, expected.map(|(key, origin)| (key.to_owned(), origin)));
    let crux = &verdict.cruxes[1];
    let positions: Vec<String> = crux.positions.iter().map(|it| format!("{} {}", it.persona, it.turn)).collect();
    assert_eq!(positions, ["ben t3", "cleo t4", "ada t5"]);
    assert_eq!((crux.statement.as_str(), crux.opened), ("Whether captains can refuse, c2", TurnId(4)));
    assert_eq!(crux.question, "Does it hold that captains can refuse, c2?");
    assert_eq!(crux.why, "ben proposed it as the crux in t3; agreed: cleo in t4, ada in t5");
    assert_eq!((crux.open, crux.pivotality, crux.dependents.len()), (true, None, 0));
}

/// Rule 2.
#[test]
fn a_crux_by_dispute_is_a_yes_against_a_no() {
    let check = |stances: &str, expected: Option<&str>| {
        let mut debate = VerdictDebate::new(THREE);
        debate.raise_dispute_with_stances("Is winter rough?", stances);
        let actual = |it: &Crux| {
            let positions: Vec<String> =
                it.positions.iter().map(|it| format!("{} {} {}", it.persona, it.side.name(), it.turn)).collect();
            assert_eq!((it.origin, it.pivotality), (CruxOrigin::Dispute { dispute: DisputeId(1) }, None));
            assert_eq!(it.statement, "Is winter rough?");
            positions.join(", ")
        };
        let found: Vec<String> = debate.verdict().cruxes.iter().map(actual).collect();
        assert_eq!(found, expected.iter().copied().collect::<Vec<_>>(), "{stances}");
    };
    check("ada yes, ben no", Some("ada yes t1, ben no t2"));
    check("ada yes, ben no, cleo undecided", Some("ada yes t1, ben no t2, cleo undecided t3"));
    check("ada yes, ben yes, cleo yes", None);
    check("ada yes, ben nuanced, cleo undecided", None);
    check("ada yes, ada no", None); // the later stance of a speaker counts
    check("ada yes, ben no, ada no", None);
    check("ada yes, ben no, ada no, ben yes", Some("ada no t3, ben yes t4"));
    check("ada yes, ben no, ben nuanced", None);
}

/// Rule 3.
#[test]
fn a_dispute_is_proposed_open_settled_or_retired() {
    use DisputeStatus::{Open, Proposed, Retired, Settled};
    let check = |stances: &str, expected: DisputeStatus| {
        let mut debate = VerdictDebate::new(THREE);
        let dispute = debate.raise_dispute_with_stances("Is winter rough?", stances);
        assert_eq!(debate.read_model().disputes.disputes[&dispute].status(), expected, "{stances}");
        debate.retire_argument(dispute);
        assert_eq!(debate.read_model().disputes.disputes[&dispute].status(), Retired, "{stances}");
    };
    check("", Proposed);
    check("ada yes, ben yes", Proposed); // there was no contradiction
    check("ada yes, ben nuanced", Proposed);
    check("ada yes, ben no", Open);
    check("ada yes, ben no, ben yes", Settled);
    check("ada yes, ben no, ada no, cleo no", Settled);
    check("ada yes, ben no, ben yes, cleo no", Open); // reopened
    check("ada yes, ben no, ben nuanced", Open); // a nuanced stance is not agreement
    check("ada yes, ben no, ada undecided, ben undecided", Open);
}

/// Rule 3: retired disputes count nowhere.
#[test]
fn retired_disputes_count_nowhere() {
    let mut debate = VerdictDebate::new(TWO);
    let agreed = debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes");
    let split = debate.raise_dispute_with_stances("Is the crew worn out?", "ada yes, ben no");
    assert_eq!(debate.regime(), RegimeKind::Partial);
    debate.retire_argument(split);
    let verdict = debate.verdict();
    assert_eq!((verdict.regime.kind, verdict.cruxes.len()), (RegimeKind::Consensus, 0));
    debate.retire_argument(agreed);
    let verdict = debate.verdict();
    assert_eq!((verdict.regime.kind, verdict.common_ground.len()), (RegimeKind::Undetermined, 0));
    debate.take_side("ben", split, Side::No);
    assert_eq!(debate.regime(), RegimeKind::Undetermined);
}

/// Rule 4, every case of it.
#[test]
fn a_regime_follows_from_the_findings() {
    for split_disputes in [0, 1, 2] {
        for split_camps in [false, true] {
            for agreed in [0, 1, 2] {
                for examined in [0, 3, 4] {
                    for exact in [true, false] {
                        let coverage = Coverage { examined, pairs: 4 };
                        let unknown_events = 0;
                        let findings =
                            Findings { split_disputes, split_camps, agreed, coverage, exact, unknown_events };
                        let expected = match (split_disputes > 0 || split_camps, agreed > 0) {
                            (true, true) => RegimeKind::Partial,
                            (true, false) => RegimeKind::Polarized,
                            (false, true) if examined == 4 && exact => RegimeKind::Consensus,
                            (false, _) => RegimeKind::Undetermined,
                        };
                        let regime = regime(findings);
                        assert_eq!(regime.kind, expected, "{findings:?}");
                        assert_eq!((regime.coverage, regime.exact), (coverage, exact));
                        assert!(!regime.reason.is_empty());
                    }
                }
            }
        }
    }
}

/// Rule 4, from events.
#[test]
fn a_regime_needs_stances() {
    let check = |stances: &[&str], expected: RegimeKind| {
        let mut debate = VerdictDebate::new(TWO);
        for stances in stances {
            debate.raise_dispute_with_stances("Is it so?", stances);
        }
        assert_eq!(debate.regime(), expected, "{stances:?}");
    };
    check(&[], RegimeKind::Undetermined);
    check(&[""], RegimeKind::Undetermined);
    check(&["ada yes"], RegimeKind::Undetermined);
    check(&["ada yes, ben nuanced"], RegimeKind::Undetermined);
    check(&["ada yes, ben yes"], RegimeKind::Consensus);
    check(&["ada yes, ben no"], RegimeKind::Polarized);
    check(&["ada yes, ben yes", "ada yes, ben no"], RegimeKind::Partial);
    check(&["ada yes, ben yes", "ada yes"], RegimeKind::Consensus);
}

/// Rule 5.
#[test]
fn coverage_counts_pairs_of_live_claims_across_speakers() {
    let mut debate = VerdictDebate::new(THREE);
    let check = |debate: &VerdictDebate, examined: usize, pairs: usize| {
        let coverage = debate.verdict().regime.coverage;
        assert_eq!(coverage, Coverage { examined, pairs });
        assert_eq!(coverage.is_complete(), examined == pairs);
    };
    check(&debate, 0, 0);
    let a1 = debate.add_claim("ada", "one");
    let a2 = debate.add_claim("ada", "two");
    check(&debate, 0, 0); // two claims of one speaker are not a pair
    let b = debate.add_claim("ben", "three");
    check(&debate, 0, 2);
    debate.add_claim("cleo", "four");
    check(&debate, 0, 5);
    let attack = debate.raise_attack(a1, b, Rebut, Claim);
    check(&debate, 0, 5); // an attack that is not judged examines nothing
    debate.judge_attack(attack, false);
    check(&debate, 1, 5); // an attack found invalid examines the pair
    let attack = debate.raise_attack(b, a1, Undercut, Claim);
    debate.judge_attack(attack, true);
    check(&debate, 1, 5); // a pair has no direction
    let attack = debate.raise_attack(a2, a1, Undercut, Claim);
    debate.judge_attack(attack, true);
    check(&debate, 1, 5); // an examined pair of one speaker does not count either
    let (_, attack) = debate.add_counterargument("ben", a2, "five");
    check(&debate, 1, 5); // a counter-argument that is not judged is not live
    debate.judge_attack(attack, true);
    check(&debate, 2, 8);
}

/// Rule 5: pairs that were not examined are not agreed.
#[test]
fn consensus_needs_every_pair_examined() {
    let mut debate = VerdictDebate::new(TWO);
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes");
    assert_eq!(debate.regime(), RegimeKind::Consensus);
    let (one, other) = (debate.add_claim("ada", "one"), debate.add_claim("ben", "two"));
    assert_eq!(debate.regime(), RegimeKind::Undetermined);
    let attack = debate.raise_attack(one, other, Rebut, Claim);
    assert_eq!(debate.regime(), RegimeKind::Undetermined);
    debate.judge_attack(attack, false);
    assert_eq!(debate.regime(), RegimeKind::Consensus);
}

/// Rule 6.
#[test]
fn a_rebuttal_of_a_claim_is_mutual_and_all_other_attacks_are_directed() {
    let check =
        |raised: (AttackKind, ArgumentPart), corrected: (Option<AttackKind>, Option<ArgumentPart>), mutual: bool| {
            let mut debate = VerdictDebate::new(TWO);
            let target = debate.add_argument("ada", "one", |it| {
                (it.premises, it.assumptions) = (vec!["two".into()], vec!["three".into()]);
            });
            let source = debate.add_claim("ben", "four");
            let attack = debate.raise_attack(source, target, raised.0, raised.1);
            debate.judge_attack_as(attack, true, corrected.0, corrected.1);
            let expected = if mutual { vec![Undec, Undec] } else { vec![Out, In] };
            assert_eq!(labels(&debate), expected, "{raised:?}, corrected to {corrected:?}");
            assert_eq!(debate.verdict().n_extensions, if mutual { "2" } else { "1" });
        };
    for component in [Claim, Premise(0), Assumption(0)] {
        check((Rebut, component), (None, None), component == Claim);
        check((Undermine, component), (None, None), false);
        check((Undercut, component), (None, None), false);
    }
    check((Rebut, Claim), (Some(Undercut), None), false);
    check((Rebut, Claim), (None, Some(Premise(0))), false);
    check((Undercut, Claim), (Some(Rebut), None), true);
    check((Undermine, Premise(0)), (Some(Rebut), Some(Claim)), true);
}

/// Rule 7.
#[test]
fn an_attack_not_judged_valid_adds_neither_an_edge_nor_a_node() {
    for judged in [None, Some(false), Some(true)] {
        let mut debate = VerdictDebate::new(TWO);
        let target = debate.add_claim("ada", "one");
        let (counter, attack) = debate.add_counterargument("ben", target, "two");
        judged.iter().for_each(|it| debate.judge_attack(attack, *it));
        let board = debate.read_model();
        let (framed, verdict) = (board.arguments.framework(), board.verdict());
        let enters = judged == Some(true);
        assert_eq!(framed.ids, if enters { vec![target, counter] } else { vec![target] }, "{judged:?}");
        assert_eq!(framed.framework.attack_count(), if enters { 2 } else { 0 }, "{judged:?}");
        assert_eq!(verdict.labels.contains_key(&counter), enters, "{judged:?}");
        assert_eq!(verdict.regime.coverage.pairs, usize::from(enters), "{judged:?}");
        assert!(verdict.camps.iter().all(|it| enters || !it.arguments.contains(&counter)), "{judged:?}");
        assert_eq!(board.arguments.arguments.len(), 2, "the log keeps it");
    }
}

/// Rule 7: an attack on an argument that does not count does not count.
#[test]
fn an_attack_on_an_inactive_argument_is_inactive() {
    let mut debate = VerdictDebate::new(TWO);
    let target = debate.add_claim("ada", "one");
    let (counter, attack) = debate.add_counterargument("ben", target, "two");
    let answer = debate.add_claim("ada", "three");
    debate.add_attack(answer, counter);
    debate.add_attack(counter, answer);
    debate.judge_attack(attack, false);
    assert_eq!(debate.read_model().arguments.framework().framework.attack_count(), 0);
    assert_eq!(debate.verdict().labels, BTreeMap::from([(target, In), (answer, In)]));
}

/// Rule 8: the same attack by the same speaker counts once, and by two speakers twice.
#[test]
fn attacks_are_distinguished_by_attacker_argument_target_and_kind() {
    let attack = |component: &str, kind: &str, claim: &str| {
        format!(
            r#"{{"target": "a1", "component": "{component}", "index": 0, "kind": "{kind}", "rationale": "...",
                "confidence": 0.5, "counter": {{"claim": "{claim}", "premises": [], "assumptions": []}}}}"#
        )
    };
    let turn = |attacks: &[&str]| format!(r#"{{"speech": "So.", "attacks": [{}]}}"#, attacks.join(", "));
    let opening = r#"{"stance": "yes", "speech": "Yes.", "arguments": [{"claim": "one", "premises": ["two"]}]}"#;
    let same = attack("claim", "rebut", "three");
    let others = [
        attack("premise", "undermine", "three"),
        attack("claim", "undercut", "three"),
        attack("claim", "rebut", "four"),
    ];
    let check = |of_ben: &[&str], of_cleo: &[&str], expected: usize| {
        let actual = "topic: x\nengine: graph\npersonas: ada, ben, cleo\noptions: {\"rounds\": 1}\n";
        let mut script = Script::parse(actual);
        let nothing = r#"{"speech": "", "attacks": []}"#.to_owned();
        for (key, reply) in [
            ("open/*", opening.to_owned()),
            ("attack/ada/1", nothing),
            ("attack/ben/1", turn(of_ben)),
            ("attack/cleo/1", turn(of_cleo)),
            ("judge/*", "{}".to_owned()),
        ] {
            script.answers.insert(key.to_owned(), [reply].into());
        }
        let log = perform(script, None);
        assert_eq!(DebateReadModel::of(&log.0).arguments.attacks.len(), expected, "{}", log.lines());
    };
    check(&[&same], &[], 1);
    check(&[&same, &same], &[], 1);
    check(&[&same], &[&same], 2);
    for other in others {
        check(&[&same, &other], &[], 2);
    }
}

/// Rule 9.
#[test]
fn a_limit_is_reported_and_is_never_convergence() {
    let reason = || "so it was".to_owned();
    let limited = DebateOutcome::Limit { limit: "turns".into(), reason: reason() };
    for (outcome, limit) in [
        (limited, Some("turns")),
        (DebateOutcome::Converged { reason: reason() }, None),
        (DebateOutcome::Cycle { reason: reason() }, None),
        (DebateOutcome::Stalled { reason: reason() }, None),
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
        let mut debate = VerdictDebate::new(TWO);
        debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes");
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
        let camps: Vec<_> = verdict.camps.iter().map(|it| (it.arguments.clone(), it.personas.len())).collect();
        assert_eq!(camps, own.map(|it| (it, 1)), "of {n} contradictions");
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
            .map(|it| format!("{}: {} / {}", ids(&it.arguments), who(&it.personas), who(&it.tied)))
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
    assert!(verdict.camps.iter().all(|it| it.personas.is_empty() && it.tied == [persona("ada").id]));
    assert_eq!((verdict.camps.len(), verdict.regime.kind), (2, RegimeKind::Undetermined));
    let third = debate.add_claim("ben", "third");
    debate.add_attack(third, third);
    let of_ben = debate.verdict().camps.iter().any(|it| it.personas.contains(&persona("ben").id));
    assert!(!of_ben, "a persona without an accepted argument belongs to no camp");
}

/// Rule 11: the texts on which disputed arguments rest.
#[test]
fn cruxes_by_structure_are_assumptions_then_premises_then_claims() {
    let check = |premises: &[&str], assumptions: &[&str], level: Level, expected: &[&str]| {
        let mut debate = VerdictDebate::new(TWO);
        let texts = |given: &[&str]| given.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let one = debate.add_argument("ada", "one", |it| {
            (it.premises, it.assumptions) = (texts(premises), texts(assumptions));
        });
        let other = debate.add_assuming_argument("ben", "other", &["of ben"]);
        debate.add_mutual_attack(one, other);
        let verdict = debate.verdict();
        let of_ada = structural(&verdict).filter(|it| it.dependents == [one]);
        let mut found: Vec<(&str, CruxOrigin)> = of_ada.map(|it| (it.statement.as_str(), it.origin)).collect();
        found.sort();
        let expected: Vec<(&str, CruxOrigin)> =
            expected.iter().map(|it| (*it, CruxOrigin::Structure { level })).collect();
        assert_eq!(found, expected);
        assert!(statements(&verdict).contains(&"of ben"));
    };
    check(&["p"], &["q", "r"], Level::Assumption, &["q", "r"]);
    check(&["p", "s"], &[], Level::Premise, &["p", "s"]);
    check(&[], &[], Level::Claim, &["one"]);
}

/// Rule 11: statements on which all preferred extensions agree are no cruxes, and all on which they differ are.
#[test]
fn every_argument_on_which_positions_differ_has_a_crux() {
    let mut debate = VerdictDebate::new(TWO);
    let mut expected = BTreeSet::new();
    debate.add_assuming_argument("ada", "undisputed", &["never a crux"]);
    for n in 0..6 {
        let one = debate.add_assuming_argument("ada", "one", &[&format!("ada {n}")]);
        let other = debate.add_assuming_argument("ben", "other", &[&format!("ben {n}")]);
        debate.add_mutual_attack(one, other);
        expected.extend([format!("ada {n}"), format!("ben {n}")]);
    }
    let verdict = debate.verdict();
    assert_eq!(verdict.n_extensions, "64");
    assert_eq!(statements(&verdict).into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
}

/// Rule 11: the same holds if there are more positions than are listed.
#[test]
fn no_crux_is_lost_among_many_positions() {
    for n in [10_usize, 11, 16] {
        let mut debate = VerdictDebate::new(TWO);
        for k in 0..n {
            let one = debate.add_claim("ada", &format!("ada {k}"));
            let other = debate.add_claim("ben", &format!("ben {k}"));
            debate.add_mutual_attack(one, other);
        }
        assert_eq!(statements(&debate.verdict()).len(), 2 * n, "of {n} contradictions");
    }
}

/// Rule 11: ranking by pivotality, then dependents, then degree of attack.
#[test]
fn cruxes_are_ranked() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |it| {
        (it.answers_topic, it.assumptions) = (true, vec!["of the thesis".into()]);
    });
    let hub = debate.add_assuming_argument("ben", "hub", &["decides"]);
    debate.add_mutual_attack(hub, thesis);
    let (twin, twins) = (
        debate.add_assuming_argument("ada", "twin", &["shared"]),
        debate.add_assuming_argument("ada", "twins", &["shared"]),
    );
    let (foe, foes) = (
        debate.add_assuming_argument("ben", "foe", &["of foe"]),
        debate.add_assuming_argument("ben", "foes", &["of foes"]),
    );
    debate.add_mutual_attack(twin, foe);
    debate.add_mutual_attack(twins, foes);
    let third = debate.add_assuming_argument("ada", "third", &["of third"]);
    debate.add_mutual_attack(third, foes);
    let verdict = debate.verdict();
    let keys: Vec<(f64, usize, usize)> = structural(&verdict)
        .map(|it| (it.pivotality.expect("by structure"), it.dependents.len(), it.attack_degree))
        .collect();
    let in_order = keys.windows(2).all(|it| it[0] >= it[1]);
    assert!(in_order, "{keys:?}");
    let first: Vec<&str> = statements(&verdict).into_iter().take(3).collect();
    assert_eq!(first, ["decides", "shared", "of foes"], "{keys:?}");
    assert_eq!(keys[0], (1.0, 1, 2));
}

/// Rule 11: equal texts are the same assumption.
#[test]
fn an_assumption_that_several_share_is_one_crux() {
    let mut debate = VerdictDebate::new(THREE);
    let a = debate.add_assuming_argument("ada", "one", &["Crews are scarce."]);
    let b = debate.add_assuming_argument("ben", "two", &["crews  are\nscarce"]);
    let c = debate.add_assuming_argument("cleo", "three", &["Crews are many."]);
    debate.add_mutual_attack(a, c);
    debate.add_mutual_attack(b, c);
    let verdict = debate.verdict();
    let shared = structural(&verdict).find(|it| it.dependents.len() == 2).expect("the shared one");
    assert_eq!(shared.dependents, [a, b]);
    let positions: Vec<String> =
        shared.positions.iter().map(|it| format!("{} {}", it.persona, it.side.name())).collect();
    assert_eq!(positions, ["ada yes", "ben yes", "cleo no"]);
    assert_eq!(verdict.cruxes.len(), 2);
}

/// Rule 11: a text that one speaker assumes and another concludes is an assumption, whoever spoke first.
#[test]
fn a_shared_text_is_an_assumption_if_anybody_assumes_it() {
    for swapped in [false, true] {
        let mut debate = VerdictDebate::new(TWO);
        let mut pair = [None, None];
        for (place, speaker) in [(0, "ada"), (1, "ben")] {
            pair[place] = Some(debate.add_argument(speaker, speaker, |it| match (place == 0) ^ swapped {
                true => it.premises = vec!["shared".into()],
                false => it.assumptions = vec!["shared".into()],
            }));
        }
        let [Some(one), Some(other)] = pair else { panic!("two arguments") };
        debate.add_mutual_attack(one, other);
        let origins: Vec<CruxOrigin> = structural(&debate.verdict()).map(|it| it.origin).collect();
        assert_eq!(origins, [CruxOrigin::Structure { level: Level::Assumption }], "swapped: {swapped}");
    }
}

/// Rule 11, with a single position: contradictions across speakers that decide a thesis.
#[test]
fn a_single_position_has_cruxes_if_a_thesis_depends_on_an_answer() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |it| it.answers_topic = true);
    let attack = debate.add_assuming_argument("ben", "attack", &["decides"]);
    let idle = debate.add_assuming_argument("ben", "idle", &["decides nothing"]);
    debate.add_attack(attack, thesis);
    let verdict = debate.verdict();
    assert_eq!((verdict.n_extensions.as_str(), statements(&verdict)), ("1", vec!["decides"]));
    let own = debate.add_assuming_argument("ben", "own", &["of ben himself"]);
    debate.add_attack(own, idle); // no other speaker is contradicted
    assert_eq!(statements(&debate.verdict()), ["decides"]);
}

/// Rule 12: the order of a crux.
#[test]
fn an_assumption_has_an_order() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |it| it.answers_topic = true);
    let one = debate.add_assuming_argument("ben", "one", &["of one"]);
    let other = debate.add_assuming_argument("ben", "other", &["of other"]);
    debate.add_attack(one, thesis);
    debate.add_attack(other, thesis);
    let found = |debate: &VerdictDebate| -> Vec<(String, Option<f64>, Option<u32>)> {
        let verdict = debate.verdict();
        let actual = structural(&verdict)
            .map(|it| (it.statement.clone(), it.pivotality, it.consequence.expect("by structure").order));
        actual.collect()
    };
    // Two attacks on the thesis: to refute one of them changes nothing, and with every label decided there is no crux.
    assert_eq!(found(&debate), []);
    // Each attack is contradicted, so positions differ on it; now each alone leaves the thesis undecided.
    let answers = [
        debate.add_assuming_argument("ada", "answer", &["answer"]),
        debate.add_assuming_argument("ada", "answers", &["answers"]),
    ];
    debate.add_mutual_attack(answers[0], one);
    debate.add_mutual_attack(answers[1], other);
    let orders: BTreeMap<String, Option<u32>> = found(&debate).into_iter().map(|(it, _, order)| (it, order)).collect();
    let assumed = ["answer", "answers", "of one", "of other"].map(|it| (it.to_owned(), Some(1)));
    // There is only one thesis, so nothing else rests on it.
    let expected = assumed.into_iter().chain([("thesis".to_owned(), None)]);
    assert_eq!(orders, expected.collect());
    // A third attack that nobody contradicts decides the thesis alone: the others change nothing, not even two at once.
    let mut decided = debate.clone();
    let third = decided.add_claim("ben", "third");
    decided.add_attack(third, thesis);
    assert!(found(&decided).iter().all(|(_, pivotality, order)| (*pivotality, *order) == (Some(0.0), None)));
}

/// Rule 12: statements that change the thesis only together.
#[test]
fn two_statements_may_decide_what_neither_decides_alone() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |it| it.answers_topic = true);
    for n in 0..2 {
        // An objection that also undercuts itself depends on its answer: it is OUT, or stays undecided.
        let objection = debate.add_claim("ben", &format!("objection {n}"));
        debate.add_attack(objection, objection);
        debate.add_attack(objection, thesis);
        let answer = debate.add_assuming_argument("ada", &format!("answer {n}"), &[&format!("of answer {n}")]);
        debate.add_attack(answer, objection);
        let doubt = debate.add_assuming_argument("ben", &format!("doubt {n}"), &[&format!("of doubt {n}")]);
        debate.add_mutual_attack(doubt, answer);
    }
    let verdict = debate.verdict();
    let cruxes: Vec<&Crux> = structural(&verdict).filter(|it| it.statement.starts_with("of ")).collect();
    assert_eq!(cruxes.len(), 4);
    for crux in cruxes {
        let consequence = crux.consequence.expect("by structure");
        assert_eq!((consequence.order, consequence.responsibility(), consequence.changed), (Some(2), 0.5, 0));
        assert!(crux.why.starts_with("settling it alone changes none of 1 thesis; with one more"), "{}", crux.why);
    }
}

/// Rule 12: the fields of a crux that clients are shown.
#[test]
fn a_crux_has_question_positions_and_consequence() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_argument("ada", "The ferry pays", |it| {
        it.assumptions = vec!["The crews are rested.".into(), "Fuel stays cheap".into()];
    });
    let other = debate.add_assuming_argument("ben", "The ferry loses", &["Nobody travels"]);
    debate.add_mutual_attack(other, one);
    let verdict = debate.verdict();
    let crux = structural(&verdict).find(|it| it.statement.starts_with("The crews")).expect("the crux");
    assert_eq!(crux.question, "Is it so that the crews are rested?");
    assert_eq!(crux.assumptions, ["Fuel stays cheap"]);
    let positions: Vec<String> = crux
        .positions
        .iter()
        .map(|it| format!("{} {} {}: {}", it.persona, it.side.name(), it.turn, it.words))
        .collect();
    assert_eq!(positions, ["ada yes t1: The ferry pays", "ben no t2: The ferry loses"]);
    assert_eq!((crux.turns.clone(), crux.opened), (vec![TurnId(1), TurnId(2), TurnId(3)], TurnId(3)));
    assert_eq!(
        (crux.why.as_str(), crux.open),
        ("settling it changes 1 of 1 thesis; 1 disputed argument rests on it", true)
    );
}

/// A crux keeps its id as the debate continues, whatever its rank.
#[test]
fn a_crux_keeps_its_id() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_argument("ada", "one", |it| it.premises = vec!["Crews are scarce.".into()]);
    let other = debate.add_claim("ben", "other");
    debate.add_mutual_attack(one, other);
    let key = CruxKey::of_statement("crews are SCARCE");
    let place = |debate: &VerdictDebate| {
        let verdict = debate.verdict();
        let place = verdict.cruxes.iter().position(|it| it.key == key).expect("it is there");
        let keys: BTreeSet<CruxKey> = verdict.cruxes.iter().map(|it| it.key).collect();
        assert_eq!(keys.len(), verdict.cruxes.len(), "ids are unique");
        (place, verdict.cruxes[place].origin.name())
    };
    assert_eq!(place(&debate), (0, "premise"));
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let third = debate.add_assuming_argument("ben", "third", &["crews are scarce"]);
    debate.add_mutual_attack(third, other);
    debate.add_mutual_attack(third, one);
    let (place, origin) = place(&debate);
    assert_eq!((place > 0, origin), (true, "assumption"));
}

/// Rule 3: a dispute on which all took one side in the end was a crux, and is reported as resolved.
#[test]
fn settled_disputes_are_reported_as_resolved() {
    let check = |stances: &str, n_open: usize, resolved: Option<(&str, u32)>| {
        let mut debate = VerdictDebate::new(THREE);
        debate.raise_dispute_with_stances("Is winter rough?", stances);
        let verdict = debate.verdict();
        assert_eq!(verdict.cruxes.len(), n_open, "{stances}");
        let found = verdict.resolved.iter().map(|it| (it.why.as_str(), it.opened.0, it.open));
        assert_eq!(
            found.collect::<Vec<_>>(),
            resolved.map(|(why, opened)| (why, opened, false)).into_iter().collect::<Vec<_>>()
        );
    };
    check("ada yes, ben yes", 0, None);
    check("ada yes, ben no", 1, None);
    check("ada yes, cleo yes, ben no, ben yes", 0, Some(("all took the same side: 3 say yes", 3)));
    check("ada yes, ben no, ada no", 0, Some(("all took the same side: 2 say no", 2)));
    check("ada yes, ben no, ben nuanced", 0, None);
}

/// Rule 15.
#[test]
fn a_verdict_names_its_origin_and_reads_back() {
    let (_, debate) = bitcoin();
    let verdict = debate.verdict();
    assert_eq!(verdict.algorithm, ALGORITHM);
    let text = serde_json::to_string(&verdict).expect("a verdict is JSON");
    assert_eq!(serde_json::from_str::<Verdict>(&text).ok(), Some(verdict));
}

// The oracles.

/// Builds eight arguments: `stella` holds 0, 2, 4, 5, 6 and `hugo` the rest; attacks in one direction, as extracted.
fn bitcoin() -> (Vec<ArgumentId>, VerdictDebate) {
    const ATTACKS: [(usize, usize); 9] = [(2, 1), (3, 0), (3, 2), (4, 3), (5, 3), (6, 3), (7, 0), (7, 5), (7, 6)];
    let mut debate = VerdictDebate::new(&["stella", "hugo"]);
    let speaker = |it: usize| if [0, 2, 4, 5, 6].contains(&it) { "stella" } else { "hugo" };
    let ids: Vec<ArgumentId> = (0..8).map(|it| debate.add_claim(speaker(it), &format!("claim {it}"))).collect();
    for (source, target) in ATTACKS {
        debate.add_attack(ids[source], ids[target]);
    }
    (ids, debate)
}

#[test]
fn o1_undefeated_is_not_agreed() {
    let (ids, debate) = bitcoin();
    let verdict = debate.verdict();
    let standing: Vec<ArgumentId> = verdict.labels.iter().filter(|(_, it)| **it == In).map(|(id, _)| *id).collect();
    assert_eq!(standing, [ids[2], ids[4], ids[7]]);
    assert_eq!((verdict.common_ground.len(), verdict.regime.kind), (0, RegimeKind::Undetermined));
}

#[test]
fn o1_one_missing_rebuttal_makes_two_camps() {
    let (ids, mut debate) = bitcoin();
    debate.add_mutual_attack(ids[4], ids[7]);
    let verdict = debate.verdict();
    assert!(verdict.labels.values().all(|it| *it == Undec));
    assert_eq!((verdict.n_extensions.as_str(), verdict.regime.kind), ("2", RegimeKind::Polarized));
    let of = |those: &[usize]| those.iter().map(|it| ids[*it]).collect::<Vec<_>>();
    let camps: Vec<_> =
        verdict.camps.iter().map(|it| (it.arguments.clone(), it.personas.clone(), it.tied.len())).collect();
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
    let topic = debate.raise_dispute_with_stances("Is bitcoin property?", "stella yes, hugo yes");
    let split = debate.raise_dispute_with_stances("Is adoption determined?", "stella yes, hugo no");
    let verdict = debate.verdict();
    assert_eq!(verdict.regime.kind, RegimeKind::Partial);
    assert_eq!(verdict.common_ground.iter().map(|it| it.dispute).collect::<Vec<_>>(), [topic]);
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
    let speaker = |it: usize| if it < 4 || STANDING.contains(&it) { "hugo" } else { "stella" };
    let ids: Vec<ArgumentId> = (0..16).map(|it| debate.add_claim(speaker(it), &format!("claim {it}"))).collect();
    for (source, target) in ATTACKS {
        debate.add_attack(ids[source], ids[target]);
    }
    let verdict = debate.verdict();
    let standing: Vec<ArgumentId> = verdict.labels.iter().filter(|(_, it)| **it == In).map(|(id, _)| *id).collect();
    assert_eq!(standing, STANDING.map(|it| ids[it]));
    assert!(standing.iter().all(|it| debate.speakers[it] == persona("hugo").id));
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
                judged.iter().for_each(|it| debate.judge_attack(attack, *it));
                if n == 2 { rejected.push(counter) } else { counters.push(counter) }
            }
        }
        let board = debate.read_model();
        let framed = board.arguments.framework();
        let extensions = preferred(&framed.framework, &Work::default());
        let inside: BTreeSet<ArgumentId> = extensions.sets.iter().flatten().map(|it| framed.id(*it)).collect();
        assert!(extensions.exact && counters.iter().all(|it| inside.contains(it)));
        let verdict = board.verdict();
        for counter in rejected {
            assert!(!inside.contains(&counter) && !verdict.labels.contains_key(&counter), "{counter}");
            assert!(verdict.camps.iter().all(|it| !it.arguments.contains(&counter)), "{counter}");
            assert!(verdict.cruxes.iter().all(|it| !it.dependents.contains(&counter)), "{counter}");
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

// The metamorphic laws.

/// Plan of a debate that can be held in any order of speakers and under any names.
#[derive(Clone, Debug)]
struct DebatePlan {
    speakers: Vec<String>,
    arguments: Vec<Planned>,
    attacks: Vec<PlannedAttack>,
    disputes: Vec<PlannedDispute>,
}

#[derive(Clone, Debug)]
struct Planned {
    speaker: usize,
    claim: String,
    premises: Vec<String>,
    assumptions: Vec<String>,
    answers_topic: bool,
}

#[derive(Clone, Debug)]
struct PlannedAttack {
    source: usize,
    target: usize,
    kind: AttackKind,
    judged: Option<bool>,
}

#[derive(Clone, Debug)]
struct PlannedDispute {
    question: String,
    retired: bool,
    /// Stances in order: speaker and side.
    stances: Vec<(usize, Side)>,
}

impl DebatePlan {
    fn by(chance: &mut Chance) -> DebatePlan {
        let n_speakers = 2 + chance.below(3);
        let n_arguments = if chance.below(3) == 0 { chance.below(3) } else { chance.below(9) };
        let text = |chance: &mut Chance, word: &str| match chance.below(3) {
            0 => format!("{word} {}", chance.below(4)),
            1 => format!("{}  {}.", word.to_uppercase(), chance.below(4)),
            _ => format!("text {}", chance.below(3)), // an assumption of one, a premise of another
        };
        let arguments: Vec<Planned> = (0..n_arguments)
            .map(|n| Planned {
                speaker: chance.below(n_speakers),
                claim: format!("claim {n}"),
                premises: (0..chance.below(3)).map(|_| text(chance, "premise")).collect(),
                assumptions: (0..chance.below(3)).map(|_| text(chance, "assumption")).collect(),
                answers_topic: chance.below(4) == 0,
            })
            .collect();
        let n_attacks = if n_arguments < 2 { 0 } else { chance.below(2 * n_arguments) };
        let attack = |chance: &mut Chance| PlannedAttack {
            source: chance.below(n_arguments),
            target: chance.below(n_arguments),
            kind: [Rebut, Rebut, Undermine, Undercut][chance.below(4)],
            judged: [None, Some(false), Some(true), Some(true), Some(true)][chance.below(5)],
        };
        let attacks = (0..n_attacks).map(|_| attack(chance)).filter(|it| it.source != it.target).collect();
        let sides = [Side::Yes, Side::No, Side::Nuanced, Side::Undecided];
        let disputes = (0..chance.below(4)).map(|n| {
            let all = sides[chance.below(2)];
            let agreed = (0..n_speakers).map(|it| (it, all)).collect();
            let any = |chance: &mut Chance| (chance.below(n_speakers), sides[chance.below(sides.len())]);
            let mixed = (0..chance.below(2 * n_speakers + 1)).map(|_| any(chance)).collect();
            PlannedDispute {
                question: format!("question {n}"),
                retired: chance.below(5) == 0,
                stances: if chance.below(2) == 0 { agreed } else { mixed },
            }
        });
        let disputes = disputes.collect();
        let speakers = ["ada", "ben", "cleo", "dora"][..n_speakers].iter().map(|it| (*it).to_owned()).collect();
        DebatePlan { speakers, arguments, attacks, disputes }
    }

    /// Holds the debate with the turns of the speakers in this order.
    fn held(&self, order: &[usize]) -> VerdictDebate {
        let names: Vec<&str> = order.iter().map(|it| self.speakers[*it].as_str()).collect();
        let mut debate = VerdictDebate::new(&names);
        let mut ids = BTreeMap::new();
        for speaker in order {
            for (n, it) in self.arguments.iter().enumerate().filter(|(_, it)| it.speaker == *speaker) {
                let id = debate.add_argument(&self.speakers[*speaker], &it.claim, |advanced| {
                    advanced.premises.clone_from(&it.premises);
                    advanced.assumptions.clone_from(&it.assumptions);
                    advanced.answers_topic = it.answers_topic;
                });
                ids.insert(n, id);
            }
        }
        for speaker in order {
            for it in self.attacks.iter().filter(|it| self.arguments[it.source].speaker == *speaker) {
                let attack = debate.raise_attack(ids[&it.source], ids[&it.target], it.kind, Claim);
                it.judged.iter().for_each(|valid| debate.judge_attack(attack, *valid));
            }
        }
        for it in &self.disputes {
            let dispute = debate.raise_dispute(&it.question);
            for speaker in order {
                for (_, side) in it.stances.iter().filter(|(who, _)| who == speaker) {
                    debate.take_side(&self.speakers[*speaker], dispute, *side);
                }
            }
            if it.retired {
                debate.retire_argument(dispute);
            }
        }
        debate
    }

    fn in_order(&self) -> Vec<usize> {
        (0..self.speakers.len()).collect()
    }
}

/// Verdict without what depends on numbers and order: arguments by their claims, disputes by their questions.
#[derive(Clone, Debug, PartialEq)]
struct NormalizedVerdict {
    regime: RegimeKind,
    coverage: Coverage,
    exact: bool,
    cruxes: BTreeSet<String>,
    ranks: Vec<(Option<u64>, Option<u32>, usize, usize)>,
    keys: BTreeSet<CruxKey>,
    resolved: BTreeSet<String>,
    common_ground: BTreeSet<(String, Side, BTreeSet<String>)>,
    camps: BTreeSet<(BTreeSet<String>, BTreeSet<String>, BTreeSet<String>)>,
    labels: BTreeMap<String, Label>,
    n_extensions: String,
    last_word: (usize, usize),
}

fn normalize(debate: &VerdictDebate) -> NormalizedVerdict {
    normalize_as(debate, &str::to_owned)
}

/// Normalizes a verdict with its personas renamed.
fn normalize_as(debate: &VerdictDebate, name: &dyn Fn(&str) -> String) -> NormalizedVerdict {
    let board = debate.read_model();
    let verdict = board.verdict();
    let claim = |id: &ArgumentId| board.arguments.component_text(*id, Claim).expect("an argument").to_owned();
    let names = |those: &[PersonaId]| those.iter().map(|it| name(it.as_str())).collect::<BTreeSet<_>>();
    let claims = |those: &[ArgumentId]| those.iter().map(claim).collect::<BTreeSet<_>>();
    let crux = |it: &Crux| {
        let origin = match it.origin {
            CruxOrigin::Dispute { .. } => "dispute".to_owned(),
            CruxOrigin::Acknowledged { .. } => "acknowledged".to_owned(),
            CruxOrigin::Structure { level } => format!("{level:?}"),
        };
        let words: Vec<String> = it.statement.split_whitespace().map(str::to_lowercase).collect();
        let positions: BTreeSet<String> =
            it.positions.iter().map(|it| format!("{} {}", name(it.persona.as_str()), it.side.name())).collect();
        let (statement, dependents) = (words.join(" "), claims(&it.dependents));
        format!("{origin}: {} | {dependents:?} | {positions:?}", statement.trim_end_matches('.'))
    };
    NormalizedVerdict {
        regime: verdict.regime.kind,
        coverage: verdict.regime.coverage,
        exact: verdict.regime.exact,
        cruxes: verdict.cruxes.iter().map(crux).collect(),
        ranks: verdict
            .cruxes
            .iter()
            .map(|it| {
                let order = it.consequence.and_then(|it| it.order);
                (it.pivotality.map(f64::to_bits), order, it.dependents.len(), it.attack_degree)
            })
            .collect(),
        keys: verdict.cruxes.iter().map(|it| it.key).collect(),
        resolved: verdict.resolved.iter().map(crux).collect(),
        common_ground: verdict
            .common_ground
            .iter()
            .map(|it| (it.question.clone(), it.side, it.holders.iter().map(|(who, _)| name(who.as_str())).collect()))
            .collect(),
        camps: verdict.camps.iter().map(|it| (claims(&it.arguments), names(&it.personas), names(&it.tied))).collect(),
        labels: verdict.labels.iter().map(|(id, label)| (claim(id), *label)).collect(),
        n_extensions: verdict.n_extensions,
        last_word: (verdict.last_word.standing, verdict.last_word.unanswered),
    }
}

/// Runs a check on a few hundred plots, each with further random numbers.
fn debate_plans(mut check: impl FnMut(&DebatePlan, &mut Chance)) {
    let mut chance = Chance(0x0dd_ba11);
    for _ in 0..300 {
        let plot = DebatePlan::by(&mut chance);
        check(&plot, &mut chance);
    }
}

#[test]
fn plots_of_every_kind_are_drawn() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    debate_plans(|plot, _| {
        let verdict = plot.held(&plot.in_order()).verdict();
        *seen.entry(verdict.regime.kind.name()).or_default() += 1;
        *seen.entry("several positions").or_default() += usize::from(verdict.n_extensions != "1");
        *seen.entry("a crux by structure").or_default() += usize::from(structural(&verdict).next().is_some());
        *seen.entry("a tie").or_default() += usize::from(verdict.camps.iter().any(|it| !it.tied.is_empty()));
    });
    assert!(seen.len() == 7 && seen.values().all(|it| *it >= 20), "{seen:?}");
}

#[test]
fn the_order_of_speakers_changes_no_verdict() {
    debate_plans(|plot, chance| {
        let mut order = plot.in_order();
        for it in (1..order.len()).rev() {
            order.swap(it, chance.below(it + 1));
        }
        assert_eq!(normalize(&plot.held(&order)), normalize(&plot.held(&plot.in_order())), "{order:?} of {plot:#?}");
    });
}

#[test]
fn names_change_no_verdict() {
    const NAMES: [(&str, &str); 4] = [("ada", "zoe"), ("ben", "b-2"), ("cleo", "ada"), ("dora", "ben")];
    let renamed = |name: &str| NAMES.iter().find(|(it, _)| *it == name).expect("a speaker").1.to_owned();
    let back = |name: &str| NAMES.iter().find(|(_, it)| *it == name).expect("a name").0.to_owned();
    debate_plans(|plot, _| {
        let mut other = plot.clone();
        other.speakers.iter_mut().for_each(|it| *it = renamed(it));
        let (actual, expected) = (other.held(&other.in_order()), plot.held(&plot.in_order()));
        assert_eq!(normalize_as(&actual, &back), normalize(&expected), "{plot:#?}");
    });
}

#[test]
fn a_negated_question_changes_no_verdict() {
    let turned = |side: Side| match side {
        Side::Yes => Side::No,
        Side::No => Side::Yes,
        other => other,
    };
    debate_plans(|plot, _| {
        let mut other = plot.clone();
        for stance in other.disputes.iter_mut().flat_map(|it| &mut it.stances) {
            stance.1 = turned(stance.1);
        }
        let (actual, expected) = (other.held(&other.in_order()), plot.held(&plot.in_order()));
        let (mut actual, mut expected) = (actual.verdict(), expected.verdict());
        actual.common_ground.iter_mut().for_each(|it| it.side = turned(it.side));
        for crux in by_dispute(&mut actual) {
            crux.positions.iter_mut().for_each(|it| it.side = turned(it.side));
        }
        // The explanation counts who says yes and who says no, so it differs.
        [&mut actual, &mut expected].into_iter().flat_map(by_dispute).for_each(|it| it.why.clear());
        assert_eq!(actual, expected, "{plot:#?}");
    });
}

fn by_dispute(verdict: &mut Verdict) -> impl Iterator<Item = &mut Crux> {
    let cruxes = verdict.cruxes.iter_mut().chain(&mut verdict.resolved);
    cruxes.filter(|it| matches!(it.origin, CruxOrigin::Dispute { .. }))
}

#[test]
fn an_unrelated_argument_creates_no_consensus_and_removes_no_crux() {
    debate_plans(|plot, chance| {
        let before = normalize(&plot.held(&plot.in_order()));
        for answers_topic in [false, true] {
            let mut other = plot.clone();
            other.arguments.push(Planned {
                speaker: chance.below(plot.speakers.len()),
                claim: "something else".into(),
                premises: vec!["of its own".into()],
                assumptions: vec!["its own too".into()],
                answers_topic,
            });
            let mut after = normalize(&other.held(&other.in_order()));
            assert!(after.regime != RegimeKind::Consensus || before.regime == RegimeKind::Consensus, "{other:#?}");
            assert!(after.cruxes.is_superset(&before.cruxes), "{:?}\n{:?}\n{other:#?}", before.cruxes, after.cruxes);
            assert_eq!(after.labels.remove("something else"), Some(In));
            assert_eq!((&after.labels, &after.n_extensions), (&before.labels, &before.n_extensions), "{other:#?}");
            assert_eq!(after.common_ground, before.common_ground, "{other:#?}");
        }
    });
}

#[test]
fn a_mutual_attack_never_enlarges_common_ground() {
    debate_plans(|plot, chance| {
        if plot.arguments.len() < 2 {
            return;
        }
        let source = chance.below(plot.arguments.len());
        let target = (source + 1 + chance.below(plot.arguments.len() - 1)) % plot.arguments.len();
        let mut other = plot.clone();
        other.attacks.push(PlannedAttack { source, target, kind: Rebut, judged: Some(true) });
        let (before, after) = (normalize(&plot.held(&plot.in_order())), normalize(&other.held(&other.in_order())));
        assert!(after.common_ground.is_subset(&before.common_ground), "{other:#?}");
    });
}

/// A hypothetical change has the same result as the change made in the debate itself.
#[test]
fn a_hypothetical_change_equals_the_actual_change() {
    let n_told = std::cell::Cell::new(0);
    let check = |debate: &VerdictDebate, change: &HypotheticalChange, made: &Verdict, plot: &DebatePlan| {
        let board = debate.read_model();
        let now = board.verdict();
        let actual = what_if(&board, &now, change).expect("the change is possible");
        let mut labels = now.labels.clone();
        for it in &actual.labels {
            assert_ne!(it.from, it.to);
            assert_eq!(labels.remove(&it.argument), it.from);
            labels.extend(it.to.map(|label| (it.argument, label)));
        }
        let keys = |verdict: &Verdict| verdict.cruxes.iter().map(|it| it.key).collect::<BTreeSet<_>>();
        let mut cruxes = keys(&now);
        actual.lost.iter().for_each(|(rank, it)| assert!(cruxes.remove(&it.key) && now.cruxes[rank - 1] == *it));
        actual
            .gained
            .iter()
            .for_each(|(rank, it)| assert!(cruxes.insert(it.key) && made.cruxes[rank - 1].key == it.key));
        assert_eq!((&labels, cruxes), (&made.labels, keys(made)), "{change:?} {plot:#?}");
        let whole = |it: &Verdict| (it.regime.clone(), it.camps.len(), it.n_extensions.clone(), it.cruxes.len());
        for (found, verdict) in [(actual.before, &now), (actual.after, made)] {
            let found = (found.regime, found.n_camps, found.n_extensions, found.n_cruxes);
            assert_eq!(found, whole(verdict), "{change:?} {plot:#?}");
        }
        n_told.set(n_told.get() + usize::from(!actual.labels.is_empty()));
    };
    debate_plans(|plot, chance| {
        let debate = plot.held(&plot.in_order());
        let live: Vec<ArgumentId> = debate.read_model().arguments.live().map(|(id, _)| id).collect();
        if live.len() < 2 {
            return;
        }
        let gone: BTreeSet<ArgumentId> = (0..2).map(|_| live[chance.below(live.len())]).collect();
        let mut without = debate.clone();
        without.events.retain(|it| !matches!(it, Event::ArgumentAdvanced(it) if gone.contains(&it.argument)));
        let withdrawn: Vec<ArgumentId> = gone.into_iter().collect();
        check(&debate, &HypotheticalChange { withdrawn, added: vec![] }, &without.verdict(), plot);

        let (source, target) = (live[chance.below(live.len())], live[chance.below(live.len())]);
        for mutual in [false, true] {
            let mut with = debate.clone();
            if mutual {
                with.add_mutual_attack(source, target)
            } else {
                with.add_attack(source, target)
            }
            let change = HypotheticalChange { withdrawn: vec![], added: vec![Added { source, target, mutual }] };
            check(&debate, &change, &with.verdict(), plot);
        }
    });
    assert!(n_told.get() > 200, "only {} changes changed a label", n_told.get());
}

#[test]
fn an_impossible_change_is_refused() {
    let mut debate = VerdictDebate::new(TWO);
    let check = |debate: &VerdictDebate,
                 withdrawn: &[ArgumentId],
                 added: &[(ArgumentId, ArgumentId)],
                 expected: WhatIfError| {
        let added = added.iter().map(|(source, target)| Added { source: *source, target: *target, mutual: false });
        let (board, withdrawn) = (debate.read_model(), withdrawn.to_vec());
        let refused = what_if(&board, &board.verdict(), &HypotheticalChange { withdrawn, added: added.collect() });
        assert_eq!(refused, Err(expected));
    };
    check(&debate, &[ArgumentId(1)], &[], WhatIfError::Unknown(ArgumentId(1), None));
    let one = debate.add_claim("ada", "one");
    let (counter, _) = debate.add_counterargument("ben", one, "two");
    check(&debate, &[ArgumentId(9)], &[], WhatIfError::Unknown(ArgumentId(9), Some(counter)));
    check(&debate, &[], &[(one, ArgumentId(9))], WhatIfError::Unknown(ArgumentId(9), Some(counter)));
    check(&debate, &[counter], &[], WhatIfError::NotLive(counter));
    check(&debate, &[one], &[(one, one)], WhatIfError::Withdrawn(one));
    check(&debate, &vec![one; MAX_WITHDRAWN + 1], &[], WhatIfError::TooMuch);
    check(&debate, &[], &vec![(one, one); MAX_ADDED + 1], WhatIfError::TooMuch);
    assert!(
        what_if(
            &debate.read_model(),
            &debate.verdict(),
            &HypotheticalChange { withdrawn: vec![one; MAX_WITHDRAWN], added: vec![] }
        )
        .is_ok()
    );
}

/// Every argument has a reason that matches its label, and an argument that does not count has the reason for that.
#[test]
fn every_label_has_its_reason() {
    let mut seen = BTreeMap::new();
    debate_plans(|plot, _| {
        let board = plot.held(&plot.in_order()).read_model();
        let labels = board.arguments.labels();
        let reasons = reasons(&board.arguments);
        assert!(reasons.keys().eq(board.arguments.arguments.keys()));
        for (id, why) in &reasons {
            assert_eq!(why.label, labels.get(id).copied());
            assert!(why.sentences.first().is_some_and(|it| it.starts_with(&id.to_string())), "{why:?}");
            let of_label = |label: Label, those: &[ArgumentId]| those.iter().all(|it| labels.get(it) == Some(&label));
            assert!(of_label(In, &why.defenders) && of_label(In, &why.defeaters) && of_label(Undec, &why.circle));
            assert_eq!(why.label == Some(Out), !why.defeaters.is_empty());
            assert_eq!(why.label == Some(Undec), !why.circle.is_empty());
            *seen.entry(why.label.map(|it| format!("{it:?}"))).or_insert(0) += 1;
        }
    });
    assert!(seen.len() >= 3 && seen.values().all(|it| *it > 50), "{seen:?}");
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_claim("ada", "one");
    let (counter, attack) = debate.add_counterargument("ben", one, "two");
    let actual = |debate: &VerdictDebate| reasons(&debate.read_model().arguments)[&counter].sentences.concat();
    assert_eq!(actual(&debate), "a2 does not count yet: the attack k1 that it carries has not been judged.");
    debate.judge_attack(attack, false);
    assert_eq!(actual(&debate), "a2 does not count: the attack k1 that it carries was found invalid.");
    debate.judge_attack(attack, true);
    assert_eq!(actual(&debate), "a2 is undecided: a2 and a1 attack each other, and nothing outside decides it.");
}

/// A verdict over stored and reloaded views is the same, and so is a verdict computed a second time.
#[test]
fn a_verdict_is_a_function_of_the_views() {
    debate_plans(|plot, _| {
        let board = plot.held(&plot.in_order()).read_model();
        let graph = serde_json::to_vec(&board.arguments).expect("a view is JSON");
        let disputes = serde_json::to_vec(&board.disputes).expect("a view is JSON");
        let graph: ArgumentGraph = serde_json::from_slice(&graph).expect("it reads back");
        let disputes: DisputeGraph = serde_json::from_slice(&disputes).expect("it reads back");
        assert_eq!(
            verdict(&board.summary, &board.transcript, &graph, &disputes, &board.crux_proposals, None),
            board.verdict()
        );
    });
}
