//! A quantitative bipolar argumentation framework (Baroni, Rago and Toni 2019): base scores, attacks and supports.

use std::error::Error;
use std::fmt;

use crate::argumentation::framework::{Framework, FrameworkError};

/// Arguments `0..len` with base scores, and weighted attacks and supports between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Qbaf {
    scores: Vec<f64>,
    /// By target, then kind, then source.
    relations: Vec<Relation>,
    /// Where the relations of each target end.
    ends: Vec<usize>,
}

/// What one argument is to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relation {
    /// Who attacks or supports.
    pub source: u32,
    /// Whom.
    pub target: u32,
    /// Which of the two.
    pub kind: Kind,
    /// How much of the source's strength arrives, from 0 to 1.
    pub weight: f64,
}

/// Whether a relation tells against its target or for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Against.
    Attack,
    /// For.
    Support,
}

/// Why there is no such framework.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QbafError {
    /// A base score that is not from 0 to 1.
    Score {
        /// Whose.
        argument: usize,
        /// The score.
        score: f64,
    },
    /// A weight that is not from 0 to 1.
    Weight {
        /// Of which relation.
        relation: Relation,
    },
    /// Too many arguments or relations, or one that names an argument that is not there.
    Framework(FrameworkError),
}

impl Relation {
    /// An attack in full.
    pub fn attack(source: u32, target: u32) -> Self {
        Self { source, target, kind: Kind::Attack, weight: 1.0 }
    }

    /// A support in full.
    pub fn support(source: u32, target: u32) -> Self {
        Self { source, target, kind: Kind::Support, weight: 1.0 }
    }
}

impl Qbaf {
    /// A framework with one argument for each score. Of two relations of one kind between the same two the later
    /// counts; an argument may both attack and support another. A sort, and otherwise linear.
    ///
    /// # Errors
    ///
    /// When a score or a weight is not from 0 to 1, when a relation names an argument that is not there, or when there
    /// are more arguments or relations than a [`Framework`] may have.
    pub fn new(scores: Vec<f64>, relations: impl IntoIterator<Item = Relation>) -> Result<Self, QbafError> {
        let within = |number: f64| (0.0..=1.0).contains(&number);
        if let Some(argument) = scores.iter().position(|&score| !within(score)) {
            return Err(QbafError::Score { argument, score: scores[argument] });
        }
        let mut relations: Vec<Relation> = relations.into_iter().collect();
        if let Some(&relation) = relations.iter().find(|relation| !within(relation.weight)) {
            return Err(QbafError::Weight { relation });
        }
        Framework::new(scores.len(), relations.iter().map(|it| (it.source, it.target)))
            .map_err(QbafError::Framework)?;
        let place = |it: &Relation| (it.target, it.kind, it.source);
        relations.reverse();
        // Stable, so that the later of two comes first and stays.
        relations.sort_by_key(place);
        relations.dedup_by_key(|it| place(it));
        let ends = (0..scores.len()).map(|target| relations.partition_point(|it| it.target as usize <= target));
        let ends = ends.collect();
        Ok(Self { scores, relations, ends })
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The base scores, by argument.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// What attacks and supports `target`: attacks first, each kind by source.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    pub fn relations(&self, target: u32) -> &[Relation] {
        let target = target as usize;
        let start = if target == 0 { 0 } else { self.ends[target - 1] };
        &self.relations[start..self.ends[target]]
    }

    /// Who has a say in whom, whether for or against, as if all were attacks.
    pub fn connections(&self) -> Framework {
        let pairs = self.relations.iter().map(|it| (it.source, it.target));
        Framework::new(self.len(), pairs).expect("it was one when the relations came")
    }
}

impl fmt::Display for QbafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score { argument, score } => {
                write!(f, "a base score of {score} for argument {argument}: give one from 0 to 1")
            }
            Self::Weight { relation: Relation { source, target, kind, weight } } => {
                let kind = if *kind == Kind::Attack { "attack" } else { "support" };
                write!(f, "a weight of {weight} for the {kind} of {source} on {target}: give one from 0 to 1")
            }
            Self::Framework(error) => error.fmt(f),
        }
    }
}

impl Error for QbafError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_kept_once_and_in_order() {
        let weighed = |mut relation: Relation, weight| {
            relation.weight = weight;
            relation
        };
        let given = [
            Relation::support(2, 1),
            weighed(Relation::attack(0, 1), 0.5),
            Relation::attack(2, 1),
            weighed(Relation::attack(0, 1), 0.25),
            Relation::attack(1, 1),
            Relation::attack(1, 0),
        ];
        let qbaf = Qbaf::new(vec![0.0, 0.5, 1.0], given).expect("in range");
        let onto_1 = [
            weighed(Relation::attack(0, 1), 0.25),
            Relation::attack(1, 1),
            Relation::attack(2, 1),
            Relation::support(2, 1),
        ];
        assert_eq!([qbaf.relations(0), qbaf.relations(1), qbaf.relations(2)], [&given[5..], &onto_1, &[]]);
        assert_eq!((qbaf.len(), qbaf.is_empty(), qbaf.scores()), (3, false, &[0.0, 0.5, 1.0][..]));
        assert_eq!(qbaf.connections().attacks().collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 1), (2, 1)]);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        fn check(scores: &[f64], relation: Relation, words: &str) {
            let error = Qbaf::new(scores.to_vec(), [relation]).expect_err("refused");
            assert_eq!(error.to_string(), words);
        }
        let attack = Relation::attack(0, 1);
        check(&[0.5, 1.1], attack, "a base score of 1.1 for argument 1: give one from 0 to 1");
        check(&[f64::NAN, 1.0], attack, "a base score of NaN for argument 0: give one from 0 to 1");
        let heavy = Relation { weight: 2.0, ..Relation::support(0, 1) };
        check(&[0.5, 1.0], heavy, "a weight of 2 for the support of 0 on 1: give one from 0 to 1");
        check(&[0.5], attack, "an attack of 0 on 1 in a framework of 1 arguments, which count from 0");
    }
}
