//! Prompt templates of the channel, the detector and the rooms.

use crate::kernel::prompt::PromptTemplates;

/// Prompt templates.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("crux_rooms.md"));
