//! Sceptical and credulous acceptance: membership in every extension, and in some.

use crate::factors::factors::{FactorChoice, Factors};
use crate::framework::Framework;
use crate::limits::SolverLimits;
use crate::preferred::preferred_factors;

/// Acceptance status of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AcceptanceStatus {
    /// In every extension.
    Sceptical,
    /// In some extensions, but not in all.
    Credulous,
    /// In no extension, although there is one.
    Rejected,
    /// There is no extension, so that the argument is vacuously in every one. Only under stable semantics.
    Vacuous,
    /// Not known, because a limit was reached first.
    Unknown,
}

impl AcceptanceStatus {
    /// Returns true if some extension contains the argument; `None` if that is not known.
    pub fn is_credulous(self) -> Option<bool> {
        match self {
            Self::Sceptical | Self::Credulous => Some(true),
            Self::Rejected | Self::Vacuous => Some(false),
            Self::Unknown => None,
        }
    }

    /// Returns true if every extension contains the argument; `None` if that is not known.
    pub fn is_sceptical(self) -> Option<bool> {
        match self {
            Self::Sceptical | Self::Vacuous => Some(true),
            Self::Credulous | Self::Rejected => Some(false),
            Self::Unknown => None,
        }
    }
}

/// Acceptance status of every argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// Status of each argument, by index.
    pub statuses: Vec<AcceptanceStatus>,
    /// True if no limit was reached, so that no argument is [`AcceptanceStatus::Unknown`].
    pub exact: bool,
    /// The limit that was reached, if any: `nodes`, `conflicts`, `stop` or `component`.
    pub limit: Option<&'static str>,
}

/// Computes the sceptical and credulous acceptance of every argument under preferred semantics.
///
/// Does not list the extensions: the arguments contained in all or in some choices of a part are computed once per
/// part. Same cost as [`preferred_factors`].
pub fn acceptance(framework: &Framework, limits: &SolverLimits<'_>) -> Acceptance {
    acceptance_from_factors(&preferred_factors(framework, limits))
}

/// Derives the acceptance of every argument from existing factors. Linear in the choices and in the arguments that all
/// choices of a part share.
pub fn acceptance_from_factors(factors: &Factors) -> Acceptance {
    let parts = &factors.parts;
    if factors.is_void() {
        return Acceptance { statuses: vec![AcceptanceStatus::Vacuous; factors.arguments], exact: true, limit: None };
    }
    let founded = factors.assured || factors.roots.iter().all(|&root| !parts[root].choices.is_empty());
    if !founded {
        return Acceptance {
            statuses: vec![AcceptanceStatus::Unknown; factors.arguments],
            exact: false,
            limit: factors.limit,
        };
    }
    let mut standings = vec![AcceptanceStatus::Rejected; factors.arguments];
    let mut mark = |arguments: &[u32], standing| {
        arguments.iter().for_each(|&argument| standings[argument as usize] = standing);
    };
    let complete = || factors.roots.iter().filter(|&&root| parts[root].complete);
    let mut reached = vec![false; parts.len()];
    complete().for_each(|&root| reached[root] = true);
    // Every part comes after the parts that it names.
    for place in (0..parts.len()).rev() {
        if reached[place] {
            for choice in &parts[place].choices {
                mark(&choice.inside, AcceptanceStatus::Credulous);
                choice.parts.iter().for_each(|&below| reached[below] = true);
            }
        }
    }
    let held = held_by_all(factors, &reached);
    complete().for_each(|&root| mark(&held[root], AcceptanceStatus::Sceptical));
    mark(&factors.fixed, AcceptanceStatus::Sceptical);
    mark(&factors.unsettled, AcceptanceStatus::Unknown);
    Acceptance { statuses: standings, exact: factors.limit.is_none(), limit: factors.limit }
}

/// Returns, for each reached part, the arguments that are IN in all its choices.
fn held_by_all(factors: &Factors, reached: &[bool]) -> Vec<Vec<u32>> {
    let mut held: Vec<Vec<u32>> = vec![Vec::new(); factors.parts.len()];
    let mut times = vec![0; factors.arguments];
    for (place, part) in factors.parts.iter().enumerate().filter(|(place, _)| reached[*place]) {
        let of_choice = |choice: &FactorChoice| -> Vec<u32> {
            let below = choice.parts.iter().flat_map(|&below| &held[below]);
            choice.inside.iter().chain(below).copied().collect()
        };
        let mut last = Vec::new();
        for choice in &part.choices {
            last = of_choice(choice);
            last.iter().for_each(|&argument| times[argument as usize] += 1);
        }
        last.retain(|&argument| times[argument as usize] == part.choices.len());
        for choice in &part.choices {
            of_choice(choice).iter().for_each(|&argument| times[argument as usize] = 0);
        }
        held[place] = last;
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn acceptance_is_computed_for_every_argument() {
        fn check(attacks: &[(u32, u32)], word: &str) {
            let letter = |standing: &AcceptanceStatus| match standing {
                AcceptanceStatus::Sceptical => 'S',
                AcceptanceStatus::Credulous => 'C',
                AcceptanceStatus::Rejected => 'R',
                AcceptanceStatus::Vacuous => 'V',
                AcceptanceStatus::Unknown => '?',
            };
            let acceptance = acceptance(&framework(word.len(), attacks), &SolverLimits::default());
            assert_eq!(acceptance.statuses.iter().map(letter).collect::<String>(), word, "{attacks:?}");
            assert_eq!((acceptance.exact, acceptance.limit), (true, None));
        }
        check(&[], "");
        check(&[(0, 1), (1, 2)], "SRS");
        check(&[(0, 0)], "R");
        check(&[(0, 1), (1, 0)], "CC");
        check(&[(0, 1), (1, 2), (2, 0)], "RRR");
        // A floating conclusion: 3 is accepted whichever of 0 and 1 is.
        check(&[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)], "CCRS");
        // Two independent conflicts, and arguments that depend on both.
        check(&[(0, 1), (1, 0), (2, 3), (3, 2), (0, 4), (2, 4), (4, 5), (5, 4)], "CCCCCC");
        // 0 is the only argument that can be accepted.
        check(&[(0, 1), (1, 0), (1, 1), (2, 2)], "SRR");
    }

    #[test]
    fn arguments_beyond_a_limit_are_unknown() {
        let attacks = [(0, 1), (2, 2), (3, 4), (4, 3), (5, 6), (6, 5), (5, 7), (6, 7), (7, 8), (8, 7)];
        let spent = |nodes| acceptance(&framework(9, &attacks), &SolverLimits { nodes, ..SolverLimits::default() });
        use AcceptanceStatus::{Credulous as C, Rejected as R, Sceptical as S, Unknown as U};
        assert_eq!(spent(0).statuses, [S, R, R, U, U, U, U, U, U]);
        assert_eq!((spent(0).exact, spent(0).limit), (false, Some("nodes")));
        // The smaller part is solved first.
        let between = (1..100).find(|&nodes| spent(nodes).statuses[3] == C).expect("fewer than 100 steps solve it");
        assert_eq!(spent(between).statuses, [S, R, R, C, C, U, U, U, U]);
        assert_eq!(spent(100).statuses, [S, R, R, C, C, C, C, R, S]);
        assert_eq!((spent(100).exact, spent(100).limit), (true, None));
    }
}
