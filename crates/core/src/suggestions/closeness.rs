//! Closeness of passages of two authors: the content words that they share, weighted by their rarity.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Content words of a passage.
pub type WordSet = Rc<BTreeSet<String>>;

/// Returns for each passage of either author the greatest cosine with a passage of the other, from 0 to 1. A word weighs the
/// logarithm of its rarity in both corpora together. Cost: the number of pairs of passages that share a word, times the
/// words that they share.
pub fn closest_cosines(one: &[WordSet], other: &[WordSet]) -> [Vec<f64>; 2] {
    let weights = Weights::of(one, other);
    let (norms, other_norms) = (weights.norms(one), weights.norms(other));
    let mut containing: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, words) in other.iter().enumerate() {
        words.iter().for_each(|word| containing.entry(word).or_default().push(at));
    }
    let (mut best, mut other_best) = (vec![0.0; one.len()], vec![0.0; other.len()]);
    for (at, words) in one.iter().enumerate() {
        let mut products: BTreeMap<usize, f64> = BTreeMap::new();
        for word in words.iter() {
            let weight = weights.squared(word);
            for there in containing.get(word.as_str()).into_iter().flatten() {
                *products.entry(*there).or_default() += weight;
            }
        }
        for (there, product) in products {
            let cosine = product / (norms[at] * other_norms[there]);
            best[at] = f64::max(best[at], cosine);
            other_best[there] = f64::max(other_best[there], cosine);
        }
    }
    [best, other_best]
}

/// Numbers of passages that contain each word.
struct Weights<'a> {
    passages: f64,
    counts: BTreeMap<&'a str, f64>,
}

impl<'a> Weights<'a> {
    fn of(one: &'a [WordSet], other: &'a [WordSet]) -> Weights<'a> {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        for word in one.iter().chain(other).flat_map(|words| words.iter()) {
            *counts.entry(word).or_default() += 1.0;
        }
        Weights { passages: (one.len() + other.len()) as f64, counts }
    }

    /// Returns the square of a word's weight; positive for every word of the passages.
    fn squared(&self, word: &str) -> f64 {
        let count = self.counts.get(word).copied().unwrap_or(1.0);
        ((self.passages + 1.0) / count).ln().powi(2)
    }

    fn norms(&self, passages: &[WordSet]) -> Vec<f64> {
        let norm = |words: &WordSet| words.iter().map(|word| self.squared(word)).sum::<f64>().sqrt();
        passages.iter().map(norm).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(passages: &[&[&str]]) -> Vec<WordSet> {
        passages.iter().map(|words| Rc::new(words.iter().map(|word| (*word).to_owned()).collect())).collect()
    }

    #[test]
    fn passages_that_share_rare_words_are_closest() {
        let one = sets(&[&["ferry", "night", "crew"], &["rain", "harbour"], &["harbour", "moor"], &[]]);
        let other = sets(&[&["ferry", "crew", "harbour"], &["harbour", "wind"]]);
        let [best, other_best] = closest_cosines(&one, &other);
        assert!(best[0] > best[1] && best[1] > 0.0, "{best:?}");
        assert!((best[0] - other_best[0]).abs() < 1e-9, "{other_best:?}");
        assert!(best[3].abs() < 1e-9, "{best:?}");
        let [same, _] = closest_cosines(&one[..1], &one[..1]);
        assert!((same[0] - 1.0).abs() < 1e-9, "{same:?}");
        assert_eq!(closest_cosines(&[], &other), [vec![], vec![0.0, 0.0]]);
    }
}
