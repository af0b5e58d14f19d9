//! Talk, which `dialogue` and `disputes` share: phases, turn taking, hints, repetition, and the matching of questions.

pub mod common_options;
pub mod decode;
pub mod hints;
pub mod phases;
pub mod prompts;
pub mod question_matching;
pub mod repetition;
pub mod schema;
pub mod state;
pub mod talk;
pub mod turn_taking;
pub mod wording;

#[cfg(test)]
mod sample;
