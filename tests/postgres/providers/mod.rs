//! Model providers and embedders.

mod embeddings;
mod evidence;
mod minilm;
mod anthropic;
mod budget;
mod http_retries;
mod openai;
mod pace;
mod real_model;
mod scripted;
mod streaming;
