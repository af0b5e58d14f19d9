//! Pages of the list of cruxes. A page costs one statement, and one more for all its debates if they are selected.

use async_graphql::futures_util::FutureExt;
use async_graphql::{Context, Result};
use chrono::DateTime;
use sha2::{Digest, Sha256};

use crate::api::batching::lookahead;
use crate::api::error::{check_search_length, from_fault, invalid};
use crate::api::ids::{parse_optional_id, resolve_optional_debate};
use crate::api::paging::{PageRequest, invalid_cursor};
use crate::api::pinned_generation;
use crate::api::types::crux::crux::{Crux, CruxConnection, CruxFilter, SearchMatch};
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_store::views::cruxes;
use faultline_store::views::cruxes::{CruxCursor, CruxPageRequest, CruxSort, SortKey, StoredCrux};
use faultline_store::views::debates::MAX_SEARCH_CHARS;
use faultline_store::views::views::Views;

/// Converts a crux filter and search text to the store's filter.
///
/// # Errors
/// `INVALID` if an id is malformed or `minPivotality` is outside 0 to 1; `LIMIT` if the search text is too long.
pub async fn store_filter(
    context: &Context<'_>,
    filter: CruxFilter,
    search: Option<String>,
) -> Result<cruxes::CruxQuery> {
    check_search_length(search.as_ref(), MAX_SEARCH_CHARS)?;
    if filter.min_pivotality.is_some_and(|pivotality| !(0.0..=1.0).contains(&pivotality)) {
        return Err(invalid("`minPivotality` must be between 0 and 1"));
    }
    Ok(cruxes::CruxQuery {
        debate: resolve_optional_debate(context, filter.debate_id.as_ref()).await?,
        persona: parse_optional_id(filter.persona_id.as_ref())?,
        kind: filter.origin.map(|origin| origin.name().to_owned()),
        open: filter.open,
        min_pivotality: filter.min_pivotality,
        regime: filter.regime.map(|it| it.name().to_owned()),
        debates: None,
        // A blank search text counts as no search.
        search: search.filter(|it| !it.trim().is_empty()),
    })
}

/// Returns a page of the list.
///
/// # Errors
/// `INVALID` if the cursor is malformed or belongs to another order; the codes of [`from_fault`] if the database fails.
pub async fn page(
    context: &Context<'_>,
    filter: &cruxes::CruxQuery,
    order: CruxSort,
    page: PageRequest,
) -> Result<CruxConnection> {
    let views = context.data::<Views>()?;
    let ahead = context.look_ahead();
    let part = CruxPageRequest {
        from: page.from.as_deref().map(|cursor| place(order, cursor)).transpose()?,
        toward: page.toward,
        limit: i64::from(page.size),
        counted: ahead.field("totalCount").exists(),
        brief: lookahead::cruxes_need_columns_only(&ahead.field("nodes"))
            && lookahead::cruxes_need_columns_only(&ahead.field("edges").field("node")),
    };
    let part = &part;
    let read = |generation| {
        let read = async move {
            let found = views.cruxes(generation, filter, order, part).await?;
            Ok((found.rows.first().map(|row| row.generation), found))
        };
        read.boxed()
    };
    let found = pinned_generation::read(context, read).await?;
    let cruxes = Crux::of_rows(&found.rows).map_err(|error| from_fault(&error))?;
    let cursors = found.rows.iter().map(|row| cursor(row, order));
    let cruxes = cursors.zip(cruxes).map(|(cursor, crux)| (cursor, crux, None)).collect();
    let (before, behind) = page.has_previous_and_next(found.more);
    Ok(CruxConnection::new(cruxes, before, behind, found.total))
}

/// Returns a page of search results, best match first.
///
/// # Errors
/// `INVALID` if the cursor is malformed or belongs to another search; the codes of [`from_fault`] if the database
/// fails.
pub async fn search_page(
    context: &Context<'_>,
    filter: &cruxes::CruxQuery,
    text: &str,
    page: PageRequest,
) -> Result<CruxConnection> {
    let inquiry = context.data::<CrossDebateSearch>()?;
    let faulted = |error| from_fault(&error);
    let mark = search_fingerprint(&(text, format!("{filter:?}")));
    let from = page.from.as_deref().map(|cursor| decode_search_cursor(&mark, cursor)).transpose()?;
    let from = from.map(|(by, debate, key)| CruxCursor { by, debate, key });
    let counted = context.look_ahead().field("totalCount").exists();
    let part = CruxPageRequest { from, toward: page.toward, limit: i64::from(page.size), counted, brief: false };
    let sought = inquiry.query(text).await.map_err(faulted)?;
    let generation = pinned_generation::generation(context).await?;
    let found = inquiry.views().cruxes_found(generation, filter, &sought, &part).await.map_err(faulted)?;
    let edges = found.rows.iter().zip(Crux::of_rows(&found.rows).map_err(faulted)?).map(|(row, crux)| {
        let cursor = encode_search_cursor(&mark, row.hit.score, row.debate(), &row.key);
        (cursor, crux, Some(SearchMatch::from(&row.hit)))
    });
    let (before, behind) = page.has_previous_and_next(found.more);
    Ok(CruxConnection::new(edges.collect(), before, behind, found.total))
}

/// Returns a short hash of a search, which its cursors contain so that they cannot be used with another search.
pub fn search_fingerprint(of: &(&str, String)) -> String {
    let digest = Sha256::digest(format!("{}\0{}", of.0, of.1));
    digest[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Encodes the cursor of a search result.
pub fn encode_search_cursor(mark: &str, score: i64, debate: DebateId, key: &str) -> String {
    format!("s.{mark}.{score}.{debate}.{key}")
}

/// Decodes the cursor of a search result.
///
/// # Errors
/// `INVALID` if the cursor is malformed or belongs to another search.
pub fn decode_search_cursor(mark: &str, cursor: &str) -> Result<(SortKey, DebateId, String)> {
    let read = || {
        let parts: Vec<&str> = cursor.split('.').collect();
        let ["s", own, score, debate, key] = parts.as_slice() else { return None };
        let key: CruxKey = key.parse().ok()?;
        Some((*own == mark, SortKey::Score(score.parse().ok()?), debate.parse().ok()?, key.to_string()))
    };
    match read() {
        Some((true, by, debate, key)) => Ok((by, debate, key)),
        Some((false, ..)) => Err(invalid("this cursor belongs to another search; start this search without a cursor")),
        None => Err(invalid_cursor()),
    }
}

/// Encodes the cursor of a crux in a list of this order.
fn cursor(row: &StoredCrux, order: CruxSort) -> String {
    let place = row.place_in(order);
    let by = match place.by {
        SortKey::At(at) => at.timestamp_micros().to_string(),
        SortKey::Share(share) => format!("{:016x}", share.to_bits()),
        SortKey::Number(number) => number.to_string(),
        SortKey::Score(score) => score.to_string(),
    };
    format!("{}.{by}.{}.{}", letter(order), place.debate, place.key)
}

/// Decodes a cursor.
fn place(order: CruxSort, cursor: &str) -> Result<CruxCursor> {
    let read = || {
        let [own, by, debate, key] = cursor.split('.').collect::<Vec<_>>().try_into().ok()?;
        if own != letter(order) {
            return None;
        }
        let by = match order {
            CruxSort::Newest | CruxSort::Changed => {
                let micros = by.parse().ok().filter(|micros| (0..=LATEST_MICROS).contains(micros))?;
                SortKey::At(DateTime::from_timestamp_micros(micros)?)
            }
            CruxSort::Pivotality => {
                let share = f64::from_bits(u64::from_str_radix(by, 16).ok()?);
                SortKey::Share(Some(share).filter(|share| (-1.0..=1.0).contains(share))?)
            }
            CruxSort::Dependents => SortKey::Number(by.parse().ok()?),
        };
        let key: CruxKey = key.parse().ok()?;
        Some(CruxCursor { by, debate: debate.parse().ok()?, key: key.to_string() })
    };
    read().ok_or_else(invalid_cursor)
}

/// Returns the letter that cursors of this order start with.
fn letter(order: CruxSort) -> &'static str {
    match order {
        CruxSort::Newest => "n",
        CruxSort::Changed => "c",
        CruxSort::Pivotality => "p",
        CruxSort::Dependents => "d",
    }
}

/// End of the year 9999, in microseconds since the epoch; well within the range of a Postgres timestamp.
pub const LATEST_MICROS: i64 = 253_402_300_799_999_999;
