//! Offline.

pub mod words;
pub mod cues;
pub mod choose;
pub mod relate;
pub mod papers;
pub mod issues;
pub mod stance;
