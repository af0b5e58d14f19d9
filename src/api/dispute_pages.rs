//! Pages of the list of disputes across debates.

use async_graphql::{Context, Result};
use chrono::DateTime;

use crate::api::crux_pages::{LATEST_MICROS, found_cursor, found_place, mark};
use crate::api::error::{coded, from_fault, from_misnamed};
use crate::api::paging::{Page, no_cursor};
use crate::api::shown;
use crate::api::types::crux::SearchMatch;
use crate::api::types::dispute_list::{DisputeConnection, DisputeFilter, ListedDispute};
use crate::api::types::siblings::Houses;
use crate::desk::inquiry::Inquiry;
use crate::events::ids::DebateId;
use crate::store::cruxes::Measure;
use crate::store::debates::SEARCH_CHARS;
use crate::store::disputes::{self, DisputePart, DisputePlace, StoredDispute};
use crate::verdicts::crux_name::CruxKey;

/// Returns a page of the list, or of the search results if `search` is given.
///
/// # Errors
/// `INVALID` if an id is malformed or the cursor belongs to another list or search; `LIMIT` if the search text is too
/// long; the codes of [`from_fault`] if the database fails.
pub async fn page(
    context: &Context<'_>,
    filter: DisputeFilter,
    search: Option<String>,
    page: Page,
) -> Result<DisputeConnection> {
    if search.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
        return Err(coded(&format!("`search` is longer than {SEARCH_CHARS} characters"), "LIMIT"));
    }
    let inquiry = context.data::<Inquiry>()?;
    let faulted = |it| from_fault(&it);
    let filter = wanted(filter)?;
    // A blank search text counts as no search.
    let search = search.filter(|it| !it.trim().is_empty());
    let mark = search.as_deref().map(|it| mark(&(it, format!("{filter:?}"))));
    let from = page.from.as_deref().map(|it| place(mark.as_deref(), it)).transpose()?;
    let counted = context.look_ahead().field("totalCount").exists();
    let part = DisputePart { from, toward: page.toward, limit: i64::from(page.size), counted };
    let sought = match &search {
        Some(text) => Some(inquiry.sought(text).await.map_err(faulted)?),
        None => None,
    };
    let generation = shown::generation(context).await?;
    let found = inquiry.views().disputes(generation, &filter, sought.as_ref(), &part).await.map_err(faulted)?;
    let houses = Houses::new(generation, found.rows.iter().map(StoredDispute::debate));
    let mut disputes = Vec::with_capacity(found.rows.len());
    for row in &found.rows {
        let hit = mark.is_some().then(|| SearchMatch::from(&row.hit));
        disputes.push((cursor(mark.as_deref(), row), ListedDispute::new(row, &houses).map_err(faulted)?, hit));
    }
    let (before, behind) = page.ends(found.more);
    Ok(DisputeConnection::new(disputes, before, behind, found.total))
}

fn wanted(filter: DisputeFilter) -> Result<disputes::DisputeFilter> {
    Ok(disputes::DisputeFilter {
        debate: filter.debate.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?,
        persona: filter.persona.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?,
        status: filter.status.map(|it| it.name().to_owned()),
        is_topic: filter.is_topic,
    })
}

/// Encodes the cursor of a dispute in the list, or in the results of the search with this mark.
fn cursor(mark: Option<&str>, row: &StoredDispute) -> String {
    match mark {
        Some(mark) => found_cursor(mark, row.hit.score, row.debate(), &row.key),
        None => format!("d.{}.{}.{}", row.opened_at.timestamp_micros(), row.debate(), row.key),
    }
}

/// Decodes a cursor.
fn place(mark: Option<&str>, cursor: &str) -> Result<DisputePlace> {
    if let Some(mark) = mark {
        let (by, debate, key) = found_place(mark, cursor)?;
        return Ok(DisputePlace { by, debate, key });
    }
    let read = || {
        let parts: Vec<&str> = cursor.split('.').collect();
        let ["d", micros, debate, key] = parts.as_slice() else { return None };
        let micros = micros.parse().ok().filter(|it| (0..=LATEST_MICROS).contains(it))?;
        let (debate, key): (DebateId, CruxKey) = (debate.parse().ok()?, key.parse().ok()?);
        Some(DisputePlace { by: Measure::At(DateTime::from_timestamp_micros(micros)?), debate, key: key.to_string() })
    };
    read().ok_or_else(no_cursor)
}
