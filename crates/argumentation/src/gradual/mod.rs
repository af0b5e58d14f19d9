//! Gradual argumentation: the strength of an argument between 0 and 1, given its attackers and supporters.
//!
//! Arguments have base scores; attacks weaken and supports strengthen them: a quantitative bipolar framework (`qbaf`).
//! Semantics differ in the function that determines an argument's strength (`influence`); `strengths` computes
//! strengths that are consistent with it.
//!
//! Imports only frameworks and components of the other modules. Out of scope: the origin of base scores.

pub mod influence;
pub mod qbaf;
pub mod strengths;
