//! Preferred extensions: the positions one can hold, each as large as it can be.

use crate::argumentation::count::Count;
use crate::argumentation::factors::{Factors, preferred_factors};
use crate::argumentation::framework::Framework;
use crate::argumentation::listing::list;

/// The name of the limit [`Limits::sets`].
pub const SET_LIMIT: &str = "sets";

/// How much work an answer may take, and how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the search (decisions on one argument, and choices followed), for all of a framework together. A step takes
    /// well under a microsecond in a region of up to 64 arguments. When they are spent the answer is incomplete and names
    /// the limit `nodes`. Default: 200,000.
    pub nodes: u64,
    /// Extensions written out. Beyond it the answer names the limit `sets`, and the count is exact all the same. Default:
    /// 5,000.
    pub sets: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 200_000,
            sets: 5_000,
        }
    }
}

/// The preferred extensions of a framework. There is always at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions {
    /// Preferred extensions, each ascending, in lexicographic order. All of them where `exact`; else each is one, and which
    /// ones are here depends on the order of the search.
    pub sets: Vec<Vec<u32>>,
    /// How many there are. Exact unless the search itself reached a limit: the number is multiplied over independent parts
    /// and added over exclusive choices, not counted from `sets`.
    pub count: Count,
    /// Whether `sets` are all and `count` is exact.
    pub exact: bool,
    /// The limit that was reached: `nodes`, `component` (a strongly connected region above
    /// [`crate::argumentation::search::MAX_REGION`]) or `sets`.
    pub limit: Option<&'static str>,
}

/// All preferred extensions, exact or with the name of the limit that was reached.
///
/// Cost and sources: [`preferred_factors`]. Linear where the grounded labelling decides everything.
pub fn preferred(framework: &Framework, limits: &Limits) -> Extensions {
    extensions(&preferred_factors(framework, limits.nodes), limits.sets)
}

/// The extensions of factors that are there already; up to `most` of them are written out.
pub fn extensions(factors: &Factors, most: usize) -> Extensions {
    let (sets, all) = list(factors, most);
    let limit = factors.limit.or(if all { None } else { Some(SET_LIMIT) });
    Extensions {
        sets,
        count: factors.count(),
        exact: limit.is_none(),
        limit,
    }
}
