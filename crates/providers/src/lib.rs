//! Adapters to the outside world: language models, embedders and corpora.
//!
//! [`ports`] declares the interfaces that a debate uses. The other files implement them: models over HTTP, a model-free
//! provider that quotes a persona's own corpus, answers from a script, an auditor in process, sentence embeddings in
//! process or over HTTP, and web searches.
//!
//! Depends on `events` and `kernel` only; knows no database table and no engine. Providers keep no state between calls
//! except caches.

pub mod anthropic;
pub mod call_error;
pub mod completion;
pub mod embeddings;
pub mod hashing;
pub mod http;
mod message;
pub mod minilm;
pub mod nli;
pub mod offline;
pub mod openai;
pub mod pacing;
pub mod ports;
pub mod prices;
pub mod public_address;
pub mod quantize;
mod reply_stream;
pub mod schemas;
pub mod scripted;
pub mod search;
pub mod settings;
mod streaming;
