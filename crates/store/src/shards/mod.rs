//! Servers that hold the lanes of the log.
//!
//! ```text
//! home     personas, library, stored views, questions, the placement of lanes;   the lanes that were never moved
//! shard b  events, keys of debates and leases of some lanes
//! shard c  those of others
//! ```
//!
//! A statement uses one server. Which one holds a lane is in the table `lane_shards` at home, and every process looks there
//! every second. The server that a lane was moved from has closed it: a process that does not know of the move yet is
//! refused every append.

pub mod lane_move;
pub mod shards;

pub(crate) mod attach;
pub(crate) mod move_recovery;
pub(crate) mod placement_watch;

mod lane_copy;
