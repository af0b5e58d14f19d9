//! Style of writers: phrases, tokens and authorship attribution.
//!
//! | file | content |
//! |------|---------|
//! | [`phrase`] | search for phrases in a text, by whole words |
//! | [`said_words`] | search for words in what was said, whatever the case and the white space |
//! | [`stock_phrases`] | phrases by which a language model is recognized |
//! | [`tokens`] | split of a text into words and punctuation marks |
//! | [`delta`] | profiles of several writers, and attribution of a text to the nearest |
//! | [`accuracy`] | accuracy of the attribution: each document is judged by profiles learned from the others |
//!
//! Pure; imports persona names and nothing else. Judges style only: no rule here knows the meaning of a sentence, and a
//! text in the style of a writer may still contradict their views.

pub mod accuracy;
pub mod delta;
pub mod phrase;
pub mod said_words;
pub mod stock_phrases;
pub mod tokens;
