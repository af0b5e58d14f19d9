//! Extensions: the sets of arguments that are accepted together, and how many there are.

use std::ops::ControlFlow;

use crate::argumentation::count::Count;
use crate::argumentation::factors::factors::Factors;
use crate::argumentation::factors::listing::{list, visit};
use crate::argumentation::limits::SET_LIMIT;

/// The extensions of a framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions {
    /// Extensions, each ascending, in lexicographic order. All of them where `exact`; else each is one, and which ones
    /// are here depends on the order of the search.
    pub sets: Vec<Vec<u32>>,
    /// How many there are. Exact unless the search itself reached a limit: the number is multiplied over independent
    /// parts and added over exclusive choices, not counted from `sets`.
    pub count: Count,
    /// Whether `sets` are all and `count` is exact.
    pub exact: bool,
    /// The limit that was reached: `nodes`, `conflicts`, `stop`, `sets`, or `component` (a region that is too large to be
    /// searched, and in which no decision is left to take).
    pub limit: Option<&'static str>,
}

/// The extensions of factors that are there already; up to `most` of them are written out.
pub fn extensions(factors: &Factors, most: usize) -> Extensions {
    let (sets, all) = list(factors, most);
    let limit = factors.limit.or(if all { None } else { Some(SET_LIMIT) });
    Extensions { sets, count: factors.count(), exact: limit.is_none(), limit }
}

/// What was told of extensions one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// How many were.
    pub sets: usize,
    /// Whether they are all.
    pub exact: bool,
    /// The limit that was reached: as in [`Extensions::limit`]. `None` also where the listener broke off.
    pub limit: Option<&'static str>,
}

/// Tells one extension after the other, each ascending, in the order of the search, until the listener breaks off or
/// `most` are told. None is kept.
///
/// Time linear in what is told, times the arguments over the word width.
pub fn tell(factors: &Factors, most: usize, mut listener: impl FnMut(&[u32]) -> ControlFlow<()>) -> Told {
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
    Told { sets, exact: all && limit.is_none(), limit }
}
