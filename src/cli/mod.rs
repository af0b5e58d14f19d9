//! Command line: one file per command, with its output and exit codes.
//!
//! Imports every other module. [`commands`] lists the commands with their help, [`args`] their arguments, and [`run`]
//! dispatches. A command opens as much of the service as it needs ([`crate::app`]), and prints for people or, with
//! `--json`, for programs. Errors are one line on stderr: what failed, why, and what to do. Exit codes: 0 success, 1
//! refused or not found, 2 invalid usage or configuration, 3 internal fault, 4 the debate stalled or failed, 130 interrupted
//! by Ctrl-C; see [`output::exit`].

pub mod admin;
pub mod analysis;
pub mod args;
pub mod argumentation;
pub mod catch_up;
pub mod commands;
pub mod corpus;
pub mod debates;
pub mod demo;
pub mod init;
pub mod output;
pub mod persona;
pub mod provider;
pub mod run;
pub mod schema;
pub mod serve;
pub mod shell;
pub mod topics;
