//! Factored form of all extensions of a framework, and its computation.
//!
//! `problem`, `propagation` and `splitting` split the undecided arguments; `solver` solves each part once, branching in the
//! order of `elimination` if a search would take too long; `factors` is the result, and `listing` enumerates the
//! extensions. This module imports the files at the top of `argumentation`, and `search` and `sat`.

pub mod elimination;
pub mod factors;
pub mod frame;
pub mod listing;
pub mod problem;
pub mod propagation;
pub mod ranged;
pub mod recursion;
pub mod splitting;
pub mod solver;
