//! Assembles the application.
//!
//! [`database`] opens or starts Postgres. [`open_app`] adds the debate service, which is enough for commands that read
//! or control debates. [`equipped_app`] adds the corpora ([`corpus_service`]) and the configured [`providers`], which
//! running debates needs, and [`server`] serves the API over it. Contains no decisions about debates.

pub mod access;
pub mod bus;
pub mod corpus_service;
pub mod database;
pub mod equipped_app;
pub mod error;
pub mod metrics;
pub mod open_app;
pub mod paced_model;
pub mod process;
pub mod providers;
pub mod readiness;
pub mod server;
pub mod telemetry;
pub mod workers;
