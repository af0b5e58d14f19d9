//! Prompt templates of blackboard debates.

use crate::kernel::prompt::PromptTemplates;

/// Prompt templates.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("blackboard.md"));
