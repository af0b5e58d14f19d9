//! Deterministic choices between equally good candidates, made by a seeded hash.
//!
//! All candidates that score within [`MARGIN`] of the best count as equally good; among them the lowest SHA-256(seed,
//! purpose, slot, sentence) wins. The hash covers the sentence itself, not its storage location, so another
//! installation of the same texts makes the same choice. Uses no clock, no random numbers and no hash map order.

use sha2::{Digest, Sha256};

/// Maximum distance to the best score for a candidate to be eligible.
pub const MARGIN: f64 = 0.03;

/// Chooser for one reply.
#[derive(Clone, Debug)]
pub struct Chooser {
    seed: u64,
    purpose: String,
}

impl Chooser {
    /// Creates a chooser with a seed, for a purpose such as `attack/1/ada-quill`.
    pub fn new(seed: u64, purpose: impl Into<String>) -> Self {
        Chooser { seed, purpose: purpose.into() }
    }

    /// Returns the index of one of the candidates (score, sentence) within [`MARGIN`] of the best; `None` if there are
    /// none.
    pub fn pick<'a>(&self, slot: &str, candidates: impl IntoIterator<Item = (f64, &'a str)>) -> Option<usize> {
        let candidates: Vec<(f64, &str)> = candidates.into_iter().collect();
        let best = candidates.iter().map(|candidate| candidate.0).max_by(f64::total_cmp)?;
        let near = candidates.iter().enumerate().filter(|(_, candidate)| candidate.0 >= best - MARGIN);
        near.min_by_key(|(_, candidate)| (self.draw(slot, candidate.1), candidate.1)).map(|(at, _)| at)
    }

    /// Picks one of some fixed phrases.
    pub fn phrase(&self, slot: &str, phrases: &'static [&'static str]) -> &'static str {
        let at = self.pick(slot, phrases.iter().map(|phrase| (0.0, *phrase)));
        at.map_or("", |at| phrases[at])
    }

    fn draw(&self, slot: &str, sentence: &str) -> [u8; 8] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        for part in [self.purpose.as_str(), slot, sentence] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut drawn = [0; 8];
        drawn.copy_from_slice(&hash.finalize()[..8]);
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_close_to_the_best_and_deterministic() {
        let candidates = [(0.50, "one"), (0.49, "two"), (0.40, "three")];
        let mut picked: Vec<Option<usize>> =
            (0..64).map(|seed| Chooser::new(seed, "test").pick("slot", candidates)).collect();
        assert_eq!(picked[7], Chooser::new(7, "test").pick("slot", candidates));
        picked.sort_unstable();
        picked.dedup();
        assert_eq!(picked, [Some(0), Some(1)]);
    }

    #[test]
    fn the_order_of_candidates_does_not_matter() {
        for seed in 0..32 {
            let chooser = Chooser::new(seed, "test");
            let one = chooser.pick("slot", [(0.5, "one"), (0.5, "two")]).map(|at| ["one", "two"][at]);
            let other = chooser.pick("slot", [(0.5, "two"), (0.5, "one")]).map(|at| ["two", "one"][at]);
            assert_eq!(one, other);
        }
        assert_eq!(Chooser::new(1, "test").pick("slot", []), None);
    }
}
