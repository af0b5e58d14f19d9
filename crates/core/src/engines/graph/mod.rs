//! The engine `graph`: arguments and attacks in rounds, judged by Dung's semantics.

mod argument_parts;
pub mod context;
pub mod decode;
pub mod graph;
pub mod grants;
pub mod schema;
pub mod settings;
mod shown;
