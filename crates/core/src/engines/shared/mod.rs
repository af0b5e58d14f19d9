//! Parts that engines share: prompts for views and personas, options, closed lists in replies, and the consequences of
//! granting a statement.

pub mod grants;
pub mod options;
pub mod persona_prompts;
pub mod reply_schema;
pub mod view_prompts;
