//! The baseline engine: talks without a protocol, as yardsticks for the other engines.

pub mod baseline;
pub mod recorded_talk;
pub mod settings;
pub mod words;
pub mod written_talk;
