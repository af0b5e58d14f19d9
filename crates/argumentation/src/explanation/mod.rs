//! Explanations: which argument is accepted or rejected, and why, in steps that can be followed.

pub mod acceptance;
pub mod explanation;
pub mod explanation_text;
pub mod reasons;
pub mod witness;
