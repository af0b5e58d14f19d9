//! The command `argue`: abstract argumentation by the conventions of the ICCMA competitions.

pub mod argue;
pub mod iccma;
