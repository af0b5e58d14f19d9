//! The ideal extension: the most that can be held without giving up anything that every preferred extension holds.

use crate::argumentation::acceptance::{Standing, standings};
use crate::argumentation::factors::factors::{Factors, Part};
use crate::argumentation::factors::recursion::recursive_factors;
use crate::argumentation::factors::solver::Patience;
use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Label, grounded};
use crate::argumentation::limits::{Exhausted, Limits, Work};
use crate::argumentation::sat::queries::held_by_some;
use crate::argumentation::search::region::{Aim, Region};

/// The ideal extension, ascending: the largest admissible set within every preferred extension (Dung, Mancarella and
/// Toni 2007).
///
/// What every preferred extension holds is worked out by factors, without listing them, and what it does not defend is
/// taken from it. Where that takes long, the solver that learns finds what some admissible set holds: what nothing of
/// that attacks takes the place of what all extensions hold (Dunne 2009).
pub fn ideal_factors(framework: &Framework, limits: &Limits<'_>) -> Factors {
    let labelling = grounded(framework);
    let undecided: Vec<u32> = labelling.with(Label::Undec).collect();
    let single = |extension| Factors::single(framework.len(), extension);
    if undecided.is_empty() {
        return single(labelling.with(Label::In).collect());
    }
    if let Ok(extension) = worked_out(framework, &limits.before_learning()) {
        return single(extension);
    }
    let left = framework.restricted_to(&undecided);
    let mut work = Work::new(limits);
    let Some(some) = held_by_some(&Region::whole(&left, Aim::Preferred), Aim::Preferred, &mut work) else {
        let limit = match worked_out(framework, limits) {
            Ok(extension) => return single(extension),
            Err(exhausted) => Some(exhausted.limit),
        };
        let part = Part { choices: Vec::new(), complete: false };
        let fixed = labelling.with(Label::In).collect();
        let unsettled = undecided.into_iter().filter(|&it| !framework.has_attack(it, it)).collect();
        return Factors { roots: vec![0], parts: vec![part], unsettled, limit, ..single(fixed) };
    };
    let unattacked = |&&it: &&u32| left.attackers(it).iter().all(|attacker| some.binary_search(attacker).is_err());
    let mut held: Vec<u32> = some.iter().filter(unattacked).map(|&it| undecided[it as usize]).collect();
    held.extend(labelling.with(Label::In));
    held.sort_unstable();
    single(defended(framework, held))
}

/// By what every preferred extension holds.
fn worked_out(framework: &Framework, limits: &Limits<'_>) -> Result<Vec<u32>, Exhausted> {
    let factors = recursive_factors(framework, Aim::Preferred, Work::new(limits), Patience::default());
    if let Some(limit) = factors.limit {
        return Err(Exhausted { limit });
    }
    let standings = standings(&factors).standings;
    let held = framework.arguments().filter(|&it| standings[it as usize] == Standing::Sceptical).collect();
    Ok(defended(framework, held))
}

/// The largest part of a set, in which nothing attacks another, that attacks all that attacks it. Linear time.
fn defended(framework: &Framework, mut set: Vec<u32>) -> Vec<u32> {
    let mut is_member = vec![false; framework.len()];
    let mut hits = vec![0_u32; framework.len()];
    for &member in &set {
        is_member[member as usize] = true;
        framework.attacked(member).iter().for_each(|&target| hits[target as usize] += 1);
    }
    let exposed = |it: u32, hits: &[u32]| framework.attackers(it).iter().any(|&attacker| hits[attacker as usize] == 0);
    let mut agenda: Vec<u32> = set.iter().copied().filter(|&it| exposed(it, &hits)).collect();
    agenda.iter().for_each(|&it| is_member[it as usize] = false);
    while let Some(lost) = agenda.pop() {
        for &target in framework.attacked(lost) {
            hits[target as usize] -= 1;
            if hits[target as usize] == 0 {
                for &exposed in framework.attacked(target) {
                    if std::mem::replace(&mut is_member[exposed as usize], false) {
                        agenda.push(exposed);
                    }
                }
            }
        }
    }
    set.retain(|&member| is_member[member as usize]);
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::limits::STEP_LIMIT;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn the_ideal_extension_is_found() {
        fn check(arguments: usize, attacks: &[(u32, u32)], extension: &[u32]) {
            let framework = framework(arguments, attacks);
            for nodes in [0, 1_000] {
                let limits = Limits { nodes, ..Limits::default() };
                assert_eq!(ideal_factors(&framework, &limits).fixed, extension, "{attacks:?}");
            }
        }
        check(0, &[], &[]);
        check(3, &[(0, 1), (1, 2)], &[0, 2]);
        check(2, &[(0, 1), (1, 0)], &[]);
        // 1 attacks itself, so 0 stands in every preferred extension and defends itself.
        check(2, &[(0, 1), (1, 0), (1, 1)], &[0]);
        // A floating conclusion is in every preferred extension, but nothing ideal defends it.
        check(4, &[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)], &[]);
    }

    #[test]
    fn a_limit_is_told() {
        let framework = framework(4, &[(0, 1), (1, 0), (1, 1), (2, 3)]);
        let spent = ideal_factors(&framework, &Limits { nodes: 0, conflicts: 0, ..Limits::default() });
        assert_eq!((&spent.fixed[..], &spent.unsettled[..]), (&[2][..], &[0][..]));
        assert_eq!(spent.limit, Some(STEP_LIMIT));
    }

    #[test]
    fn what_is_not_defended_is_lost() {
        fn check(attacks: &[(u32, u32)], set: &[u32], left: &[u32]) {
            assert_eq!(defended(&framework(6, attacks), set.to_vec()), left, "{attacks:?}");
        }
        check(&[], &[0, 5], &[0, 5]);
        check(&[(1, 0)], &[0], &[]);
        check(&[(1, 0), (0, 1)], &[0], &[0]);
        // Each defends the next, and nothing defends the first.
        check(&[(5, 0), (0, 1), (1, 2), (2, 3), (3, 4)], &[0, 2, 4], &[]);
        check(&[(0, 1), (1, 2), (2, 3), (3, 4), (5, 4)], &[0, 2, 4], &[0, 2]);
    }
}
