//! Gradual strengths: how strong an argument is between 0 and 1, given what is said for and against it.
//!
//! Arguments have base scores, attacks weaken and supports strengthen: a quantitative bipolar framework (`qbaf`). What an
//! argument's strength follows from (`influence`) differs from one semantics to the next; `strengths` finds the strengths
//! that fit together.
//!
//! Imports nothing of the other semantics but components. Not here: where base scores come from.

pub mod influence;
pub mod qbaf;
pub mod strengths;
