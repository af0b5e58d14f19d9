//! Debates: state, lists, inputs of mutations and their results.

pub mod debate;
pub mod debate_list;
pub mod debate_ref;
pub mod driver;
pub mod erasure;
pub mod usage;
