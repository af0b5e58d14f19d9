//! Entry point: questions about a framework under each semantics.
//!
//! | question | function | cost |
//! |----------|----------|------|
//! | all extensions | [`extensions_of`], [`enumerate_extensions_of`] | the search, and the output |
//! | number of extensions | [`count_of`] | the search |
//! | one extension | [`some_extension`] | less |
//! | sceptical and credulous acceptance of every argument | [`acceptance_of`] | the search |
//! | acceptance of one argument | [`is_credulous`], [`is_sceptical`] | less: irrelevant arguments are left out |
//! | several of these | [`factors_of`], once | the search |
//!
//! The search is linear for the grounded extension. For all other semantics it is exponential in the worst case, in the
//! size of the parts that cannot be split. Its work is bounded ([`SolverLimits`]), and an answer that may be incomplete names
//! the limit.

use std::ops::ControlFlow;

use crate::components::Components;
use crate::explanation::acceptance::{Acceptance, AcceptanceStatus, acceptance_from_factors};
use crate::extensions::{EnumerationSummary, ExtensionList, enumerate_extensions, extensions};
use crate::factors::factors::Factors;
use crate::factors::listing::list;
use crate::factors::ranged::ranged_factors;
use crate::factors::recursion::recursive_factors;
use crate::factors::solver::SearchBudgets;
use crate::framework::Framework;
use crate::ideal::ideal_factors;
use crate::labelling::{Label, Labelling, grounded};
use crate::limits::{Exhausted, STEP_LIMIT, SolverLimits, WorkBudget};
use crate::sat::portfolio::Portfolio;
use crate::sat::queries::{credulous_search, sceptical_search, set_search};
use crate::sat::ranges::RangeKind;
use crate::search::region::{Aim, Region};
use crate::semantics::Semantics;
use crate::structures::count::Count;

/// Step budget of a second attempt at a question on one argument, before the clause-learning solver gets its whole
/// budget.
const SECOND_STEPS: u64 = 200_000;

/// Conflict budget of the first attempts at a question on one argument.
const FIRST_CONFLICTS: u64 = 30_000;

/// Computes all extensions, as sums of products. All other questions can be answered from them: to ask several, call
/// this once.
pub fn factors_of(framework: &Framework, semantics: Semantics, limits: &SolverLimits<'_>) -> Factors {
    let recursive = |aim| recursive_factors(framework, aim, WorkBudget::new(limits), SearchBudgets::default());
    match semantics {
        Semantics::Grounded => Factors::single(framework.len(), grounded(framework).with(Label::In).collect()),
        Semantics::Complete => recursive(Aim::Complete),
        Semantics::Preferred => recursive(Aim::Preferred),
        Semantics::Stable => recursive(Aim::Stable),
        Semantics::SemiStable => ranged_factors(framework, RangeKind::Admissible, WorkBudget::new(limits)),
        Semantics::Stage => ranged_factors(framework, RangeKind::ConflictFree, WorkBudget::new(limits)),
        Semantics::Ideal => ideal_factors(framework, limits),
    }
}

/// Returns all extensions; at most [`SolverLimits::sets`] of them are listed.
pub fn extensions_of(framework: &Framework, semantics: Semantics, limits: &SolverLimits<'_>) -> ExtensionList {
    extensions(&factors_of(framework, semantics, limits), limits.sets)
}

/// Counts the extensions without listing them.
pub fn count_of(framework: &Framework, semantics: Semantics, limits: &SolverLimits<'_>) -> Count {
    factors_of(framework, semantics, limits).count()
}

/// Passes the extensions to `listener` one by one, up to [`SolverLimits::sets`] of them, and stores none. The listener can
/// stop the enumeration.
pub fn enumerate_extensions_of(
    framework: &Framework,
    semantics: Semantics,
    limits: &SolverLimits<'_>,
    listener: impl FnMut(&[u32]) -> ControlFlow<()>,
) -> EnumerationSummary {
    enumerate_extensions(&factors_of(framework, semantics, limits), limits.sets, listener)
}

/// Returns the sceptical and credulous acceptance of every argument.
pub fn acceptance_of(framework: &Framework, semantics: Semantics, limits: &SolverLimits<'_>) -> Acceptance {
    acceptance_from_factors(&factors_of(framework, semantics, limits))
}

/// Returns one extension, ascending; `None` if there is none, which is possible under stable semantics only. For
/// complete semantics this is the grounded extension.
///
/// # Errors
///
/// [`Exhausted`] if a limit was reached before an extension was found.
pub fn some_extension(
    framework: &Framework,
    semantics: Semantics,
    limits: &SolverLimits<'_>,
) -> Result<Option<Vec<u32>>, Exhausted> {
    let aim = match semantics {
        Semantics::Preferred => Aim::Preferred,
        Semantics::Stable => Aim::Stable,
        Semantics::Complete => return some_extension(framework, Semantics::Grounded, limits),
        _ => return first_of(&factors_of(framework, semantics, limits)),
    };
    let quick = first_of(&recursive_factors(
        framework,
        aim,
        WorkBudget::new(&limits.before_learning()),
        SearchBudgets::default(),
    ));
    if quick.is_ok() || limits.conflicts == 0 {
        return quick;
    }
    let labelling = grounded(framework);
    let undecided: Vec<u32> = labelling.with(Label::Undec).collect();
    let mut work = WorkBudget::new(limits);
    let region = Region::whole(&framework.restricted_to(&undecided), aim);
    let found = set_search(&region, aim).run(&mut work);
    match found {
        Some(None) => Ok(None),
        Some(Some(set)) => {
            let mut extension: Vec<u32> = set.iter().map(|&place| undecided[place as usize]).collect();
            extension.extend(labelling.with(Label::In));
            extension.sort_unstable();
            Ok(Some(extension))
        }
        None => first_of(&factors_of(framework, semantics, limits)),
    }
}

fn first_of(factors: &Factors) -> Result<Option<Vec<u32>>, Exhausted> {
    match (list(factors, 1).0.pop(), factors.limit) {
        (None, Some(limit)) => Err(Exhausted { limit }),
        (extension, _) => Ok(extension),
    }
}

/// Returns true if some extension contains the argument. If there is no stable extension, no argument is credulously
/// accepted.
///
/// # Errors
///
/// [`Exhausted`] if a limit was reached before the answer was known.
///
/// # Panics
///
/// Panics if there is no such argument.
pub fn is_credulous(
    framework: &Framework,
    argument: u32,
    semantics: Semantics,
    limits: &SolverLimits<'_>,
) -> Result<bool, Exhausted> {
    held(framework, argument, semantics, Quantifier::Some, limits)
}

/// Returns true if every extension contains the argument. If there is no stable extension, every argument is
/// sceptically accepted.
///
/// # Errors
///
/// [`Exhausted`] if a limit was reached before the answer was known.
///
/// # Panics
///
/// Panics if there is no such argument.
pub fn is_sceptical(
    framework: &Framework,
    argument: u32,
    semantics: Semantics,
    limits: &SolverLimits<'_>,
) -> Result<bool, Exhausted> {
    held(framework, argument, semantics, Quantifier::Every, limits)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantifier {
    Some,
    Every,
}

impl Quantifier {
    fn of(self, standing: AcceptanceStatus) -> Option<bool> {
        match self {
            Self::Some => standing.is_credulous(),
            Self::Every => standing.is_sceptical(),
        }
    }

    fn search(self, region: &Region, aim: Aim, argument: u32) -> Portfolio<'_, bool> {
        match self {
            Self::Some => credulous_search(region, aim, argument),
            Self::Every => sceptical_search(region, aim, argument),
        }
    }
}

fn held(
    framework: &Framework,
    argument: u32,
    semantics: Semantics,
    quantifier: Quantifier,
    limits: &SolverLimits<'_>,
) -> Result<bool, Exhausted> {
    assert!((argument as usize) < framework.len(), "argument {argument} of {}", framework.len());
    if semantics == Semantics::Stage {
        let members = connected(framework, argument);
        return within(framework, &members, argument, semantics, quantifier, limits);
    }
    let labelling = grounded(framework);
    let label = labelling.of(argument);
    if semantics == Semantics::Stable {
        return held_by_stable(framework, &labelling, argument, quantifier, limits);
    }
    if label != Label::Undec {
        return Ok(label == Label::In);
    }
    match (semantics, quantifier) {
        (Semantics::Grounded, _) | (Semantics::Complete, Quantifier::Every) => Ok(false),
        (Semantics::SemiStable, _) => {
            let undecided: Vec<u32> = labelling.with(Label::Undec).collect();
            let place =
                u32::try_from(undecided.partition_point(|&member| member < argument)).expect("as many as arguments");
            let members = connected(&framework.restricted_to(&undecided), place);
            let members: Vec<u32> = members.into_iter().map(|member| undecided[member as usize]).collect();
            within(framework, &members, argument, semantics, quantifier, limits)
        }
        (Semantics::Complete, Quantifier::Some) => {
            let members = undecided_cone(framework, &labelling, argument);
            within(framework, &members, argument, Semantics::Preferred, quantifier, limits)
        }
        _ => {
            let members = undecided_cone(framework, &labelling, argument);
            within(framework, &members, argument, semantics, quantifier, limits)
        }
    }
}

/// Returns the weakly connected component of an argument.
fn connected(framework: &Framework, argument: u32) -> Vec<u32> {
    let components = Components::weak(framework);
    components.members(components.of(argument)).to_vec()
}

/// Returns an argument with its direct and indirect attackers along undecided arguments, ascending. No other argument
/// affects it if the semantics is directional (Baroni and Giacomin 2007), as grounded, complete, preferred and ideal
/// semantics are.
fn undecided_cone(framework: &Framework, labelling: &Labelling, argument: u32) -> Vec<u32> {
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

/// Answers a question on an argument in the subframework of `members`.
fn within(
    framework: &Framework,
    members: &[u32],
    argument: u32,
    semantics: Semantics,
    quantifier: Quantifier,
    limits: &SolverLimits<'_>,
) -> Result<bool, Exhausted> {
    let own = framework.restricted_to(members);
    let place = members.partition_point(|&member| member < argument);
    let standing = |factors: &Factors| acceptance_from_factors(factors).statuses[place];
    let number = u32::try_from(place).expect("as many as arguments");
    let worked_out = |limits: &SolverLimits<'_>| {
        let factors = factors_of(&own, semantics, limits);
        let limit = factors.limit.unwrap_or(STEP_LIMIT);
        quantifier.of(standing(&factors)).ok_or(Exhausted { limit })
    };
    if semantics != Semantics::Preferred {
        return worked_out(limits);
    }
    let quick = worked_out(&limits.before_learning());
    if quick.is_ok() || limits.conflicts == 0 {
        return quick;
    }
    let region = Region::whole(&own, Aim::Preferred);
    let mut search = quantifier.search(&region, Aim::Preferred, number);
    let mut learned = |conflicts: u64| search.run(&mut WorkBudget::new(&SolverLimits { conflicts, ..*limits }));
    // A short attempt with each method, then a long one.
    let first = limits.conflicts.min(FIRST_CONFLICTS);
    if let Some(answer) = learned(first) {
        return Ok(answer);
    }
    let short = worked_out(&SolverLimits { nodes: limits.nodes.min(SECOND_STEPS), conflicts: first, ..*limits });
    let answer = short.ok().or_else(|| learned(limits.conflicts - first));
    answer.map_or_else(|| worked_out(limits), Ok)
}

fn held_by_stable(
    framework: &Framework,
    labelling: &Labelling,
    argument: u32,
    quantifier: Quantifier,
    limits: &SolverLimits<'_>,
) -> Result<bool, Exhausted> {
    let holds_if_any = match labelling.of(argument) {
        Label::Undec => None,
        label => Some(label == Label::In),
    };
    match (quantifier, holds_if_any) {
        (Quantifier::Some, Some(false)) => return Ok(false),
        (Quantifier::Every, Some(true)) => return Ok(true),
        (_, None) => {}
        (_, Some(_)) => {
            let exists = some_extension(framework, Semantics::Stable, limits)?.is_some();
            return Ok(exists == (quantifier == Quantifier::Some));
        }
    }
    let quick =
        recursive_factors(framework, Aim::Stable, WorkBudget::new(&limits.before_learning()), SearchBudgets::default());
    let standing = acceptance_from_factors(&quick).statuses[argument as usize];
    if let Some(answer) = quantifier.of(standing) {
        return Ok(answer);
    }
    let limit = quick.limit.unwrap_or(STEP_LIMIT);
    if limits.conflicts == 0 {
        return Err(Exhausted { limit });
    }
    let undecided: Vec<u32> = labelling.with(Label::Undec).collect();
    let region = Region::whole(&framework.restricted_to(&undecided), Aim::Stable);
    let place = u32::try_from(undecided.partition_point(|&member| member < argument)).expect("as many as arguments");
    let mut work = WorkBudget::new(limits);
    let answer = quantifier.search(&region, Aim::Stable, place).run(&mut work);
    answer.ok_or(Exhausted { limit: work.limit.unwrap_or(limit) })
}
