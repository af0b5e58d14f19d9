//! Command line: one file per command, with its output and exit codes.
//!
//! Imports every other module. A command parses its arguments ([`args`]), opens as much of the service as it needs
//! ([`crate::app`]), and prints for people or, with `--json`, for programs. Errors are one line on stderr: what failed,
//! why, and what to do. Exit codes: 0 success, 1 refused or not found, 2 usage error, 3 internal fault; see [`exit`].

pub mod args;
pub mod exit;
pub mod out;
pub mod run;
pub mod screen;
pub mod stage;
pub mod demo;
pub mod serve;
pub mod token;
pub mod debate;
pub mod catch_up;
pub mod list;
pub mod cruxes;
pub mod persona;
pub mod show;
pub mod export;
pub mod watch;
pub mod history;
pub mod control;
pub mod corpus;
pub mod fork;
pub mod import;
pub mod projections;
pub mod rebuild;
pub mod replay;
pub mod iccma;
pub mod argue;
pub mod schema;
pub mod verify;
pub mod verify_views;
pub mod doctor;
pub mod erase;
pub mod keys;
