//! Clauses for the labellings of a region.
//!
//! Each argument has two variables, IN and OUT; UNDEC is neither. The clauses are those of complete labellings
//! (Cerutti, Giacomin and Vallati 2019), adapted to the roles.

use crate::limits::WorkBudget;
use crate::sat::clauses::{Clauses, Literal};
use crate::search::region::{Aim, ArgumentRole, Region};

/// Label that the solver tries first. No answer depends on it, but the time varies by orders of magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// OUT: an IN argument must attack it, so this leads to large sets.
    Out,
    /// IN.
    In,
    /// UNDEC: a first set is found at once, and grown step by step.
    Undec,
}

/// Labellings of a region.
#[derive(Debug)]
pub struct LabellingClauses<'a> {
    /// Clauses that the labellings satisfy.
    pub clauses: Clauses<'a>,
    /// Literal of each argument that it is IN.
    pub inside: Vec<Literal>,
    /// Literal of each argument that it is OUT.
    pub out: Vec<Literal>,
}

impl<'a> LabellingClauses<'a> {
    /// Creates the clauses of the labellings in which the IN arguments are conflict-free, attack all their attackers
    /// and all due arguments, and include every argument they defend.
    ///
    /// For maximal sets, a spent argument may be IN, so that a set that is not maximal can be recognized; a solution
    /// does not contain it. For complete sets, a spent argument is not defended; for stable sets, no argument is UNDEC.
    pub fn new(region: &Region, aim: Aim, bias: Bias, work: &WorkBudget<'a>) -> Self {
        let mut clauses = Clauses::new(work);
        let inside: Vec<Literal> = region.roles.iter().map(|_| clauses.new_literal(bias == Bias::In)).collect();
        let out: Vec<Literal> = region.roles.iter().map(|_| clauses.new_literal(bias == Bias::Out)).collect();
        let mut labels = Self { clauses, inside, out };
        let mut attackers = vec![Vec::new(); region.roles.len()];
        for &(attacker, target) in &region.attacks {
            attackers[target as usize].push(attacker as usize);
        }
        for (argument, (&role, attackers)) in region.roles.iter().zip(&attackers).enumerate() {
            labels.explain(argument, attackers);
            labels.assign(argument, role, attackers, aim);
        }
        labels
    }

    /// Adds the clauses of one argument: OUT if and only if an attacker is IN; IN only if all attackers are OUT.
    fn explain(&mut self, argument: usize, attackers: &[usize]) {
        let Self { clauses, inside, out } = self;
        clauses.add(attackers.iter().map(|&attacker| inside[attacker]).chain([!out[argument]]));
        clauses.add([!inside[argument], !out[argument]]);
        for &attacker in attackers {
            clauses.add([!inside[attacker], out[argument]]);
            clauses.add([!inside[argument], out[attacker]]);
        }
    }

    fn assign(&mut self, argument: usize, role: ArgumentRole, attackers: &[usize], aim: Aim) {
        let Self { clauses, inside, out } = self;
        let undefended = attackers.iter().map(|&attacker| !out[attacker]);
        match (role, aim) {
            (ArgumentRole::Due, _) | (ArgumentRole::Shut, Aim::Stable) => clauses.add([out[argument]]),
            (ArgumentRole::Shut, _) => clauses.add([!inside[argument]]),
            (ArgumentRole::Spent, Aim::Complete) => {
                clauses.add([!inside[argument]]);
                clauses.add(undefended);
            }
            (_, Aim::Stable) => clauses.add([inside[argument], out[argument]]),
            (ArgumentRole::Free | ArgumentRole::Spent, _) => clauses.add(undefended.chain([inside[argument]])),
        }
    }

    /// Returns the arguments that are IN in the last solution, ascending.
    pub fn set(&self) -> Vec<u32> {
        let numbered = (0..).zip(&self.inside);
        numbered.filter(|(_, literal)| self.clauses.is_true(**literal)).map(|(argument, _)| argument).collect()
    }

    /// Returns the clause that some argument outside `set` is IN.
    pub fn clause_outside(&self, set: &[u32]) -> Vec<Literal> {
        let mut members = set.iter().copied().peekable();
        let outside = (0..).zip(&self.inside).filter(|(argument, _)| members.next_if_eq(argument).is_none());
        outside.map(|(_, literal)| *literal).collect()
    }

    /// Grows the set of the last solution to a maximal one while `kept` is true. `None` if the conflicts do not
    /// suffice.
    pub fn grow(&mut self, kept: &[Literal]) -> Option<Vec<u32>> {
        let mut set = self.set();
        self.grow_from(&mut set, kept)?;
        Some(set)
    }

    /// Grows a set to a maximal one while `kept` is true. `None` if the conflicts do not suffice: the set is then grown
    /// as far as they did, and can be grown further.
    pub fn grow_from(&mut self, set: &mut Vec<u32>, kept: &[Literal]) -> Option<()> {
        loop {
            let larger = self.clauses.new_literal(false);
            let beyond = self.clause_outside(set);
            self.clauses.add(beyond.into_iter().chain([!larger]));
            let members: Vec<Literal> = set.iter().map(|&member| self.inside[member as usize]).collect();
            let grows = self.clauses.solve(kept.iter().copied().chain(members).chain([larger]));
            if grows == Some(true) {
                *set = self.set();
            }
            self.clauses.add([!larger]);
            if !grows? {
                return Some(());
            }
        }
    }
}
