//! Offline.

pub mod words;
pub mod cues;
pub mod choose;
pub mod relate;
pub mod papers;
pub mod issues;
pub mod stance;
pub mod phrases;
pub mod debate;
pub mod answers;
pub mod contest;
pub mod arguments;
pub mod reading;
pub mod past;
pub mod attacks;
pub mod reply;
pub mod judge;
pub mod speaking;
pub mod model;
