//! Search for the sets of one region on bit sets: fast, and without learning.
//!
//! Independent of the framework that the region was extracted from and of the use of the sets.

pub mod region;
pub mod search;
