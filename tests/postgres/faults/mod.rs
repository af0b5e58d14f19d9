//! Faults: killed processes, outages, and processes of several versions on one database.

pub mod crash_recovery;
mod mixed_versions;
mod outages;
mod unknown_events;
