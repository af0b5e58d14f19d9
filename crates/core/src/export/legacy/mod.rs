//! The event streams and texts of the older systems.

pub mod blackboard;
pub mod crux_tables;
pub mod crystal_batch;
pub mod dialogue;
pub mod dispute_update;
pub mod graph;
pub mod legacy;
pub mod legacy_debate;
pub mod output;
pub mod pro_con;
pub mod rooms;
pub mod round_batch;
pub mod transcript;
