//! Test support: personas and random numbers that the tests share.

pub mod personas;
pub mod random;
