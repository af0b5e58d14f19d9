//! Quantitative bipolar argumentation frameworks (Baroni, Rago and Toni 2019): base scores, attacks and supports.

use std::error::Error;
use std::fmt;

use crate::framework::{Framework, FrameworkError};

/// Arguments `0..len` with base scores, and weighted attacks and supports between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Qbaf {
    scores: Vec<f64>,
    /// Relations by target, then kind, then source.
    relations: Vec<WeightedRelation>,
    /// End of the relations of each target.
    ends: Vec<usize>,
}

/// Attack or support between two arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedRelation {
    /// Argument that attacks or supports.
    pub source: u32,
    /// Argument that is attacked or supported.
    pub target: u32,
    /// Attack or support.
    pub kind: RelationKind,
    /// Share of the source's strength that takes effect, from 0 to 1.
    pub weight: f64,
}

/// Kind of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelationKind {
    /// Weakens the target.
    Attack,
    /// Strengthens the target.
    Support,
}

/// Error of [`Qbaf::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QbafError {
    /// A base score is not between 0 and 1.
    Score {
        /// The argument.
        argument: usize,
        /// The score.
        score: f64,
    },
    /// A weight is not between 0 and 1.
    Weight {
        /// The relation.
        relation: WeightedRelation,
    },
    /// Too many arguments or relations, or a relation that names an unknown argument.
    Framework(FrameworkError),
}

impl WeightedRelation {
    /// Creates an attack of weight 1.
    pub fn attack(source: u32, target: u32) -> Self {
        Self { source, target, kind: RelationKind::Attack, weight: 1.0 }
    }

    /// Creates a support of weight 1.
    pub fn support(source: u32, target: u32) -> Self {
        Self { source, target, kind: RelationKind::Support, weight: 1.0 }
    }
}

impl Qbaf {
    /// Builds a framework with one argument per score. Of two relations of the same kind between the same arguments the
    /// later one wins; an argument may both attack and support another. Sorts the relations, and is otherwise linear.
    ///
    /// # Errors
    ///
    /// [`QbafError::Score`] or [`QbafError::Weight`] if a score or a weight is not between 0 and 1;
    /// [`QbafError::Framework`] if a relation names an unknown argument or there are more arguments or relations than a
    /// [`Framework`] may have.
    pub fn new(scores: Vec<f64>, relations: impl IntoIterator<Item = WeightedRelation>) -> Result<Self, QbafError> {
        let within = |number: f64| (0.0..=1.0).contains(&number);
        if let Some(argument) = scores.iter().position(|&score| !within(score)) {
            return Err(QbafError::Score { argument, score: scores[argument] });
        }
        let mut relations: Vec<WeightedRelation> = relations.into_iter().collect();
        if let Some(&relation) = relations.iter().find(|relation| !within(relation.weight)) {
            return Err(QbafError::Weight { relation });
        }
        Framework::new(scores.len(), relations.iter().map(|relation| (relation.source, relation.target)))
            .map_err(QbafError::Framework)?;
        let place = |relation: &WeightedRelation| (relation.target, relation.kind, relation.source);
        relations.reverse();
        // The sort is stable, so the later of two relations comes first and is kept.
        relations.sort_by_key(place);
        relations.dedup_by_key(|relation| place(relation));
        let ends =
            (0..scores.len()).map(|target| relations.partition_point(|relation| relation.target as usize <= target));
        let ends = ends.collect();
        Ok(Self { scores, relations, ends })
    }

    /// Returns the number of arguments.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Returns true if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// Returns the base scores, by argument.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Returns the relations on `target`: attacks first, each kind by source.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn relations(&self, target: u32) -> &[WeightedRelation] {
        let target = target as usize;
        let start = if target == 0 { 0 } else { self.ends[target - 1] };
        &self.relations[start..self.ends[target]]
    }

    /// Returns the framework in which every attack or support is an attack.
    pub fn connections(&self) -> Framework {
        let pairs = self.relations.iter().map(|relation| (relation.source, relation.target));
        Framework::new(self.len(), pairs).expect("the relations were checked by `new`")
    }
}

impl fmt::Display for QbafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score { argument, score } => {
                write!(f, "the base score {score} of argument {argument} is not between 0 and 1")
            }
            Self::Weight { relation: WeightedRelation { source, target, kind, weight } } => {
                let kind = if *kind == RelationKind::Attack { "attack" } else { "support" };
                write!(f, "the weight {weight} of the {kind} of {source} on {target} is not between 0 and 1")
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
    fn relations_are_deduplicated_and_sorted() {
        let weighed = |mut relation: WeightedRelation, weight| {
            relation.weight = weight;
            relation
        };
        let given = [
            WeightedRelation::support(2, 1),
            weighed(WeightedRelation::attack(0, 1), 0.5),
            WeightedRelation::attack(2, 1),
            weighed(WeightedRelation::attack(0, 1), 0.25),
            WeightedRelation::attack(1, 1),
            WeightedRelation::attack(1, 0),
        ];
        let qbaf = Qbaf::new(vec![0.0, 0.5, 1.0], given).expect("in range");
        let onto_1 = [
            weighed(WeightedRelation::attack(0, 1), 0.25),
            WeightedRelation::attack(1, 1),
            WeightedRelation::attack(2, 1),
            WeightedRelation::support(2, 1),
        ];
        assert_eq!([qbaf.relations(0), qbaf.relations(1), qbaf.relations(2)], [&given[5..], &onto_1, &[]]);
        assert_eq!((qbaf.len(), qbaf.is_empty(), qbaf.scores()), (3, false, &[0.0, 0.5, 1.0][..]));
        assert_eq!(qbaf.connections().attacks().collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 1), (2, 1)]);
    }

    #[test]
    fn input_out_of_range_is_refused() {
        fn check(scores: &[f64], relation: WeightedRelation, words: &str) {
            let error = Qbaf::new(scores.to_vec(), [relation]).expect_err("refused");
            assert_eq!(error.to_string(), words);
        }
        let attack = WeightedRelation::attack(0, 1);
        check(&[0.5, 1.1], attack, "the base score 1.1 of argument 1 is not between 0 and 1");
        check(&[f64::NAN, 1.0], attack, "the base score NaN of argument 0 is not between 0 and 1");
        let heavy = WeightedRelation { weight: 2.0, ..WeightedRelation::support(0, 1) };
        check(&[0.5, 1.0], heavy, "the weight 2 of the support of 0 on 1 is not between 0 and 1");
        check(&[0.5], attack, "unknown argument in the attack of 0 on 1: there are 1 arguments, numbered from 0");
    }
}
