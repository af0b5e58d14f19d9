//! Disputes: their graph, and the state of each.

pub mod dispute_graph;
pub mod dispute_state;
