//! Issues on which several positions disagree.

use std::collections::BTreeMap;

use crate::framework::Framework;
use crate::labelling::Label;

/// Issues of several positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// Issues, ordered by their first argument.
    pub issues: Vec<DividingIssue>,
    /// Number of positions.
    pub positions: usize,
    /// True if these are all positions. If not, there may be more issues, and one issue may turn out to be two.
    pub exact: bool,
    /// Labels of every argument.
    columns: Vec<Column>,
}

/// Arguments whose labels are equal or mirrored in all positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DividingIssue {
    /// Arguments with the same labels as the first one, ascending, including it.
    pub alike: Vec<u32>,
    /// Arguments that are OUT wherever the first one is IN and IN wherever it is OUT, ascending.
    pub contrary: Vec<u32>,
}

impl DividingIssue {
    /// Returns the representative argument of the issue: its first one.
    pub fn argument(&self) -> u32 {
        self.alike[0]
    }

    /// Returns all arguments, ascending.
    pub fn arguments(&self) -> Vec<u32> {
        let mut all = [&self.alike[..], &self.contrary].concat();
        all.sort_unstable();
        all
    }
}

/// Labels of one argument in all positions: bits for IN and bits for OUT.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Column {
    inside: Vec<u64>,
    out: Vec<u64>,
}

/// Finds the issues on which the positions disagree. `positions` are extensions of the framework, each ascending;
/// `exact` is true if they are all.
///
/// Linear in the members of the positions and their targets, and in arguments times positions over 64.
///
/// # Panics
///
/// Panics if a position names an argument that is not in the framework.
pub fn division(framework: &Framework, positions: &[Vec<u32>], exact: bool) -> Division {
    let none = vec![0; positions.len().div_ceil(64)];
    let mut columns = vec![Column { inside: none.clone(), out: none }; framework.len()];
    for (row, position) in positions.iter().enumerate() {
        let (word, bit) = (row / 64, 1 << (row % 64));
        for &member in position {
            columns[member as usize].inside[word] |= bit;
            framework.attacked(member).iter().for_each(|&target| columns[target as usize].out[word] |= bit);
        }
    }
    let mut issues: Vec<DividingIssue> = Vec::new();
    let mut known: BTreeMap<&Column, usize> = BTreeMap::new();
    let mirrored: Vec<Column> = columns.iter().map(Column::mirrored).collect();
    for (argument, column) in framework.arguments().zip(&columns) {
        if column.is_constant(positions.len()) {
            continue;
        }
        if let Some(&issue) = known.get(column) {
            issues[issue].alike.push(argument);
        } else if let Some(&issue) = known.get(&mirrored[argument as usize]) {
            issues[issue].contrary.push(argument);
        } else {
            known.insert(column, issues.len());
            issues.push(DividingIssue { alike: vec![argument], contrary: Vec::new() });
        }
    }
    Division { issues, positions: positions.len(), exact, columns }
}

impl Division {
    /// Returns the label of an argument in a position.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument or position.
    pub fn label(&self, argument: u32, position: usize) -> Label {
        let Column { inside, out } = &self.columns[argument as usize];
        let has = |words: &[u64]| words[position / 64] >> (position % 64) & 1 == 1;
        if has(inside) {
            Label::In
        } else if has(out) {
            Label::Out
        } else {
            Label::Undec
        }
    }
}

impl Column {
    fn mirrored(&self) -> Self {
        Self { inside: self.out.clone(), out: self.inside.clone() }
    }

    fn is_constant(&self, rows: usize) -> bool {
        let constant = |words: &[u64]| {
            let ones: usize = words.iter().map(|word| word.count_ones() as usize).sum();
            ones == 0 || ones == rows
        };
        constant(&self.inside) && constant(&self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::labelling::Labelling;

    #[test]
    fn disagreements_are_grouped_into_issues() {
        fn check(arguments: usize, attacks: &[(u32, u32)], positions: &[&[u32]], expected: &[(&[u32], &[u32])]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let positions: Vec<Vec<u32>> = positions.iter().map(|position| position.to_vec()).collect();
            let found = division(&framework, &positions, true);
            let told: Vec<(&[u32], &[u32])> =
                found.issues.iter().map(|issue| (&issue.alike[..], &issue.contrary[..])).collect();
            assert_eq!(told, expected, "{attacks:?}");
            assert_eq!((found.positions, found.exact), (positions.len(), true));
            for (row, position) in positions.iter().enumerate() {
                let labels = Labelling::of_extension(&framework, position);
                assert!(framework.arguments().all(|argument| found.label(argument, row) == labels.of(argument)));
            }
        }
        check(0, &[], &[&[]], &[]);
        check(2, &[(0, 1)], &[&[0]], &[]);
        // One issue, although it has four arguments.
        let chain = [(0, 1), (1, 0), (1, 2), (2, 3)];
        check(4, &chain, &[&[0, 2], &[1, 3]], &[(&[0, 2], &[1, 3])]);
        // Two independent issues.
        let two = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 4)];
        check(5, &two, &[&[0, 2], &[0, 3], &[1, 2], &[1, 3]], &[(&[0], &[1]), (&[2], &[3])]);
        // 3 is OUT in both positions.
        check(4, &[(0, 1), (1, 0), (0, 3), (1, 3)], &[&[0, 2], &[1, 2]], &[(&[0], &[1])]);
        // Three arguments that exclude one another are three issues.
        let three = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
        check(3, &three, &[&[0], &[1], &[2]], &[(&[0], &[]), (&[1], &[]), (&[2], &[])]);
    }
}
