//! Labels of arguments under a semantics, and a warning about those that are accepted only because nobody answered.

pub mod labels;
pub mod last_word;
