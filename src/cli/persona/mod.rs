//! `faultline persona`: lists, shows, checks and drafts personas.
//!
//! Persona files are read directly. Only `history`, `show --version` and `check` use the database, and `check` only if
//! there is one.

pub mod args;
pub mod build;
pub mod build_positions;
pub mod check;
pub mod draft_inputs;
pub mod history;
pub mod list;
pub mod show;
pub mod similar;
