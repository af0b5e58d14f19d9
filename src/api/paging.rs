//! Pagination arguments and page information according to the Relay cursor connections specification.

use std::ops::Range;

use async_graphql::Result;
use async_graphql::connection::PageInfo;

use crate::api::error::invalid;
use faultline_store::views::debates::PageDirection;

/// Maximum page size of any list.
pub const MAX_PAGE: i32 = 100;
/// Default page size.
pub const DEFAULT_PAGE: usize = 20;

/// A requested page of a list.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Cursor at which the page begins; `None` for an end of the list.
    pub from: Option<String>,
    /// Direction in which the page extends.
    pub toward: PageDirection,
    /// Maximum number of items.
    pub size: i32,
}

/// The four pagination arguments of a client.
#[derive(Clone, Debug, Default)]
pub struct PageArguments {
    /// Number of items from the beginning, or after `after`.
    pub first: Option<i32>,
    /// Cursor after which to begin.
    pub after: Option<String>,
    /// Number of items from the end, or before `before`.
    pub last: Option<i32>,
    /// Cursor before which to end.
    pub before: Option<String>,
}

impl PageArguments {
    /// Returns the requested page; by default the first 20 items.
    ///
    /// # Errors
    /// `INVALID` if the arguments cannot be combined, or the size is out of range.
    pub fn page(self) -> Result<PageRequest> {
        let PageArguments { first, after, last, before } = self;
        let page = match (first, last) {
            (Some(_), Some(_)) => return Err(invalid("`first` and `last` cannot be combined")),
            (None, Some(_)) if after.is_some() => return Err(invalid("`last` requires `before`, not `after`")),
            (None, Some(size)) => PageRequest { from: before, toward: PageDirection::Newer, size },
            _ if before.is_some() => return Err(invalid("`before` requires `last`; use `after` with `first`")),
            (size, None) => {
                PageRequest { from: after, toward: PageDirection::Older, size: size.unwrap_or(DEFAULT_PAGE as i32) }
            }
        };
        page_size(page.size).map(|_| page)
    }
}

impl PageRequest {
    /// Returns whether there are items before and after the page. A page that begins at a cursor always has items on
    /// the other side of it.
    pub fn has_previous_and_next(&self, more: bool) -> (bool, bool) {
        match self.toward {
            PageDirection::Older => (self.from.is_some(), more),
            PageDirection::Newer => (more, self.from.is_some()),
        }
    }
}

/// A range of a list in memory, and whether there are items before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRange {
    /// Indices of the items.
    pub items: Range<usize>,
    /// True if there are items before the range.
    pub before: bool,
    /// True if there are items after the range.
    pub has_next: bool,
}

impl PageRequest {
    /// Returns the range of a list that lies on this page. The items are ordered by `place`, and `from` is the place of
    /// the page's cursor.
    pub fn slice<T>(&self, items: &[T], from: Option<i64>, place: impl Fn(&T) -> i64) -> PageRange {
        let size = usize::try_from(self.size).unwrap_or_default();
        let n_items = items.len();
        let items = match self.toward {
            PageDirection::Older => {
                let start = from.map_or(0, |from| items.partition_point(|item| place(item) <= from));
                start..start.saturating_add(size).min(items.len())
            }
            PageDirection::Newer => {
                let end = from.map_or(items.len(), |from| items.partition_point(|item| place(item) < from));
                end.saturating_sub(size)..end
            }
        };
        PageRange { before: items.start > 0, has_next: items.end < n_items, items }
    }
}

/// Checks a page size.
///
/// # Errors
/// `INVALID` if it is out of range.
pub fn page_size(first: i32) -> Result<i32> {
    if (1..=MAX_PAGE).contains(&first) { Ok(first) } else { Err(invalid(&format!("a page has 1 to {MAX_PAGE} items"))) }
}

/// Builds the Relay page information from the cursors of the items.
pub fn page_info<'a>(mut cursors: impl DoubleEndedIterator<Item = &'a String>, before: bool, behind: bool) -> PageInfo {
    let start = cursors.next().cloned();
    let end = cursors.next_back().cloned().or_else(|| start.clone());
    PageInfo { has_previous_page: before, has_next_page: behind, start_cursor: start, end_cursor: end }
}

/// Returns the error for a cursor that cannot be decoded.
pub fn invalid_cursor() -> async_graphql::Error {
    invalid("this cursor is malformed, or belongs to another list or order")
}
