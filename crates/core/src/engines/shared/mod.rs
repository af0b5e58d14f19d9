//! Parts that engines share: prompts for views and personas, options, closed lists in replies, the consequences of
//! granting a statement, and of agreeing on a crux.

pub mod agreed_crux;
pub mod bounded_lines;
pub mod effect_names;
pub mod grants;
pub mod manner;
pub mod options;
pub mod persona_prompts;
pub mod reply_schema;
pub mod view_prompts;
