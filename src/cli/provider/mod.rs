//! `faultline provider`: checks the configured providers.

pub mod args;
pub mod check;
pub mod connection;
