//! Rules of verdicts: each rule by itself, the metamorphic laws, the oracles.

use faultline_core::events::argument::ArgumentPart::Claim;
use faultline_core::events::argument::AttackKind::{Rebut, Undercut};
use faultline_core::events::crux::{CruxAcknowledged, CruxProposed};
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{CruxId, DisputeId, TurnId};
use faultline_core::events::lifecycle::Interjected;
use faultline_core::projections::disputes::dispute_state::DisputeStatus;
use faultline_core::verdicts::coverage::Coverage;
use faultline_core::verdicts::crux::{Crux, CruxOrigin};
use faultline_core::verdicts::regime::RegimeKind;

use crate::debates::verdicts::verdict_debate::{THREE, TWO, VerdictDebate};
use crate::support::personas::{persona, persona_id};

// The rules.

/// Rule 1.
#[test]
fn common_ground_is_asserted_by_several_and_denied_by_none() {
    let check = |stances: &str, quorum: Option<u32>, expected: Option<Side>| {
        let mut debate = VerdictDebate::new(THREE);
        debate.raise_dispute_with_stances("Is winter rough?", stances);
        let mut read_model = debate.read_model();
        read_model.summary.quorum = quorum;
        let ground = read_model.verdict().common_ground;
        assert_eq!(ground.first().map(|ground| ground.side), expected, "{stances} with a quorum of {quorum:?}");
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
    let holders: Vec<String> =
        ground[0].holders.iter().map(|holder| format!("{} {}", holder.persona, holder.turn)).collect();
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
        let (turn, crux, speaker) = (debate.turn(speaker), CruxId(crux), persona_id(speaker));
        let statement = format!("Whether captains can refuse, {crux}");
        debate.events.push(Event::CruxProposed(CruxProposed { crux, speaker, turn, statement, quote: None }));
        turn
    };
    let agreed = |debate: &mut VerdictDebate, crux: u32, speaker: &str, cites: TurnId| {
        let (turn, crux, speaker) = (debate.turn(speaker), CruxId(crux), persona_id(speaker));
        debate.events.push(Event::CruxAcknowledged(CruxAcknowledged {
            crux,
            speaker,
            turn,
            cites,
            quote: Some("...".into()),
        }));
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
    let actual: Vec<(String, CruxOrigin)> =
        verdict.cruxes.iter().map(|crux| (crux.key.to_string(), crux.origin)).collect();
    let (dispute, proposal) = (DisputeId(1), CruxId(2));
    let expected = [("d1", CruxOrigin::Dispute { dispute }), ("c2", CruxOrigin::Acknowledged { proposal })];
    assert_eq!(actual, expected.map(|(key, origin)| (key.to_owned(), origin)));
    let crux = &verdict.cruxes[1];
    let positions: Vec<String> =
        crux.positions.iter().map(|position| format!("{} {}", position.persona, position.turn)).collect();
    assert_eq!(positions, ["ben t3", "cleo t4", "ada t5"]);
    assert_eq!((crux.statement.as_str(), crux.opened), ("Whether captains can refuse, c2", TurnId(4)));
    assert_eq!(crux.question, "Is this true: “captains can refuse, c2”?");
    assert_eq!(crux.why, "Ben proposed it as the crux in t3; agreed: Cleo in t4, Ada in t5; no side on it is recorded");
    assert_eq!((crux.open, crux.pivotality, crux.dependents.len()), (true, None, 0));
}

/// Rule 2.
#[test]
fn a_crux_by_dispute_is_a_yes_against_a_no() {
    let check = |stances: &str, expected: Option<&str>| {
        let mut debate = VerdictDebate::new(THREE);
        debate.raise_dispute_with_stances("Is winter rough?", stances);
        let actual = |crux: &Crux| {
            let positions: Vec<String> = crux
                .positions
                .iter()
                .map(|position| format!("{} {} {}", position.persona, position.side.name(), position.turn))
                .collect();
            assert_eq!((crux.origin, crux.pivotality), (CruxOrigin::Dispute { dispute: DisputeId(1) }, None));
            assert_eq!(crux.statement, "Is winter rough?");
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
    let mut debate = VerdictDebate::in_consensus(TWO);
    let agreed = debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes");
    let split = debate.raise_dispute_with_stances("Is the crew worn out?", "ada yes, ben no");
    let check = |debate: &VerdictDebate, kind: RegimeKind, n_cruxes: usize, n_agreed: usize| {
        let verdict = debate.verdict();
        let found = (verdict.regime.kind, verdict.cruxes.len(), verdict.common_ground.len());
        assert_eq!(found, (kind, n_cruxes, n_agreed));
    };
    check(&debate, RegimeKind::Partial, 1, 2);
    debate.retire_argument(split);
    check(&debate, RegimeKind::Consensus, 0, 2);
    debate.retire_argument(agreed);
    check(&debate, RegimeKind::Consensus, 0, 1);
    debate.take_side("ben", split, Side::No);
    check(&debate, RegimeKind::Consensus, 0, 1);
    debate.retire_argument(DisputeId(1)); // the topic
    check(&debate, RegimeKind::Undetermined, 0, 0);
}

/// Rule 5.
#[test]
fn coverage_counts_pairs_of_live_claims_across_speakers() {
    let mut debate = VerdictDebate::new(THREE);
    let check = |debate: &VerdictDebate, examined: usize, pairs: usize| {
        let coverage = debate.verdict().regime.coverage;
        assert_eq!(coverage, Coverage { examined, pairs, ..Coverage::default() });
        assert_eq!(coverage.is_complete(), pairs > 0 && examined == pairs);
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
