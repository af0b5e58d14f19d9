//! Search for one extension: any, or one that shows that an argument is accepted or not.

use crate::explanation::witness::witness;
use crate::factors::factors::Factors;
use crate::factors::listing::list;
use crate::factors::recursion::recursive_factors;
use crate::factors::solver::SearchBudgets;
use crate::framework::Framework;
use crate::labelling::{Label, Labelling, grounded};
use crate::limits::{CONFLICT_LIMIT, Exhausted, SolverLimits, WorkBudget};
use crate::queries::acceptance_search::{Quantifier, deciding_set, undecided_cone};
use crate::reasoning::factors_of;
use crate::sat::queries::set_search;
use crate::search::region::{Aim, Region};
use crate::semantics::Semantics;

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
    let quick = first_of(&quick_factors(framework, aim, limits));
    if quick.is_ok() || limits.conflicts == 0 {
        return quick;
    }
    match Undecided::new(framework, aim).extension_around(&[], limits) {
        Ok(extension) => Ok(extension),
        Err(_) => first_of(&factors_of(framework, semantics, limits)),
    }
}

/// Returns an extension that contains the argument (`holds`) or one that does not, ascending; `None` if there is none.
///
/// # Errors
///
/// [`Exhausted`] if a limit was reached before such an extension was found.
///
/// # Panics
///
/// Panics if there is no such argument.
pub fn deciding_extension(
    framework: &Framework,
    argument: u32,
    semantics: Semantics,
    holds: bool,
    limits: &SolverLimits<'_>,
) -> Result<Option<Vec<u32>>, Exhausted> {
    assert!((argument as usize) < framework.len(), "argument {argument} of {}", framework.len());
    let aim = match (semantics, holds) {
        // A preferred extension is complete, and the grounded extension is the least complete one.
        (Semantics::Preferred, _) | (Semantics::Complete, true) => Aim::Preferred,
        (Semantics::Stable, _) => Aim::Stable,
        (Semantics::Complete, false) => {
            return deciding_extension(framework, argument, Semantics::Grounded, false, limits);
        }
        _ => return decided_by(&factors_of(framework, semantics, limits), argument, holds),
    };
    let label = grounded(framework).of(argument);
    if label != Label::Undec {
        return if (label == Label::In) == holds { some_extension(framework, semantics, limits) } else { Ok(None) };
    }
    let quick = decided_by(&quick_factors(framework, aim, limits), argument, holds);
    if quick.is_ok() || limits.conflicts == 0 {
        return quick;
    }
    match Undecided::new(framework, aim).deciding_extension(framework, argument, holds, limits) {
        Ok(extension) => Ok(extension),
        Err(_) => decided_by(&factors_of(framework, semantics, limits), argument, holds),
    }
}

fn quick_factors(framework: &Framework, aim: Aim, limits: &SolverLimits<'_>) -> Factors {
    recursive_factors(framework, aim, WorkBudget::new(&limits.before_learning()), SearchBudgets::default())
}

fn first_of(factors: &Factors) -> Result<Option<Vec<u32>>, Exhausted> {
    match (list(factors, 1).0.pop(), factors.limit) {
        (None, Some(limit)) => Err(Exhausted { limit }),
        (extension, _) => Ok(extension),
    }
}

fn decided_by(factors: &Factors, argument: u32, holds: bool) -> Result<Option<Vec<u32>>, Exhausted> {
    match (witness(factors, argument, holds), factors.limit) {
        (None, Some(limit)) => Err(Exhausted { limit }),
        (extension, _) => Ok(extension),
    }
}

/// Arguments that the grounded labelling leaves undecided, as a region.
struct Undecided {
    labelling: Labelling,
    /// The arguments, ascending.
    arguments: Vec<u32>,
    aim: Aim,
    region: Region,
}

impl Undecided {
    fn new(framework: &Framework, aim: Aim) -> Self {
        let labelling = grounded(framework);
        let arguments: Vec<u32> = labelling.with(Label::Undec).collect();
        let region = Region::whole(&framework.restricted_to(&arguments), aim);
        Self { labelling, arguments, aim, region }
    }

    /// Returns an extension that contains the argument (`holds`) or one that does not.
    fn deciding_extension(
        &self,
        framework: &Framework,
        argument: u32,
        holds: bool,
        limits: &SolverLimits<'_>,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let quantifier = if holds { Quantifier::Some } else { Quantifier::Every };
        if self.aim == Aim::Stable {
            let mut work = WorkBudget::new(limits);
            let set = quantifier.search(&self.region, self.aim, self.place(argument)).run(&mut work);
            return self.extension(set, &work);
        }
        let cone = undecided_cone(framework, &self.labelling, argument);
        match deciding_set(framework, &cone, argument, quantifier, limits)? {
            Some(set) => self.extension_around(&set, limits),
            None => Ok(None),
        }
    }

    /// Returns an extension that contains an admissible set of undecided arguments.
    fn extension_around(&self, set: &[u32], limits: &SolverLimits<'_>) -> Result<Option<Vec<u32>>, Exhausted> {
        let members: Vec<u32> = set.iter().map(|&member| self.place(member)).collect();
        let mut work = WorkBudget::new(limits);
        let set = set_search(&self.region, self.aim, &members).run(&mut work);
        self.extension(set, &work)
    }

    /// Completes a set of the region by the grounded extension.
    fn extension(&self, set: Option<Option<Vec<u32>>>, work: &WorkBudget<'_>) -> Result<Option<Vec<u32>>, Exhausted> {
        let set = set.ok_or(Exhausted { limit: work.limit.unwrap_or(CONFLICT_LIMIT) })?;
        Ok(set.map(|set| {
            let mut extension: Vec<u32> = set.iter().map(|&place| self.arguments[place as usize]).collect();
            extension.extend(self.labelling.with(Label::In));
            extension.sort_unstable();
            extension
        }))
    }

    /// Returns the place of an undecided argument in the region.
    fn place(&self, argument: u32) -> u32 {
        u32::try_from(self.arguments.partition_point(|&member| member < argument)).expect("as many as arguments")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::labelling::is_complete;
    use crate::structures::random_bits::RandomBits;

    /// Generates a framework in which every third argument belongs to one stable extension, and attacks are at random
    /// apart from that.
    fn framework_with_stable_extension(arguments: u32) -> Framework {
        let mut random = RandomBits::<1>::new(1);
        let mut below = |bound: u32| (random.words()[0] % u64::from(bound)) as u32;
        let mut attacks = Vec::new();
        for argument in 0..arguments {
            if !argument.is_multiple_of(3) {
                attacks.push((below(arguments / 3) * 3, argument));
            }
            for _ in 0..7 {
                let other = below(arguments);
                if other != argument && !(argument.is_multiple_of(3) && other.is_multiple_of(3)) {
                    attacks.push((argument, other));
                }
            }
        }
        Framework::new(arguments as usize, attacks).expect("in range")
    }

    #[test]
    fn large_frameworks_without_structure_are_decided_within_the_default_limits() {
        let framework = framework_with_stable_extension(1000);
        for semantics in [Semantics::Preferred, Semantics::Stable] {
            for (argument, holds) in [(0, true), (1, false)] {
                let found = deciding_extension(&framework, argument, semantics, holds, &SolverLimits::default());
                let extension = found.expect("within the limits").expect("there is one");
                assert_eq!(extension.contains(&argument), holds);
                let labelling = Labelling::of_extension(&framework, &extension);
                assert!(is_complete(&framework, &labelling));
            }
        }
    }
}
