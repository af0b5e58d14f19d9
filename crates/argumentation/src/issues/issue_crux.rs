//! Issue cruxes: the few issues that determine a thesis.
//!
//! Over all positions, the label of a thesis is a function of the labels of its direct and indirect attackers. An
//! *issue crux* is a smallest set of issues among these that determines it: settling these issues settles the thesis.

use std::collections::BTreeSet;

use crate::counterfactual::ancestors::Ancestors;
use crate::framework::Framework;
use crate::issues::division::{DividingIssue, Division};
use crate::issues::hitting_set::smallest_hitting;
use crate::labelling::Label;

/// Maximum number of issues for which the smallest set is searched.
pub const MAX_EXACT_ISSUES: usize = 20;

/// Maximum number of positions that differ for the thesis for which the smallest set is searched.
pub const MAX_EXACT_POSITIONS: usize = 1_024;

/// Issues that determine a thesis.
#[derive(Clone, Debug, PartialEq)]
pub struct IssueCrux {
    /// Issues, most informative first. Empty if the thesis has the same label in all positions.
    pub issues: Vec<CruxIssue>,
    /// True if no smaller set suffices. If false, there were more than [`MAX_EXACT_ISSUES`] or [`MAX_EXACT_POSITIONS`],
    /// and issues were chosen one by one by their information; none of them is redundant.
    pub smallest: bool,
    /// True if all positions were known.
    pub exact: bool,
}

/// Issue of a crux.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CruxIssue {
    /// Index of the issue in [`Division::issues`].
    pub issue: usize,
    /// First argument of the issue that attacks the thesis, directly or indirectly.
    pub argument: u32,
    /// Information about the label of the thesis from this issue alone, in bits, with all positions equally likely.
    pub bits: f64,
}

/// Finds the issue crux of a thesis. The candidates are the issues with an argument, other than the thesis, that
/// attacks the thesis directly or indirectly. `None` if they do not determine the label of the thesis, which cannot
/// happen for complete labellings.
///
/// The search for the smallest set is quadratic in the positions and exponential in the worst case in the issues;
/// otherwise the cost is positions times issues for each issue found.
///
/// # Panics
///
/// Panics if there is no such thesis.
pub fn issue_crux(framework: &Framework, division: &Division, thesis: u32) -> Option<IssueCrux> {
    let column = |argument: u32| -> Vec<Label> {
        (0..division.positions).map(|position| division.label(argument, position)).collect()
    };
    let cone: BTreeSet<u32> = Ancestors::of(framework, &[thesis]).members().iter().copied().collect();
    let leads = |issue: &DividingIssue| {
        issue.arguments().into_iter().find(|argument| *argument != thesis && cone.contains(argument))
    };
    let leading =
        division.issues.iter().enumerate().filter_map(|(place, issue)| leads(issue).map(|argument| (place, argument)));
    let candidates: Vec<(usize, u32)> = leading.collect();
    let table =
        Table { thesis: column(thesis), issues: candidates.iter().map(|&(_, argument)| column(argument)).collect() };
    if table.uncertainty(&table.settled(0..candidates.len())) > 0.0 {
        return None;
    }
    let (chosen, smallest) = match table.smallest() {
        Some(chosen) => (chosen, true),
        None => (table.greedy(), false),
    };
    let open = table.uncertainty(&table.settled([]));
    let told = |number: usize| {
        let (issue, argument) = candidates[number];
        CruxIssue { issue, argument, bits: open - table.uncertainty(&table.settled([number])) }
    };
    let mut issues: Vec<CruxIssue> = chosen.into_iter().map(told).collect();
    issues.sort_by(|one, other| other.bits.total_cmp(&one.bits).then(one.issue.cmp(&other.issue)));
    Some(IssueCrux { issues, smallest, exact: division.exact })
}

/// Labels in all positions.
struct Table {
    thesis: Vec<Label>,
    /// Labels of one argument of each issue.
    issues: Vec<Vec<Label>>,
}

impl Table {
    /// Returns a smallest set of issues that determines the thesis; `None` if there are too many to search.
    fn smallest(&self) -> Option<Vec<usize>> {
        if self.issues.len() > MAX_EXACT_ISSUES {
            return None;
        }
        let position = |row: usize| -> (Label, u32, u32) {
            let bits = |label: Label| {
                let numbered = self.issues.iter().enumerate().filter(|(_, issue)| issue[row] == label);
                numbered.fold(0, |bits, (number, _)| bits | 1 << number)
            };
            (self.thesis[row], bits(Label::In), bits(Label::Out))
        };
        let different: BTreeSet<(Label, u32, u32)> = (0..self.thesis.len()).map(position).collect();
        if different.len() > MAX_EXACT_POSITIONS {
            return None;
        }
        // Two positions that differ on the thesis must differ on a chosen issue.
        let positions: Vec<(Label, u32, u32)> = different.into_iter().collect();
        let mut must_differ = vec![false; 1 << self.issues.len()];
        for (first, one) in positions.iter().enumerate() {
            for other in positions[first + 1..].iter().filter(|other| other.0 != one.0) {
                must_differ[((one.1 ^ other.1) | (one.2 ^ other.2)) as usize] = true;
            }
        }
        let sets = (0..).zip(must_differ).filter(|(_, wanted)| *wanted).map(|(set, _)| set);
        let chosen = smallest_hitting(sets.collect()).expect("all issues together determine the thesis");
        Some((0..self.issues.len()).filter(|number| chosen >> number & 1 == 1).collect())
    }

    /// Adds issues by their information until they determine the thesis, then drops redundant ones.
    fn greedy(&self) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        let mut classes = self.settled([]);
        while self.uncertainty(&classes) > 0.0 {
            let refined = (0..self.issues.len()).map(|number| (number, classes.refined(&self.issues[number])));
            let told = refined.map(|(number, classes)| (self.uncertainty(&classes), number, classes));
            // While no issue is informative, take the one that divides most: two together may be informative.
            let best = told.min_by(|one, other| one.0.total_cmp(&other.0).then(other.2.count.cmp(&one.2.count)));
            let (_, number, refined) = best.expect("all issues together determine the thesis");
            chosen.push(number);
            classes = refined;
        }
        for number in chosen.clone() {
            let others = || chosen.iter().copied().filter(|&other| other != number);
            if self.uncertainty(&self.settled(others())) == 0.0 {
                chosen = others().collect();
            }
        }
        chosen
    }

    /// Groups the positions by their labels on some issues.
    fn settled(&self, numbers: impl IntoIterator<Item = usize>) -> Classes {
        let whole = Classes { of: vec![0; self.thesis.len()], count: 1 };
        numbers.into_iter().fold(whole, |classes, number| classes.refined(&self.issues[number]))
    }

    /// Returns the entropy of the label of the thesis given the class of a position, in bits, with all positions
    /// equally likely; exactly 0 if the class determines the label.
    fn uncertainty(&self, classes: &Classes) -> f64 {
        let mut counts = vec![[0_usize; 3]; classes.count];
        for (&class, &label) in classes.of.iter().zip(&self.thesis) {
            counts[class][label as usize] += 1;
        }
        let rows = self.thesis.len() as f64;
        let within = |counts: [usize; 3]| -> f64 {
            let whole: usize = counts.iter().sum();
            let of = |part: usize| part as f64 / rows * (whole as f64 / part as f64).log2();
            counts.into_iter().filter(|&part| part > 0).map(of).sum()
        };
        counts.into_iter().map(within).sum()
    }
}

/// Partition of the positions into classes.
struct Classes {
    /// Class of each position, below `count`.
    of: Vec<usize>,
    count: usize,
}

impl Classes {
    /// Splits each class by the labels of an argument.
    fn refined(&self, labels: &[Label]) -> Self {
        let mut numbers = vec![None; 3 * self.count];
        let mut count = 0;
        let of = self.of.iter().zip(labels).map(|(&class, &label)| {
            *numbers[3 * class + label as usize].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        });
        let of = of.collect();
        Self { of, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::issues::division::division;

    fn found(arguments: usize, attacks: &[(u32, u32)], positions: &[Vec<u32>], thesis: u32) -> IssueCrux {
        let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
        let crux = issue_crux(&framework, &division(&framework, positions, true), thesis);
        crux.expect("the positions are complete")
    }

    fn both_ways(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
        pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect()
    }

    #[test]
    fn smallest_issue_cruxes_are_found() {
        fn check(arguments: usize, attacks: &[(u32, u32)], positions: &[&[u32]], thesis: u32, expected: &[(u32, f64)]) {
            let positions: Vec<Vec<u32>> = positions.iter().map(|position| position.to_vec()).collect();
            let found = found(arguments, attacks, &positions, thesis);
            assert_eq!((found.smallest, found.exact), (true, true));
            assert_eq!(found.issues.len(), expected.len(), "{found:?}");
            for (told, (argument, bits)) in found.issues.iter().zip(expected) {
                assert_eq!(told.argument, *argument, "{found:?}");
                assert!((told.bits - bits).abs() < 1e-3, "{found:?}");
            }
        }
        check(2, &[(1, 0)], &[&[1]], 0, &[]);
        // 1 and 2 attack each other, and so do 3 and 4; 0 is attacked by 1 and by 3.
        let attacks = [both_ways(&[(1, 2), (3, 4)]), vec![(1, 0), (3, 0)]].concat();
        let positions: [&[u32]; 4] = [&[1, 3], &[1, 4], &[2, 3], &[0, 2, 4]];
        check(5, &attacks, &positions, 0, &[(1, 0.311), (3, 0.311)]);
        check(5, &attacks, &positions, 1, &[(2, 1.0)]);
        // An argument attacked by the thesis is no candidate, although it is part of the same issue.
        let tail = [both_ways(&[(1, 2)]), vec![(1, 0), (0, 3)]].concat();
        check(4, &tail, &[&[1, 3], &[0, 2]], 0, &[(1, 1.0)]);
    }

    #[test]
    fn with_many_issues_the_set_is_marked_as_not_smallest() {
        // 0 is attacked by one of each of 22 pairs: all of them are needed if every position occurs.
        let pairs: Vec<(u32, u32)> = (0..22).map(|pair| (1 + 2 * pair, 2 + 2 * pair)).collect();
        let attacks = [both_ways(&pairs), pairs.iter().map(|&(a, _)| (a, 0)).collect()].concat();
        // Only the positions in which at most one attacker is IN.
        let position = |which: Option<usize>| {
            let pairs = pairs.iter().enumerate();
            let mut members: Vec<u32> =
                pairs.map(|(number, &(a, b))| if which == Some(number) { a } else { b }).collect();
            if which.is_none() {
                members.insert(0, 0);
            }
            members
        };
        let positions: Vec<Vec<u32>> = (0..22).map(Some).chain([None]).map(position).collect();
        let all = found(45, &attacks, &positions, 0);
        assert_eq!((all.smallest, all.issues.len()), (false, 22));
        let few = found(45, &attacks, &[positions[3].clone(), positions[22].clone()], 0);
        assert_eq!((few.smallest, few.issues.len(), few.issues[0].argument), (true, 1, 7));
    }

    #[test]
    fn an_undetermined_thesis_has_no_issue_crux() {
        let framework = Framework::new(2, []).expect("in range");
        let division = division(&framework, &[vec![0], vec![1]], true);
        assert_eq!(issue_crux(&framework, &division, 0), None);
    }

    #[test]
    fn greedy_sets_are_correct_and_never_smaller_than_the_smallest() {
        let mut state = 7_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        for _ in 0..200 {
            let (rows, issues) = (1 + next(20) as usize, 1 + next(6) as usize);
            let label = |number: u32| [Label::In, Label::Out, Label::Undec][number as usize];
            let columns: Vec<Vec<Label>> = (0..issues).map(|_| (0..rows).map(|_| label(next(3))).collect()).collect();
            // The thesis is a function of two issues, so that a crux exists.
            let (a, b) = (next(issues as u32) as usize, next(issues as u32) as usize);
            let thesis = (0..rows).map(|row| label((columns[a][row] as u32 * columns[b][row] as u32) % 3)).collect();
            let table = Table { thesis, issues: columns };
            let (smallest, greedy) = (table.smallest().expect("few issues"), table.greedy());
            assert!(smallest.len() <= greedy.len() && smallest.len() <= 2);
            assert_eq!(table.uncertainty(&table.settled(smallest)), 0.0);
            assert_eq!(table.uncertainty(&table.settled(greedy)), 0.0);
        }
    }
}
