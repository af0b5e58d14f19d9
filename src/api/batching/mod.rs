//! Batches of debates: data that a list needs is read for all its debates at once.
//!
//! Knows no GraphQL object, so that objects can keep their batch.

pub mod debate_batch;
pub mod lookahead;
pub mod once_map;
