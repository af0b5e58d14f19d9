//! Disputes, of one debate and across debates.

pub mod dispute;
pub mod dispute_list;
pub mod stance_measures;
