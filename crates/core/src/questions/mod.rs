//! Similarity of questions: detection of questions that are the same.
//!
//! Debates put the same question in many words, and different questions in almost the same words: by cosine similarity
//! alone, "capped at 5 percent" and "capped at 10 percent" are the same. The cosine is therefore combined with features
//! that are cheap to extract from the words: numbers, names, negations, opposites, and the share of words in common.
//!
//! | step | file |
//! |------|------|
//! | features of one text | [`wording`] |
//! | number of reversals of meaning between two texts | [`polarity`] |
//! | contrasts whose sides are exchanged | [`contrast`] |
//! | answer that words give by repeating a question as a statement | [`stated_answer`] |
//! | answer that words give by an attitude to what a question proposes | [`attitude`] |
//! | sentences that only say what would change a mind | [`mind_change`] |
//! | classification as the same, opposite or near | [`sameness`] |
//! | clustering of questions that are the same | [`clusters`] |
//! | words that two texts have in common | [`common_words`] |
//! | content words of a text, each text once | [`content_words`] |
//!
//! English only, like the full-text search. Imports nothing.

pub mod attitude;
pub mod clusters;
pub mod common_words;
pub mod content_words;
pub mod contrast;
pub mod mind_change;
pub mod nearest;
pub mod polarity;
pub mod sameness;
pub mod stated_answer;
pub mod wording;
