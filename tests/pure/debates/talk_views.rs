//! Views of a debate, fold by fold: arguments, disputes, cruxes and hints.

use faultline_argumentation::labelling::Label;
use faultline_core::events::argument::{
    ArgumentAdvanced, ArgumentPart, ArgumentRevised, ArgumentWithdrawn, AttackJudged, AttackKind, AttackRaised,
    AttackWithdrawn,
};
use faultline_core::events::crux::{CruxAcknowledged, CruxProposed};
use faultline_core::events::dispute::{
    DisputeLinked, DisputeRaised, Polarity, ReasonGiven, ReasonWithdrawn, Side, StanceTaken,
};
use faultline_core::events::distillation::{ClaimsCompared, Comparison, ComparisonFinding, ProgressMeasured};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, CruxId, DisputeId, PersonaId, PointId, ReasonId, TurnId};
use faultline_core::events::turn::{Hint, HintGiven, Move, TurnTaken};
use faultline_core::projections::disputes::dispute_state::DisputeStatus;
use faultline_core::verdicts::ranking::ranked;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::rehearsal::Log;
use crate::support::personas::persona_id;

/// Folds these events.
fn read_model(events: Vec<Event>) -> DebateReadModel {
    let mut log = Log::default();
    log.append(events);
    DebateReadModel::of(&log.0)
}

/// Builds turns in order: ada speaks the odd ones, ben the even ones.
fn turns(n: u32) -> Vec<Event> {
    (1..=n)
        .map(|number| turn(number, if number % 2 == 1 { "ada" } else { "ben" }, (number > 1).then_some(number - 1)))
        .collect()
}

fn turn(number: u32, speaker: &str, answers: Option<u32>) -> Event {
    Event::TurnTaken(TurnTaken {
        preparation: None,
        turn: TurnId(number),
        speaker: persona_id(speaker),
        round: None,
        room: None,
        moves: vec![Move::Claim],
        move_quotes: Vec::new(),
        answers: answers.map(TurnId),
        text: "...".into(),
        citations: vec![],
        refused: vec![],
        dangling: 0,
    })
}

fn argument(number: u32, speaker: &str, turn: u32) -> Event {
    Event::ArgumentAdvanced(ArgumentAdvanced {
        argument: ArgumentId(number),
        speaker: persona_id(speaker),
        turn: TurnId(turn),
        claim: format!("claim {number}"),
        premises: vec![],
        assumptions: vec!["first".into()],
        evidence: vec![],
        carries: None,
        answers_topic: false,
        distilled: false,
        paraphrased: false,
    })
}

fn attack(number: u32, speaker: &str, source: u32, target: u32) -> [Event; 2] {
    let attack = AttackId(number);
    let raised = AttackRaised {
        attack,
        speaker: persona_id(speaker),
        turn: TurnId(1),
        source: ArgumentId(source),
        target: ArgumentId(target),
        component: ArgumentPart::Claim,
        kind: AttackKind::Rebut,
        rationale: String::new(),
        quote: None,
        confidence: 1.0,
    };
    let (reason, kind, component) = (String::new(), None, None);
    let judged = AttackJudged { attack, valid: true, strength: 1.0, reason, kind, component };
    [Event::AttackRaised(raised), Event::AttackJudged(judged)]
}

fn withdrawn(argument: u32, superseded_by: Option<u32>) -> Event {
    let (argument, superseded_by) = (ArgumentId(argument), superseded_by.map(ArgumentId));
    Event::ArgumentWithdrawn(ArgumentWithdrawn { argument, turn: TurnId(1), superseded_by, reason: String::new() })
}

fn reason(number: u32, speaker: &str, (side, polarity): (Side, Polarity), attacks: &[u32]) -> Event {
    Event::ReasonGiven(ReasonGiven {
        reason: ReasonId(number),
        dispute: DisputeId(1),
        speaker: persona_id(speaker),
        turn: TurnId(if speaker == "ada" { 1 } else { 2 }),
        side,
        polarity,
        claim: format!("reason {number}"),
        assumptions: vec![],
        evidence: vec![],
        attacks: attacks.iter().map(|attacked| ReasonId(*attacked)).collect(),
        paraphrased: false,
    })
}

fn stance(speaker: &str, turn: u32, side: Side) -> Event {
    let (dispute, speaker, turn) = (DisputeId(1), persona_id(speaker), TurnId(turn));
    Event::StanceTaken(StanceTaken {
        dispute,
        speaker,
        side,
        turn,
        statement: None,
        confidence: None,
        quote: Some("...".into()),
    })
}

fn compared(one: PointId, other: PointId, finding: ComparisonFinding) -> Event {
    let pairs = vec![Comparison { one, other, finding, reason: String::new() }];
    Event::ClaimsCompared(ClaimsCompared { pairs, refused: vec![] })
}

#[test]
fn a_withdrawn_argument_deactivates_its_attacks() {
    let check = |after: Vec<Event>, live: &[u32], active: usize, first: Option<Label>| {
        let context = format!("{after:?}");
        let mut events = turns(4);
        events.extend([argument(1, "ada", 1), argument(2, "ben", 2), argument(3, "ada", 3)]);
        events.extend(attack(1, "ben", 2, 1));
        events.extend(after);
        let graph = read_model(events).arguments;
        assert_eq!(graph.live().map(|(id, _)| id.0).collect::<Vec<_>>(), live, "{context}");
        assert_eq!(graph.active().count(), active, "{context}");
        assert_eq!(graph.labels().get(&ArgumentId(1)).copied(), first, "{context}");
    };
    let dropped = |attack| {
        Event::AttackWithdrawn(AttackWithdrawn { attack: AttackId(attack), turn: TurnId(3), reason: String::new() })
    };
    check(vec![], &[1, 2, 3], 1, Some(Label::Undec));
    check(vec![withdrawn(2, None)], &[1, 3], 0, Some(Label::In));
    check(vec![withdrawn(1, Some(3))], &[2, 3], 0, None);
    check(vec![dropped(1)], &[1, 2, 3], 0, Some(Label::In));
    check(vec![dropped(9), withdrawn(9, None)], &[1, 2, 3], 1, Some(Label::Undec));
}

#[test]
fn a_revised_argument_keeps_its_history_and_the_numbers_of_its_assumptions() {
    let revised = |claim: Option<&str>, condition: &[&str]| {
        Event::ArgumentRevised(ArgumentRevised {
            argument: ArgumentId(1),
            turn: TurnId(3),
            claim: claim.map(str::to_owned),
            assumptions: condition.iter().map(|assumption| (*assumption).to_owned()).collect(),
        })
    };
    let mut events = turns(3);
    events.extend([argument(1, "ada", 1), revised(Some("narrower"), &[]), revised(None, &["second"])]);
    let graph = read_model(events).arguments;
    let argument = &graph.arguments[&ArgumentId(1)];
    assert_eq!(argument.advanced.claim, "narrower");
    assert_eq!(argument.advanced.assumptions, ["first", "second"]);
    let before: Vec<Option<&str>> = argument.revisions.iter().map(|revision| revision.before.as_deref()).collect();
    assert_eq!(before, [Some("claim 1"), None]);
    assert_eq!(graph.component_text(ArgumentId(1), ArgumentPart::Assumption(0)), Some("first"));
}

#[test]
fn a_compared_pair_is_examined_whatever_the_finding() {
    let check = |finding: Option<ComparisonFinding>, examined: usize| {
        let mut events = turns(4);
        events.extend([argument(1, "ada", 1), argument(2, "ben", 2), argument(3, "ada", 3)]);
        let pair = |relation| compared(PointId::Argument(ArgumentId(2)), PointId::Argument(ArgumentId(1)), relation);
        events.extend(finding.map(pair));
        let coverage = read_model(events).verdict().regime.coverage;
        assert_eq!((coverage.examined, coverage.pairs), (examined, 2), "{finding:?}");
    };
    check(None, 0);
    check(Some(ComparisonFinding::Compatible), 1);
    check(Some(ComparisonFinding::Agreement), 1);
    check(Some(ComparisonFinding::Conflict), 1);
}

/// Builds a dispute in which ada says yes and ben says no, with these reasons and further events.
fn disputed(after: Vec<Event>) -> DebateReadModel {
    let mut events = turns(6);
    events.push(Event::DisputeRaised(DisputeRaised::bare(DisputeId(1), "Is it dark?", false)));
    events.extend([stance("ada", 1, Side::Yes), stance("ben", 2, Side::No)]);
    events.extend(after);
    read_model(events)
}

#[test]
fn reasons_are_ranked_inside_their_dispute() {
    let check = |after: Vec<Event>, expected: &[(u32, Side, Label)]| {
        let context = format!("{after:?}");
        let read_model = disputed(after);
        let found = ranked(&read_model.disputes, &read_model.disputes.disputes[&DisputeId(1)]);
        let found: Vec<(u32, Side, Label)> =
            found.iter().map(|finding| (finding.reason.0, finding.side, finding.label)).collect();
        assert_eq!(found, expected, "{context}");
    };
    let supports = |side| (side, Polarity::Supports);
    let one = || reason(1, "ada", supports(Side::Yes), &[]);
    let two = |attacks: &[u32]| reason(2, "ben", (Side::Yes, Polarity::Attacks), attacks);
    let points = (PointId::Reason(ReasonId(1)), PointId::Reason(ReasonId(2)));
    let gone = |reason| {
        let (reason, turn, why) = (ReasonId(reason), TurnId(4), String::new());
        Event::ReasonWithdrawn(ReasonWithdrawn { reason, turn, why })
    };
    check(vec![], &[]);
    check(vec![one(), two(&[])], &[(1, Side::Yes, Label::In), (2, Side::No, Label::In)]);
    check(vec![one(), two(&[1])], &[(2, Side::No, Label::In), (1, Side::Yes, Label::Out)]);
    check(vec![one(), two(&[1]), gone(2)], &[(1, Side::Yes, Label::In)]);
    check(
        vec![one(), two(&[]), compared(points.0, points.1, ComparisonFinding::Conflict)],
        &[(1, Side::Yes, Label::Undec), (2, Side::No, Label::Undec)],
    );
    check(
        vec![one(), two(&[]), compared(points.0, points.1, ComparisonFinding::Compatible)],
        &[(1, Side::Yes, Label::In), (2, Side::No, Label::In)],
    );
}

#[test]
fn a_dispute_is_settled_by_a_change_of_sides_and_keeps_its_history() {
    let check = |after: Vec<Event>, status: DisputeStatus, n_stances: usize| {
        let context = format!("{after:?}");
        let read_model = disputed(after);
        let dispute = &read_model.disputes.disputes[&DisputeId(1)];
        assert_eq!((dispute.status(), dispute.history.len()), (status, n_stances), "{context}");
    };
    check(vec![], DisputeStatus::Open, 2);
    check(vec![stance("ben", 4, Side::Yes)], DisputeStatus::Settled, 3);
    check(vec![stance("ben", 4, Side::Nuanced)], DisputeStatus::Open, 3);
    check(vec![stance("ben", 4, Side::Yes), stance("ada", 5, Side::No)], DisputeStatus::Open, 4);
    check(vec![stance("ben", 3, Side::Yes)], DisputeStatus::Open, 2);
    let linked = DisputeLinked {
        dispute: DisputeId(1),
        question: "Is it light?".into(),
        negates: true,
        turns: vec![],
        likeness: None,
    };
    let read_model = disputed(vec![Event::DisputeLinked(linked.clone())]);
    assert_eq!(read_model.disputes.disputes[&DisputeId(1)].wordings, [linked]);
    assert_eq!([Side::Yes, Side::No, Side::Nuanced].map(Side::negated), [Side::No, Side::Yes, Side::Nuanced]);
}

/// No agreement is derived from a dispute with criteria as long as a participant was not heard on it.
#[test]
fn a_participant_who_was_not_heard_leaves_a_question_unanswered() {
    let check = |sides: &[(&str, u32)], answered: usize| {
        let mut log = Log::default();
        let opened = crate::rehearsal::perform(
            crate::rehearsal::Script {
                topic: "Is it?".into(),
                engine: "disputes".into(),
                personas: vec!["ada".into(), "ben".into(), "cleo".into()],
                ..Default::default()
            },
            None,
        );
        log.append(vec![opened.0[0].event.clone()]);
        log.append(vec![turn(1, "ada", None), turn(2, "ben", None), turn(3, "cleo", None)]);
        let mut raised = DisputeRaised::bare(DisputeId(1), "Is it dark?", false);
        raised.criteria = vec!["A lamp.".into()];
        log.append(vec![Event::DisputeRaised(raised)]);
        log.append(sides.iter().map(|(speaker, turn)| stance(speaker, *turn, Side::Yes)).collect());
        let coverage = DebateReadModel::of(&log.0).verdict().regime.coverage;
        assert_eq!((coverage.answered, coverage.asked), (answered, 3), "{sides:?}");
        assert_eq!(coverage.is_complete(), answered == 3, "{sides:?}");
    };
    check(&[], 0);
    check(&[("ada", 1)], 1);
    check(&[("ada", 1), ("ben", 2)], 2);
    check(&[("ada", 1), ("ben", 2), ("cleo", 3)], 3);
}

#[test]
fn proposing_a_crux_does_not_acknowledge_it() {
    let proposed = |crux, speaker: &str, turn| {
        let (crux, speaker, turn) = (CruxId(crux), persona_id(speaker), TurnId(turn));
        Event::CruxProposed(CruxProposed { crux, speaker, turn, statement: "The crew.".into(), quote: None })
    };
    let agreed = |crux, speaker: &str, turn| {
        let (crux, speaker, turn) = (CruxId(crux), persona_id(speaker), TurnId(turn));
        Event::CruxAcknowledged(CruxAcknowledged { crux, speaker, turn, cites: TurnId(1), quote: Some("...".into()) })
    };
    let check = |after: Vec<Event>, acknowledged: &[u32]| {
        let context = format!("{after:?}");
        let mut events = turns(4);
        events.extend([proposed(1, "ada", 1), proposed(2, "ben", 2)]);
        events.extend(after);
        let cruxes = read_model(events).crux_proposals;
        assert_eq!(cruxes.acknowledged().map(|(id, _)| id.0).collect::<Vec<_>>(), acknowledged, "{context}");
        assert!(cruxes.is_proposer(&persona_id("ada")) && cruxes.next_crux() == CruxId(3), "{context}");
    };
    check(vec![], &[]);
    check(vec![agreed(1, "ada", 3)], &[]);
    check(vec![agreed(1, "ben", 4), agreed(1, "ben", 4)], &[1]);
    check(vec![agreed(9, "ben", 4)], &[]);
}

#[test]
fn a_turn_has_its_addressee_and_the_hint_before_it() {
    let hint = |speaker: &str| {
        let (speaker, hint, text) = (persona_id(speaker), Hint::Stuck, "Go on.".to_owned());
        Event::HintGiven(HintGiven { speaker, hint, text, about: None, dispute: None, crux: None })
    };
    let mut events = turns(2);
    events.extend([hint("ada"), turn(3, "ada", Some(2)), hint("ben"), turn(4, "ada", Some(3)), turn(5, "ben", None)]);
    let transcript = read_model(events).transcript;
    let actual: Vec<(Option<&str>, bool)> = transcript
        .turns
        .iter()
        .map(|turn| (turn.addressed.as_ref().map(PersonaId::as_str), turn.hint.is_some()))
        .collect();
    assert_eq!(actual, [(None, false), (Some("ada"), false), (Some("ben"), true), (None, false), (None, false)]);
}

#[test]
fn the_frontier_is_stable_only_if_it_is_not_empty() {
    let measured = |frontier: &[u32], exact| {
        Event::ProgressMeasured(ProgressMeasured {
            turn: TurnId(1),
            live: 2,
            attacks: 1,
            frontier: frontier.iter().map(|argument| PointId::Argument(ArgumentId(*argument))).collect(),
            examined: 1,
            pairs: 1,
            novelty: 0.5,
            circling: None,
            circling_by: None,
            concession_rate: 0.0,
            exact,
        })
    };
    let check = |frontiers: &[(&[u32], bool)], expected: bool| {
        let events = frontiers.iter().map(|(frontier, exact)| measured(frontier, *exact)).collect();
        assert_eq!(read_model(events).progress.is_stable(3), expected, "{frontiers:?}");
    };
    check(&[], false);
    check(&[(&[1], true), (&[1], true)], false);
    check(&[(&[1], true), (&[1], true), (&[1], true)], true);
    check(&[(&[], true), (&[], true), (&[], true)], false);
    check(&[(&[1], true), (&[1, 2], true), (&[1], true)], false);
    check(&[(&[2], true), (&[1], true), (&[1], true), (&[1], true)], true);
    check(&[(&[1], true), (&[1], false), (&[1], true)], false);
}
