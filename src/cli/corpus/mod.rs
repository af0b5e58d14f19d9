//! `faultline corpus`: commands on the writings of personas and their embeddings. One file per subcommand; [`corpus`]
//! dispatches.

pub mod corpus;
pub mod ingest;
pub mod move_corpora;
pub mod reembed;
pub mod remove;
pub mod search;
pub mod stats;
