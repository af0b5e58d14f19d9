//! Labels of arguments over all extensions of a semantics.

use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::ArgumentFramework;
use faultline_argumentation::explanation::acceptance::{AcceptanceStatus, acceptance_from_factors};
use faultline_argumentation::factors::factors::Factors;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::Label;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::max_membership::min_membership;
use faultline_argumentation::reasoning::factors_of;
use faultline_argumentation::semantics::Semantics;
use faultline_argumentation::structures::count::{Count, Natural};

/// Argument with its label under a semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// Id of the argument.
    pub argument: ArgumentId,
    /// IN if every extension contains it; OUT if every extension attacks it; otherwise UNDEC, also if there is no
    /// extension.
    pub label: Label,
    /// True if the label is proven. If the search was stopped early, the label is UNDEC and not exact.
    pub exact: bool,
}

/// Labels every live argument over all extensions of a semantics. For a semantics with a single extension, such as
/// grounded, this is the labelling of that extension.
///
/// Cost: one search, and a pass over the factors for each argument that is attacked by different arguments in different
/// extensions.
pub fn labels_under(framed: &ArgumentFramework, semantics: Semantics, limits: &SolverLimits<'_>) -> Vec<Labelled> {
    let framework = &framed.framework;
    let factors = factors_of(framework, semantics, limits);
    let standings = acceptance_from_factors(&factors).statuses;
    let is_vacuous = factors.count() == Count::Exactly(Natural::ZERO);
    let told = framework.arguments().map(|argument| {
        let (label, exact) =
            if is_vacuous { (Label::Undec, true) } else { label(framework, &factors, &standings, argument) };
        Labelled { argument: framed.id(argument), label, exact }
    });
    told.collect()
}

fn label(framework: &Framework, factors: &Factors, standings: &[AcceptanceStatus], argument: u32) -> (Label, bool) {
    let attackers = framework.attackers(argument);
    let is_held_by_all = |attacker: &u32| standings[*attacker as usize] == AcceptanceStatus::Sceptical;
    if is_held_by_all(&argument) {
        return (Label::In, true);
    }
    if attackers.iter().any(is_held_by_all) {
        return (Label::Out, true);
    }
    if factors.limit.is_some() {
        return (Label::Undec, false);
    }
    // An argument in some extensions is not attacked by all extensions.
    let may_fall = standings[argument as usize] == AcceptanceStatus::Rejected;
    let falls = may_fall && min_membership(factors, |member| attackers.binary_search(&member).is_ok()) > 0;
    (if falls { Label::Out } else { Label::Undec }, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_argumentation::labelling::{Labelling, grounded};
    use faultline_argumentation::reasoning::extensions_of;

    fn framed(arguments: u32, attacks: &[(u32, u32)]) -> ArgumentFramework {
        let framework = Framework::new(arguments as usize, attacks.iter().copied()).expect("in range");
        ArgumentFramework { framework, ids: (0..arguments).map(ArgumentId).collect() }
    }

    /// Compares with an enumeration of all extensions.
    #[test]
    fn labels_match_an_enumeration_of_all_extensions() {
        fn check(arguments: u32, attacks: &[(u32, u32)]) {
            let framed = framed(arguments, attacks);
            for semantics in Semantics::ALL {
                let sets = extensions_of(&framed.framework, semantics, &SolverLimits::default()).sets;
                let each: Vec<Labelling> =
                    sets.iter().map(|set| Labelling::of_extension(&framed.framework, set)).collect();
                for (it, found) in (0..).zip(labels_under(&framed, semantics, &SolverLimits::default())) {
                    let all = |label: Label| !each.is_empty() && each.iter().all(|labelling| labelling.of(it) == label);
                    let expected = [Label::In, Label::Out].into_iter().find(|label| all(*label));
                    assert_eq!(found.label, expected.unwrap_or(Label::Undec), "{attacks:?} {semantics} {it}");
                    assert!(found.exact);
                }
            }
            let labels = labels_under(&framed, Semantics::Grounded, &SolverLimits::default());
            assert_eq!(labels.iter().map(|entry| entry.label).collect::<Vec<_>>(), grounded(&framed.framework).0);
        }
        check(0, &[]);
        check(3, &[(0, 1), (1, 2)]);
        check(2, &[(0, 1), (1, 0)]);
        check(3, &[(0, 1), (1, 2), (2, 0)]);
        // 2 is attacked by two arguments that attack each other, and 3 is in every extension.
        check(4, &[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)]);
        check(5, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2)]);
        check(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 5), (5, 5)]);
    }

    #[test]
    fn labels_of_an_incomplete_search_are_not_exact() {
        let framed = framed(5, &[(0, 1), (2, 3), (3, 2), (2, 4), (3, 4)]);
        let limits = SolverLimits { nodes: 0, conflicts: 0, ..SolverLimits::default() };
        let found: Vec<_> = labels_under(&framed, Semantics::Preferred, &limits)
            .iter()
            .map(|entry| (entry.label, entry.exact))
            .collect();
        use Label::{In, Out, Undec};
        assert_eq!(found, [(In, true), (Out, true), (Undec, false), (Undec, false), (Undec, false)]);
    }
}
