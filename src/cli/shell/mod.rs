//! Commands around the shell: grouped help, version, completions, manual pages, settings and the browser.

pub mod completions;
pub mod config;
pub mod help_groups;
pub mod man;
pub mod open;
pub mod secrets;
pub mod version;
