//! Parts that engines share: prompts for views and personas, options, and closed lists in replies.

pub mod options;
pub mod persona_prompts;
pub mod reply_schema;
pub mod view_prompts;
