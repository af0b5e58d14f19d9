//! Model providers and embedders.

mod embeddings;
mod minilm;
mod anthropic;
mod http_retries;
mod openai;
mod provider_server;
mod real_model;
mod scripted;
mod stream_server;
mod streaming;
