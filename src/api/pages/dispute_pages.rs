//! Pages of the list of disputes across debates.

use async_graphql::{Context, Result};
use chrono::DateTime;

use crate::api::error::{check_search_length, from_fault};
use crate::api::ids::{parse_optional_id, resolve_optional_debate};
use crate::api::pages::crux_pages::{LATEST_MICROS, decode_search_cursor, encode_search_cursor, search_fingerprint};
use crate::api::paging::{PageRequest, invalid_cursor};
use crate::api::pinned_generation;
use crate::api::types::crux::crux::SearchMatch;
use crate::api::types::debate::debate_ref::DebateLoader;
use crate::api::types::dispute::dispute_list::{DisputeConnection, DisputeFilter, ListedDispute};
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_store::views::cruxes::SortKey;
use faultline_store::views::debates::MAX_SEARCH_CHARS;
use faultline_store::views::disputes;
use faultline_store::views::disputes::{DisputeCursor, DisputePageRequest, StoredDispute};

/// Returns a page of the list, or of the search results if `search` is given.
///
/// # Errors
/// `INVALID` if an id is malformed or the cursor belongs to another list or search; `LIMIT` if the search text is too
/// long; the codes of [`from_fault`] if the database fails.
pub async fn page(
    context: &Context<'_>,
    filter: DisputeFilter,
    search: Option<String>,
    page: PageRequest,
) -> Result<DisputeConnection> {
    check_search_length(search.as_ref(), MAX_SEARCH_CHARS)?;
    let inquiry = context.data::<CrossDebateSearch>()?;
    let faulted = |error| from_fault(&error);
    let filter = store_filter(context, filter).await?;
    // A blank search text counts as no search.
    let search = search.filter(|text| !text.trim().is_empty());
    let mark = search.as_deref().map(|text| search_fingerprint(&(text, format!("{filter:?}"))));
    let from = page.from.as_deref().map(|cursor| place(mark.as_deref(), cursor)).transpose()?;
    let counted = context.look_ahead().field("totalCount").exists();
    let part = DisputePageRequest { from, toward: page.toward, limit: i64::from(page.size), counted };
    let sought = match &search {
        Some(text) => Some(inquiry.query(text).await.map_err(faulted)?),
        None => None,
    };
    let generation = pinned_generation::generation(context).await?;
    let found = inquiry.views().disputes(generation, &filter, sought.as_ref(), &part).await.map_err(faulted)?;
    let loader = DebateLoader::new(generation, found.rows.iter().map(StoredDispute::debate));
    let mut disputes = Vec::with_capacity(found.rows.len());
    for row in &found.rows {
        let hit = mark.is_some().then(|| SearchMatch::from(&row.hit));
        disputes.push((cursor(mark.as_deref(), row), ListedDispute::new(row, &loader).map_err(faulted)?, hit));
    }
    let (before, behind) = page.has_previous_and_next(found.more);
    Ok(DisputeConnection::new(disputes, before, behind, found.total))
}

/// Converts a dispute filter to the store's filter.
async fn store_filter(context: &Context<'_>, filter: DisputeFilter) -> Result<disputes::DisputeQuery> {
    Ok(disputes::DisputeQuery {
        debate: resolve_optional_debate(context, filter.debate_id.as_ref()).await?,
        persona: parse_optional_id(filter.persona_id.as_ref())?,
        status: filter.status.map(|status| status.name().to_owned()),
        is_topic: filter.is_topic,
    })
}

/// Encodes the cursor of a dispute in the list, or in the results of the search with this mark.
fn cursor(mark: Option<&str>, row: &StoredDispute) -> String {
    match mark {
        Some(mark) => encode_search_cursor(mark, row.hit.score, row.debate(), &row.key),
        None => format!("d.{}.{}.{}", row.opened_at.timestamp_micros(), row.debate(), row.key),
    }
}

/// Decodes a cursor.
fn place(mark: Option<&str>, cursor: &str) -> Result<DisputeCursor> {
    if let Some(mark) = mark {
        let (by, debate, key) = decode_search_cursor(mark, cursor)?;
        return Ok(DisputeCursor { by, debate, key });
    }
    let read = || {
        let parts: Vec<&str> = cursor.split('.').collect();
        let ["d", micros, debate, key] = parts.as_slice() else { return None };
        let micros = micros.parse().ok().filter(|micros| (0..=LATEST_MICROS).contains(micros))?;
        let (debate, key): (DebateId, CruxKey) = (debate.parse().ok()?, key.parse().ok()?);
        Some(DisputeCursor { by: SortKey::At(DateTime::from_timestamp_micros(micros)?), debate, key: key.to_string() })
    };
    read().ok_or_else(invalid_cursor)
}
