//! What may be said of a debate: common ground, cruxes, camps, regime.
//!
//! The law of the product. Each file is one rule over the views; [`verdict`] joins them, and [`board`] is the whole of
//! a debate as one fold: every view, and the verdict over them. Nothing here is stored as a fact: it is computed from
//! the log each time, and says by which revision.
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
