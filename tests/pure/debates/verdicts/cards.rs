//! Rule 22: a crux is a card. Whatever is on it was said, and what nobody said is absent with the reason.

use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::argument::AttackKind::Rebut;
use faultline_core::events::crux::{
    Card, CruxAcknowledged, CruxProposed, Disagreement, Falsifier, RoomClosed, RoomKind, RoomOpened, RoomOutcome,
};
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{CruxId, DisputeId, RoomId};
use faultline_core::events::turn::FlipConditionStated;
use faultline_core::verdicts::card::MindChangeCondition;
use faultline_core::verdicts::crux::{Crux, CruxOrigin, PositionSide};

use crate::debates::verdicts::debate_plan::debate_plans;
use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate, positions, structural};
use crate::support::personas::persona_id;

/// States what would change the speaker's mind, in a turn that says so.
fn flip(debate: &mut VerdictDebate, speaker: &str, words: &str, dispute: Option<DisputeId>, crux: Option<CruxId>) {
    let turn = debate.say(speaker, &format!("Well. {words}"));
    let (speaker, quote) = (persona_id(speaker), words.to_owned());
    debate.events.push(Event::FlipConditionStated(FlipConditionStated { speaker, turn, quote, dispute, crux }));
}

/// Gives a participant flip conditions in the contract.
fn contract(debate: &mut VerdictDebate, speaker: &str, conditions: &[&str]) {
    if let Event::DebateOpened(opened) = &mut debate.events[0] {
        for persona in opened.participants.iter_mut().filter(|persona| persona.id.as_str() == speaker) {
            persona.contract.flip_conditions = conditions.iter().map(|it| (*it).to_owned()).collect();
        }
    }
}

/// What would change minds, as text.
fn minds(crux: &Crux) -> Vec<String> {
    let told = crux.card.mind_changes.iter().map(|change| match &change.condition {
        MindChangeCondition::Spoken { quote, turn, on_crux } => {
            format!("{} in {turn}{}: {quote}", change.persona, if *on_crux { ", on it" } else { "" })
        }
        MindChangeCondition::Room { text, room } => format!("{} in {room}: {text}", change.persona),
        MindChangeCondition::Contract { text } => format!("{} by contract: {text}", change.persona),
        MindChangeCondition::Unknown { reason } => reason.clone(),
    });
    told.collect()
}

/// Ada assumes that the crews are rested; Ben attacks it with a claim that decides the thesis.
fn contested_assumption() -> VerdictDebate {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_assuming_argument("ada", "The ferry pays", &["The crews are rested."]);
    let other = debate.add_claim("ben", "The ferry loses");
    debate.undermine(other, one, Assumption(0));
    debate.add_attack(one, other);
    debate
}

#[test]
fn a_structural_crux_is_a_card() {
    let debate = contested_assumption();
    let verdict = debate.verdict();
    let crux = structural(&verdict).find(|crux| crux.statement.starts_with("The crews")).expect("the crux");
    assert_eq!(crux.question, "Are the crews rested?");
    assert_eq!(crux.card.kind, Some(Disagreement::Premise));
    assert_eq!(crux.card.kind_reason, "It is an assumption of a1.");
    assert_eq!(
        crux.card.diagnosis,
        "Ada rests a1 on it in t1 (taken for granted, not said) and Ben attacks it with a2 in t3 (in the written argument, \
         not said aloud). Settling it can change the status of the only claim in conflict that does not rest on it."
    );
    assert_eq!(minds(crux), ["Ada", "Ben"].map(|name| format!("No condition of {name} is recorded for this crux.")));
    assert_eq!((crux.card.criteria.len(), crux.card.resolution.as_deref()), (0, None));
    for missing in [&crux.card.criteria_missing, &crux.card.resolution_missing] {
        assert!(missing.as_ref().is_some_and(|reason| reason.ends_with('.')), "{missing:?}");
    }
    let names: Vec<&str> = crux.positions.iter().map(|position| position.name.as_str()).collect();
    assert_eq!(names, ["Ada", "Ben"]);
}

#[test]
fn a_dispute_is_a_card_with_criteria_and_a_resolution() {
    let mut debate = VerdictDebate::new(TWO);
    let dispute = debate.ask_topic("");
    let rough = debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let verdict = debate.verdict();
    let card = &verdict.cruxes[0].card;
    assert_eq!((card.kind, card.resolution.as_deref()), (None, None));
    assert_eq!(card.kind_reason, "No kind of disagreement is recorded for it.");
    assert_eq!(card.resolution_missing.as_deref(), Some("The dispute is still open."));
    assert_eq!(card.diagnosis, "Ada says yes in t1 and Ben says no in t2.");
    debate.take_side("ben", rough, Side::Yes);
    let verdict = debate.verdict();
    let resolution = verdict.resolved[0].card.resolution.as_deref();
    assert_eq!(resolution, Some("Settled in t3: Ada and Ben say yes. Ben had said no."));
    assert_ne!(dispute, rough);
}

#[test]
fn a_question_has_the_kind_of_the_arguments_that_answer_it() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("");
    let rough = debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let (yes, no) = ("The winter was rough.", "The winter was mild.");
    for event in &mut debate.events {
        if let Event::StanceTaken(taken) = event {
            taken.quote = Some(if taken.side == Side::Yes { yes } else { no }.to_owned());
        }
    }
    let resting = debate.add_argument("ada", "The ferry pays", |argument| argument.premises = vec![yes.to_owned()]);
    let denying = debate.add_claim("ben", no);
    debate.add_attack(denying, resting);
    let verdict = debate.verdict();
    let crux = &verdict.cruxes[0];
    assert_eq!(crux.origin, CruxOrigin::Dispute { dispute: rough });
    assert_eq!(crux.card.kind, Some(Disagreement::Premise));
    assert_eq!(crux.card.kind_reason, "Answers to it are a premise of a1 and the claim of a2.");
    assert_eq!(crux.dependents, [resting, denying]);
    let listed = verdict.cruxes.iter().chain(&verdict.contested);
    assert!(listed.skip(1).all(|other| other.statement != no), "an answer is listed beside its question");
}

#[test]
fn a_crux_that_participants_agreed_on_is_a_card() {
    let mut debate = VerdictDebate::new(TWO);
    let statement = "Whether the crews can refuse".to_owned();
    let proposed = debate.say("ada", "It comes down to this. Whether the crews can refuse");
    let (crux, speaker) = (CruxId(1), persona_id("ada"));
    debate.events.push(Event::CruxProposed(CruxProposed { crux, speaker, turn: proposed, statement, quote: None }));
    let turn = debate.say("ben", "Yes, that is it.");
    let (speaker, quote) = (persona_id("ben"), Some("Yes, that is it.".to_owned()));
    debate.events.push(Event::CruxAcknowledged(CruxAcknowledged { crux, speaker, turn, cites: proposed, quote }));
    flip(&mut debate, "ben", "I would run it if they could refuse.", None, Some(crux));
    let verdict = debate.verdict();
    let crux = &verdict.cruxes[0];
    assert_eq!(crux.question, "Can the crews refuse?");
    let diagnosis =
        "Ada proposed it as the crux in t1 and Ben agreed in t2 that it is the crux. No side on it is recorded.";
    assert_eq!(crux.card.diagnosis, diagnosis);
    assert_eq!(
        minds(crux),
        ["No condition of Ada is recorded for this crux.", "ben in t3, on it: I would run it if they could refuse."]
    );
    let quotes: Vec<Option<&str>> = crux.positions.iter().map(|position| position.quote.as_deref()).collect();
    assert_eq!(quotes, [Some("Whether the crews can refuse"), Some("Yes, that is it.")]);
}

/// The first of these counts: words on this crux, the card of its room, words on the topic, the contract.
#[test]
fn what_would_change_a_mind_comes_from_the_nearest_source() {
    let mut debate = VerdictDebate::new(TWO);
    let rough = debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let of = |debate: &VerdictDebate| minds(&debate.verdict().cruxes[0]);
    let unknown = "No condition of Ada is recorded for this crux.";
    assert_eq!(of(&debate)[0], unknown);
    contract(&mut debate, "ada", &["Fuel doubled."]);
    assert_eq!(of(&debate)[0], unknown, "a condition of the contract about something else");
    contract(&mut debate, "ada", &["Fuel doubled.", "A winter without ice.", "A mild winter."]);
    assert_eq!(of(&debate)[0], "ada by contract: A winter without ice.");
    let mut quoted = debate.clone();
    let turn = quoted.say("ada", "Give me this: A mild winter. Then I yield.");
    assert_eq!(of(&quoted)[0], format!("ada in {turn}: A mild winter."));
    let mut elsewhere = VerdictDebate::new(TWO);
    elsewhere.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    flip(&mut elsewhere, "ada", "I would think again if fuel halved.", None, None);
    assert_eq!(of(&elsewhere)[0], "No condition of Ada is recorded for this crux.");
    flip(&mut debate, "ada", "I would think again if fuel halved.", None, None);
    flip(&mut debate, "ada", "I would think again if winter were mild.", None, None);
    flip(&mut debate, "ada", "I would think again if wages fell.", None, None);
    assert_eq!(of(&debate)[0], "ada in t4: I would think again if winter were mild.");
    let text = "Twenty calm days.".to_owned();
    let card = Card {
        kind: Some(Disagreement::Evidence),
        diagnosis: "They count different days.".into(),
        resolution: None,
        falsifiers: vec![Falsifier { speaker: persona_id("ada"), text }],
    };
    let (room, participants) = (RoomId(1), vec![persona_id("ada"), persona_id("ben")]);
    debate.events.push(Event::RoomOpened(RoomOpened {
        kind: RoomKind::Private,
        parent: None,
        room,
        question: "Is winter rough?".into(),
        dispute: Some(rough),
        participants,
        turns: vec![],
        candidate: None,
        reason: None,
    }));
    let (outcome, reason, card) = (RoomOutcome::Surfaced, "done".into(), Some(card));
    debate.events.push(Event::RoomClosed(RoomClosed { room, outcome, reason, card }));
    assert_eq!(of(&debate)[0], "ada in m1: Twenty calm days.");
    let verdict = debate.verdict();
    let card = &verdict.cruxes[0].card;
    assert_eq!((card.kind, card.kind_reason.as_str()), (Some(Disagreement::Evidence), "The card of room m1 names it."));
    assert_eq!((card.diagnosis.as_str(), card.diagnosed_in), ("They count different days.", Some(room)));
    flip(&mut debate, "ada", "One January without a storm.", Some(rough), None);
    assert_eq!(of(&debate)[0], "ada in t6, on it: One January without a storm.");
}

#[test]
fn a_condition_in_the_turn_that_takes_a_side_is_about_the_same_question() {
    let mut debate = VerdictDebate::new(TWO);
    let rough = debate.raise_dispute_with_stances("Is winter rough?", "ada yes");
    let turn = debate.say("ben", "No. If the harbour froze, I would be wrong.");
    debate.take_side_in_turn("ben", rough, faultline_core::events::dispute::Side::No, turn);
    let (speaker, quote) = (persona_id("ben"), "If the harbour froze, I would be wrong.".to_owned());
    let stated = FlipConditionStated { speaker, turn, quote, dispute: None, crux: None };
    debate.events.push(Event::FlipConditionStated(stated));
    let on_it = "ben in t2, on it: If the harbour froze, I would be wrong.";
    assert_eq!(minds(&debate.verdict().cruxes[0])[1], on_it);
    let mut elsewhere = debate.clone();
    elsewhere.raise_dispute("Would the harbour freeze?");
    assert_ne!(minds(&elsewhere.verdict().cruxes[0])[1], on_it, "another question is closer to the words");
    // A participant who answers two questions in one turn may mean either.
    let other = debate.raise_dispute("Is fuel dear?");
    debate.take_side_in_turn("ben", other, faultline_core::events::dispute::Side::No, turn);
    assert_ne!(minds(&debate.verdict().cruxes[0])[1], on_it);
}

/// Rule 21: nobody is told to have attacked what had not been said.
#[test]
fn the_older_of_two_conflicting_claims_attacks_nothing() {
    let mut debate = VerdictDebate::new(TWO);
    let older = debate.add_claim("ben", "The ferry loses.");
    let newer = debate.add_claim("ada", "The ferry pays.");
    let attack = debate.raise_attack(newer, older, Rebut, Claim);
    debate.judge_attack(attack, true);
    let verdict = debate.verdict();
    let of = |statement: &str| {
        let crux = structural(&verdict).find(|crux| crux.statement == statement).expect("a crux");
        (positions(crux), crux.positions.iter().map(|position| position.turn.0).collect::<Vec<_>>())
    };
    assert_eq!(of("The ferry loses."), (vec!["ben rests_on".into(), "ada attacks".into()], vec![1, 3]));
    assert_eq!(structural(&verdict).count(), 1, "the claim that ada attacked it with is no second crux");
}

/// Laws on random debates: every card is complete or says why not, its quotations are in the turns, and a participant who
/// attacks a statement had heard it.
#[test]
fn every_card_is_complete_or_says_why_not() {
    let mut seen = std::collections::BTreeSet::new();
    debate_plans(|plot, _| {
        let debate = plot.held(&plot.in_order());
        let (read_model, verdict) = (debate.read_model(), debate.verdict());
        for crux in verdict.all_cruxes().chain(&verdict.contested) {
            let card = &crux.card;
            assert!(crux.question.ends_with('?') || crux.question == crux.statement, "{}", crux.question);
            assert!(!card.kind_reason.is_empty() && !card.diagnosis.is_empty(), "{crux:#?}");
            assert_eq!(card.criteria.is_empty(), card.criteria_missing.is_some(), "{crux:#?}");
            assert_eq!(card.resolution.is_none(), card.resolution_missing.is_some(), "{crux:#?}");
            assert_eq!(card.resolution.is_none(), crux.open, "{crux:#?}");
            // A participant who denies a claim and that it follows has two positions.
            let mut holders: Vec<_> = crux.positions.iter().map(|it| &it.persona).collect();
            holders.dedup();
            assert!(holders.into_iter().eq(card.mind_changes.iter().map(|it| &it.persona)));
            for position in &crux.positions {
                seen.insert(position.side.name());
                let turn = read_model.transcript.turn(position.turn).expect("a turn of the debate");
                assert_eq!(turn.speaker.as_ref(), Some(&position.persona), "{crux:#?}");
                assert!(position.quote.as_ref().is_none_or(|quote| turn.text.contains(quote)), "{crux:#?}");
            }
            let stated = crux.positions.iter().filter(|it| it.side == PositionSide::RestsOn).map(|it| it.turn).min();
            let attacks = crux.positions.iter().filter(|it| it.side == PositionSide::Attacks);
            assert!(attacks.clone().all(|it| Some(it.turn) > stated), "{crux:#?}");
        }
    });
    assert!(seen.is_superset(&["yes", "no", "rests_on", "attacks", "conflicts_with"].into()), "{seen:?}");
}

/// Oracle O9: two cite the same number and attack each other's claims: no crux in the number.
#[test]
fn a_fact_that_both_cite_is_no_crux() {
    let mut debate = VerdictDebate::new(TWO);
    let fact = "The warden counted 84 gannets.";
    let [one, other] = [("ada", "The plant kills."), ("ben", "The plant is safe.")].map(|(speaker, claim)| {
        debate.add_argument(speaker, claim, |argument| argument.premises = vec![fact.to_owned()])
    });
    for (source, target) in [(one, other), (other, one)] {
        let attack = debate.raise_attack(source, target, Rebut, Claim);
        debate.judge_attack(attack, true);
    }
    let verdict = debate.verdict();
    assert!(verdict.all_cruxes().chain(&verdict.contested).all(|crux| crux.statement != fact), "{verdict:#?}");
    let doubt = debate.add_claim("ben", "The warden cannot count.");
    debate.undermine(doubt, one, Premise(0));
    let verdict = debate.verdict();
    let mut on_fact = verdict.all_cruxes().chain(&verdict.contested).filter(|crux| crux.statement == fact);
    assert!(on_fact.all(|crux| positions(crux) == ["ada rests_on"]), "ben rests on it himself");
}
