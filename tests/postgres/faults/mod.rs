//! Faults: killed processes, outages, and processes of several versions on one database.

mod crash_recovery;
mod mixed_versions;
mod older_builds;
mod outages;
mod unknown_events;
mod crash_test;
mod database_outages;
pub mod database_proxy;
