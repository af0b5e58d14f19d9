//! Clause-learning (CDCL) solver for regions that take too long to search on bit sets.
//!
//! `clauses` is the only file that uses the SAT solver; `labels` encodes the labellings of a region as clauses, `sets`
//! enumerates its sets, `ranges` finds the largest ranges, and `queries` answers questions on one set or argument.

pub mod clauses;
pub mod labels;
pub mod queries;
pub mod ranges;
pub mod sets;
