//! All extensions of a framework without listing them: how they are found, and what follows from them.
//!
//! `problem`, `desk` and `residue` take what is undecided apart; `solver` works the parts out, each once, in the order
//! of `elimination` where a search would take too long; what it comes to is `factors`, and `listing` writes them out.
//! It imports the files at the top of `argumentation`, and `search` and `sat`.

pub mod factors;
pub mod listing;

pub mod problem;
pub mod recursion;
pub mod ranged;
pub mod solver;

pub mod frame;
pub mod residue;

pub mod desk;
pub mod elimination;
