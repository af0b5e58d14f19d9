//! What it adds up to.
//!
//! Each file is one read model: a pure fold of one debate's events ([`projection`]). An engine holds one and asks it;
//! the projector stores the same one as a row; the API shows it. A past state is the fold of a prefix.
//!
//! Pure. Imports `events`, `argumentation` and `voices`. No projection imports another: what needs several of them is a verdict.

pub mod projection;
pub mod summary;
pub mod transcript;
pub mod argument_graph;
pub mod dispute_graph;
pub mod crux_rooms;
pub mod crux_proposals;
pub mod fact_checks;
pub mod concessions;
pub mod progress;
pub mod proposals;
pub mod grounding;
pub mod cast;
pub mod voice;
