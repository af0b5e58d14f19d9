//! Drafts of persona files and of positions, and suggestions of questions, by a model, for a person to read.

pub mod draft_persona;
pub mod draft_positions;
pub mod suggest_questions;
