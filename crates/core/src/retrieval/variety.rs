//! Diversification of search results: the best passages, without duplicates and without one document dominating.
//!
//! A passage that repeats a better one nearly word for word is folded into it. Each document contributes a few passages
//! in the order of relevance; its further passages come after everything else, so that a library of one book still
//! fills a result. Nothing is re-scored: weighing novelty against relevance (maximal marginal relevance; Carbonell and
//! Goldstein, 1998) moved relevant passages down, and more so with more weight on novelty, because neighbours in
//! meaning are exactly the passages that are needed.

use std::collections::{HashMap, HashSet};

/// Number of words in a shingle, the unit by which two texts are compared.
const STRETCH: usize = 4;

/// Settings of the diversification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiversityOptions {
    /// Maximum number of passages.
    pub most: usize,
    /// Number of passages of one document before its others come last.
    pub of_one_document: usize,
    /// Jaccard index of the shingles from which a passage is a duplicate of another: 0 to 1.
    pub same: f64,
}

impl DiversityOptions {
    /// Returns the default settings for a result of at most `most` passages.
    pub fn of(most: usize) -> DiversityOptions {
        DiversityOptions { most, of_one_document: 4, same: 0.6 }
    }
}

/// A passage that was found.
#[derive(Clone, Copy, Debug)]
pub struct RankedPassage<'a, D> {
    /// Document of the passage.
    pub document: D,
    /// Text of the passage.
    pub text: &'a str,
}

/// A passage selected for the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedPassage {
    /// Index among the candidates.
    pub at: usize,
    /// Indices of its less relevant duplicates.
    pub folded: Vec<usize>,
}

/// Selects from candidates that are sorted by relevance, best first.
///
/// Compares every pair of candidates in the worst case, each by as many hashes as a passage has words.
pub fn diversify<D: Eq + std::hash::Hash + Copy>(
    candidates: &[RankedPassage<'_, D>],
    terms: DiversityOptions,
) -> Vec<SelectedPassage> {
    let mut kept: Vec<(SelectedPassage, HashSet<u64>)> = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let stretches = stretches(candidate.text);
        match kept.iter_mut().find(|(_, other)| alike(&stretches, other) >= terms.same) {
            Some((picked, _)) => picked.folded.push(at),
            None => kept.push((SelectedPassage { at, folded: Vec::new() }, stretches)),
        }
    }
    let mut of_document: HashMap<D, usize> = HashMap::new();
    let (first, behind): (Vec<SelectedPassage>, Vec<SelectedPassage>) =
        kept.into_iter().map(|(picked, _)| picked).partition(|picked| {
            let n = of_document.entry(candidates[picked.at].document).or_default();
            *n += 1;
            *n <= terms.of_one_document
        });
    first.into_iter().chain(behind).take(terms.most).collect()
}

/// Returns the hash of every shingle; letter case and punctuation are ignored. A shorter text is one shingle.
fn stretches(text: &str) -> HashSet<u64> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.windows(STRETCH.min(words.len()).max(1)).map(hash).collect()
}

/// Computes the 64-bit FNV-1a hash, which is the same on every machine.
fn hash(words: &[String]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the Jaccard index of two sets of shingles; 1 for two texts without words.
fn alike(a: &HashSet<u64>, b: &HashSet<u64>) -> f64 {
    let common = a.intersection(b).count();
    let either = a.len() + b.len() - common;
    if either == 0 { 1.0 } else { common as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(passages: &[(u8, &'a str)]) -> Vec<RankedPassage<'a, u8>> {
        passages.iter().map(|(document, text)| RankedPassage { document: *document, text }).collect()
    }

    fn places(picked: &[SelectedPassage]) -> Vec<usize> {
        picked.iter().map(|passage| passage.at).collect()
    }

    const WALL: &str = "The sea wall was built for carts with iron wheels, and it is the storms that break it.";

    #[test]
    fn duplicates_are_folded_into_the_best_passage() {
        let shouted = WALL.to_uppercase().replace(',', " -");
        let edited = WALL.replace("break it", "broke it last winter");
        let passages = [(1, WALL), (2, "The wall needs repair."), (3, shouted.as_str()), (4, edited.as_str())];
        let picked = diversify(&found(&passages), DiversityOptions::of(10));
        assert_eq!(places(&picked), [0, 1]);
        assert_eq!(picked[0].folded, [2, 3]);
    }

    #[test]
    fn passages_on_the_same_subject_are_kept() {
        let other = "The sea wall was built by the storms' own engineers, who had carts with iron wheels.";
        assert_eq!(places(&diversify(&found(&[(1, WALL), (2, other)]), DiversityOptions::of(10))), [0, 1]);
        assert_eq!(
            places(&diversify(&found(&[(1, ""), (1, "..."), (1, "One."), (1, "Two.")]), DiversityOptions::of(10))),
            [0, 2, 3]
        );
    }

    #[test]
    fn further_passages_of_one_document_come_last() {
        let passages = [(1, "a"), (1, "b"), (1, "c"), (1, "d"), (2, "e"), (1, "f"), (3, "g")];
        assert_eq!(places(&diversify(&found(&passages), DiversityOptions::of(10))), [0, 1, 2, 3, 4, 6, 5]);
        assert_eq!(places(&diversify(&found(&passages), DiversityOptions::of(5))), [0, 1, 2, 3, 4]);
        assert_eq!(
            places(&diversify(&found(&passages), DiversityOptions { of_one_document: 1, ..DiversityOptions::of(3) })),
            [0, 4, 6]
        );
        assert!(diversify(&found(&passages), DiversityOptions::of(0)).is_empty());
    }
}
