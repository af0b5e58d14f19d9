//! Prompt templates of the engine.

use crate::kernel::prompt::PromptTemplates;

/// Prompt templates.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("pro_con.md"));
