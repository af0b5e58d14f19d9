//! The command `argue`: abstract argumentation by the conventions of the ICCMA competitions.

pub mod argue;
pub mod argue_args;
pub mod changes;
pub mod clock;
pub mod iccma;
pub mod input;
pub mod issues;
