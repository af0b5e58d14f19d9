//! Model providers and embedders.

mod embeddings;
mod minilm;
mod anthropic;
mod http_retries;
mod openai;
pub mod provider_server;
mod scripted;
mod stream_server;
mod streaming;
