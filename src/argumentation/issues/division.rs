//! What several positions are divided on.

use std::collections::BTreeMap;

use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::Label;

/// The issues of several positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The issues, by their first argument.
    pub issues: Vec<Issue>,
    /// How many positions there are.
    pub positions: usize,
    /// Whether these are all positions. If not, there may be more issues, and what is one issue may be two.
    pub exact: bool,
    /// The labels of every argument.
    columns: Vec<Column>,
}

/// Arguments that stand and fall together, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The arguments whose labels are those of the first, ascending, itself among them.
    pub alike: Vec<u32>,
    /// The arguments that are OUT where the first is IN and IN where it is OUT, ascending.
    pub contrary: Vec<u32>,
}

impl Issue {
    /// The argument the issue is known by: the first of all.
    pub fn argument(&self) -> u32 {
        self.alike[0]
    }

    /// All arguments, ascending.
    pub fn arguments(&self) -> Vec<u32> {
        let mut all = [&self.alike[..], &self.contrary].concat();
        all.sort_unstable();
        all
    }
}

/// The labels of one argument in all positions: where it is IN and where it is OUT, as bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Column {
    inside: Vec<u64>,
    out: Vec<u64>,
}

/// What these positions are divided on: extensions of the framework, each ascending, and whether they are all.
///
/// Linear in the members of the positions and what they attack, and in arguments times positions over 64.
///
/// # Panics
///
/// If a position names an argument that is not in the framework.
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
    let mut issues: Vec<Issue> = Vec::new();
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
            issues.push(Issue { alike: vec![argument], contrary: Vec::new() });
        }
    }
    Division { issues, positions: positions.len(), exact, columns }
}

impl Division {
    /// The label of an argument in a position.
    ///
    /// # Panics
    ///
    /// If there is no such argument or position.
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

    use crate::argumentation::labelling::Labelling;

    #[test]
    fn positions_are_divided() {
        fn check(arguments: usize, attacks: &[(u32, u32)], positions: &[&[u32]], expected: &[(&[u32], &[u32])]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let positions: Vec<Vec<u32>> = positions.iter().map(|position| position.to_vec()).collect();
            let found = division(&framework, &positions, true);
            let told: Vec<(&[u32], &[u32])> = found.issues.iter().map(|it| (&it.alike[..], &it.contrary[..])).collect();
            assert_eq!(told, expected, "{attacks:?}");
            assert_eq!((found.positions, found.exact), (positions.len(), true));
            for (row, position) in positions.iter().enumerate() {
                let labels = Labelling::of_extension(&framework, position);
                assert!(framework.arguments().all(|argument| found.label(argument, row) == labels.of(argument)));
            }
        }
        check(0, &[], &[&[]], &[]);
        check(2, &[(0, 1)], &[&[0]], &[]);
        // One question, though four arguments answer it.
        let chain = [(0, 1), (1, 0), (1, 2), (2, 3)];
        check(4, &chain, &[&[0, 2], &[1, 3]], &[(&[0, 2], &[1, 3])]);
        // Two questions that have nothing to do with each other.
        let two = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 4)];
        check(5, &two, &[&[0, 2], &[0, 3], &[1, 2], &[1, 3]], &[(&[0], &[1]), (&[2], &[3])]);
        // 3 is OUT either way.
        check(4, &[(0, 1), (1, 0), (0, 3), (1, 3)], &[&[0, 2], &[1, 2]], &[(&[0], &[1])]);
        // Three that exclude one another are three issues.
        let three = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
        check(3, &three, &[&[0], &[1], &[2]], &[(&[0], &[]), (&[1], &[]), (&[2], &[])]);
    }
}
