//! Model providers and embedders.

mod embeddings;
mod http;
pub mod minilm;
