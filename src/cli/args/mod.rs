//! Arguments of commands, below the commands that read them.

pub mod admin;
pub mod debate_filter;
pub mod debates;
pub mod engine_options;
pub mod schema;
pub mod service;
pub mod speed;
pub mod statistics;
pub mod tables;
