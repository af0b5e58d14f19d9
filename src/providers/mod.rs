//! Adapters to the outside world: language models, embedders and corpora.
//!
//! [`ports`] declares the interfaces that a debate uses. The other files implement them: models over HTTP, a model-free
//! provider that quotes a persona's own corpus, answers from a script, and sentence embeddings in process or over HTTP.
//!
//! Depends on `events` and `kernel` only; knows no database table and no engine. Providers keep no state between calls
//! except caches.

pub mod ports;
pub mod settings;
pub mod setback;
pub mod http;
pub mod schemas;
pub mod prices;
pub mod anthropic;
pub mod completion;
pub mod openai;
pub mod embeddings;
pub mod scripted;
pub mod minilm;
pub mod hashing;
pub mod offline;
pub mod grid;
