//! Talk, which `dialogue`, `disputes`, `crux_rooms` and `forum` share: phases, turn taking, speeches, hints, repetition, the
//! matching of questions, replies, rooms, and the clerk who distils disputes. Echoes and the naming of cruxes serve the other
//! engines, too.

pub mod argument_clerk;
pub mod common_options;
pub mod copied_words;
pub mod crux_dispute;
pub mod crux_naming;
pub mod dispute_clerk;
pub mod ground_given;
pub mod hints;
pub mod model_request;
pub mod phases;
pub mod prompts;
pub mod question_matching;
pub mod raised_question;
pub mod repetition;
pub mod replies;
pub mod rooms;
pub mod speeches;
pub mod state;
pub mod talk;
pub mod turn_taking;
pub mod wording;

#[cfg(test)]
pub mod sample;
