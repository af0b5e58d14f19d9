//! Test support: personas and random numbers that the tests share.

pub mod adversary;
pub mod personas;
pub mod random;
