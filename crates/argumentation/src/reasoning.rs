//! Questions about all extensions of a framework, under each semantics.
//!
//! | question | function | cost |
//! |----------|----------|------|
//! | all extensions | [`extensions_of`], [`enumerate_extensions_of`] | the search, and the output |
//! | number of extensions | [`count_of`] | the search |
//! | sceptical and credulous acceptance of every argument | [`acceptance_of`] | the search |
//! | several of these | [`factors_of`], once | the search |
//!
//! One extension and the acceptance of one argument take less: see `queries`.
//!
//! The search is linear for the grounded extension. For all other semantics it is exponential in the worst case, in the
//! size of the parts that cannot be split. Its work is bounded ([`SolverLimits`]), and an answer that may be incomplete names
//! the limit.

use std::ops::ControlFlow;

use crate::explanation::acceptance::{Acceptance, acceptance_from_factors};
use crate::extensions::{EnumerationSummary, ExtensionList, enumerate_extensions, extensions};
use crate::factors::factors::Factors;
use crate::factors::ranged::ranged_factors;
use crate::factors::recursion::recursive_factors;
use crate::factors::solver::SearchBudgets;
use crate::framework::Framework;
use crate::ideal::ideal_factors;
use crate::labelling::{Label, grounded};
use crate::limits::{SolverLimits, WorkBudget};
use crate::sat::ranges::RangeKind;
use crate::search::region::Aim;
use crate::semantics::Semantics;
use crate::structures::count::Count;

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
