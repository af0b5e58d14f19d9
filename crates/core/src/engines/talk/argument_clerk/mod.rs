//! Distillation of a talk into arguments and attacks.

pub mod argument_clerk;
pub mod decode;
pub mod schema;
