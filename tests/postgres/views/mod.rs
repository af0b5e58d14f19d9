//! Views derived from the log: their contents, their rebuilds, and events that they cannot read.

mod altered_rows;
mod cruxes;
mod dead_letters;
mod debate_stats;
mod generation_approval;
mod projector_lanes;
pub mod question_embedding;
mod question_index;
mod rebuild;
mod recurring_questions;
mod shared_reads;
mod stored_views;
pub mod rebuild_steps;
mod rebuild_faults;
