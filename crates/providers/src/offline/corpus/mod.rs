//! The corpus as the offline provider reads it: an index of sentences, issues, and the sides that a persona takes.

pub mod corpus_index;
pub mod issues;
pub mod stance;
