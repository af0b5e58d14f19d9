//! Loading of GraphQL objects: debates from lists or folded, and objects by id.

pub mod debate_loader;
pub mod folded_debates;
pub mod library_loader;
pub mod nodes;
pub mod timelines;
