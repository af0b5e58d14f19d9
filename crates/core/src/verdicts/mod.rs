//! Verdicts: common ground, cruxes, camps and regime of a debate.
//!
//! These are the central rules of the product. Each file contains one rule over the projections; [`verdict`] combines
//! them, and [`read_model`] lists all projections as the read model of a debate, with the verdict over them. Verdicts are never
//! stored as facts: they are computed from the log and state the revision of the algorithm.
//!
//! Pure. Imports `events`, `argumentation`, `voices` and `projections`.

pub mod audit;
pub mod camps;
pub mod candidates;
pub mod card;
pub mod common_ground;
pub mod concessions;
pub mod consequence;
pub mod coverage;
pub mod crux;
pub mod crux_card;
pub mod crux_id;
pub mod cruxes;
pub mod diff;
pub mod disagreement;
pub mod labels;
pub mod ranking;
pub mod read_model;
pub mod regime;
pub mod structural;
pub mod topic;
pub mod verdict;
pub mod voice_attribution;
pub mod what_if;
pub mod why;
