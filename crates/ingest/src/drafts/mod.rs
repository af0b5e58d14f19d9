//! Drafts of persona files and of positions, by a model, for a person to edit.

pub mod draft_persona;
pub mod draft_positions;
