//! Search for a set that decides whether an argument is accepted under preferred semantics.

use crate::explanation::acceptance::{AcceptanceStatus, acceptance_from_factors};
use crate::explanation::witness::witness;
use crate::factors::recursion::recursive_factors;
use crate::factors::solver::SearchBudgets;
use crate::framework::Framework;
use crate::labelling::{Label, Labelling};
use crate::limits::{Exhausted, STEP_LIMIT, SolverLimits, WorkBudget};
use crate::sat::portfolio::Portfolio;
use crate::sat::queries::{counterexample_search, example_search};
use crate::search::region::{Aim, Region};

/// Step budget of a second attempt at a question on one argument, before the clause-learning solver gets its whole
/// budget.
const SECOND_STEPS: u64 = 200_000;

/// Conflict budget of the first attempts at a question on one argument.
const FIRST_CONFLICTS: u64 = 30_000;

/// Question about an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Some extension contains it: credulous acceptance, decided by an extension that contains it.
    Some,
    /// Every extension contains it: sceptical acceptance, decided by an extension that does not contain it.
    Every,
}

impl Quantifier {
    /// Returns true if an extension that contains the argument decides the question, and false if one without it does.
    pub fn is_decided_by_member(self) -> bool {
        self == Self::Some
    }

    /// Returns the answer, given if a deciding extension exists.
    pub fn answer(self, exists: bool) -> bool {
        exists == self.is_decided_by_member()
    }

    /// Returns the answer that the status of the argument gives.
    pub fn of(self, status: AcceptanceStatus) -> Option<bool> {
        match self {
            Self::Some => status.is_credulous(),
            Self::Every => status.is_sceptical(),
        }
    }

    /// Returns a search for a set of the region that decides the question.
    pub fn search(self, region: &Region, aim: Aim, argument: u32) -> Portfolio<'_, Option<Vec<u32>>> {
        match self {
            Self::Some => example_search(region, aim, argument),
            Self::Every => counterexample_search(region, aim, argument),
        }
    }
}

/// Returns an argument with its direct and indirect attackers along undecided arguments, ascending. No other argument
/// affects it if the semantics is directional (Baroni and Giacomin 2007), as grounded, complete, preferred and ideal
/// semantics are.
pub fn undecided_cone(framework: &Framework, labelling: &Labelling, argument: u32) -> Vec<u32> {
    let mut seen = vec![false; framework.len()];
    seen[argument as usize] = true;
    let mut cone = vec![argument];
    let mut spent = 0;
    while let Some(&target) = cone.get(spent) {
        spent += 1;
        for &attacker in framework.attackers(target) {
            if labelling.of(attacker) == Label::Undec && !std::mem::replace(&mut seen[attacker as usize], true) {
                cone.push(attacker);
            }
        }
    }
    cone.sort_unstable();
    cone
}

/// Returns an admissible set of the subframework of `members` that decides the question: for credulous acceptance, one
/// that contains the argument; for sceptical acceptance, one that is within no preferred extension with the argument.
/// `None` if there is none.
///
/// # Errors
///
/// [`Exhausted`] if a limit was reached before the answer was known.
pub fn deciding_set(
    framework: &Framework,
    members: &[u32],
    argument: u32,
    quantifier: Quantifier,
    limits: &SolverLimits<'_>,
) -> Result<Option<Vec<u32>>, Exhausted> {
    let own = framework.restricted_to(members);
    let place = members.partition_point(|&member| member < argument);
    let number = u32::try_from(place).expect("as many as arguments");
    let named = |set: Vec<u32>| set.into_iter().map(|place| members[place as usize]).collect();
    let worked_out = |limits: &SolverLimits<'_>| {
        let factors = recursive_factors(&own, Aim::Preferred, WorkBudget::new(limits), SearchBudgets::default());
        let status = acceptance_from_factors(&factors).statuses[place];
        let exhausted = Exhausted { limit: factors.limit.unwrap_or(STEP_LIMIT) };
        let answer = quantifier.of(status).ok_or(exhausted)?;
        if answer != quantifier.is_decided_by_member() {
            return Ok(None);
        }
        // An argument in no extension is absent around the empty set.
        let is_rejected = status.is_credulous() == Some(false);
        let set = witness(&factors, number, answer).or(is_rejected.then(Vec::new));
        set.map(Some).ok_or(exhausted)
    };
    let quick = worked_out(&limits.before_learning());
    if quick.is_ok() || limits.conflicts == 0 {
        return quick.map(|set| set.map(named));
    }
    let region = Region::whole(&own, Aim::Preferred);
    let mut search = quantifier.search(&region, Aim::Preferred, number);
    let mut searched = |conflicts: u64| search.run(&mut WorkBudget::new(&SolverLimits { conflicts, ..*limits }));
    // A short attempt with each method, then a long one.
    let first = limits.conflicts.min(FIRST_CONFLICTS);
    if let Some(set) = searched(first) {
        return Ok(set.map(named));
    }
    let short = worked_out(&SolverLimits { nodes: limits.nodes.min(SECOND_STEPS), conflicts: first, ..*limits });
    let set = short.ok().or_else(|| searched(limits.conflicts - first));
    set.map_or_else(|| worked_out(limits), Ok).map(|set| set.map(named))
}
