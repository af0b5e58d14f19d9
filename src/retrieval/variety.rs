//! Which of the passages found are shown: the best, but not the same thing twice, and not one text alone.
//!
//! A passage that repeats a better one nearly word for word is folded into it. Of one document a few passages come in
//! the order in which they fit; its further ones come behind everything else, so that a library of one book still fills
//! a result. Nothing is re-scored: weighing novelty against fit (maximal marginal relevance; Carbonell and Goldstein,
//! 1998) moved passages that answer down, the more the more novelty weighed: neighbours in meaning are what is wanted.

use std::collections::{HashMap, HashSet};

/// How many words make a stretch by which two texts are compared.
const STRETCH: usize = 4;

/// How far a result is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// How many passages at the most.
    pub most: usize,
    /// So many of one document before its others have to stand behind.
    pub of_one_document: usize,
    /// From this share of common stretches on, of all that either has, a passage is the same as another: 0 to 1.
    pub same: f64,
}

impl Terms {
    /// The usual spread, for a result of at most so many.
    pub fn of(most: usize) -> Terms {
        Terms { most, of_one_document: 4, same: 0.6 }
    }
}

/// A passage that was found.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a, D> {
    /// What it is from.
    pub document: D,
    /// The passage.
    pub text: &'a str,
}

/// A passage that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Its place among the candidates.
    pub at: usize,
    /// The places of those that say the same, less fittingly.
    pub folded: Vec<usize>,
}

/// Picks from candidates that come in the order in which they fit, the best first.
///
/// Comparing costs as many steps as there are pairs of candidates, of as many hashes as a passage has words.
pub fn varied<D: Eq + std::hash::Hash + Copy>(candidates: &[Candidate<'_, D>], terms: Terms) -> Vec<Picked> {
    let mut kept: Vec<(Picked, HashSet<u64>)> = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let stretches = stretches(candidate.text);
        match kept.iter_mut().find(|(_, other)| alike(&stretches, other) >= terms.same) {
            Some((picked, _)) => picked.folded.push(at),
            None => kept.push((Picked { at, folded: Vec::new() }, stretches)),
        }
    }
    let mut of_document: HashMap<D, usize> = HashMap::new();
    let (first, behind): (Vec<Picked>, Vec<Picked>) = kept.into_iter().map(|(picked, _)| picked).partition(|picked| {
        let n = of_document.entry(candidates[picked.at].document).or_default();
        *n += 1;
        *n <= terms.of_one_document
    });
    first.into_iter().chain(behind).take(terms.most).collect()
}

/// Every stretch of words, as a hash; letter case and punctuation do not count. A shorter text is one stretch.
fn stretches(text: &str) -> HashSet<u64> {
    let words: Vec<String> =
        text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).map(str::to_lowercase).collect();
    words.windows(STRETCH.min(words.len()).max(1)).map(hash).collect()
}

/// FNV-1a, 64 bits: the same on every machine.
fn hash(words: &[String]) -> u64 {
    let bytes = words.iter().flat_map(|it| it.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The share of common stretches in all that either has (Jaccard's index); two texts without words are alike.
fn alike(a: &HashSet<u64>, b: &HashSet<u64>) -> f64 {
    let common = a.intersection(b).count();
    let either = a.len() + b.len() - common;
    if either == 0 { 1.0 } else { common as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(passages: &[(u8, &'a str)]) -> Vec<Candidate<'a, u8>> {
        passages.iter().map(|(document, text)| Candidate { document: *document, text }).collect()
    }

    fn places(picked: &[Picked]) -> Vec<usize> {
        picked.iter().map(|it| it.at).collect()
    }

    const WALL: &str = "The sea wall was built for carts with iron wheels, and it is the storms that break it.";

    #[test]
    fn what_says_the_same_is_folded_into_the_best_of_them() {
        let shouted = WALL.to_uppercase().replace(',', " -");
        let edited = WALL.replace("break it", "broke it last winter");
        let passages = [(1, WALL), (2, "The wall needs repair."), (3, shouted.as_str()), (4, edited.as_str())];
        let picked = varied(&found(&passages), Terms::of(10));
        assert_eq!(places(&picked), [0, 1]);
        assert_eq!(picked[0].folded, [2, 3]);
    }

    #[test]
    fn what_only_speaks_of_the_same_stays() {
        let other = "The sea wall was built by the storms' own engineers, who had carts with iron wheels.";
        assert_eq!(places(&varied(&found(&[(1, WALL), (2, other)]), Terms::of(10))), [0, 1]);
        assert_eq!(places(&varied(&found(&[(1, ""), (1, "..."), (1, "One."), (1, "Two.")]), Terms::of(10))), [0, 2, 3]);
    }

    #[test]
    fn further_passages_of_one_document_stand_behind_the_others() {
        let passages = [(1, "a"), (1, "b"), (1, "c"), (1, "d"), (2, "e"), (1, "f"), (3, "g")];
        assert_eq!(places(&varied(&found(&passages), Terms::of(10))), [0, 1, 2, 3, 4, 6, 5]);
        assert_eq!(places(&varied(&found(&passages), Terms::of(5))), [0, 1, 2, 3, 4]);
        assert_eq!(places(&varied(&found(&passages), Terms { of_one_document: 1, ..Terms::of(3) })), [0, 4, 6]);
        assert!(varied(&found(&passages), Terms::of(0)).is_empty());
    }
}
