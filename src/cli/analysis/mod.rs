//! Commands for analysts: measures of a debate, statistics across debates, and experiments.

pub mod experiment;
pub mod experiment_run;
pub mod measures;
pub mod pairs;
pub mod stats;
