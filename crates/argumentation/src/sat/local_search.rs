//! Stochastic local search: a solution of clauses by flipping one variable after another.
//!
//! It cannot show that there is no solution. It finds one where clause learning takes much longer: in large frameworks
//! without structure.

use std::fmt;

use crate::limits::WorkBudget;
use crate::structures::csr::CsrLists;
use crate::structures::random_bits::RandomBits;

/// Flips that cost as much as one conflict of the clause-learning solver.
const FLIPS_PER_CONFLICT: u32 = 256;

/// Factor by which a variable is chosen less often for each clause that its flip would break. Measured on random and
/// small-world frameworks of 300 to 1,000 arguments: with 2 most searches fail, from 3 to 6 they take about as long.
const BREAK_BASE: f64 = 4.0;

/// Number of broken clauses from which on all flips are equally unlikely.
const MOST_BREAKS: usize = 64;

/// Seed of the random numbers, so that equal frameworks get equal answers.
const SEED: u64 = 0x00FA_0171_14E5;

/// Value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableValue {
    /// Number of the variable, from 0.
    pub variable: u32,
    /// The value.
    pub value: bool,
}

impl VariableValue {
    fn index(self) -> u32 {
        self.variable * 2 + u32::from(self.value)
    }

    fn of_index(index: u32) -> Self {
        Self { variable: index / 2, value: index % 2 == 1 }
    }

    fn negated(self) -> Self {
        Self { value: !self.value, ..self }
    }
}

/// Local search for values that satisfy all clauses, which can be interrupted and resumed.
///
/// `ProbSAT` (Balint and Schöning 2012): of a broken clause chosen at random, flips a variable, preferably one whose
/// flip breaks few other clauses. A flip takes time proportional to the clauses of the variable.
pub struct LocalSearch {
    /// Indices of the values that satisfy each clause.
    clauses: CsrLists,
    /// Clauses that each value satisfies.
    satisfied_by: CsrLists,
    values: Vec<bool>,
    /// Number of the variables that satisfy each clause.
    supports: Vec<u32>,
    /// Exclusive or of these variables: the variable itself if it is the only one.
    supporters: Vec<u32>,
    /// Number of the clauses that each variable alone satisfies: those that its flip breaks.
    breaks: Vec<u32>,
    broken: Vec<u32>,
    /// Position of each broken clause in `broken`.
    places: Vec<u32>,
    /// Weight of a flip in the choice, by the number of clauses that it breaks.
    weights: Vec<f64>,
    random: RandomBits<1>,
}

impl LocalSearch {
    /// Prepares a search for values of `variables` variables. Each clause lists values of which one is required, no
    /// variable twice. Returns `None` if unit propagation finds a contradiction, which proves that there is no solution.
    /// Linear time.
    pub fn new(variables: usize, clauses: &[Vec<VariableValue>]) -> Option<Self> {
        let forced = propagated(variables, clauses)?;
        let is_forced = |literal: &VariableValue| forced[literal.variable as usize] == Some(literal.value);
        let is_open = |literal: &&VariableValue| forced[literal.variable as usize].is_none();
        let left = || clauses.iter().filter(|clause| !clause.iter().any(is_forced)).zip(0..);
        let count = left().count();
        let pairs = || left().flat_map(|(clause, row)| clause.iter().filter(is_open).map(move |it| (row, it.index())));
        let mut search = Self {
            clauses: CsrLists::group(count, pairs()),
            satisfied_by: CsrLists::group(2 * variables, pairs().map(|(row, index)| (index, row))),
            values: forced.iter().map(|value| *value == Some(true)).collect(),
            supports: vec![0; count],
            supporters: vec![0; count],
            breaks: vec![0; variables],
            broken: Vec::new(),
            places: vec![0; count],
            weights: (0..=MOST_BREAKS).map(|breaks| BREAK_BASE.powi(-i32::try_from(breaks).unwrap_or(0))).collect(),
            random: RandomBits::new(SEED),
        };
        search.count();
        Some(search)
    }

    /// Continues the search until it finds a solution or the conflicts of `work` are spent. Returns true if all clauses are
    /// satisfied.
    pub fn resume(&mut self, work: &mut WorkBudget<'_>) -> bool {
        while !self.broken.is_empty() {
            if work.conflicts == 0 || work.is_stopped() {
                return false;
            }
            work.conflicts -= 1;
            for _ in 0..FLIPS_PER_CONFLICT {
                if self.broken.is_empty() {
                    break;
                }
                let flipped = self.choose();
                self.flip(flipped);
            }
        }
        true
    }

    /// Returns the variables that are true, ascending.
    pub fn true_variables(&self) -> Vec<u32> {
        (0..).zip(&self.values).filter(|(_, value)| **value).map(|(variable, _)| variable).collect()
    }

    /// Counts the support of each clause.
    fn count(&mut self) {
        for clause in (0..).take(self.clauses.len()) {
            for &index in self.clauses.row(clause) {
                let VariableValue { variable, value } = VariableValue::of_index(index);
                if self.values[variable as usize] == value {
                    self.supports[clause as usize] += 1;
                    self.supporters[clause as usize] ^= variable;
                }
            }
            match self.supports[clause as usize] {
                0 => self.add_broken(clause),
                1 => self.breaks[self.supporters[clause as usize] as usize] += 1,
                _ => {}
            }
        }
    }

    /// Chooses the variable to flip, of a clause that is broken.
    fn choose(&mut self) -> u32 {
        let [word] = self.random.words();
        let clause = self.broken[(word % self.broken.len() as u64) as usize];
        let weight = |index: u32| {
            let breaks = self.breaks[VariableValue::of_index(index).variable as usize] as usize;
            self.weights[breaks.min(MOST_BREAKS)]
        };
        let row = self.clauses.row(clause);
        let total: f64 = row.iter().map(|&index| weight(index)).sum();
        let [word] = self.random.words();
        // The upper 53 bits, as a fraction of one.
        let mut rest = (word >> 11) as f64 / (1_u64 << 53) as f64 * total;
        let mut chosen = row[0];
        for &index in row {
            chosen = index;
            rest -= weight(index);
            if rest < 0.0 {
                break;
            }
        }
        VariableValue::of_index(chosen).variable
    }

    fn flip(&mut self, variable: u32) {
        let before = VariableValue { variable, value: self.values[variable as usize] };
        self.values[variable as usize] = !before.value;
        for place in 0..self.satisfied_by.row(before.negated().index()).len() {
            let clause = self.satisfied_by.row(before.negated().index())[place];
            let (supports, supporters) = (&mut self.supports[clause as usize], &mut self.supporters[clause as usize]);
            *supports += 1;
            match *supports {
                1 => {
                    self.breaks[variable as usize] += 1;
                    self.remove_broken(clause);
                }
                2 => self.breaks[*supporters as usize] -= 1,
                _ => {}
            }
            self.supporters[clause as usize] ^= variable;
        }
        for place in 0..self.satisfied_by.row(before.index()).len() {
            let clause = self.satisfied_by.row(before.index())[place];
            let (supports, supporters) = (&mut self.supports[clause as usize], &mut self.supporters[clause as usize]);
            *supports -= 1;
            *supporters ^= variable;
            match *supports {
                0 => {
                    self.breaks[variable as usize] -= 1;
                    self.add_broken(clause);
                }
                1 => self.breaks[*supporters as usize] += 1,
                _ => {}
            }
        }
    }

    fn add_broken(&mut self, clause: u32) {
        self.places[clause as usize] = u32::try_from(self.broken.len()).unwrap_or(u32::MAX);
        self.broken.push(clause);
    }

    fn remove_broken(&mut self, clause: u32) {
        let place = self.places[clause as usize];
        self.broken.swap_remove(place as usize);
        if let Some(&moved) = self.broken.get(place as usize) {
            self.places[moved as usize] = place;
        }
    }
}

impl fmt::Debug for LocalSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalSearch({} of {} clauses broken)", self.broken.len(), self.clauses.len())
    }
}

/// Returns the value of each variable that follows from the clauses of a single value (unit propagation); `None` if
/// they contradict each other. Linear time.
fn propagated(variables: usize, clauses: &[Vec<VariableValue>]) -> Option<Vec<Option<bool>>> {
    let pairs = (0..).zip(clauses).flat_map(|(row, clause)| clause.iter().map(move |literal| (literal.index(), row)));
    let satisfied_by = CsrLists::group(2 * variables, pairs);
    let mut left: Vec<usize> = clauses.iter().map(Vec::len).collect();
    let mut values: Vec<Option<bool>> = vec![None; variables];
    let mut agenda: Vec<u32> = (0..).zip(clauses).filter(|(_, clause)| clause.len() < 2).map(|(row, _)| row).collect();
    while let Some(row) = agenda.pop() {
        let clause = &clauses[row as usize];
        if clause.iter().any(|literal| values[literal.variable as usize] == Some(literal.value)) {
            continue;
        }
        let literal = *clause.iter().find(|literal| values[literal.variable as usize].is_none())?;
        values[literal.variable as usize] = Some(literal.value);
        for &shorter in satisfied_by.row(literal.negated().index()) {
            left[shorter as usize] -= 1;
            if left[shorter as usize] < 2 {
                agenda.push(shorter);
            }
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::SolverLimits;

    /// Reads clauses of letters, one variable each: capitals must be true, small letters false.
    fn clauses(words: &[&str]) -> Vec<Vec<VariableValue>> {
        let literal = |letter: u8| VariableValue {
            variable: u32::from(letter.to_ascii_lowercase() - b'a'),
            value: letter.is_ascii_uppercase(),
        };
        words.iter().map(|word| word.bytes().map(literal).collect()).collect()
    }

    #[test]
    fn solutions_are_found() {
        /// Expects the variables that are true in the only solution.
        fn check(words: &[&str], solution: &str) {
            let mut search = LocalSearch::new(5, &clauses(words)).expect("no contradiction");
            assert!(search.resume(&mut WorkBudget::new(&SolverLimits::default())), "{search:?}");
            let letters: String = search.true_variables().iter().map(|&it| char::from(b'A' + it as u8)).collect();
            assert_eq!(letters, solution, "{words:?}");
        }
        check(&["A", "b", "c", "d", "e"], "A");
        check(&["aB", "A", "bC", "cD", "e"], "ABCD");
        check(&["AB", "ab", "aC", "Ac", "CD", "cd", "DE", "de", "BE", "Bd", "ac"], "BD");
        check(&["ABC", "aBC", "AbC", "ABc", "abC", "aBc", "Abc", "de", "De", "dE", "eD"], "ABC");
    }

    #[test]
    fn contradictions_are_found_at_once() {
        fn check(words: &[&str], contradictory: bool) {
            assert_eq!(LocalSearch::new(5, &clauses(words)).is_none(), contradictory, "{words:?}");
        }
        check(&[""], true);
        check(&["A", "a"], true);
        check(&["A", "aB", "bC", "cd", "D"], true);
        check(&["A", "aB", "bC", "cd", "DE"], false);
        check(&["AB", "aB", "Ab", "ab"], false);
    }

    #[test]
    fn an_interrupted_search_is_resumed() {
        let words = ["AB", "aB", "Ab", "ab"];
        let mut search = LocalSearch::new(2, &clauses(&words)).expect("nothing follows from single values");
        let mut work = WorkBudget::new(&SolverLimits { conflicts: 3, ..SolverLimits::default() });
        assert!(!search.resume(&mut work), "there is no solution");
        assert_eq!(work.conflicts, 0);
        let mut work = WorkBudget::new(&SolverLimits { stop: Some(&|| true), ..SolverLimits::default() });
        assert!(!search.resume(&mut work));
        assert_eq!((work.conflicts, work.limit), (0, Some("stop")));
        assert_eq!(search.supports.iter().filter(|supports| **supports == 0).count(), search.broken.len());
    }
}
