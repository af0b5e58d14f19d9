//! Deterministic choices: the candidate with the highest sum of its weight and a share drawn by a seeded hash.
//!
//! The hash covers the words of a candidate, not its place in a file, so an entry added elsewhere does not change the
//! choice between others. Uses no clock, no random numbers and no hash map order.

use sha2::{Digest, Sha256};

/// Chooser for one reply.
#[derive(Clone, Debug)]
pub struct Chooser {
    seed: u64,
    purpose: String,
}

impl Chooser {
    /// Creates a chooser with a seed, for a purpose such as `turn/7/ada-quill`.
    pub fn new(seed: u64, purpose: impl Into<String>) -> Self {
        Chooser { seed, purpose: purpose.into() }
    }

    /// Orders candidates, the best first: by weight plus a drawn share of `spread`. `key` returns weight and words.
    pub fn ordered<T>(&self, spread: f64, candidates: Vec<T>, key: impl Fn(&T) -> (f64, String)) -> Vec<T> {
        let score = |candidate: &T| {
            let (weight, words) = key(candidate);
            (weight + spread * self.drawn(&words), words)
        };
        let mut scored: Vec<(f64, String, T)> = candidates
            .into_iter()
            .map(|candidate| {
                let (score, words) = score(&candidate);
                (score, words, candidate)
            })
            .collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        scored.into_iter().map(|entry| entry.2).collect()
    }

    /// Picks one of several equally good candidates, given by their words.
    pub fn pick<'a, T>(&self, candidates: &'a [T], words: impl Fn(&T) -> &str) -> Option<&'a T> {
        candidates.iter().max_by(|one, other| self.drawn(words(one)).total_cmp(&self.drawn(words(other))))
    }

    /// Returns a number from 0 to below 1.
    fn drawn(&self, words: &str) -> f64 {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        for part in [self.purpose.as_str(), words] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut drawn = [0; 4];
        drawn.copy_from_slice(&hash.finalize()[..4]);
        f64::from(u32::from_le_bytes(drawn)) / f64::from(u32::MAX).next_up()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(seed: u64, candidates: &[(f64, &'static str)]) -> Vec<&'static str> {
        let chooser = Chooser::new(seed, "test");
        let key = |candidate: &(f64, &str)| (candidate.0, candidate.1.to_owned());
        chooser.ordered(0.5, candidates.to_vec(), key).into_iter().map(|candidate| candidate.1).collect()
    }

    #[test]
    fn a_seed_decides_between_candidates_within_the_spread() {
        let candidates = [(1.0, "one"), (0.9, "two"), (0.2, "three")];
        let mut firsts: Vec<&str> = (0..64).map(|seed| ordered(seed, &candidates)[0]).collect();
        assert_eq!(ordered(7, &candidates), ordered(7, &candidates));
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts, ["one", "two"]);
    }

    #[test]
    fn the_order_of_candidates_does_not_matter() {
        for seed in 0..32 {
            assert_eq!(ordered(seed, &[(1.0, "one"), (1.0, "two")]), ordered(seed, &[(1.0, "two"), (1.0, "one")]));
            let chooser = Chooser::new(seed, "test");
            assert_eq!(chooser.pick(&["one", "two"], |it| it), chooser.pick(&["two", "one"], |it| it));
        }
    }
}
