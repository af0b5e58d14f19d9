//! Complexity of fields, from which the cost of a request is estimated before it runs.
//!
//! The names stand in the `complexity` attributes of resolvers; `docs/api.md` explains the weights.

use crate::api::paging::{DEFAULT_PAGE, MAX_PAGE};
use faultline_core::measures::registry::measure;

/// Complexity of a field that requires folding a debate.
pub const FOLD_COMPLEXITY: usize = 50;
/// Complexity of a field that requires a search.
pub const SEARCH_COMPLEXITY: usize = 1_000;
/// Complexity of one mutation: it folds the debate and writes.
pub const MUTATION_COMPLEXITY: usize = 200;
/// Complexity of the field from a crux to its debate: the debates of a page are read together, but each leads to cruxes
/// again.
pub const DEBATE_COMPLEXITY: usize = 10;
/// Complexity of ranking the reasons of a dispute against each other.
pub const RANKING_COMPLEXITY: usize = 20;
/// Assumed number of cruxes per debate: each leads back to the debate.
pub const CRUXES_PER_DEBATE: usize = 20;
/// Assumed number of rooms per debate, and of candidates for rooms: each leads to its turns or its participants.
pub const ROOMS_PER_DEBATE: usize = 5;

/// Returns the complexity of measuring a debate: without keys, and with keys of measures that need no timeline, a fold.
pub fn measures_complexity(keys: Option<&[String]>) -> usize {
    let needs_timeline = |key: &String| measure(key).is_some_and(|definition| definition.needs_timeline);
    if keys.is_some_and(|keys| keys.iter().any(needs_timeline)) { SEARCH_COMPLEXITY } else { FOLD_COMPLEXITY }
}

/// Returns the number of items for which the fields of a list are counted.
pub fn assumed_page_size(size: Option<i32>) -> usize {
    size.map_or(DEFAULT_PAGE, |size| size.clamp(0, MAX_PAGE) as usize)
}
