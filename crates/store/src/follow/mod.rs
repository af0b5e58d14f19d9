//! Following the log: notifications from the server, and followers that read forward from a position.

pub mod follower;
pub mod log_tail;
