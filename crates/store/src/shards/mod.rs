//! Servers that hold the lanes of the log and the corpora of the library.
//!
//! ```text
//! home     personas, stored views, questions, the placement of lanes and corpora;   what was never moved
//! shard b  events, keys of debates and leases of some lanes
//! shard c  those of others;   documents, passages and vectors of some corpora
//! ```
//!
//! A statement uses one server. Which one holds a lane is in the table `lane_shards` at home, and which one a corpus, in
//! `corpus_owners` at home. Every process looks there every second. The server that a lane or a corpus was moved from has closed
//! it: a process that does not know of the move yet is refused every append and every document.
//!
//! Lanes are moved by this module, corpora by `library::corpus_move`.

pub mod lane_move;
pub mod shards;

pub(crate) mod attach;
pub(crate) mod corpus_places;
pub(crate) mod corpus_servers;
pub(crate) mod move_recovery;
pub(crate) mod placement_watch;

mod lane_copy;
