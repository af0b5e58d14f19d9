//! Passages supplied with a prompt: the searches for which speakers ask ([`searching`]), and the text that shows what was found
//! ([`prompt_assembly`]).

pub mod prompt_assembly;
pub mod searching;
