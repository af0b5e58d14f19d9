//! Replies of participants and clerks in a talk: their types, and their decoding into events.

pub mod conceding;
pub mod conditions;
pub mod criteria;
pub mod decode;
pub mod distillation;
pub mod echoes;
pub mod findings;
pub mod moves;
pub mod readings;
pub mod schema;
