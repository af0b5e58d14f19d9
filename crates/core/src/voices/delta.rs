//! Authorship attribution by Burrows's Delta with the cosine distance.
//!
//! Every writer is a point: the deviation from the mean frequency of each of the commonest words and punctuation marks,
//! in standard deviations. A text is a point of the same kind, and is attributed to the writer in the nearest
//! direction.
//!
//! J. Burrows, "'Delta': a measure of stylistic difference and a guide to likely authorship", Literary and Linguistic
//! Computing 17 (2002), 267-287; the cosine: P. W. H. Smith and W. Aldridge, "Improving authorship attribution:
//! optimizing Burrows' Delta method", Journal of Quantitative Linguistics 18 (2011), 63-88; the reasons for its
//! advantage: S. Evert and others, "Understanding and explaining Delta measures for authorship attribution", Digital
//! Scholarship in the Humanities 32 (2017), ii4-ii16.
//!
//! Deviations are computed over pieces of equal length rather than over whole works, because a turn is a piece. Some of
//! the commonest words depend on the subject, so writers on different subjects are easier to distinguish than those of
//! one debate.
//!
//! Learning is linear in the texts; judging is linear in the text plus writers times words. Sums are computed in a
//! fixed order: the same texts give the same numbers.

use std::collections::BTreeMap;

use crate::events::ids::PersonaId;
use crate::voices::tokens::tokens;

/// Number of the commonest words and punctuation marks to compare.
pub const WORDS: usize = 300;
/// Number of words and marks in a piece, the unit over which deviations are computed.
pub const PIECE: usize = 200;
/// Minimum number of words and marks of a writer to learn from; fewer are not characteristic.
pub const MIN_LEARNED: usize = 1_000;
/// Minimum number of words and marks of a text to judge.
pub const MIN_JUDGED: usize = 20;

/// Works of one writer: the documents, each split by [`tokens`].
#[derive(Clone, Debug)]
pub struct WriterTexts {
    /// The writer.
    pub persona: PersonaId,
    /// Tokens of each document.
    pub documents: Vec<Vec<String>>,
}

/// Profiles of several writers.
#[derive(Clone, Debug)]
pub struct VoiceProfiles {
    /// Index of each of the commonest words.
    words: BTreeMap<String, usize>,
    mean: Vec<f64>,
    spread: Vec<f64>,
    profiles: Vec<(PersonaId, Vec<f64>)>,
}

/// Distance of a text from a writer.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// The writer.
    pub persona: PersonaId,
    /// Cosine distance: 0 for the same direction, 1 for nothing in common, 2 for the opposite.
    pub distance: f64,
}

impl VoiceProfiles {
    /// Learns the profiles of writers from their works. Writers with fewer than [`MIN_LEARNED`] words and marks are
    /// left out; `None` if fewer than two remain.
    pub fn learn(works: &[WriterTexts]) -> Option<VoiceProfiles> {
        let written: Vec<(&PersonaId, Vec<&String>)> = works
            .iter()
            .map(|work| (&work.persona, work.documents.iter().flatten().collect::<Vec<_>>()))
            .filter(|(_, all)| all.len() >= MIN_LEARNED)
            .collect();
        if written.len() < 2 {
            return None;
        }
        let words = commonest(&written);
        let pieces = written.iter().flat_map(|(_, all)| all.chunks(PIECE)).filter(|piece| piece.len() >= PIECE / 2);
        let pieces: Vec<Vec<f64>> = pieces.map(|piece| shares(&words, piece.iter().copied())).collect();
        let (mean, spread) = moments(&pieces, words.len());
        let mut voices = VoiceProfiles { words, mean, spread, profiles: Vec::new() };
        voices.profiles =
            written.iter().map(|(persona, all)| ((*persona).clone(), voices.deviations(all.iter().copied()))).collect();
        Some(voices)
    }

    /// Returns the writers with a profile.
    pub fn writers(&self) -> impl Iterator<Item = &PersonaId> {
        self.profiles.iter().map(|(persona, _)| persona)
    }

    /// Returns the distance of a text from each writer, nearest first, ties by name; empty if the text has fewer than
    /// [`MIN_JUDGED`] words and marks.
    pub fn distances(&self, text: &str) -> Vec<Distance> {
        self.distances_of(&tokens(text))
    }

    /// Returns [`VoiceProfiles::distances`] of a text that was split into tokens already.
    pub fn distances_of(&self, tokens: &[String]) -> Vec<Distance> {
        if tokens.len() < MIN_JUDGED {
            return Vec::new();
        }
        let point = self.deviations(tokens.iter());
        let mut distances: Vec<Distance> = self
            .profiles
            .iter()
            .map(|(persona, profile)| Distance { persona: persona.clone(), distance: 1.0 - cosine(&point, profile) })
            .collect();
        distances.sort_by(|one, other| {
            one.distance.total_cmp(&other.distance).then_with(|| one.persona.cmp(&other.persona))
        });
        distances
    }

    fn deviations<'a>(&self, tokens: impl Iterator<Item = &'a String>) -> Vec<f64> {
        let shares = shares(&self.words, tokens);
        let deviation = |(share, (mean, spread)): (f64, (&f64, &f64))| {
            // A word that all use equally often distinguishes nobody.
            if *spread > 0.0 { (share - mean) / spread } else { 0.0 }
        };
        shares.into_iter().zip(self.mean.iter().zip(&self.spread)).map(deviation).collect()
    }
}

/// Returns the commonest words and marks of all works together; ties are in alphabetical order.
fn commonest(written: &[(&PersonaId, Vec<&String>)]) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for token in written.iter().flat_map(|(_, all)| all) {
        *counts.entry(token).or_default() += 1;
    }
    let mut ranked: Vec<(&str, usize)> = counts.into_iter().collect();
    ranked.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    ranked.into_iter().take(WORDS).enumerate().map(|(place, (word, _))| (word.to_owned(), place)).collect()
}

/// Returns the relative frequency of each of the commonest words in a text.
fn shares<'a>(words: &BTreeMap<String, usize>, tokens: impl Iterator<Item = &'a String>) -> Vec<f64> {
    let (mut counts, mut total) = (vec![0.0; words.len()], 0.0);
    for token in tokens {
        total += 1.0;
        if let Some(place) = words.get(token) {
            counts[*place] += 1.0;
        }
    }
    counts.iter_mut().for_each(|count| *count /= f64::max(total, 1.0));
    counts
}

/// Returns the mean and the standard deviation of each column.
fn moments(rows: &[Vec<f64>], width: usize) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len().max(1) as f64;
    let mean: Vec<f64> = (0..width).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / n).collect();
    let variance = |at: usize| rows.iter().map(|row| (row[at] - mean[at]).powi(2)).sum::<f64>() / n;
    let spread = (0..width).map(|at| variance(at).sqrt()).collect();
    (mean, spread)
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn works(persona: &str, text: &str, times: usize) -> WriterTexts {
        WriterTexts { persona: persona.parse().expect("a name"), documents: vec![tokens(&text.repeat(times))] }
    }

    const ADA: &str = "The wall is what it is, and it is the wall that we have; we shall keep it. ";
    const BEN: &str = "Look, I don't care! Why would anybody? You want walls? Then pay for them, mate. ";

    #[test]
    fn a_text_is_nearest_to_its_writer() {
        let voices = VoiceProfiles::learn(&[works("ada", ADA, 100), works("ben", BEN, 100)]).expect("two writers");
        let nearest = |text: &str| voices.distances(&text.repeat(3)).first().map(|entry| entry.persona.to_string());
        assert_eq!(nearest("It is the harbour that we have, and we shall keep it. ").as_deref(), Some("ada"));
        assert_eq!(nearest("Why would you want boats? I don't! Pay for them, then. ").as_deref(), Some("ben"));
        assert_eq!(voices.distances("Too short to say."), []);
    }

    #[test]
    fn writers_with_little_text_are_left_out() {
        assert!(VoiceProfiles::learn(&[works("ada", ADA, 100), works("ben", BEN, 1)]).is_none());
        assert!(VoiceProfiles::learn(&[]).is_none());
    }

    #[test]
    fn equally_frequent_words_give_finite_distances() {
        let voices = VoiceProfiles::learn(&[works("ada", ADA, 100), works("ben", ADA, 100)]).expect("two writers");
        let distances = voices.distances(&"Nothing known here at all. ".repeat(9));
        assert!(distances.iter().all(|entry| entry.distance.is_finite()), "{distances:?}");
        assert_eq!(distances[0].persona.as_str(), "ada");
    }
}
