//! Differences between verdicts: two versions of a debate, a debate and its fork, an actual and a hypothetical graph, or
//! a stored verdict and a computed one.
//!
//! A comparison covers whole verdicts. The functions in [`verdict_changes`] and [`crux_changes`] take every structure
//! apart by all its fields, so a field without a comparison does not compile.
//!
//! Pure. Imports the verdicts, and is imported by none of their rules.

pub mod audit_changes;
pub mod crux_changes;
pub mod crux_match;
pub mod granted_changes;
pub mod json_changes;
pub mod list_match;
pub mod stored_change;
pub mod timeline;
pub mod verdict_change;
pub mod verdict_changes;
pub mod verdict_diff;
pub mod verdict_diff_stats;
