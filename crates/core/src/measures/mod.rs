//! Measures of a debate, each computed from the log by a stated formula, with the turns behind it.

pub mod answers;
pub mod concession_measures;
pub mod consensus;
pub mod cost;
pub mod course_measures;
pub mod crux_measures;
pub mod facts;
pub mod grounding_measures;
pub mod inputs;
pub mod interval;
pub mod judgement;
pub mod measure;
pub mod measure_text;
pub mod probe_measures;
pub mod registry;
pub mod speaker_figures;
pub mod stance_moves;
pub mod stances;
pub mod text_vectors;
pub mod turn_likeness;
pub mod voice;
pub mod wording_measures;
