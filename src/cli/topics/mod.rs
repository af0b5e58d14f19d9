//! `faultline topics`: questions on which the writings of personas differ.

pub mod args;
pub mod model_run;
pub mod page;
pub mod suggest;
pub mod suggest_by_model;
pub mod writings;
