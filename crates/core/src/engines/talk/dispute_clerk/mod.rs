//! Distillation of a talk into disputes, stances and reasons.

pub mod clerk_steps;
pub mod decode;
pub mod dispute_clerk;
pub mod schema;
