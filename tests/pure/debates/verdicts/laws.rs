//! Laws of verdicts, on random debates: changes that must change nothing, and changes with a known effect.

use std::collections::{BTreeMap, BTreeSet};

use faultline_argumentation::labelling::Label;
use faultline_argumentation::labelling::Label::{In, Out, Undec};
use faultline_core::events::argument::ArgumentPart::Claim;
use faultline_core::events::argument::AttackKind::Rebut;
use faultline_core::events::audit::Reading;
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::ArgumentId;
use faultline_core::projections::argument_graph::ArgumentGraph;
use faultline_core::projections::disputes::dispute_graph::DisputeGraph;
use faultline_core::verdicts::audit::items::AuditSubject;
use faultline_core::verdicts::crux::{Crux, CruxOrigin, PositionSide};
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::verdict::{Verdict, VerdictInputs, verdict};
use faultline_core::verdicts::what_if::{Added, HypotheticalChange, MAX_ADDED, MAX_WITHDRAWN, WhatIfError, what_if};
use faultline_core::verdicts::why::reasons;

use crate::debates::verdicts::debate_plan::{
    DebatePlan, Planned, PlannedAttack, debate_plans, normalize, normalize_as,
};
use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate, structural};

#[test]
fn plots_of_every_kind_are_drawn() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    debate_plans(|plot, _| {
        let verdict = plot.held(&plot.in_order()).verdict();
        *seen.entry(verdict.regime.kind.name()).or_default() += 1;
        *seen.entry("several positions").or_default() += usize::from(verdict.n_extensions != "1");
        *seen.entry("a crux by structure").or_default() += usize::from(structural(&verdict).next().is_some());
        *seen.entry("a contested premise").or_default() += usize::from(!verdict.contested.is_empty());
        *seen.entry("statements that turn together").or_default() +=
            usize::from(structural(&verdict).any(|crux| !crux.other_statements.is_empty()));
        *seen.entry("opposed theses").or_default() +=
            usize::from(!plot.held(&plot.in_order()).read_model().arguments.opposed_theses().is_empty());
        *seen.entry("a contradiction").or_default() +=
            usize::from(verdict.regime.reason.contains("contradict each other"));
        *seen.entry("a tie").or_default() += usize::from(verdict.camps.iter().any(|camp| !camp.tied.is_empty()));
    });
    assert!(seen.len() == 11 && seen.values().all(|count| *count >= 5), "{seen:?}");
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
    let renamed = |name: &str| NAMES.iter().find(|(old, _)| *old == name).expect("a speaker").1.to_owned();
    let back = |name: &str| NAMES.iter().find(|(_, new)| *new == name).expect("a name").0.to_owned();
    debate_plans(|plot, _| {
        let mut other = plot.clone();
        other.speakers.iter_mut().for_each(|speaker| *speaker = renamed(speaker));
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
    let turned_position = |side: PositionSide| match side {
        PositionSide::Yes => PositionSide::No,
        PositionSide::No => PositionSide::Yes,
        other => other,
    };
    debate_plans(|plot, _| {
        let mut other = plot.clone();
        for stance in other.disputes.iter_mut().flat_map(|dispute| &mut dispute.stances) {
            stance.1 = turned(stance.1);
        }
        let (actual, expected) = (other.held(&other.in_order()), plot.held(&plot.in_order()));
        let (mut actual, mut expected) = (actual.verdict(), expected.verdict());
        for position in actual.topic.iter_mut().flat_map(|topic| &mut topic.positions) {
            (position.first, position.side) = (turned(position.first), turned(position.side));
        }
        for words in &mut actual.audit.words {
            words.recorded = match (&words.subject, words.recorded) {
                (AuditSubject::Stance { .. } | AuditSubject::Thesis { .. }, Reading::Yes) => Reading::No,
                (AuditSubject::Stance { .. } | AuditSubject::Thesis { .. }, Reading::No) => Reading::Yes,
                (_, recorded) => recorded,
            };
        }
        actual.common_ground.iter_mut().for_each(|ground| ground.side = turned(ground.side));
        for crux in by_dispute(&mut actual) {
            crux.positions.iter_mut().for_each(|position| position.side = turned_position(position.side));
        }
        // The explanation, the diagnosis and the resolution name the sides, so they differ.
        for crux in [&mut actual, &mut expected].into_iter().flat_map(by_dispute) {
            crux.why.clear();
            crux.card.diagnosis.clear();
            crux.card.resolution = None;
        }
        assert_eq!(actual, expected, "{plot:#?}");
    });
}

fn by_dispute(verdict: &mut Verdict) -> impl Iterator<Item = &mut Crux> {
    let cruxes = verdict.cruxes.iter_mut().chain(&mut verdict.resolved);
    cruxes.filter(|crux| matches!(crux.origin, CruxOrigin::Dispute { .. }))
}

#[test]
fn an_unrelated_argument_creates_no_consensus_and_removes_no_crux() {
    debate_plans(|plot, chance| {
        let before = normalize(&plot.held(&plot.in_order()));
        for answers_topic in [false, true] {
            let mut other = plot.clone();
            let speaker = chance.below(plot.speakers.len());
            if answers_topic && matches!(plot.side_on_topic(speaker), Some(Side::Yes | Side::No)) {
                continue; // a thesis of somebody who takes a side is related to the theses of the other side
            }
            other.arguments.push(Planned {
                speaker,
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
        other.attacks.push(PlannedAttack { source, target, kind: Rebut, component: Claim, judged: Some(true) });
        let (before, after) = (normalize(&plot.held(&plot.in_order())), normalize(&other.held(&other.in_order())));
        assert!(after.common_ground.is_subset(&before.common_ground), "{other:#?}");
    });
}

/// A hypothetical change has the same result as the change made in the debate itself.
#[test]
fn a_hypothetical_change_equals_the_actual_change() {
    let n_told = std::cell::Cell::new(0);
    let check = |debate: &VerdictDebate, change: &HypotheticalChange, made: &Verdict, plot: &DebatePlan| {
        let read_model = debate.read_model();
        let now = read_model.verdict();
        let actual = what_if(&read_model, &now, change).expect("the change is possible");
        let mut labels = now.labels.clone();
        for it in &actual.labels {
            assert_ne!(it.from, it.to);
            assert_eq!(labels.remove(&it.argument), it.from);
            labels.extend(it.to.map(|label| (it.argument, label)));
        }
        let keys = |verdict: &Verdict| verdict.cruxes.iter().map(|crux| crux.key).collect::<BTreeSet<_>>();
        let mut cruxes = keys(&now);
        actual.lost.iter().for_each(|(rank, crux)| assert!(cruxes.remove(&crux.key) && now.cruxes[rank - 1] == *crux));
        actual
            .gained
            .iter()
            .for_each(|(rank, crux)| assert!(cruxes.insert(crux.key) && made.cruxes[rank - 1].key == crux.key));
        assert_eq!((&labels, cruxes), (&made.labels, keys(made)), "{change:?} {plot:#?}");
        let whole = |verdict: &Verdict| {
            (verdict.regime.clone(), verdict.camps.len(), verdict.n_extensions.clone(), verdict.cruxes.len())
        };
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
        without
            .events
            .retain(|event| !matches!(event, Event::ArgumentAdvanced(event) if gone.contains(&event.argument)));
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
        let (read_model, withdrawn) = (debate.read_model(), withdrawn.to_vec());
        let refused =
            what_if(&read_model, &read_model.verdict(), &HypotheticalChange { withdrawn, added: added.collect() });
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
        let read_model = plot.held(&plot.in_order()).read_model();
        let labels = read_model.arguments.labels();
        let reasons = reasons(&read_model.arguments);
        assert!(reasons.keys().eq(read_model.arguments.arguments.keys()));
        for (id, why) in &reasons {
            assert_eq!(why.label, labels.get(id).copied());
            assert!(why.sentences.first().is_some_and(|sentence| sentence.starts_with(&id.to_string())), "{why:?}");
            let of_label =
                |label: Label, those: &[ArgumentId]| those.iter().all(|argument| labels.get(argument) == Some(&label));
            assert!(of_label(In, &why.defenders) && of_label(In, &why.defeaters) && of_label(Undec, &why.circle));
            assert_eq!(why.label == Some(Out), !why.defeaters.is_empty());
            assert_eq!(why.label == Some(Undec), !why.circle.is_empty());
            *seen.entry(why.label.map(|label| format!("{label:?}"))).or_insert(0) += 1;
        }
    });
    assert!(seen.len() >= 3 && seen.values().all(|count| *count > 50), "{seen:?}");
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
        let read_model = plot.held(&plot.in_order()).read_model();
        let graph = serde_json::to_vec(&read_model.arguments).expect("a view is JSON");
        let disputes = serde_json::to_vec(&read_model.disputes).expect("a view is JSON");
        let graph: ArgumentGraph = serde_json::from_slice(&graph).expect("it reads back");
        let disputes: DisputeGraph = serde_json::from_slice(&disputes).expect("it reads back");
        let inputs = VerdictInputs { graph: &graph, disputes: &disputes, ..read_model.verdict_inputs() };
        assert_eq!(verdict(inputs), read_model.verdict());
    });
}
