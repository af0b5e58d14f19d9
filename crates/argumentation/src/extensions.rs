//! Extensions: the sets of arguments that are accepted together, and their number.

use std::ops::ControlFlow;

use crate::factors::factors::Factors;
use crate::factors::listing::{list, visit};
use crate::limits::SET_LIMIT;
use crate::structures::count::Count;

/// Extensions of a framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionList {
    /// Extensions, each ascending, in lexicographic order. All of them if `exact`; otherwise some of them, depending on
    /// the order of the search.
    pub sets: Vec<Vec<u32>>,
    /// Number of extensions. Exact unless the search itself reached a limit: the number is multiplied over independent
    /// parts and added over exclusive choices, not counted from `sets`.
    pub count: Count,
    /// True if `sets` is complete and `count` is exact.
    pub exact: bool,
    /// The limit that was reached, if any: `nodes`, `conflicts`, `stop`, `sets`, or `component` (a region that is too
    /// large to be searched and has no argument left to branch on).
    pub limit: Option<&'static str>,
}

/// Lists the extensions of existing factors, at most `most` of them.
pub fn extensions(factors: &Factors, most: usize) -> ExtensionList {
    let (sets, all) = list(factors, most);
    let limit = factors.limit.or(if all { None } else { Some(SET_LIMIT) });
    ExtensionList { sets, count: factors.count(), exact: limit.is_none(), limit }
}

/// Summary of an enumeration of extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumerationSummary {
    /// Number of extensions enumerated.
    pub count: usize,
    /// True if all extensions were enumerated.
    pub exact: bool,
    /// The limit that was reached, as in [`ExtensionList::limit`]. `None` also if the listener stopped the enumeration.
    pub limit: Option<&'static str>,
}

/// Passes the extensions to `listener` one by one, each ascending, in the order of the search, until the listener stops
/// or `most` were passed. Stores none.
///
/// Time linear in the output, times the arguments over the word width.
pub fn enumerate_extensions(
    factors: &Factors,
    most: usize,
    mut listener: impl FnMut(&[u32]) -> ControlFlow<()>,
) -> EnumerationSummary {
    let mut sets = 0;
    let mut limit = factors.limit;
    let all = visit(factors, |set| {
        if sets == most {
            limit.get_or_insert(SET_LIMIT);
            return ControlFlow::Break(());
        }
        sets += 1;
        listener(set)
    });
    EnumerationSummary { count: sets, exact: all && limit.is_none(), limit }
}
