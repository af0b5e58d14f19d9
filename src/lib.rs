//! Debates between personas, recorded as events, and the cruxes computed from them.
//!
//! A debate is its event log. All other state is a fold of that log, or the answer to a request to the outside world.
//! The crates below this one define the events and their folds (`faultline_core`), solve argumentation frameworks
//! (`faultline_argumentation`), write the log (`faultline_store`), call models (`faultline_providers`), fill the library
//! (`faultline_ingest`), accept commands and answer queries (`faultline_service`), and drive debates and maintain read
//! models (`faultline_runtime`). This crate serves clients ([`api`], [`cli`]) and assembles the parts ([`app`],
//! [`config`]). It makes no decisions about a debate.
//!
//! `ARCHITECTURE.md` describes the whole structure. Folders import downward only, which a test checks.

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod config_file;
pub mod config_values;
pub mod limits;
pub mod proxies;
