//! Everything wired together, once.
//!
//! [`database`] finds or starts Postgres, [`librarian`] keeps the corpora and hands them to whoever asks, [`providers`]
//! makes the providers that the configuration names, and [`app`] is the whole: what a command opens, and what a service
//! runs. Decides nothing of a debate.

pub mod error;
pub mod access;
pub mod database;
pub mod librarian;
pub mod metrics;
pub mod process;
pub mod telemetry;
pub mod providers;
pub mod readiness;
pub mod app;
