//! Commands for analysts: measures and probes of a debate, statistics across debates, and experiments.

pub mod experiment;
pub mod experiment_run;
pub mod measures;
pub mod pairs;
pub mod probe;
pub mod stats;
