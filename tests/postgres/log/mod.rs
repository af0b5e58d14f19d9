//! The event log: appends, reads, leases, forks, a message bus, verification and erasure.

mod appends;
mod cancelled_transactions;
mod commit_order;
mod erasure;
mod erasure_locks;
mod follower;
mod forks;
mod leases;
mod message_bus;
mod tampering;
mod verification;
mod key_rotation;
