//! Tables and lists on the terminal: debates, cruxes, events, passages, imports, comparisons, and reports of rebuilds.

pub mod comparison;
pub mod cruxes;
pub mod debate_stats;
pub mod history;
pub mod hypothesis;
pub mod imported;
pub mod ingested;
pub mod library_stats;
pub mod list;
pub mod measures;
pub mod pairs;
pub mod passages;
pub mod recurring;
pub mod tally;
pub mod verdict_lists;
