//! The ideal extension: the largest admissible set contained in every preferred extension.

use crate::explanation::acceptance::{AcceptanceStatus, acceptance_from_factors};
use crate::factors::factors::{Factor, Factors};
use crate::factors::recursion::recursive_factors;
use crate::factors::solver::SearchBudgets;
use crate::framework::Framework;
use crate::labelling::{Label, grounded};
use crate::limits::{Exhausted, SolverLimits, WorkBudget};
use crate::sat::queries::credulous_arguments;
use crate::search::region::{Aim, Region};

/// Computes the ideal extension: the largest admissible set contained in every preferred extension (Dung, Mancarella
/// and Toni 2007), as factors with one extension.
///
/// The intersection of the preferred extensions is computed by factors, without listing them, and members that it does
/// not defend are removed. If that exceeds its step budget, the clause-learning solver finds the credulously accepted
/// arguments instead; those of them that no credulously accepted argument attacks replace the intersection (Dunne
/// 2009).
pub fn ideal_factors(framework: &Framework, limits: &SolverLimits<'_>) -> Factors {
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
    let mut work = WorkBudget::new(limits);
    let Some(some) = credulous_arguments(&Region::whole(&left, Aim::Preferred), Aim::Preferred, &mut work) else {
        let limit = match worked_out(framework, limits) {
            Ok(extension) => return single(extension),
            Err(exhausted) => Some(exhausted.limit),
        };
        let part = Factor { choices: Vec::new(), complete: false };
        let fixed = labelling.with(Label::In).collect();
        let unsettled = undecided.into_iter().filter(|&argument| !framework.has_attack(argument, argument)).collect();
        return Factors { roots: vec![0], parts: vec![part], unsettled, limit, ..single(fixed) };
    };
    let unattacked =
        |&&place: &&u32| left.attackers(place).iter().all(|attacker| some.binary_search(attacker).is_err());
    let mut held: Vec<u32> = some.iter().filter(unattacked).map(|&place| undecided[place as usize]).collect();
    held.extend(labelling.with(Label::In));
    held.sort_unstable();
    single(defended(framework, held))
}

/// Computes the ideal extension from the intersection of the preferred extensions.
fn worked_out(framework: &Framework, limits: &SolverLimits<'_>) -> Result<Vec<u32>, Exhausted> {
    let factors = recursive_factors(framework, Aim::Preferred, WorkBudget::new(limits), SearchBudgets::default());
    if let Some(limit) = factors.limit {
        return Err(Exhausted { limit });
    }
    let standings = acceptance_from_factors(&factors).statuses;
    let held =
        framework.arguments().filter(|&argument| standings[argument as usize] == AcceptanceStatus::Sceptical).collect();
    Ok(defended(framework, held))
}

/// Returns the largest subset of a conflict-free set that attacks each of its attackers. Linear time.
fn defended(framework: &Framework, mut set: Vec<u32>) -> Vec<u32> {
    let mut is_member = vec![false; framework.len()];
    let mut hits = vec![0_u32; framework.len()];
    for &member in &set {
        is_member[member as usize] = true;
        framework.attacked(member).iter().for_each(|&target| hits[target as usize] += 1);
    }
    let exposed =
        |member: u32, hits: &[u32]| framework.attackers(member).iter().any(|&attacker| hits[attacker as usize] == 0);
    let mut agenda: Vec<u32> = set.iter().copied().filter(|&member| exposed(member, &hits)).collect();
    agenda.iter().for_each(|&member| is_member[member as usize] = false);
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

    use crate::limits::STEP_LIMIT;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn the_ideal_extension_is_found() {
        fn check(arguments: usize, attacks: &[(u32, u32)], extension: &[u32]) {
            let framework = framework(arguments, attacks);
            for nodes in [0, 1_000] {
                let limits = SolverLimits { nodes, ..SolverLimits::default() };
                assert_eq!(ideal_factors(&framework, &limits).fixed, extension, "{attacks:?}");
            }
        }
        check(0, &[], &[]);
        check(3, &[(0, 1), (1, 2)], &[0, 2]);
        check(2, &[(0, 1), (1, 0)], &[]);
        // 1 attacks itself, so 0 is in every preferred extension and defends itself.
        check(2, &[(0, 1), (1, 0), (1, 1)], &[0]);
        // A floating conclusion is in every preferred extension, but no other such argument defends it.
        check(4, &[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)], &[]);
    }

    #[test]
    fn an_exhausted_limit_is_reported() {
        let framework = framework(4, &[(0, 1), (1, 0), (1, 1), (2, 3)]);
        let spent = ideal_factors(&framework, &SolverLimits { nodes: 0, conflicts: 0, ..SolverLimits::default() });
        assert_eq!((&spent.fixed[..], &spent.unsettled[..]), (&[2][..], &[0][..]));
        assert_eq!(spent.limit, Some(STEP_LIMIT));
    }

    #[test]
    fn undefended_members_are_removed() {
        fn check(attacks: &[(u32, u32)], set: &[u32], left: &[u32]) {
            assert_eq!(defended(&framework(6, attacks), set.to_vec()), left, "{attacks:?}");
        }
        check(&[], &[0, 5], &[0, 5]);
        check(&[(1, 0)], &[0], &[]);
        check(&[(1, 0), (0, 1)], &[0], &[0]);
        // Each argument defends the next; nothing defends the first.
        check(&[(5, 0), (0, 1), (1, 2), (2, 3), (3, 4)], &[0, 2, 4], &[]);
        check(&[(0, 1), (1, 2), (2, 3), (3, 4), (5, 4)], &[0, 2, 4], &[0, 2]);
    }
}
