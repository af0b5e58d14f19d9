//! Commands in, events appended; questions in, views folded.
//!
//! What a client may ask of the service, whichever door it came through: the API and the command line both ask here.
//! The desk never calls a runner: it appends, and whoever runs debates follows the log. What it answers is folded from
//! the stream itself, so a client reads its own write.
//!
//! Imports the pure half, `store`, and of `providers` the ports.

pub mod roster;
pub mod desk;
pub mod boards;
pub mod compute;
pub mod fork;
pub mod erase;
pub mod relay;
pub mod pace;
pub mod follow;
pub mod feeds;
pub mod watched;
pub mod finds;
pub mod ear;
pub mod import;
pub mod append;
pub mod audit;
pub mod passages;
pub mod recurring;
pub mod inquiry;
pub mod read_ahead;
pub mod reads;
pub mod whole;
