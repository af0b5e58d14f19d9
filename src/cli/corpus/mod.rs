//! `faultline corpus`: what personas wrote, and how it is embedded. One file a subcommand; [`corpus`] names them.

pub mod corpus;
pub mod ingest;
pub mod remove;
pub mod reembed;
pub mod search;
pub mod stats;
