//! When two questions are one.
//!
//! Debates put the same question in many words, and put different questions in almost the same words: a cosine alone
//! takes "capped at 5 percent" and "capped at 10 percent" for one. So a cosine is read beside what is cheap to see in the
//! words: numbers, names, negations, opposites, and how much of the sentence both share.
//!
//! | step | file |
//! |------|------|
//! | what is seen in one text | [`wording`] |
//! | how often two texts turn round what they say | [`polarity`] |
//! | the same, the opposite, or near | [`sameness`] |
//! | many questions into clusters of the same | [`clusters`] |
//!
//! English only, as the full text search is. Imports nothing.

pub mod wording;
pub mod polarity;
pub mod sameness;
pub mod clusters;
