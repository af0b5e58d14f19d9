//! `faultline corpus …`: what personas wrote.

pub mod corpus;
pub mod ingest;
pub mod remove;
