//! Pages of the whole log.

use async_graphql::connection::PageInfo;
use async_graphql::{Context, Result};

use crate::api::error::{error_with_code, from_fault, invalid};
use crate::api::pages::stream_pages::known_kinds;
use crate::api::paging::PageArguments;
use crate::api::types::event::{Event, EventConnection};
use faultline_service::service::DebateService;
use faultline_store::error::StoreError;
use faultline_store::lanes::{Cursor, ParseCursorError};

/// Error code for a cursor that is ahead of the end of the log, and so belongs to another log.
pub const FUTURE_CURSOR: &str = "FUTURE_CURSOR";

/// Returns a page of the log after a cursor. The page has an end cursor even if no event matched: it is the position up
/// to which the log was searched.
///
/// # Errors
/// `INVALID` if the cursor or a kind is unknown, [`FUTURE_CURSOR`] if the cursor is ahead of the log; the codes of
/// [`from_fault`] if the database fails.
pub async fn page(
    context: &Context<'_>,
    after: Option<String>,
    first: Option<i32>,
    kinds: Option<Vec<String>>,
) -> Result<EventConnection> {
    let page = PageArguments { first, after, ..PageArguments::default() }.page()?;
    let kinds = known_kinds(kinds)?;
    let from: Cursor = match &page.from {
        Some(cursor) => cursor.parse().map_err(|error: ParseCursorError| invalid(&error.to_string()))?,
        None => Cursor::default(),
    };
    let log = context.data::<DebateService>()?.log();
    let size = usize::try_from(page.size).unwrap_or_default();
    let found = log.read_page(&from, size, kinds.as_deref()).await.map_err(|fault| match fault {
        StoreError::Ahead { .. } => {
            error_with_code("this cursor is ahead of the log: it belongs to another log", FUTURE_CURSOR)
        }
        fault => from_fault(&fault),
    })?;
    let counted = kinds.is_none() && context.look_ahead().field("totalCount").exists();
    let total = if counted { Some(log.count_events().await.map_err(|error| from_fault(&error))?) } else { None };
    let events: Vec<(String, Event)> =
        found.events.into_iter().map(|(cursor, event)| (cursor.to_string(), Event::from(event))).collect();
    let page_info = PageInfo {
        has_previous_page: from != Cursor::default(),
        has_next_page: found.more,
        start_cursor: events.first().map(|entry| entry.0.clone()),
        end_cursor: Some(found.end.to_string()),
    };
    Ok(EventConnection::new(events, page_info, total))
}
