//! Verdicts: common ground, cruxes, camps and regime of a debate.
//!
//! These are the central rules of the product. Each file contains one rule over the projections; [`verdict`] combines
//! them, and [`board`] is the read model of a debate: all projections, and the verdict over them. Verdicts are never
//! stored as facts: they are computed from the log and state the revision of the algorithm.
//!
//! Pure. Imports `events`, `argumentation`, `voices` and `projections`.

pub mod coverage;
pub mod ranking;
pub mod common_ground;
pub mod camps;
pub mod last_word;
pub mod crux_name;
pub mod candidates;
pub mod consequence;
pub mod crux_words;
pub mod cruxes;
pub mod regime;
pub mod labels;
pub mod why;
pub mod concessions;
pub mod shifts;
pub mod verdict;
pub mod board;
pub mod difference;
pub mod tally;
pub mod what_if;
pub mod sound;
