//! Prompt templates of the baseline engine.

use crate::kernel::prompt::PromptTemplates;

/// Prompt templates of the engine.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("baseline.md"));
