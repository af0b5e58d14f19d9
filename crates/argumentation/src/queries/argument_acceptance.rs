//! Sceptical and credulous acceptance of one argument, under each semantics. Arguments that do not affect it are left out.

use crate::components::Components;
use crate::explanation::acceptance::acceptance_from_factors;
use crate::framework::Framework;
use crate::labelling::{Label, grounded};
use crate::limits::{Exhausted, STEP_LIMIT, SolverLimits};
use crate::queries::acceptance_search::{Quantifier, deciding_set, undecided_cone};
use crate::queries::extension_search::deciding_extension;
use crate::reasoning::factors_of;
use crate::semantics::Semantics;

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
    if semantics == Semantics::Stable {
        let holds = quantifier.is_decided_by_member();
        return Ok(quantifier.answer(deciding_extension(framework, argument, semantics, holds, limits)?.is_some()));
    }
    let labelling = grounded(framework);
    let label = labelling.of(argument);
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

/// Answers a question on an argument in the subframework of `members`.
fn within(
    framework: &Framework,
    members: &[u32],
    argument: u32,
    semantics: Semantics,
    quantifier: Quantifier,
    limits: &SolverLimits<'_>,
) -> Result<bool, Exhausted> {
    if semantics == Semantics::Preferred {
        return Ok(quantifier.answer(deciding_set(framework, members, argument, quantifier, limits)?.is_some()));
    }
    let factors = factors_of(&framework.restricted_to(members), semantics, limits);
    let place = members.partition_point(|&member| member < argument);
    let standing = acceptance_from_factors(&factors).statuses[place];
    quantifier.of(standing).ok_or(Exhausted { limit: factors.limit.unwrap_or(STEP_LIMIT) })
}
