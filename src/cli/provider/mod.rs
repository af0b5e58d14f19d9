//! Commands about providers.

pub mod args;
pub mod check;
pub mod connection;
