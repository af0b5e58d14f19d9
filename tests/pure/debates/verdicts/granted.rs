//! Rule 23: granted statements are common ground of their own kind. Oracle O8.

use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::argument::{ArgumentPart, ArgumentRevised, ArgumentWithdrawn, AttackWithdrawn};
use faultline_core::events::audit::{AuditQuestion, Reading, WordsAudited, WordsReading};
use faultline_core::events::dispute::{Side, StanceTaken};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, DisputeId, TurnId};
use faultline_core::events::turn::{ConcessionEffect, StatementSource};
use faultline_core::verdicts::audit::items::AuditSubject;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::verdict::Verdict;

use crate::debates::verdicts::debate_plan::{debate_plans, normalize};
use crate::debates::verdicts::verdict_debate::{THREE, TWO, VerdictDebate};
use crate::rehearsal::auditor;
use crate::support::personas::persona_id;

/// Granted statements, as `statement: author turn; granter turn, ...`.
fn granted(verdict: &Verdict) -> Vec<String> {
    let told = verdict.granted.iter().map(|it| {
        let granters: Vec<String> =
            it.granters.iter().map(|holder| format!("{} {}", holder.persona, holder.turn)).collect();
        format!("{}: {} {}; {}", it.statement, it.author.persona, it.author.turn, granters.join(", "))
    });
    told.collect()
}

/// Ada argues from a premise and an assumption; Ben argues against it.
fn dispute_of_two() -> (VerdictDebate, ArgumentId, ArgumentId) {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_argument("ada", "The ferry pays.", |argument| {
        argument.premises = vec!["Forty nurses finish at eleven.".into()];
        argument.assumptions = vec!["They would travel.".into()];
    });
    let other = debate.add_claim("ben", "The ferry loses.");
    debate.add_mutual_attack(other, one);
    (debate, one, other)
}

/// Oracle O8: A says S, B says "I grant that S": S is granted, and B is not booked on any side of anything.
#[test]
fn a_statement_that_another_grants_in_words_is_granted() {
    let (mut debate, one, _) = dispute_of_two();
    let before = debate.verdict();
    let turn = debate.grant_part("ben", one, Premise(0));
    let verdict = debate.verdict();
    assert_eq!(granted(&verdict), [format!("Forty nurses finish at eleven.: ada t1; ben {turn}")]);
    let quote = verdict.granted[0].granters[0].quote.as_deref();
    assert_eq!(quote, Some("I grant that: Forty nurses finish at eleven."));
    assert_eq!((before.common_ground, before.cruxes), (verdict.common_ground, verdict.cruxes));
    assert!(debate.read_model().disputes.disputes.is_empty(), "granting is no stance");
    assert_eq!((before.regime.kind, verdict.regime.kind), (RegimeKind::Polarized, RegimeKind::Partial));
}

/// Whoever takes the other side of a dispute denies the words of a side, also without an attack on them.
#[test]
fn the_words_of_a_divided_side_are_not_granted() {
    let (mut debate, one, _) = dispute_of_two();
    debate.grant_part("ben", one, Premise(0));
    assert_eq!(debate.verdict().granted.len(), 1);
    let dispute = debate.raise_dispute("Do enough nurses travel?");
    for (speaker, side, text) in
        [("ada", Side::Yes, "Forty nurses finish at eleven. They do travel."), ("ben", Side::No, "They have bicycles.")]
    {
        let turn = debate.say(speaker, text);
        let (speaker, quote) = (persona_id(speaker), Some(text.to_owned()));
        let (statement, confidence) = (None, None);
        let stance = StanceTaken { dispute, speaker, side, turn, statement, confidence, quote };
        debate.events.push(Event::StanceTaken(stance));
    }
    assert!(debate.verdict().granted.is_empty());
}

/// Rule 25: a grant is audited for what it grants, whatever else the concession does; only a yes confirms it. An answer to
/// the question whether some ground is given says nothing about the statement.
#[test]
fn a_grant_counts_if_its_words_are_read_as_granting_the_statement() {
    let (mut debate, one, _) = dispute_of_two();
    let dispute = debate.raise_dispute("Do nurses travel?");
    debate.grant_part("ben", one, Premise(0));
    for effect in [ConcessionEffect::Said, ConcessionEffect::Moved { dispute, to: Side::Yes }] {
        let mut debate = debate.clone();
        let Some(Event::ConcessionMade(made)) = debate.events.last_mut() else { panic!("a concession") };
        made.effect = effect;
        let items = debate.read_model().audit_items();
        let item = items.iter().find(|item| item.subject == AuditSubject::Grant).expect("a grant");
        assert_eq!(item.question, "Does the speaker grant this: “Forty nurses finish at eleven.”?");
        assert_eq!(item.about.as_deref(), Some("Forty nurses finish at eleven."));
        let (event, recorded) = (item.event, item.asked);
        for (asked, reading, counts) in [
            (recorded, Reading::Yes, true),
            (recorded, Reading::Nuanced, false),
            (recorded, Reading::None, false),
            (recorded, Reading::No, false),
            (AuditQuestion::Concession, Reading::None, true),
        ] {
            let mut debate = debate.clone();
            let readings = vec![WordsReading { event, asked, reading }];
            let (auditor, unread, refused) = (auditor(true), Vec::new(), Vec::new());
            debate.events.push(Event::WordsAudited(WordsAudited { auditor, readings, unread, refused }));
            let verdict = debate.verdict();
            assert_eq!(verdict.granted.len(), usize::from(counts), "{asked:?} {reading:?}");
            let contested = verdict.audit.contested().count();
            assert_eq!(contested, usize::from(!counts), "{asked:?} {reading:?}");
        }
    }
}

#[test]
fn a_sentence_of_a_turn_can_be_granted_without_an_argument() {
    let mut debate = VerdictDebate::new(TWO);
    let said = debate.say("ada", "Crews are scarce. So we wait.");
    debate.grant("ben", "Crews are scarce.", StatementSource::Turn { turn: said });
    let verdict = debate.verdict();
    assert_eq!(granted(&verdict), ["Crews are scarce.: ada t1; ben t2"]);
    assert_eq!(verdict.granted[0].author.quote.as_deref(), Some("Crews are scarce."));
    assert_eq!(verdict.regime.kind, RegimeKind::Undetermined, "granted statements alone determine nothing");
    let reason = "1 statement granted, but no dispute is agreed upon and no split was found";
    assert!(verdict.regime.reason.starts_with(reason), "{}", verdict.regime.reason);
    let mut forged = VerdictDebate::new(TWO);
    let said = forged.say("ada", "Crews are scarce.");
    forged.grant("ben", "Crews are many.", StatementSource::Turn { turn: said });
    forged.grant("ada", "Crews are scarce.", StatementSource::Turn { turn: said });
    assert_eq!(granted(&forged.verdict()), [""; 0], "nobody said the one, and ada cannot grant her own");
}

#[test]
fn several_participants_can_grant_a_statement() {
    let mut debate = VerdictDebate::new(THREE);
    let one = debate.add_argument("ada", "one", |argument| argument.premises = vec!["Crews are scarce.".into()]);
    debate.grant_part("ben", one, Premise(0));
    let other = debate.add_argument("cleo", "other", |argument| argument.premises = vec!["crews  are SCARCE".into()]);
    debate.grant_part("ben", other, Premise(0));
    debate.grant_part("cleo", one, Premise(0));
    assert_eq!(granted(&debate.verdict()), ["Crews are scarce.: ada t1; ben t4, cleo t5"]);
}

#[test]
fn a_granted_statement_that_anybody_denies_leaves() {
    let (debate, one, other) = dispute_of_two();
    let check = |part: ArgumentPart, deny: &dyn Fn(&mut VerdictDebate), expected: bool| {
        let mut debate = debate.clone();
        debate.grant_part("ben", one, part);
        deny(&mut debate);
        assert_eq!(!granted(&debate.verdict()).is_empty(), expected, "{part:?}");
    };
    check(Premise(0), &|_| {}, true);
    check(Premise(0), &|debate| debate.undermine(other, one, Premise(0)), false);
    check(Premise(0), &|debate| debate.undermine(other, one, Assumption(0)), true);
    check(Claim, &|_| {}, false); // the granter's own claim still conflicts with it
    let split = |question: &'static str| {
        move |debate: &mut VerdictDebate| {
            debate.raise_dispute_with_stances(question, "ada yes, ben no");
        }
    };
    check(Premise(0), &split("Do forty nurses finish at eleven?"), false);
    check(Premise(0), &split("Is winter rough?"), true);
    let withdrawn = Event::ArgumentWithdrawn(ArgumentWithdrawn {
        argument: one,
        turn: TurnId(1),
        superseded_by: None,
        reason: "gone".into(),
    });
    check(Premise(0), &|debate| debate.events.push(withdrawn.clone()), false);
    let mut unjudged = debate.clone();
    unjudged.grant_part("ben", one, Premise(0));
    unjudged.raise_attack(other, one, faultline_core::events::argument::AttackKind::Undermine, Premise(0));
    assert_eq!(granted(&unjudged.verdict()).len(), 1, "an attack that is not judged denies nothing");
}

#[test]
fn a_statement_whose_author_changed_it_is_granted_no_more() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_claim("ada", "The ferry pays.");
    debate.grant_part("ben", one, Claim);
    assert_eq!(granted(&debate.verdict()).len(), 1);
    let (turn, claim) = (debate.turn("ada"), Some("The ferry pays in summer.".to_owned()));
    debate.events.push(Event::ArgumentRevised(ArgumentRevised { argument: one, turn, claim, assumptions: vec![] }));
    assert_eq!(granted(&debate.verdict()), [""; 0]);
}

/// An attack that its speaker gave up with the grant denies nothing.
#[test]
fn a_withdrawn_attack_denies_nothing() {
    let (mut debate, one, other) = dispute_of_two();
    debate.undermine(other, one, Premise(0));
    let turn = debate.grant_part("ben", one, Premise(0));
    assert_eq!(granted(&debate.verdict()), [""; 0]);
    let (attack, reason) = (AttackId(debate.n_attacks), "granted".into());
    debate.events.push(Event::AttackWithdrawn(AttackWithdrawn { attack, turn, reason }));
    assert_eq!(granted(&debate.verdict()).len(), 1);
}

/// Rule 26 with rule 23.
#[test]
fn what_is_granted_and_what_is_agreed_upon_contradict_each_other_never() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_claim("ada", "Winter is rough on the crews.");
    debate.raise_dispute_with_stances("Is winter rough on the crews?", "ada no, ben no");
    debate.raise_dispute_with_stances("Is fuel cheap?", "ada yes, ben yes");
    debate.grant_part("ben", one, Claim);
    let verdict = debate.verdict();
    let left: Vec<DisputeId> = verdict.common_ground.iter().map(|ground| ground.dispute).collect();
    assert_eq!((left, granted(&verdict)), (vec![DisputeId(2)], vec![]));
    let clause = "d1 and the granted statement “Winter is rough on the crews.” contradict each other";
    assert!(verdict.regime.reason.contains(clause), "{}", verdict.regime.reason);
}

/// A consensus needs a question answered alike, whatever is granted.
#[test]
fn granted_statements_alone_make_no_consensus() {
    let mut debate = VerdictDebate::in_consensus(TWO);
    assert_eq!(debate.regime(), RegimeKind::Consensus);
    debate.events.retain(|event| !matches!(event, Event::StanceTaken(_)));
    let said = debate.say("ada", "Crews are scarce.");
    debate.grant("ben", "Crews are scarce.", StatementSource::Turn { turn: said });
    let verdict = debate.verdict();
    assert_eq!((verdict.granted.len(), verdict.regime.kind), (1, RegimeKind::Undetermined));
}

/// Laws on random debates: a grant changes neither labels, cruxes, common ground nor stances; a granted statement stands in
/// no valid attack; and the order of speakers changes nothing.
#[test]
fn a_grant_changes_nothing_but_what_is_granted() {
    let mut n_granted = 0;
    debate_plans(|plot, chance| {
        if plot.arguments.is_empty() {
            return;
        }
        let place = chance.below(plot.arguments.len());
        let part = plot.arguments[place].any_component(chance);
        let granter = (plot.arguments[place].speaker + 1 + chance.below(plot.speakers.len() - 1)) % plot.speakers.len();
        let held = |order: &[usize], grants: bool| {
            let mut debate = plot.held(order);
            let claim = &plot.arguments[place].claim;
            let read_model = debate.read_model();
            let of_claim =
                read_model.arguments.arguments.iter().find(|(_, argument)| argument.advanced.claim == *claim);
            let argument = *of_claim.expect("it was advanced").0;
            if grants {
                debate.grant_part(&plot.speakers[granter], argument, part);
            }
            debate
        };
        let order = plot.in_order();
        let reversed: Vec<usize> = order.iter().rev().copied().collect();
        let (without, with, other) = (held(&order, false), held(&order, true), held(&reversed, true));
        let (mut before, after) = (normalize(&without), normalize(&with));
        let verdict = with.verdict();
        n_granted += verdict.granted.len();
        if after.regime != before.regime {
            assert_eq!((before.regime, after.regime), (RegimeKind::Polarized, RegimeKind::Partial), "{plot:#?}");
            before.regime = after.regime;
        }
        assert_eq!(before, after, "{plot:#?}");
        let statements = |verdict: &Verdict| -> Vec<String> {
            verdict
                .granted
                .iter()
                .map(|it| it.statement.split_whitespace().collect::<String>().to_lowercase())
                .collect()
        };
        assert_eq!(statements(&verdict), statements(&other.verdict()), "{plot:#?}");
        let graph = with.read_model().arguments;
        for it in &verdict.granted {
            let is_attacked = graph.active().any(|(_, attack)| {
                graph.component_text(attack.raised.target, attack.component()) == Some(it.statement.as_str())
            });
            assert!(!is_attacked && it.granters.iter().all(|holder| holder.persona != it.author.persona), "{plot:#?}");
        }
        let sides =
            |it: &VerdictDebate| it.read_model().disputes.disputes.values().map(|it| it.history.len()).sum::<usize>();
        assert_eq!(sides(&with), sides(&without), "granting takes no side");
    });
    assert!(n_granted > 100, "only {n_granted} statements were granted");
}

/// Rule 23: a stance of no on a dispute that was never said is not booked by a grant, so the granter can still say yes.
#[test]
fn a_granter_can_take_either_side_later() {
    let (mut debate, one, _) = dispute_of_two();
    debate.grant_part("ben", one, Premise(0));
    let dispute = debate.raise_dispute("Do forty nurses finish at eleven?");
    debate.take_side("ben", dispute, Side::Yes);
    debate.take_side("ada", dispute, Side::Yes);
    let verdict = debate.verdict();
    assert_eq!((verdict.common_ground.len(), verdict.granted.len()), (1, 1));
}
