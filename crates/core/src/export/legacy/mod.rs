//! The event streams and texts of the older systems.

pub mod dialogue;
pub mod graph;
pub mod legacy;
pub mod legacy_debate;
pub mod transcript;
