//! Calls of models: those that were given up, the searches for which speakers asked, and the use that each participant made of them.

pub mod missed_calls;
pub mod searches;
pub mod speaker_use;
