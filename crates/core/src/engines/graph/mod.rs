//! The engine `graph`: arguments and attacks in rounds, judged by Dung's semantics.

pub mod decode;
pub mod graph;
pub mod schema;
mod shown;
