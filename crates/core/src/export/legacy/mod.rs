//! The event streams and result files of the two older systems.

pub mod dialogue;
pub mod graph;
pub mod legacy;
pub mod legacy_debate;
