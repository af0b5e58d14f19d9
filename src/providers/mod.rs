//! The outside.
//!
//! What a debate may ask of the world stands in [`ports`]; each other file answers it: models over HTTP, a persona that
//! quotes its own corpus without any model, answers from a script, and sentence embeddings in process or over HTTP.
//!
//! Imports `events` and `kernel`; knows no table and no engine. A provider keeps nothing between calls but what makes
//! the next one quicker.

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
