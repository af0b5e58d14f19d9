//! The sets that are wanted of one region, on bit sets: quick, and without learning.
//!
//! It knows neither the framework that the region was cut from nor what is done with the sets.

pub mod region;
pub mod search;
