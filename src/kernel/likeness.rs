//! How alike texts are in what they mean, as an embedder tells it.
//!
//! An engine knows no embedder. Where an answer is to be turned into facts, it names the texts whose likeness it would use;
//! what it makes of that is in the facts, so a fold never asks again. Where no embedder is at hand, or it failed, there is
//! no likeness, and words have to do.

use std::collections::BTreeMap;

/// The most texts whose likeness one answer may ask for; the first ones are told.
pub const MAX_LIKENED: usize = 256;

/// The likeness of texts to one another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Likeness {
    /// The embedder that tells it.
    pub by: String,
    vectors: BTreeMap<String, Vec<f32>>,
}

impl Likeness {
    /// The likeness of texts, from their vectors of length 1 by one embedder.
    pub fn new(by: impl Into<String>, vectors: impl IntoIterator<Item = (String, Vec<f32>)>) -> Likeness {
        Likeness { by: by.into(), vectors: vectors.into_iter().collect() }
    }

    /// How alike two texts are: the cosine of their vectors, from -1 to 1. `None` where one of them has none.
    pub fn of(&self, one: &str, other: &str) -> Option<f64> {
        let (one, other) = (self.vectors.get(one)?, self.vectors.get(other)?);
        let product: f64 = one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum();
        (one.len() == other.len()).then_some(product.clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_of_what_is_known() {
        let vectors = [("east", vec![1.0, 0.0]), ("north", vec![0.0, 1.0]), ("between", vec![0.6, 0.8])];
        let likeness = Likeness::new("compass", vectors.map(|(text, it)| (text.to_owned(), it)));
        let check = |one: &str, other: &str, expected: Option<f64>| {
            let found = likeness.of(one, other).map(|it| (it * 1_000.0).round() / 1_000.0);
            assert_eq!(found, expected, "{one} {other}");
        };
        check("east", "east", Some(1.0));
        check("east", "north", Some(0.0));
        check("north", "between", Some(0.8));
        check("east", "west", None);
    }
}
