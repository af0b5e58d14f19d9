//! Typed contents of events, one GraphQL type for each kind, made from the registry of events.

pub mod content;
pub mod registration;
pub mod shape;
