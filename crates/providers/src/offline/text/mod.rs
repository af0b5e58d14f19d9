//! Words, cues and relatedness of short texts, for the offline provider.

pub mod cues;
pub mod relatedness;
pub mod words;
