//! How somebody sounds.
//!
//! | file | what |
//! |------|------|
//! | [`phrase`] | whether a text uses a phrase, word by word |
//! | [`tokens`] | a text as words and marks |
//! | [`delta`] | profiles of several writers, and which of them a text sounds most like |
//! | [`accuracy`] | how often that is right: each document judged by what was learned from the others |
//!
//! Pure; imports names of personas and nothing else. Judges sound only: no rule here knows what a sentence says, and a text
//! that sounds like somebody may still say what they never would.

pub mod accuracy;
pub mod delta;
pub mod phrase;
pub mod tokens;
