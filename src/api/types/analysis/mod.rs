//! Verdicts and computed results: extensions, hypothetical changes and differences of versions.

pub mod audit;
pub mod compare;
pub mod debate_map;
pub mod debate_stats;
pub mod disagreement;
pub mod extensions;
pub mod measure;
pub mod persona_agreement;
pub mod timeline;
pub mod verdict;
pub mod verdict_change;
pub mod what_if;
