//! Assembles the application.
//!
//! [`database`] opens or starts Postgres, [`librarian`] maintains and provides the corpora, [`providers`] creates the
//! configured providers, and [`app`] opens what commands need and runs the service. Contains no decisions about
//! debates.

pub mod access;
pub mod app;
pub mod corpus_service;
pub mod database;
pub mod error;
pub mod metrics;
pub mod process;
pub mod providers;
pub mod readiness;
pub mod telemetry;
