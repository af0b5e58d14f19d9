//! Commands for operators: check the setup, verify the log, rebuild read models, erase debates, rotate keys, issue tokens,
//! move lanes of the log and vectors of questions.

pub mod doctor;
pub mod erase;
pub mod keys;
pub mod lanes;
pub mod projections;
pub mod questions;
pub mod rebuild;
pub mod token;
pub mod verify;
pub mod verify_views;
