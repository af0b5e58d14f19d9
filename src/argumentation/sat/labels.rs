//! A region in clauses: which labels its arguments may have in the sets that are wanted.
//!
//! Two statements an argument, that it is IN and that it is OUT; UNDEC is neither. The clauses are those of complete
//! labellings (Cerutti, Giacomin and Vallati 2019), with the roles put into them.

use crate::argumentation::limits::Work;
use crate::argumentation::sat::clauses::{Clauses, Literal};
use crate::argumentation::search::region::{Aim, Region, Role};

/// Which label the solver tries first. No answer depends on it, but the time may by orders of magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// That an argument is OUT: something IN must attack it, so this leads to large sets.
    Out,
    /// That an argument is IN.
    In,
    /// That an argument is neither: a first set is found at once, and grown step by step.
    Undec,
}

/// The labellings of a region.
#[derive(Debug)]
pub struct Labels<'a> {
    /// What is known of them.
    pub clauses: Clauses<'a>,
    /// For each argument, that it is IN.
    pub inside: Vec<Literal>,
    /// For each argument, that it is OUT.
    pub out: Vec<Literal>,
}

impl<'a> Labels<'a> {
    /// The labellings in which what is IN attacks none of its own, attacks all that attacks it and all that is due, and
    /// holds all it defends.
    ///
    /// An argument that is spent may be IN where the aim is a maximal set, for to see that a set is not maximal; in a set
    /// that is wanted it is not. Where complete sets are the aim, it is not defended; where stable ones are, nothing is
    /// UNDEC.
    pub fn new(region: &Region, aim: Aim, bias: Bias, work: &Work<'a>) -> Self {
        let mut clauses = Clauses::new(work);
        let inside: Vec<Literal> = region.roles.iter().map(|_| clauses.statement(bias == Bias::In)).collect();
        let out: Vec<Literal> = region.roles.iter().map(|_| clauses.statement(bias == Bias::Out)).collect();
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

    /// An argument is OUT if and only if something IN attacks it; IN only if all that attacks it is OUT.
    fn explain(&mut self, argument: usize, attackers: &[usize]) {
        let Self { clauses, inside, out } = self;
        clauses.add(attackers.iter().map(|&it| inside[it]).chain([!out[argument]]));
        clauses.add([!inside[argument], !out[argument]]);
        for &attacker in attackers {
            clauses.add([!inside[attacker], out[argument]]);
            clauses.add([!inside[argument], out[attacker]]);
        }
    }

    fn assign(&mut self, argument: usize, role: Role, attackers: &[usize], aim: Aim) {
        let Self { clauses, inside, out } = self;
        let undefended = attackers.iter().map(|&it| !out[it]);
        match (role, aim) {
            (Role::Due, _) | (Role::Shut, Aim::Stable) => clauses.add([out[argument]]),
            (Role::Shut, _) => clauses.add([!inside[argument]]),
            (Role::Spent, Aim::Complete) => {
                clauses.add([!inside[argument]]);
                clauses.add(undefended);
            }
            (_, Aim::Stable) => clauses.add([inside[argument], out[argument]]),
            (Role::Free | Role::Spent, _) => clauses.add(undefended.chain([inside[argument]])),
        }
    }

    /// The arguments that are IN in the last solution, ascending.
    pub fn set(&self) -> Vec<u32> {
        let numbered = (0..).zip(&self.inside);
        numbered.filter(|(_, literal)| self.clauses.holds(**literal)).map(|(argument, _)| argument).collect()
    }

    /// That something is IN which a set does not hold.
    pub fn beyond(&self, set: &[u32]) -> Vec<Literal> {
        let mut members = set.iter().copied().peekable();
        let outside = (0..).zip(&self.inside).filter(|(argument, _)| members.next_if_eq(argument).is_none());
        outside.map(|(_, literal)| *literal).collect()
    }

    /// Makes the set of the last solution as large as it can be while `kept` holds. `None` when the conflicts do not
    /// suffice.
    pub fn grow(&mut self, kept: &[Literal]) -> Option<Vec<u32>> {
        let mut set = self.set();
        loop {
            let larger = self.clauses.statement(false);
            let beyond = self.beyond(&set);
            self.clauses.add(beyond.into_iter().chain([!larger]));
            let members: Vec<Literal> = set.iter().map(|&member| self.inside[member as usize]).collect();
            let grows = self.clauses.solve(kept.iter().copied().chain(members).chain([larger]));
            if grows == Some(true) {
                set = self.set();
            }
            self.clauses.add([!larger]);
            match grows {
                Some(true) => {}
                Some(false) => return Some(set),
                None => return None,
            }
        }
    }
}
