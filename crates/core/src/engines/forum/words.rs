//! Prompt templates of the main channel and the threads.

use crate::kernel::prompt::PromptTemplates;

/// Prompt templates.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("forum.md"));
