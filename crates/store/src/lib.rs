//! Storage in Postgres.
//!
//! Everything that is written to Postgres, and the only code that contains SQL: the event log and its lanes, the views
//! derived from it, and the leases of the processes that drive debates.
//!
//! ```text
//! append ─▶ writer ─▶ single_append or batch_append ─▶ recent_events, watermarks ─▶ followers   of this process
//!                                                 └──▶ notify ─▶ log_tail ─▶ watermarks         of the others
//! ```
//!
//! A body is encrypted under its debate's key before it goes to the writer (`keys`, `cipher`), and decrypted in
//! `log::row`. Erasing a debate destroys its key (`erasure`).
//!
//! Imports `events`, and no layer above it. Contains no decisions about debates: it knows no engine and no projection,
//! and a body is bytes to it. A notification is only a hint to read the log, never a source of facts.

pub mod cipher;
pub mod database;
pub mod embedded;
pub mod erasure;
pub mod error;
pub mod follow;
pub mod generations;
pub mod keys;
pub mod lanes;
pub mod leases;
pub mod library;
pub mod log;
pub mod open;
pub mod projector;
pub mod providers;
pub mod provision;
pub mod questions;
pub mod replica;
pub mod shard;
pub mod shards;
pub mod stored_embedder;
pub mod views;
pub mod wake;

pub(crate) mod compression;
