//! Material for a draft: passages with their sentences, and measurements over the whole corpus.

use serde::{Deserialize, Serialize};

use crate::drafting::cues;

/// Maximum number of bytes of passages given to the drafting model.
pub const MAX_SAMPLE_BYTES: usize = 60_000;

/// Material for a draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Display name of the author.
    pub name: String,
    /// Passages, in the order of documents. The prompt calls them `g1`, `g2`, and so on.
    pub passages: Vec<SourcePassage>,
    /// Words and phrases that are typical of the writer, most typical first.
    pub vocabulary: Vec<String>,
    /// Measured habits of speech, in words.
    pub habits: Vec<String>,
    /// Phrases that are not in the corpus and that a language model would use.
    pub foreign: Vec<String>,
}

/// A passage of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourcePassage {
    /// Name of the document: the stem of its file.
    pub document: String,
    /// Title of the document.
    pub title: String,
    /// Index in the document, from 0.
    pub ordinal: usize,
    /// True if it is the last passage of its document.
    pub is_last: bool,
    /// Sentences, unchanged.
    pub sentences: Vec<String>,
}

impl SourcePassage {
    /// Returns the text of the passage.
    pub fn text(&self) -> String {
        self.sentences.join(" ")
    }

    fn bytes(&self) -> usize {
        self.sentences.iter().map(|sentence| sentence.len() + 1).sum()
    }
}

/// Returns passages of at most [`MAX_SAMPLE_BYTES`] in total, in their order. Passages that concede, doubt or name a crux,
/// and those that begin or end a document, take precedence; then follow the others from all documents in turn. All
/// passages if they fit.
pub fn sample(passages: &[SourcePassage]) -> Vec<SourcePassage> {
    let told = |passage: &SourcePassage| {
        let cued = passage.sentences.iter().filter(|sentence| cues::is_telling(sentence)).count().min(3);
        cued + usize::from(passage.ordinal == 0 || passage.is_last)
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(told(&passages[*at])), passages[*at].ordinal, *at));
    let mut room = MAX_SAMPLE_BYTES;
    let mut taken: Vec<usize> = order
        .into_iter()
        .filter(|at| {
            let fits = passages[*at].bytes() <= room;
            room -= if fits { passages[*at].bytes() } else { 0 };
            fits
        })
        .collect();
    taken.sort_unstable();
    taken.into_iter().map(|at| passages[at].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_prefers_passages_with_cues_and_keeps_the_order() {
        let passage = |document: &str, ordinal: usize, text: &str| SourcePassage {
            document: document.into(),
            ordinal,
            sentences: vec![text.into()],
            ..SourcePassage::default()
        };
        let dull = "It rained on the harbour. ".repeat(400);
        let passages: Vec<SourcePassage> = (0..8)
            .map(|at| passage("a", at, &dull))
            .chain([passage("b", 1, "I would change my mind if the wall stood a year.")])
            .collect();
        let sampled = sample(&passages);
        assert!(sampled.iter().map(SourcePassage::bytes).sum::<usize>() <= MAX_SAMPLE_BYTES);
        assert_eq!(sampled.first().map(|passage| passage.ordinal), Some(0));
        assert_eq!(sampled.last().map(|passage| passage.document.as_str()), Some("b"));
        assert!(sampled.len() < passages.len());
        assert_eq!(sample(&passages[8..]), passages[8..]);
    }
}
