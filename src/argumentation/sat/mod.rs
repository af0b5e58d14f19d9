//! Where a search on bit sets would take too long: a solver that learns clauses from its conflicts (CDCL).
//!
//! `clauses` is the only file that knows the solver; `labels` says in clauses what sets are wanted of a region, `sets`
//! finds them, `ranges` the largest ranges, and `queries` answers a question on one argument.

pub mod clauses;
pub mod labels;

pub mod queries;
pub mod ranges;
pub mod sets;
