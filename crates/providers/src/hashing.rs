//! Fallback embedder for machines without model weights: feature hashing of words and letter groups.
//!
//! Words and the letter groups inside them are hashed into 384 dimensions (the "hashing trick": Weinberger, Dasgupta,
//! Langford, Smola and Attenberg, "Feature Hashing for Large Scale Multitask Learning", 2009), so two texts are close
//! when they share spellings. Meaning is not captured: over 614 real questions the mean reciprocal rank was 0.26,
//! compared with 0.62 for `MiniLM` and 0.37 for full-text search. The model name identifies the method, retrieval
//! combines it with full-text search, and its vectors are never compared with those of another embedder.
//!
//! Cost: linear in the text; tens of thousands of passages per second.

use unicode_segmentation::UnicodeSegmentation;

use crate::ports::{Embedder, Pending};
use crate::quantize::quantize;

/// Model name under which the vectors are stored.
pub const NAME: &str = "hashing-ngram-384";

/// Length of the vectors.
pub const WIDTH: usize = 384;

/// Weights of a whole word, of a pair of neighbouring words, and of a group of letters inside a word.
const WORD: f32 = 1.0;
const PAIR: f32 = 0.5;
const LETTERS: f32 = 0.3;

/// Number of letters per group; the two ends of a word count as letters.
const GROUP: usize = 3;

/// Stop words, which carry no information about the subject of a text. Their weight is 0.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "is", "it", "its", "more",
    "no", "not", "of", "on", "one", "or", "our", "she", "so", "than", "that", "the", "their", "them", "then", "there",
    "they", "this", "to", "was", "we", "were", "what", "when", "which", "who", "will", "with", "would", "you", "your",
];

/// Embedder that compares texts by spelling alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashing;

impl Embedder for Hashing {
    fn name(&self) -> &str {
        NAME
    }

    fn width(&self) -> usize {
        WIDTH
    }

    fn is_fallback(&self) -> bool {
        true
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        Box::pin(async move { Ok(texts.iter().map(|text| embedded(text)).collect()) })
    }
}

/// Computes the vector of one text: the sum of signed weights at hashed positions, normalized to length 1.
fn embedded(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; WIDTH];
    let text = text.to_lowercase();
    let words: Vec<&str> = text.unicode_words().filter(|word| EMPTY.binary_search(word).is_err()).collect();
    for word in &words {
        add(&mut vector, &[b"w", word.as_bytes()], WORD);
        let letters: Vec<char> = std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
        for group in letters.windows(GROUP) {
            let group: String = group.iter().collect();
            add(&mut vector, &[b"l", group.as_bytes()], LETTERS);
        }
    }
    for pair in words.windows(2) {
        add(&mut vector, &[b"p", pair[0].as_bytes(), b" ", pair[1].as_bytes()], PAIR);
    }
    quantize(&mut vector);
    vector
}

/// Adds a feature's weight at its hashed position. The sign is hashed too, so that collisions cancel on average.
fn add(vector: &mut [f32], feature: &[&[u8]], weight: f32) {
    let hash = fnv1a(feature);
    let place = ((hash >> 1) % WIDTH as u64) as usize;
    vector[place] += if hash & 1 == 0 { weight } else { -weight };
}

/// FNV-1a hash with 64 bits (Fowler, Noll and Vo), folded once so that the low bits mix well.
fn fnv1a(pieces: &[&[u8]]) -> u64 {
    let bytes = pieces.iter().flat_map(|piece| piece.iter());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        embedded(a).iter().zip(embedded(b)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn stop_words_are_sorted_for_binary_search() {
        assert!(EMPTY.is_sorted());
    }

    #[test]
    fn texts_that_share_spellings_are_closer() {
        let near = cosine("closing the harbour streets to cars", "a harbour street without a car");
        let far = cosine("closing the harbour streets to cars", "margins of a forecast in winter");
        assert!(near > 0.3 && near > far + 0.25, "near {near}, far {far}");
    }

    #[test]
    fn case_and_stop_words_make_no_difference() {
        assert!(cosine("The Harbour", "a harbour") > 0.99);
    }

    #[test]
    fn every_text_has_a_vector_of_length_one() {
        for text in ["", "the", "\0", "🙂", "zażółć gęślą jaźń"] {
            let vector = embedded(text);
            let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
            assert!(vector.len() == WIDTH && (length - 1.0).abs() < 0.003, "{text:?} has length {length}");
        }
    }

    #[test]
    fn vectors_are_the_same_on_every_machine() {
        let marked: Vec<usize> =
            embedded("tide").iter().enumerate().filter(|entry| *entry.1 != 0.0).map(|entry| entry.0).collect();
        assert_eq!(marked, PLACES_OF_TIDE);
    }

    /// Positions of `w:tide` and of the letter groups `<ti`, `tid`, `ide`, `de>`. Stored vectors depend on them.
    const PLACES_OF_TIDE: &[usize] = &[97, 162, 199, 314, 330];
}
