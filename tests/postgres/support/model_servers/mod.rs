//! Servers with the interfaces of model providers.

pub mod embeddings_server;
pub mod provider_server;
pub mod search_server;
pub mod stream_server;
