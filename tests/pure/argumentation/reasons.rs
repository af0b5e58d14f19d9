//! Reasons and explanations: each can be checked independently, as is done here.

use std::collections::{BTreeMap, BTreeSet};

use faultline_argumentation::explanation::explanation::{ExplanationStep, MAX_STEPS, explain_label};
use faultline_argumentation::explanation::explanation_text::explanation_sentences;
use faultline_argumentation::explanation::reasons::GroundedDerivation;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, grounded};
use faultline_argumentation::what_if::what_if;

use crate::support::random::Random;

#[test]
fn explanations_prove_their_labels() {
    let mut random = Random(0x5851_F42D_4C95_7F2D);
    let mut seen: BTreeMap<Label, usize> = BTreeMap::new();
    for _ in 0..600 {
        let framework = random.framework(14);
        let grounds = GroundedDerivation::new(&framework);
        for argument in framework.arguments() {
            let found = explain_label(&grounds, argument, usize::MAX);
            assert_eq!(found.label, grounds.labelling().of(argument));
            *seen.entry(found.label).or_default() += 1;
            match found.label {
                Label::In => assert!(
                    is_strongly_admissible(&framework, argument, &found.steps),
                    "{argument} {found:?} {framework:?}"
                ),
                Label::Out => {
                    let ExplanationStep::Defeated { argument: fallen, number, defeater: to } = found.steps[0] else {
                        panic!("{found:?}")
                    };
                    assert!(fallen == argument && framework.has_attack(to, argument));
                    assert!(is_strongly_admissible(&framework, to, &found.steps[1..]));
                    assert!(
                        matches!(found.steps[1], ExplanationStep::Accepted { number: its, .. } if its + 1 == number)
                    );
                }
                Label::Undec => {
                    assert!(leads_to_a_cycle(&grounds, argument, &found.steps), "{argument} {found:?} {framework:?}")
                }
            }
            let part = explain_label(&grounds, argument, 2);
            assert_eq!(part.omitted, found.steps.len().saturating_sub(2));
            assert!(
                explanation_sentences(&explain_label(&grounds, argument, MAX_STEPS), |argument| argument.to_string())
                    .len()
                    <= MAX_STEPS + 1
            );
        }
    }
    assert!(seen.len() == 3 && seen.values().all(|count| *count > 300), "{seen:?}");
}

/// Returns true if these are the members of a strongly admissible set with their min-max numbers, `argument` first.
fn is_strongly_admissible(framework: &Framework, argument: u32, steps: &[ExplanationStep]) -> bool {
    let member = |step: &ExplanationStep| match step {
        ExplanationStep::Accepted { argument, number, .. } => (*argument, *number),
        _ => panic!("{step:?}"),
    };
    let members: BTreeMap<u32, u32> = steps.iter().map(member).collect();
    let number_out = |attacker: u32| {
        let answers = framework.attackers(attacker).iter().filter_map(|by| members.get(by));
        answers.min().map(|number| number + 1)
    };
    let holds = |step: &ExplanationStep| {
        let ExplanationStep::Accepted { argument, number, defeats: answers } = step else { return false };
        let attackers = framework.attackers(*argument);
        let due = attackers.iter().map(|&attacker| number_out(attacker)).max().flatten().unwrap_or(0) + 1;
        attackers.iter().all(|&attacker| number_out(attacker).is_some())
            && *number == due
            && answers.iter().map(|answer| answer.attacker).eq(attackers.iter().copied())
            && answers
                .iter()
                .all(|answer| number_out(answer.attacker) == members.get(&answer.defeater).map(|number| number + 1))
            && answers.iter().all(|answer| {
                framework.has_attack(answer.defeater, answer.attacker) && members[&answer.defeater] < *number
            })
    };
    members.len() == steps.len() && member(&steps[0]).0 == argument && steps.iter().all(holds)
}

/// Returns true if these lead from `argument` to a cycle whose members depend only on each other.
fn leads_to_a_cycle(grounds: &GroundedDerivation, argument: u32, steps: &[ExplanationStep]) -> bool {
    let attacks = |a: u32, b: u32| grounds.framework().has_attack(a, b);
    let undecided = |argument: u32| grounds.labelling().of(argument) == Label::Undec;
    let Some((ExplanationStep::Cycle { arguments }, way)) = steps.split_last() else { return false };
    let mut at = argument;
    for step in way {
        let ExplanationStep::Undecided { argument, attacker: on } = *step else { return false };
        if argument != at || !attacks(on, at) || !undecided(on) {
            return false;
        }
        at = on;
    }
    let next = arguments.iter().cycle().skip(1);
    // Every undecided argument that leads into the cycle is reached from it.
    let origins = undecided_before(grounds, arguments[0]);
    arguments[0] == at
        && arguments.iter().zip(next).all(|(&a, &b)| attacks(a, b) && undecided(a))
        && arguments.iter().collect::<BTreeSet<_>>().len() == arguments.len()
        && origins.iter().all(|&origin| undecided_before(grounds, origin) == origins)
}

/// Returns the undecided arguments from which undecided ones lead to this one.
fn undecided_before(grounds: &GroundedDerivation, argument: u32) -> BTreeSet<u32> {
    let mut reached = BTreeSet::new();
    let mut agenda = vec![argument];
    while let Some(argument) = agenda.pop() {
        agenda.extend(grounds.attackers_with(Label::Undec, argument).filter(|&attacker| reached.insert(attacker)));
    }
    reached
}

#[test]
fn what_if_agrees_with_a_rebuilt_framework() {
    let mut random = Random(0x1405_7B7E_F767_814F);
    for _ in 0..500 {
        let framework = random.framework(9);
        let size = framework.len() as u64;
        if size < 3 {
            continue;
        }
        let gone = random.below(size) as u32;
        let mut other = || (gone + 1 + random.below(size - 1) as u32) % size as u32;
        let add: Vec<(u32, u32)> = (0..3).map(|_| (other(), other())).collect();
        let found = what_if(&framework, &[gone], &add).expect("the change is possible");
        let members: Vec<u32> = framework.arguments().filter(|&argument| argument != gone).collect();
        let with = Framework::new(framework.len(), framework.attacks().chain(add)).expect("in range");
        let labels = grounded(&with.restricted_to(&members));
        assert!(
            members.iter().map(|&member| found.after[member as usize]).eq(labels.0.iter().map(|&label| Some(label)))
        );
        assert_eq!(found.after[gone as usize], None);
        let changed = found.changed.iter().map(|change| change.argument);
        assert!(changed.eq(framework.arguments().filter(|&a| Some(found.before.of(a)) != found.after[a as usize])));
    }
}
