//! Acceptance: what every extension holds and what some do.

use crate::argumentation::factors::factors::{Choice, Factors};
use crate::argumentation::framework::Framework;
use crate::argumentation::limits::Limits;
use crate::argumentation::preferred::preferred_factors;

/// What the extensions make of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It is in every one.
    Sceptical,
    /// It is in some, not in all.
    Credulous,
    /// It is in none.
    Rejected,
    /// There is no extension: it is in every one, and in none. Only under stable semantics.
    Vacuous,
    /// A limit was reached before it was known.
    Unknown,
}

impl Standing {
    /// Whether some extension holds it; `None` where that is not known.
    pub fn is_credulous(self) -> Option<bool> {
        match self {
            Self::Sceptical | Self::Credulous => Some(true),
            Self::Rejected | Self::Vacuous => Some(false),
            Self::Unknown => None,
        }
    }

    /// Whether every extension holds it; `None` where that is not known.
    pub fn is_sceptical(self) -> Option<bool> {
        match self {
            Self::Sceptical | Self::Vacuous => Some(true),
            Self::Credulous | Self::Rejected => Some(false),
            Self::Unknown => None,
        }
    }
}

/// The acceptance of every argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// For each argument, by index.
    pub standings: Vec<Standing>,
    /// Whether no argument is [`Standing::Unknown`] for want of work.
    pub exact: bool,
    /// The limit that was reached: `nodes`, `conflicts`, `stop` or `component`.
    pub limit: Option<&'static str>,
}

/// The sceptical and credulous acceptance of every argument under preferred semantics.
///
/// The extensions are never listed: what holds in all choices of a part, or in some, is worked out once a part. The work
/// is that of [`preferred_factors`].
pub fn acceptance(framework: &Framework, limits: &Limits<'_>) -> Acceptance {
    standings(&preferred_factors(framework, limits))
}

/// The acceptance that follows from factors that are there already. Linear in the choices and what parts hold in all of
/// them.
pub fn standings(factors: &Factors) -> Acceptance {
    let parts = &factors.parts;
    if factors.is_void() {
        return Acceptance { standings: vec![Standing::Vacuous; factors.arguments], exact: true, limit: None };
    }
    let founded = factors.assured || factors.roots.iter().all(|&root| !parts[root].choices.is_empty());
    if !founded {
        return Acceptance {
            standings: vec![Standing::Unknown; factors.arguments],
            exact: false,
            limit: factors.limit,
        };
    }
    let mut standings = vec![Standing::Rejected; factors.arguments];
    let mut mark = |arguments: &[u32], standing| {
        arguments.iter().for_each(|&argument| standings[argument as usize] = standing);
    };
    let complete = || factors.roots.iter().filter(|&&root| parts[root].complete);
    let mut reached = vec![false; parts.len()];
    complete().for_each(|&root| reached[root] = true);
    // A part comes after those it names.
    for place in (0..parts.len()).rev() {
        if reached[place] {
            for choice in &parts[place].choices {
                mark(&choice.inside, Standing::Credulous);
                choice.parts.iter().for_each(|&below| reached[below] = true);
            }
        }
    }
    let held = held_by_all(factors, &reached);
    complete().for_each(|&root| mark(&held[root], Standing::Sceptical));
    mark(&factors.fixed, Standing::Sceptical);
    mark(&factors.unsettled, Standing::Unknown);
    Acceptance { standings, exact: factors.limit.is_none(), limit: factors.limit }
}

/// For each part that is reached, the arguments that are IN whatever is chosen.
fn held_by_all(factors: &Factors, reached: &[bool]) -> Vec<Vec<u32>> {
    let mut held: Vec<Vec<u32>> = vec![Vec::new(); factors.parts.len()];
    let mut times = vec![0; factors.arguments];
    for (place, part) in factors.parts.iter().enumerate().filter(|(place, _)| reached[*place]) {
        let of_choice = |choice: &Choice| -> Vec<u32> {
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
    fn standings_are_told() {
        fn check(attacks: &[(u32, u32)], word: &str) {
            let letter = |standing: &Standing| match standing {
                Standing::Sceptical => 'S',
                Standing::Credulous => 'C',
                Standing::Rejected => 'R',
                Standing::Vacuous => 'V',
                Standing::Unknown => '?',
            };
            let acceptance = acceptance(&framework(word.len(), attacks), &Limits::default());
            assert_eq!(acceptance.standings.iter().map(letter).collect::<String>(), word, "{attacks:?}");
            assert_eq!((acceptance.exact, acceptance.limit), (true, None));
        }
        check(&[], "");
        check(&[(0, 1), (1, 2)], "SRS");
        check(&[(0, 0)], "R");
        check(&[(0, 1), (1, 0)], "CC");
        check(&[(0, 1), (1, 2), (2, 0)], "RRR");
        // A floating conclusion: 3 stands whichever of 0 and 1 does.
        check(&[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)], "CCRS");
        // Two independent conflicts, and what hangs on both.
        check(&[(0, 1), (1, 0), (2, 3), (3, 2), (0, 4), (2, 4), (4, 5), (5, 4)], "CCCCCC");
        // The only way to hold anything.
        check(&[(0, 1), (1, 0), (1, 1), (2, 2)], "SRR");
    }

    #[test]
    fn a_limit_leaves_unknown_what_it_must() {
        let attacks = [(0, 1), (2, 2), (3, 4), (4, 3), (5, 6), (6, 5), (5, 7), (6, 7), (7, 8), (8, 7)];
        let spent = |nodes| acceptance(&framework(9, &attacks), &Limits { nodes, ..Limits::default() });
        use Standing::{Credulous as C, Rejected as R, Sceptical as S, Unknown as U};
        assert_eq!(spent(0).standings, [S, R, R, U, U, U, U, U, U]);
        assert_eq!((spent(0).exact, spent(0).limit), (false, Some("nodes")));
        // The smaller part is done first.
        let between = (1..100).find(|&nodes| spent(nodes).standings[3] == C).expect("it needs less");
        assert_eq!(spent(between).standings, [S, R, R, C, C, U, U, U, U]);
        assert_eq!(spent(100).standings, [S, R, R, C, C, C, C, R, S]);
        assert_eq!((spent(100).exact, spent(100).limit), (true, None));
    }
}
