//! Reads from a replica, routed there only if it has replayed far enough.

pub mod replica;
pub mod replica_state;

pub(crate) mod replica_watch;
