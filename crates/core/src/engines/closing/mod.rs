//! Closing phase of the engines that are no talk: everybody's last words, and their answers to what they agreed on as the
//! crux.

pub mod closing_phase;
pub mod context;
pub mod crux_answer;
pub mod last_words;
