//! Fusion of two rankings of passages: by meaning, and by words.
//!
//! Weighted reciprocal rank (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
//! Learning Methods", 2009):
//!
//! - **By meaning.** All candidates with vectors, ordered by a weighted mean of two cosines: the passage's and, with less
//!   weight, that of its nearest sentence. The sentence contains the answer; the passage gives its context.
//! - **By words.** The weight of a word is its rarity (the idf of BM25). A passage's *share* is the weight of those words of the
//!   search that it contains, divided by the weight of all words of the search. Passages that match the search as it is
//!   written, quotes and minus included, come first, then those with the larger share.
//!
//! The weight of the second ranking depends on the search: it grows with the square of the best share of any passage. For a
//! look-up of rare words that share is 1, for a paraphrased question about a third. The caller need not choose.
//!
//! Candidates may come from several servers: of each ranking, every server has returned its best [`DEPTH`], so the best of all
//! are among them.

use std::cmp::Ordering;

use uuid::Uuid;

/// Number of passages to which each ranking is read, and maximum number of passages of a search.
pub const DEPTH: usize = 50;

/// Constant added to a rank before it is inverted. The 60 of the original paper flattens the first ranks. For passages
/// of one library, of which the first five matter, 5 was better on the tuning half of `tests/fixtures/retrieval`.
const FLATTENING: f64 = 5.0;

/// Weight of the nearest sentence's cosine in the similarity of a passage; the passage's own cosine has the rest. With 0.15
/// and 0.3, recall is the same on the tuning half of `tests/fixtures/retrieval`; the held-out half decided between them.
const SENTENCE: f64 = 0.15;

/// Weight of the ranking by meaning. With a stand-in embedder, which knows spellings only, it just breaks ties.
const MEANING: f64 = 1.0;
const SPELLING: f64 = 0.3;

/// Weight of the ranking by words: the least if the best passage has no share of the words, the most if it has all of
/// them.
const WORDS_LEAST: f64 = 0.3;
const WORDS_MOST: f64 = 2.0;

/// Weight added for a passage that matches the search as it is written.
const AS_WRITTEN: f64 = 1.0;

/// Passage that a search has found, before it is ranked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageCandidate {
    /// Id of the passage; equal ranks are ordered by it.
    pub chunk: Uuid,
    /// Similarity in meaning; `None` if the search has no vector.
    pub meaning: Option<MeaningMatch>,
    /// Match of its words; `None` if it contains no word of the search that was looked up.
    pub words: Option<WordMatch>,
}

/// Similarity of a passage's meaning and the search's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeaningMatch {
    /// Cosine of the passage's vector and that of the search, -1 to 1.
    pub cosine: f64,
    /// Cosine of its nearest sentence's vector and that of the search; `None` if it has no sentence.
    pub sentence_cosine: Option<f64>,
    /// True if the passage was found by its vector, false if it was found by its words alone.
    pub is_near: bool,
}

/// Match of a passage's words and the search's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordMatch {
    /// Share of the weight of the search's words that the passage contains, 0 to 1.
    pub share: f64,
    /// True if the passage matches the search as it is written.
    pub as_written: bool,
    /// Density of the words in the passage, which orders passages of equal shares.
    pub density: f32,
}

/// Passage in the order of the fused ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FusedPassage {
    /// Index of the candidate.
    pub index: usize,
    /// Rank by meaning, from 1; `None` if the search has no vector.
    pub by_meaning: Option<u32>,
    /// Rank by words, from 1; `None` if the passage contains no word of the search.
    pub by_words: Option<u32>,
    /// Relevance; comparable within one search only.
    pub score: f64,
}

/// Ranks the candidates, best first, equal scores by id; at most `limit`. `knows_spelling_only` is true for a stand-in embedder.
///
/// Cost: sorts the candidates a few times.
pub fn fuse(candidates: &[PassageCandidate], knows_spelling_only: bool, limit: usize) -> Vec<FusedPassage> {
    let by_words = ranking(candidates, |it| it.words, by_matching_words);
    let near = ranking(candidates, |it| it.meaning.filter(|it| it.is_near), by_cosine);
    // A passage that another server's passages push out of both rankings is no longer a candidate.
    let found = |ix: &usize| near.contains(ix) || by_words.contains(ix);
    let mut by_meaning: Vec<usize> = (0..candidates.len()).filter(found).collect();
    by_meaning.retain(|ix| candidates[*ix].meaning.is_some());
    sort(&mut by_meaning, candidates, |it| it.meaning, by_similarity);

    let best_share = by_words.iter().filter_map(|ix| candidates[*ix].words).map(|it| it.share).fold(0.0, f64::max);
    let meaning = if knows_spelling_only { SPELLING } else { MEANING };
    let words = WORDS_LEAST + (WORDS_MOST - WORDS_LEAST) * best_share.powi(2);
    let mut ranked: Vec<FusedPassage> = (0..candidates.len())
        .filter(found)
        .map(|index| {
            let (by_meaning, by_words) = (rank(&by_meaning, index), rank(&by_words, index));
            let as_written = candidates[index].words.is_some_and(|it| it.as_written);
            let words = words + if as_written { AS_WRITTEN } else { 0.0 };
            let score = weighed(meaning, by_meaning) + weighed(words, by_words);
            FusedPassage { index, by_meaning, by_words, score }
        })
        .collect();
    let chunk = |it: &FusedPassage| candidates[it.index].chunk;
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| chunk(a).cmp(&chunk(b))));
    ranked.truncate(limit);
    ranked
}

/// Returns the indexes of the best candidates in a ranking, in its order.
fn ranking<T: Copy>(
    candidates: &[PassageCandidate],
    part: impl Fn(&PassageCandidate) -> Option<T>,
    order: impl Fn(&T, &T) -> Ordering,
) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..candidates.len()).filter(|ix| part(&candidates[*ix]).is_some()).collect();
    sort(&mut indexes, candidates, part, order);
    indexes.truncate(DEPTH);
    indexes
}

/// Sorts indexes of candidates by a part of them that all have, and equal ones by id.
fn sort<T>(
    indexes: &mut [usize],
    candidates: &[PassageCandidate],
    part: impl Fn(&PassageCandidate) -> Option<T>,
    order: impl Fn(&T, &T) -> Ordering,
) {
    indexes.sort_by(|a, b| {
        let (a, b) = (&candidates[*a], &candidates[*b]);
        let by_part = part(a).zip(part(b)).map_or(Ordering::Equal, |(a, b)| order(&a, &b));
        by_part.then_with(|| a.chunk.cmp(&b.chunk))
    });
}

fn by_cosine(a: &MeaningMatch, b: &MeaningMatch) -> Ordering {
    descending(a.cosine, b.cosine)
}

fn by_similarity(a: &MeaningMatch, b: &MeaningMatch) -> Ordering {
    let similarity = |it: &MeaningMatch| it.cosine + SENTENCE * (it.sentence_cosine.unwrap_or(it.cosine) - it.cosine);
    descending(similarity(a), similarity(b))
}

fn by_matching_words(a: &WordMatch, b: &WordMatch) -> Ordering {
    b.as_written
        .cmp(&a.as_written)
        .then_with(|| descending(a.share, b.share))
        .then_with(|| descending(f64::from(a.density), f64::from(b.density)))
}

/// Orders numbers from the greatest to the least. The cosine of a vector of length 0 is no number, and comes last.
fn descending(a: f64, b: f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then_with(|| b.total_cmp(&a))
}

fn rank(ranking: &[usize], index: usize) -> Option<u32> {
    let place = ranking.iter().position(|it| *it == index)?;
    u32::try_from(place + 1).ok()
}

fn weighed(weight: f64, rank: Option<u32>) -> f64 {
    rank.map_or(0.0, |rank| weight / (FLATTENING + f64::from(rank)))
}

/// Word of a search, and the number of passages of the library that contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedWord {
    /// The word, in the form in which it is indexed.
    pub word: String,
    /// Number of passages.
    pub n_passages: i64,
}

/// Returns the weights of words by their rarity among `n_passages` passages, in the order of the words.
pub fn rarity(words: &[CountedWord], n_passages: i64) -> Vec<f64> {
    let weight = |word: &CountedWord| {
        let n = word.n_passages as f64;
        ((((n_passages - word.n_passages).max(0) as f64) + 0.5) / (n + 0.5)).ln_1p()
    };
    words.iter().map(weight).collect()
}

/// Returns the words that are looked up: the rarest, as long as they occur in at most `limit` passages together; the rarest
/// even if it occurs in more, up to `limit_of_one`.
pub fn words_to_look_up(words: &[CountedWord], limit: i64, limit_of_one: i64) -> Vec<&str> {
    let mut rarest_first: Vec<&CountedWord> = words.iter().collect();
    rarest_first.sort_by(|a, b| (a.n_passages, &a.word).cmp(&(b.n_passages, &b.word)));
    let mut sum: i64 = 0;
    let is_looked_up = |word: &&CountedWord| {
        let is_first_found = sum == 0;
        sum = sum.saturating_add(word.n_passages);
        sum <= limit || (is_first_found && word.n_passages <= limit_of_one)
    };
    rarest_first.into_iter().take_while(is_looked_up).map(|word| word.word.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(n: u128, cosine: Option<f64>, words: Option<(f64, bool)>) -> PassageCandidate {
        PassageCandidate {
            chunk: Uuid::from_u128(n),
            meaning: cosine.map(|cosine| MeaningMatch { cosine, sentence_cosine: None, is_near: true }),
            words: words.map(|(share, as_written)| WordMatch { share, as_written, density: 0.1 }),
        }
    }

    fn order(candidates: &[PassageCandidate], knows_spelling_only: bool) -> Vec<u128> {
        let ranked = fuse(candidates, knows_spelling_only, DEPTH);
        ranked.iter().map(|it| candidates[it.index].chunk.as_u128()).collect()
    }

    #[test]
    fn words_decide_if_a_passage_has_all_of_them_and_meaning_if_none_has_many() {
        let first = |share: f64, knows_spelling_only: bool| {
            let mut candidates: Vec<PassageCandidate> =
                (1..7).map(|n| candidate(n, Some(0.9 - n as f64 / 100.0), None)).collect();
            candidates.push(candidate(7, Some(0.2), Some((share, false))));
            order(&candidates, knows_spelling_only)[0]
        };
        assert_eq!(first(0.3, false), 1, "a question in other words");
        assert_eq!(first(1.0, false), 7, "a look-up");
        assert_eq!(first(0.3, true), 7, "spelling only breaks ties");
    }

    #[test]
    fn ranks_and_equal_scores_are_reported_in_order() {
        let candidates = [candidate(2, None, Some((0.5, false))), candidate(1, None, Some((0.5, false)))];
        let ranked = fuse(&candidates, false, 1);
        assert_eq!((ranked.len(), ranked[0].index, ranked[0].by_words, ranked[0].by_meaning), (1, 1, Some(1), None));
        let written = [candidate(1, None, Some((0.9, false))), candidate(2, None, Some((0.5, true)))];
        assert_eq!(order(&written, false), [2, 1]);
        assert!(fuse(&[], false, DEPTH).is_empty());
    }

    #[test]
    fn a_nearest_sentence_raises_a_passage_and_no_number_is_last() {
        let mut sentence = candidate(3, Some(0.50), None);
        sentence.meaning = sentence.meaning.map(|it| MeaningMatch { sentence_cosine: Some(0.9), ..it });
        let candidates = [candidate(1, Some(f64::NAN), None), candidate(2, Some(0.52), None), sentence];
        assert_eq!(order(&candidates, false), [3, 2, 1]);
    }

    /// Returns the candidates that a server returns which has these passages: the best of each ranking.
    fn returned(passages: &[PassageCandidate]) -> Vec<PassageCandidate> {
        let near = ranking(passages, |it| it.meaning, by_cosine);
        let worded = ranking(passages, |it| it.words, by_matching_words);
        let mut found = Vec::new();
        for (ix, passage) in passages.iter().enumerate() {
            let meaning = passage.meaning.map(|it| MeaningMatch { is_near: near.contains(&ix), ..it });
            let words = passage.words.filter(|_| worded.contains(&ix));
            if near.contains(&ix) || worded.contains(&ix) {
                found.push(PassageCandidate { meaning, words, ..*passage });
            }
        }
        found
    }

    #[test]
    fn several_servers_find_what_one_would() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let passages: Vec<PassageCandidate> = (0..600)
            .map(|n| {
                let words = (random(3) == 0).then(|| (random(5) as f64 / 5.0, random(9) == 0));
                candidate(n, Some(random(200) as f64 / 200.0), words)
            })
            .collect();
        let of_one = returned(&passages);
        let mut of_three: Vec<PassageCandidate> = passages.chunks(200).flat_map(returned).collect();
        assert!(of_three.len() > of_one.len());
        of_three.sort_by_key(|it| it.chunk);
        let told = |candidates: &[PassageCandidate]| {
            let ranked = fuse(candidates, false, DEPTH);
            let told = |it: FusedPassage| (candidates[it.index].chunk, it.by_meaning, it.by_words, it.score.to_bits());
            ranked.into_iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(told(&of_three), told(&of_one));
    }

    fn words(of: &[(&str, i64)]) -> Vec<CountedWord> {
        of.iter().map(|(word, n_passages)| CountedWord { word: (*word).to_owned(), n_passages: *n_passages }).collect()
    }

    #[test]
    fn the_rarest_words_are_looked_up_and_weigh_most() {
        let counted = words(&[("bridge", 200), ("ferry", 90), ("kerb", 0), ("toll", 30)]);
        assert_eq!(words_to_look_up(&counted, 300, 1_000), ["kerb", "toll", "ferry"], "together they exceed the limit");
        let frequent = words(&[("bridge", 900), ("road", 1_000)]);
        assert_eq!(words_to_look_up(&frequent, 300, 1_000), ["bridge"]);
        assert!(words_to_look_up(&words(&[("the", 1_001)]), 300, 1_000).is_empty());
        let weights = rarity(&counted, 639);
        assert!(weights[2] > weights[3] && weights[3] > weights[1] && weights[1] > weights[0] && weights[0] > 0.0);
        assert!(rarity(&words(&[("all", 10)]), 5).iter().all(|it| it.is_finite()), "counts may lag");
    }
}
