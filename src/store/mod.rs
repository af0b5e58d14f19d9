//! Storage in Postgres.
//!
//! Everything that is written to Postgres, and the only code that contains SQL: the event log and its lanes, the views
//! derived from it, and the leases of the processes that drive debates.
//!
//! ```text
//! append ─▶ writer ─▶ lone, or append_events(...) ─▶ fresh, wakes ─▶ followers   of this process, at commit
//!                                              └──▶ announce ─▶ tail ─▶ wakes   of the others, by notification or poll
//! ```
//!
//! A body is encrypted under its debate's key before it goes to the writer, and decrypted in `row`. Erasing a debate
//! destroys its key (`erasure`).
//!
//! Imports `events`, and no layer above it. Contains no decisions about debates: it knows no engine and no projection,
//! and a body is bytes to it. A notification is only a hint to read the log, never a source of facts.

pub mod append;
pub mod crux_rows;
pub mod cruxes;
pub mod debates;
pub mod editions;
pub mod dispute_rows;
pub mod disputes;
pub mod embedded;
pub mod erasure;
pub mod scrub;
pub mod fault;
pub mod room;
pub mod follower;
pub mod forks;
pub mod generation_end;
pub mod generation_lanes;
pub mod generation_switch;
pub mod generations;
pub mod heads;
pub mod keys;
pub mod kept;
pub mod known;
pub mod lanes;
pub mod leases;
pub mod letters;
pub mod library;
pub mod log;
pub mod open;
pub mod pool;
pub mod projector_lock;
pub mod questions;
pub mod replica;
pub mod restore;
pub mod rewrap;
pub mod sealing;
pub mod sifted;
pub mod streams;
pub mod stretches;
pub mod tail;
pub mod verdict_pairs;
pub mod verify;
pub mod views;
pub mod wakes;

mod announce;
mod backoff;
mod batch;
mod fresh;
mod lone;
mod replica_watch;
mod row;
mod writer;
