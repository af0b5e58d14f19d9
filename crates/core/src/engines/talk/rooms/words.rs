//! Prompt templates of the clerk of rooms.

use crate::kernel::prompt::PromptTemplates;

/// Prompt templates.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("rooms.md"));
