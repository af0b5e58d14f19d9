//! A page of a list, as the Relay specification wants it asked for.

use std::ops::Range;

use async_graphql::Result;
use async_graphql::connection::PageInfo;

use crate::api::error::invalid;
use crate::api::types::debate::{DEFAULT_PAGE, page_size};
use crate::store::debates::Toward;

/// A part of a list, as a client asks for it.
#[derive(Clone, Debug)]
pub struct Page {
    /// The cursor beside which it begins; one of the two ends where there is none.
    pub from: Option<String>,
    /// Which way to go from there.
    pub toward: Toward,
    /// How many at most.
    pub size: i32,
}

/// What a client gave of the four arguments of a page.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// So many from the beginning, or from `after`.
    pub first: Option<i32>,
    /// Behind this cursor.
    pub after: Option<String>,
    /// So many from the end, or before `before`.
    pub last: Option<i32>,
    /// Before this cursor.
    pub before: Option<String>,
}

impl Asked {
    /// The page that is meant; 20 from the beginning where nothing is said.
    ///
    /// # Errors
    /// `INVALID` where the arguments do not go together, or the size is beyond its limits.
    pub fn page(self) -> Result<Page> {
        let Asked { first, after, last, before } = self;
        let page = match (first, last) {
            (Some(_), Some(_)) => return Err(invalid("first and last exclude each other")),
            (None, Some(_)) if after.is_some() => return Err(invalid("after goes with first, and before with last")),
            (None, Some(size)) => Page { from: before, toward: Toward::Newer, size },
            _ if before.is_some() => return Err(invalid("before goes with last, and after with first")),
            (size, None) => Page { from: after, toward: Toward::Older, size: size.unwrap_or(DEFAULT_PAGE as i32) },
        };
        page_size(page.size).map(|_| page)
    }
}

impl Page {
    /// Whether there is something before the page and behind it. Whoever comes from a cursor leaves something behind.
    pub fn ends(&self, more: bool) -> (bool, bool) {
        match self.toward {
            Toward::Older => (self.from.is_some(), more),
            Toward::Newer => (more, self.from.is_some()),
        }
    }
}

/// A stretch of a list that is at hand whole, and whether there is something before it and behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Which items.
    pub items: Range<usize>,
    /// Whether some come before.
    pub before: bool,
    /// Whether some come behind.
    pub behind: bool,
}

impl Page {
    /// What of a list that is in the order of `place` lies on this page, of which `from` is where it begins.
    pub fn cut<T>(&self, items: &[T], from: Option<i64>, place: impl Fn(&T) -> i64) -> Stretch {
        let size = usize::try_from(self.size).unwrap_or_default();
        let n_items = items.len();
        let items = match self.toward {
            Toward::Older => {
                let start = from.map_or(0, |from| items.partition_point(|it| place(it) <= from));
                start..start.saturating_add(size).min(items.len())
            }
            Toward::Newer => {
                let end = from.map_or(items.len(), |from| items.partition_point(|it| place(it) < from));
                end.saturating_sub(size)..end
            }
        };
        Stretch { before: items.start > 0, behind: items.end < n_items, items }
    }
}

/// What a page tells of itself, by the cursors of its items.
pub fn page_info<'a>(mut cursors: impl DoubleEndedIterator<Item = &'a String>, before: bool, behind: bool) -> PageInfo {
    let start = cursors.next().cloned();
    let end = cursors.next_back().cloned().or_else(|| start.clone());
    PageInfo { has_previous_page: before, has_next_page: behind, start_cursor: start, end_cursor: end }
}

/// A cursor that cannot be read.
pub fn no_cursor() -> async_graphql::Error {
    invalid("this cursor is none that the list gave in this order")
}
