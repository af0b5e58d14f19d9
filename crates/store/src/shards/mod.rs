//! Servers that hold the lanes of the log, the corpora of the library and the vectors of questions.
//!
//! ```text
//! home     personas, stored views, questions, all placements;   what was never moved
//! shard b  events, keys of debates and leases of some lanes;   vectors of questions
//! shard c  those of other lanes;   documents, passages and vectors of some corpora
//! ```
//!
//! A statement uses one server. Which one holds a lane is in the table `lane_shards` at home, which one a corpus, in
//! `corpus_owners` at home, and which one the vectors of questions, in `question_placement` at home. Every process looks there
//! every second. The server that a lane or a corpus was moved from has closed it: a process that does not know of the move yet is
//! refused every append and every document. Vectors of questions are stored under a lock of their placement.
//!
//! Lanes are moved by this module, corpora by `library::corpus_move`, vectors of questions by `questions::vector_move`.

pub mod lane_move;
pub mod shards;

pub(crate) mod attach;
pub(crate) mod corpus_places;
pub(crate) mod corpus_servers;
pub(crate) mod move_recovery;
pub(crate) mod placement_watch;
pub(crate) mod question_places;
pub(crate) mod question_servers;

mod lane_copy;
