//! Talk, which `dialogue` and `disputes` share: phases, turn taking, hints, repetition, echoes,
//! the matching of questions, and the decoding of distillations. Echoes and the naming of
//! cruxes serve the other engines, too.

pub mod common_options;
pub mod conceding;
pub mod copied_words;
pub mod criteria;
pub mod crux_dispute;
pub mod crux_naming;
pub mod decode;
pub mod distillation;
pub mod echoes;
pub mod hints;
pub mod model_request;
pub mod moves;
pub mod phases;
pub mod prompts;
pub mod question_matching;
pub mod readings;
pub mod repetition;
pub mod schema;
pub mod state;
pub mod talk;
pub mod turn_taking;
pub mod wording;

#[cfg(test)]
pub mod sample;
