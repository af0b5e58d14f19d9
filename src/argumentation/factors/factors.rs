//! All extensions without listing them: sums of products.
//!
//! An extension picks one choice from every root part, and from every part a choice names in turn. Parts are
//! independent, choices of one part exclude one another, and a part that occurs in several places is worked out once.
//! So their number is a sum of products, and what some or all of them hold is a union or an intersection: each one pass
//! over the choices, however many extensions there are.

use crate::argumentation::count::{Count, Natural};

/// The extensions of a framework as sums of products.
#[derive(Clone, Debug)]
pub struct Factors {
    /// How many arguments the framework has.
    pub arguments: usize,
    /// What is IN in every extension before anything is chosen, ascending.
    pub fixed: Vec<u32>,
    /// The independent parts, by their place in `parts`.
    pub roots: Vec<usize>,
    /// Every part, after those its own choices name.
    pub parts: Vec<Part>,
    /// The arguments of root parts that are not complete and might be IN, ascending.
    pub unsettled: Vec<u32>,
    /// Whether each part is known to come to something, also where a limit was reached first: so it is but for stable
    /// extensions.
    pub assured: bool,
    /// The first limit that was reached; `None` when every part is complete.
    pub limit: Option<&'static str>,
}

/// A connected part of the framework on its own.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it may come to; no two choices share an extension.
    pub choices: Vec<Choice>,
    /// Whether these are all choices, and their parts complete.
    pub complete: bool,
}

/// One way to decide the source of a part.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is IN for it.
    pub inside: Vec<u32>,
    /// What is left to decide, independently, by place in [`Factors::parts`].
    pub parts: Vec<usize>,
}

impl Factors {
    /// How many extensions there are; a bound where a limit was reached.
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

    /// The one extension of a framework that has no other.
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

    /// No extension.
    pub fn none(arguments: usize) -> Self {
        let nothing = Part { choices: Vec::new(), complete: true };
        Self { roots: vec![0], parts: vec![nothing], ..Self::single(arguments, Vec::new()) }
    }

    /// Whether a part that is complete came to nothing: then there is no extension, whatever became of the others.
    pub fn is_void(&self) -> bool {
        self.roots.iter().any(|&root| self.parts[root].complete && self.parts[root].choices.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_counted() {
        /// Each part by the parts that its choices name.
        fn check(parts: &[&[&[usize]]], roots: &[usize], limit: Option<&'static str>, expected: &str) {
            let choice = |parts: &&[usize]| Choice { inside: Vec::new(), parts: parts.to_vec() };
            let part = |choices: &&[&[usize]]| Part { choices: choices.iter().map(choice).collect(), complete: true };
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
