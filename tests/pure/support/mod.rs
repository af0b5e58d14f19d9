//! Test support: personas and random numbers that the tests share.

pub mod adversary;
pub mod offline;
pub mod personas;
pub mod random;
