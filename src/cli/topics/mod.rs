//! `faultline topics`: questions on which the writings of personas differ.

pub mod args;
pub mod suggest;
