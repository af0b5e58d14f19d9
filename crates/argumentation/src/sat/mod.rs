//! Satisfiability of clauses, for regions that take too long to search on bit sets.
//!
//! | file | contents |
//! |------|----------|
//! | `clauses` | clause learning (CDCL); the only file that uses the SAT solver |
//! | `labels` | the labellings of a region as clauses |
//! | `sets` | enumeration of the sets of a region |
//! | `ranges` | the largest ranges |
//! | `local_search` | stochastic local search, which finds solutions but cannot show that there is none |
//! | `witnesses` | stable and admissible sets as clauses for the local search |
//! | `portfolio` | several ways to answer one question, in turn |
//! | `queries` | questions on one set or argument |

pub mod clauses;
pub mod labels;
pub mod local_search;
pub mod portfolio;
pub mod queries;
pub mod ranges;
pub mod sets;
pub mod witnesses;
