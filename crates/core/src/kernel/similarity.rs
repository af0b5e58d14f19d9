//! Semantic similarity of texts, measured by an embedder.
//!
//! An engine has no access to an embedder. Before an answer is turned into events, the engine names the texts whose
//! similarity it would use. The resulting events contain its conclusions, so a fold never needs the similarity again.
//! Without an embedder, or after its failure, there is no similarity, and engines compare words instead.

use std::collections::BTreeMap;

/// Maximum number of texts that one answer may have compared; the first ones are used.
pub const MAX_LIKENED: usize = 256;

/// Similarity of texts to one another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextSimilarity {
    /// Name of the embedder.
    pub by: String,
    vectors: BTreeMap<String, Vec<f32>>,
}

impl TextSimilarity {
    /// Creates similarities from unit-length vectors of one embedder.
    pub fn new(by: impl Into<String>, vectors: impl IntoIterator<Item = (String, Vec<f32>)>) -> TextSimilarity {
        TextSimilarity { by: by.into(), vectors: vectors.into_iter().collect() }
    }

    /// Returns the cosine similarity of two texts, from -1 to 1; `None` if either has no vector.
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
    fn similarity_is_the_cosine_of_known_texts() {
        let vectors = [("east", vec![1.0, 0.0]), ("north", vec![0.0, 1.0]), ("between", vec![0.6, 0.8])];
        let likeness = TextSimilarity::new("compass", vectors.map(|(text, vector)| (text.to_owned(), vector)));
        let check = |one: &str, other: &str, expected: Option<f64>| {
            let found = likeness.of(one, other).map(|number| (number * 1_000.0).round() / 1_000.0);
            assert_eq!(found, expected, "{one} {other}");
        };
        check("east", "east", Some(1.0));
        check("east", "north", Some(0.0));
        check("north", "between", Some(0.8));
        check("east", "west", None);
    }
}
