//! All extensions in factored form, without listing them: sums of products.
//!
//! An extension picks one choice from every root part, and in turn from every part that a picked choice names. Parts
//! are independent, the choices of one part exclude one another, and a part that occurs in several places is computed
//! once. The number of extensions is therefore a sum of products, and the arguments in some or all of them are unions
//! or intersections: each takes one pass over the choices, however many extensions there are.

use crate::structures::count::{Count, Natural};

/// Extensions of a framework as sums of products.
#[derive(Clone, Debug)]
pub struct Factors {
    /// Number of arguments of the framework.
    pub arguments: usize,
    /// Arguments that are IN in every extension before any choice, ascending.
    pub fixed: Vec<u32>,
    /// Independent parts, as indices into `parts`.
    pub roots: Vec<usize>,
    /// All parts. Each comes after the parts that its choices name.
    pub parts: Vec<Factor>,
    /// Arguments of incomplete root parts that might be IN, ascending.
    pub unsettled: Vec<u32>,
    /// True if each part is known to have a solution even if a limit was reached first: always, except for stable
    /// extensions.
    pub assured: bool,
    /// First limit that was reached; `None` if every part is complete.
    pub limit: Option<&'static str>,
}

/// Connected part of the framework that is independent of the others.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Choices of the part; no two share an extension.
    pub choices: Vec<FactorChoice>,
    /// True if these are all choices and the parts they name are complete.
    pub complete: bool,
}

/// One way to decide the source component of a part.
#[derive(Clone, Debug)]
pub struct FactorChoice {
    /// Arguments that are IN in this choice.
    pub inside: Vec<u32>,
    /// Remaining independent parts, as indices into [`Factors::parts`].
    pub parts: Vec<usize>,
}

impl Factors {
    /// Counts the extensions; a lower bound if a limit was reached.
    pub fn count(&self) -> Count {
        let mut numbers: Vec<Natural> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let products =
                part.choices.iter().map(|choice| Natural::product(choice.parts.iter().map(|&part| &numbers[part])));
            let number = products.fold(Natural::ZERO, |sum, product| sum.plus(&product));
            numbers.push(number);
        }
        let roots = self.roots.iter().map(|&part| &numbers[part]);
        match self.limit {
            None => Count::Exactly(Natural::product(roots)),
            Some(_) => {
                let counted = roots.filter(|number| !self.assured || **number != Natural::ZERO);
                Count::AtLeast(Natural::product(counted))
            }
        }
    }

    /// Returns the factors of a framework with exactly one extension.
    pub fn single(arguments: usize, extension: Vec<u32>) -> Self {
        Self {
            arguments,
            fixed: extension,
            roots: Vec::new(),
            parts: Vec::new(),
            unsettled: Vec::new(),
            assured: true,
            limit: None,
        }
    }

    /// Returns the factors of a framework without extensions.
    pub fn none(arguments: usize) -> Self {
        let nothing = Factor { choices: Vec::new(), complete: true };
        Self { roots: vec![0], parts: vec![nothing], ..Self::single(arguments, Vec::new()) }
    }

    /// Returns true if a complete root part has no choices: there is no extension then, whatever the other parts
    /// contain.
    pub fn is_void(&self) -> bool {
        self.roots.iter().any(|&root| self.parts[root].complete && self.parts[root].choices.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_counted() {
        /// Describes each part by the parts that its choices name.
        fn check(parts: &[&[&[usize]]], roots: &[usize], limit: Option<&'static str>, expected: &str) {
            let choice = |parts: &&[usize]| FactorChoice { inside: Vec::new(), parts: parts.to_vec() };
            let part = |choices: &&[&[usize]]| Factor { choices: choices.iter().map(choice).collect(), complete: true };
            let factors = Factors {
                arguments: 0,
                fixed: Vec::new(),
                roots: roots.to_vec(),
                parts: parts.iter().map(part).collect(),
                unsettled: Vec::new(),
                assured: true,
                limit,
            };
            assert_eq!(factors.count().to_string(), expected);
        }
        let pair: &[&[usize]] = &[&[], &[]];
        check(&[], &[], None, "1");
        check(&[pair, pair, pair], &[0, 1, 2], None, "8");
        check(&[pair, &[&[0, 0], &[0]]], &[1], None, "6");
        check(&[pair, &[&[0], &[]], pair], &[1, 2], None, "6");
        check(&[pair, &[]], &[0, 1], Some("nodes"), "at least 2");
        check(&[&[]], &[0], Some("nodes"), "at least 1");
    }
}
