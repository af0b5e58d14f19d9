//! A private Postgres, for when none is given: found or fetched, started with the program, stopped with it, and mended
//! after whatever killed either of them.
//!
//! ```text
//! open ── someone owns a ready cluster? ── attach
//!   └── find binaries ── lock ── create, if new ── recover ── start ── keep
//! ```
//!
//! | what may happen | what is done about it |
//! |-----------------|-----------------------|
//! | two processes start at once | a file lock has one owner; the other waits and attaches |
//! | the program is killed, however | a pipe closes, and its watcher shuts the server down (`watcher.sh`) |
//! | the watcher is killed too | the next owner finds the orphan and shuts it down (`recover`) |
//! | the server is killed | its owner waits for stray backends, ends them, and starts it anew (`keeper`) |
//! | a stale `postmaster.pid` names a living stranger | it is removed, after a look at where that process lives |
//! | the program runs as root | the server runs as the owner of its files, or as nobody (`user`) |
//! | the path is too long for a socket | the socket moves to a short private directory (`socket`) |
//! | the cluster is of another major version | an error that names the way to move it |
//!
//! It imports `provision` and nothing else of the crate. It deliberately does not upgrade a cluster to another major
//! version, listen on TCP, ask for passwords (the socket's directory is closed to other users), or create databases
//! and schemas: those are the callers' to make. Unix only; without `/proc` (macOS) stray backends are not looked for,
//! and Postgres itself refuses to start until they are gone.

pub mod cluster;
pub mod create;
pub mod error;
pub mod find;
pub mod keeper;
pub mod lock;
pub mod log;
pub mod pid_file;
pub mod place;
pub mod processes;
pub mod recover;
pub mod refuge;
pub mod socket;
pub mod start;
pub mod user;
