//! Debates: state, lists, inputs of mutations and their results.

pub mod append;
pub mod debate;
pub mod debate_list;
pub mod debate_ref;
pub mod erasure;
pub mod input;
pub mod usage;
