//! A private Postgres for a program without `DATABASE_URL`: found or fetched, started and stopped with the program, and
//! recovered after a crash of either.
//!
//! ```text
//! open ── another process owns a ready cluster? ── attach
//!   └── find binaries ── lock ── create, if new ── recover ── start ── watch
//! ```
//!
//! | event | response |
//! |-------|----------|
//! | two processes start at once | a file lock selects one owner; the other process waits and attaches |
//! | the program is killed | a pipe closes, and the watcher shuts the server down (`watcher.sh`) |
//! | the watcher is killed too | the next owner finds the orphan and shuts it down (`recover`) |
//! | the server is killed | its owner waits for stray backends, ends them, and restarts the server (`watchdog`) |
//! | a stale `postmaster.pid` names an unrelated process | it is removed, after a check of the process's directory |
//! | the program runs as root | the server runs as the owner of its files, a dedicated user, or `nobody` (`user`) |
//! | the path of the socket is too long | the socket moves to a short private directory (`socket`) |
//! | the cluster is of another major version | an error explains how to migrate it |
//!
//! This module imports only `provision` and `disk_guard` from the crate. It deliberately does not upgrade a cluster to
//! another major version, listen on TCP, require passwords (the socket's directory is closed to other users), or create
//! databases and schemas, which is left to the callers. Unix only; without `/proc` (macOS) stray backends are not
//! searched for, and Postgres itself refuses to start until they have ended.

pub mod cluster;
pub mod create;
pub mod error;
pub mod fallback_dir;
pub mod find;
pub mod layout;
pub mod lock;
pub mod log;
pub mod memory;
pub mod pid_file;
pub mod processes;
pub mod recover;
pub mod socket;
pub mod start;
pub mod user;
pub mod watchdog;
