//! The event log: appending, reading streams and lanes, forks, heads, and verification.
//!
//! `row` has the columns of every select of events and decodes them.

pub mod append;
pub mod forks;
pub mod heads;
pub mod lane_reads;
pub mod lane_scan;
pub mod lifecycle;
pub mod log;
pub mod log_pages;
pub mod preferred_debates;
pub mod received_events;
pub mod stored_event;
pub mod stream_kinds;
pub mod stream_ranges;
pub mod verify;

pub(crate) mod batch_append;
pub(crate) mod fork_event;
pub(crate) mod received_keys;
pub(crate) mod recent_events;
pub(crate) mod row;
pub(crate) mod moved_lane;
pub(crate) mod newest_read;
pub(crate) mod single_append;
pub(crate) mod writer;
