//! Application service: commands append events, queries fold events into read models.
//!
//! The API and the command line both call this crate for everything that a client may request. The service never calls
//! a runner: it appends events, and runners follow the log. Answers are folded from the stream itself, so clients read
//! their own writes.
//!
//! Imports the pure modules, `store`, and the ports of `providers`.

pub mod append;
pub mod audit;
pub mod catalog;
pub mod catch_up;
pub mod compute;
pub mod cross_debate_search;
pub mod derived;
pub mod drafts;
pub mod erase;
pub mod error;
pub mod feeds;
pub mod fold_many;
pub mod import;
pub mod offline_topics;
pub mod passage_search;
pub mod plain_sides;
pub mod read_ahead;
pub mod read_routing;
pub mod recurring;
pub mod scans;
pub mod service;
pub mod shared_stream;
pub mod views;
pub mod voice_attribution;
