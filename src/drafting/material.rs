//! What a draft is made from: passages with their sentences, and what was measured over the whole corpus.

use serde::{Deserialize, Serialize};

use crate::drafting::cues;

/// The most bytes of passages that somebody who drafts is given.
pub const SAMPLE_BYTES: usize = 60_000;

/// What a draft is made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Who wrote it, by the name for people.
    pub name: String,
    /// Passages, in the order of documents. The prompt calls them `g1`, `g2`, and so on.
    pub passages: Vec<Passage>,
    /// Words and phrases that mark the writer, the most telling first.
    pub vocabulary: Vec<String>,
    /// Habits of speech that were measured, in words.
    pub habits: Vec<String>,
    /// Phrases that the corpus does not use, and a language model would.
    pub foreign: Vec<String>,
}

/// A passage of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The document's name: the stem of its file.
    pub document: String,
    /// The document's title.
    pub title: String,
    /// Its place in the document, from 0.
    pub ordinal: usize,
    /// Whether it is the last of its document.
    pub is_last: bool,
    /// Its sentences, each as it stands there.
    pub sentences: Vec<String>,
}

impl Passage {
    /// The passage itself.
    pub fn text(&self) -> String {
        self.sentences.join(" ")
    }

    fn bytes(&self) -> usize {
        self.sentences.iter().map(|it| it.len() + 1).sum()
    }
}

/// Passages of at most [`SAMPLE_BYTES`], in their order: those first that grant, doubt, weigh or begin and end a document,
/// then the others from all documents in turn. All of them where they fit.
pub fn sample(passages: &[Passage]) -> Vec<Passage> {
    let told = |it: &Passage| {
        let cued = it.sentences.iter().filter(|it| cues::is_telling(it)).count().min(3);
        cued + usize::from(it.ordinal == 0 || it.is_last)
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(told(&passages[*at])), passages[*at].ordinal, *at));
    let mut room = SAMPLE_BYTES;
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
    fn a_sample_keeps_what_tells_most_and_its_order() {
        let passage = |document: &str, ordinal: usize, text: &str| Passage {
            document: document.into(),
            ordinal,
            sentences: vec![text.into()],
            ..Passage::default()
        };
        let dull = "It rained on the harbour. ".repeat(400);
        let passages: Vec<Passage> = (0..8)
            .map(|at| passage("a", at, &dull))
            .chain([passage("b", 1, "I would change my mind if the wall stood a year.")])
            .collect();
        let sampled = sample(&passages);
        assert!(sampled.iter().map(Passage::bytes).sum::<usize>() <= SAMPLE_BYTES);
        assert_eq!(sampled.first().map(|it| it.ordinal), Some(0));
        assert_eq!(sampled.last().map(|it| it.document.as_str()), Some("b"));
        assert!(sampled.len() < passages.len());
        assert_eq!(sample(&passages[8..]), passages[8..]);
    }
}
