//! Acceptance: what every preferred extension holds and what some do; and why an argument stands, falls or is
//! undecided.

use crate::argumentation::factors::{Choice, Factors};
use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Grounding, Label, Labelling};
use crate::argumentation::preferred::{Limits, preferred_factors};

/// What the preferred extensions make of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It is in every one.
    Sceptical,
    /// It is in some, not in all.
    Credulous,
    /// It is in none.
    Rejected,
    /// A limit was reached before it was known.
    Unknown,
}

/// The acceptance of every argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// For each argument, by index.
    pub standings: Vec<Standing>,
    /// Whether no argument is [`Standing::Unknown`] for want of work.
    pub exact: bool,
    /// The limit that was reached: `nodes` or `component`.
    pub limit: Option<&'static str>,
}

/// The sceptical and credulous acceptance of every argument under preferred semantics.
///
/// The extensions are never listed: what holds in all choices of a part, or in some, is worked out once a part. The
/// work is that of [`preferred_factors`]; of the limits only `nodes` plays a part.
pub fn acceptance(framework: &Framework, limits: &Limits) -> Acceptance {
    standings(&preferred_factors(framework, limits.nodes))
}

/// The acceptance that follows from factors that are there already. Linear in the choices and what parts hold in all of
/// them.
pub fn standings(factors: &Factors) -> Acceptance {
    let parts = &factors.parts;
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

/// Why an argument has its label in the grounded labelling. Each reason is one a person can follow to its end: what
/// defeats or defends was derived before, so no reason leads back to what it explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It stands: all that attacks it is defeated.
    In {
        /// Each attacker, ascending, with the first IN argument that defeats it. Nothing if nothing attacks.
        defended: Vec<(u32, u32)>,
    },
    /// It falls.
    Out {
        /// The IN arguments that attack it, in the order in which they were derived. At least one.
        by: Vec<u32>,
    },
    /// It is undecided: nothing IN attacks it, and not all that attacks it is defeated.
    Undec {
        /// The undecided arguments that attack it, ascending. At least one; it may be the argument itself.
        by: Vec<u32>,
    },
}

/// The grounded labelling of a framework, with its reasons.
#[derive(Clone, Debug)]
pub struct Grounds<'f> {
    framework: &'f Framework,
    labelling: Labelling,
    /// When each IN argument was derived.
    rank: Vec<u32>,
    /// The IN argument that first defeated each OUT argument.
    defeater: Vec<u32>,
}

impl<'f> Grounds<'f> {
    /// Derives the grounded labelling and keeps the order of the derivation: a strongly admissible labelling in the
    /// sense of Caminada and Dunne (2019). Linear time.
    pub fn new(framework: &'f Framework) -> Self {
        let mut grounding = Grounding::new(framework);
        grounding.spread();
        let (labelling, derivation) = grounding.into_derivation();
        let (mut rank, mut defeater) = (vec![0; framework.len()], vec![0; framework.len()]);
        for (&argument, time) in derivation.iter().zip(0..) {
            rank[argument as usize] = time;
        }
        for &argument in derivation.iter().rev() {
            framework.attacked(argument).iter().for_each(|&target| defeater[target as usize] = argument);
        }
        Self { framework, labelling, rank, defeater }
    }

    /// The grounded labelling.
    pub fn labelling(&self) -> &Labelling {
        &self.labelling
    }

    /// Why `argument` has its label. Linear in its attackers, but for sorting those that defeat it.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    pub fn why(&self, argument: u32) -> Why {
        let attackers = self.framework.attackers(argument).iter().copied();
        let labelled = |label| attackers.clone().filter(move |&attacker| self.labelling.of(attacker) == label);
        match self.labelling.of(argument) {
            Label::In => {
                Why::In { defended: attackers.map(|attacker| (attacker, self.defeater[attacker as usize])).collect() }
            }
            Label::Out => {
                let mut by: Vec<u32> = labelled(Label::In).collect();
                by.sort_unstable_by_key(|&attacker| self.rank[attacker as usize]);
                Why::Out { by }
            }
            Label::Undec => Why::Undec { by: labelled(Label::Undec).collect() },
        }
    }
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
        let spent = |nodes| acceptance(&framework(9, &attacks), &Limits { nodes, sets: 0 });
        use Standing::{Credulous as C, Rejected as R, Sceptical as S, Unknown as U};
        assert_eq!(spent(0).standings, [S, R, R, U, U, U, U, U, U]);
        assert_eq!((spent(0).exact, spent(0).limit), (false, Some("nodes")));
        // The smaller part is done first.
        let between = (1..100).find(|&nodes| spent(nodes).standings[3] == C).expect("it needs less");
        assert_eq!(spent(between).standings, [S, R, R, C, C, U, U, U, U]);
        assert_eq!(spent(100).standings, [S, R, R, C, C, C, C, R, S]);
        assert_eq!((spent(100).exact, spent(100).limit), (true, None));
    }

    #[test]
    fn reasons_are_given() {
        fn check(attacks: &[(u32, u32)], argument: u32, expected: &Why) {
            let framework = framework(6, attacks);
            let grounds = Grounds::new(&framework);
            assert_eq!(&grounds.why(argument), expected, "{attacks:?}");
        }
        let defended = |pairs: &[(u32, u32)]| Why::In { defended: pairs.to_vec() };
        let chain = [(0, 1), (1, 2), (2, 3), (4, 3)];
        check(&chain, 0, &defended(&[]));
        check(&chain, 1, &Why::Out { by: vec![0] });
        check(&chain, 2, &defended(&[(1, 0)]));
        check(&chain, 3, &Why::Out { by: vec![4, 2] });
        // 0 attacks 1 back, but what defends it is 2.
        check(&[(0, 1), (1, 0), (2, 1)], 0, &defended(&[(1, 2)]));
        check(&[(0, 1), (1, 0), (2, 0), (3, 2), (4, 3), (4, 1)], 0, &Why::Out { by: vec![2] });
        check(&[(0, 1), (1, 0), (2, 0), (3, 2), (4, 3), (4, 2)], 0, &Why::Undec { by: vec![1] });
        check(&[(0, 1), (1, 0), (2, 2), (2, 1), (3, 1), (4, 3)], 1, &Why::Undec { by: vec![0, 2] });
    }
}
