//! Application service: commands append events, queries fold events into read models.
//!
//! The API and the command line both call this module for everything that a client may request. The service never calls
//! a runner: it appends events, and runners follow the log. Answers are folded from the stream itself, so clients read
//! their own writes.
//!
//! Imports the pure modules, `store`, and the ports of `providers`.

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
