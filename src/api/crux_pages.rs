//! Pages of the list of cruxes. A page costs one statement, and one more for all its debates if they are selected.

use async_graphql::futures_util::FutureExt;
use async_graphql::{Context, Result};
use chrono::DateTime;
use sha2::{Digest, Sha256};

use crate::api::error::{coded, from_fault, from_misnamed, invalid};
use crate::api::paging::{Page, no_cursor};
use crate::api::shown;
use crate::api::types::brief;
use crate::api::types::crux::{Crux, CruxConnection, CruxFilter, SearchMatch};
use crate::desk::inquiry::Inquiry;
use crate::events::ids::DebateId;
use crate::store::cruxes::{self, CruxOrder, CruxPart, CruxPlace, Measure, StoredCrux};
use crate::store::debates::SEARCH_CHARS;
use crate::store::views::Views;
use crate::verdicts::crux_name::CruxKey;

/// Converts a crux filter and search text to the store's filter.
///
/// # Errors
/// `INVALID` if an id is malformed or `minPivotality` is outside 0 to 1; `LIMIT` if the search text is too long.
pub fn wanted(filter: CruxFilter, search: Option<String>) -> Result<cruxes::CruxFilter> {
    if search.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
        return Err(coded(&format!("`search` is longer than {SEARCH_CHARS} characters"), "LIMIT"));
    }
    if filter.min_pivotality.is_some_and(|it| !(0.0..=1.0).contains(&it)) {
        return Err(invalid("`minPivotality` must be between 0 and 1"));
    }
    Ok(cruxes::CruxFilter {
        debate: filter.debate.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?,
        persona: filter.persona.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?,
        kind: filter.kind.map(|it| it.name().to_owned()),
        open: filter.open,
        min_pivotality: filter.min_pivotality,
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
    filter: &cruxes::CruxFilter,
    order: CruxOrder,
    page: Page,
) -> Result<CruxConnection> {
    let views = context.data::<Views>()?;
    let ahead = context.look_ahead();
    let part = CruxPart {
        from: page.from.as_deref().map(|it| place(order, it)).transpose()?,
        toward: page.toward,
        limit: i64::from(page.size),
        counted: ahead.field("totalCount").exists(),
        brief: brief::of_cruxes(&ahead.field("nodes")) && brief::of_cruxes(&ahead.field("edges").field("node")),
    };
    let part = &part;
    let read = |generation| {
        let read = async move {
            let found = views.cruxes(generation, filter, order, part).await?;
            Ok((found.rows.first().map(|it| it.generation), found))
        };
        read.boxed()
    };
    let found = shown::read(context, read).await?;
    let cruxes = Crux::of_rows(&found.rows).map_err(|it| from_fault(&it))?;
    let cursors = found.rows.iter().map(|it| cursor(it, order));
    let cruxes = cursors.zip(cruxes).map(|(cursor, crux)| (cursor, crux, None)).collect();
    let (before, behind) = page.ends(found.more);
    Ok(CruxConnection::new(cruxes, before, behind, found.total))
}

/// Returns a page of search results, best match first.
///
/// # Errors
/// `INVALID` if the cursor is malformed or belongs to another search; the codes of [`from_fault`] if the database
/// fails.
pub async fn found_page(
    context: &Context<'_>,
    filter: &cruxes::CruxFilter,
    text: &str,
    page: Page,
) -> Result<CruxConnection> {
    let inquiry = context.data::<Inquiry>()?;
    let faulted = |it| from_fault(&it);
    let mark = mark(&(text, format!("{filter:?}")));
    let from = page.from.as_deref().map(|it| found_place(&mark, it)).transpose()?;
    let from = from.map(|(by, debate, key)| CruxPlace { by, debate, key });
    let counted = context.look_ahead().field("totalCount").exists();
    let part = CruxPart { from, toward: page.toward, limit: i64::from(page.size), counted, brief: false };
    let sought = inquiry.sought(text).await.map_err(faulted)?;
    let generation = shown::generation(context).await?;
    let found = inquiry.views().cruxes_found(generation, filter, &sought, &part).await.map_err(faulted)?;
    let told = found.rows.iter().zip(Crux::of_rows(&found.rows).map_err(faulted)?).map(|(row, crux)| {
        let cursor = found_cursor(&mark, row.hit.score, row.debate(), &row.key);
        (cursor, crux, Some(SearchMatch::from(&row.hit)))
    });
    let cruxes = told.collect();
    let (before, behind) = page.ends(found.more);
    Ok(CruxConnection::new(cruxes, before, behind, found.total))
}

/// Returns a short hash of a search, which its cursors contain so that they cannot be used with another search.
pub fn mark(of: &(&str, String)) -> String {
    let digest = Sha256::digest(format!("{}\0{}", of.0, of.1));
    digest[..6].iter().map(|it| format!("{it:02x}")).collect()
}

/// Encodes the cursor of a search result.
pub fn found_cursor(mark: &str, score: i64, debate: DebateId, key: &str) -> String {
    format!("s.{mark}.{score}.{debate}.{key}")
}

/// Decodes the cursor of a search result.
///
/// # Errors
/// `INVALID` if the cursor is malformed or belongs to another search.
pub fn found_place(mark: &str, cursor: &str) -> Result<(Measure, DebateId, String)> {
    let read = || {
        let parts: Vec<&str> = cursor.split('.').collect();
        let ["s", own, score, debate, key] = parts.as_slice() else { return None };
        let key: CruxKey = key.parse().ok()?;
        Some((*own == mark, Measure::Score(score.parse().ok()?), debate.parse().ok()?, key.to_string()))
    };
    match read() {
        Some((true, by, debate, key)) => Ok((by, debate, key)),
        Some((false, ..)) => Err(invalid("this cursor belongs to another search; start this search without a cursor")),
        None => Err(no_cursor()),
    }
}

/// Encodes the cursor of a crux in a list of this order.
fn cursor(row: &StoredCrux, order: CruxOrder) -> String {
    let place = row.place_in(order);
    let by = match place.by {
        Measure::At(at) => at.timestamp_micros().to_string(),
        Measure::Share(share) => format!("{:016x}", share.to_bits()),
        Measure::Number(number) => number.to_string(),
        Measure::Score(score) => score.to_string(),
    };
    format!("{}.{by}.{}.{}", letter(order), place.debate, place.key)
}

/// Decodes a cursor.
fn place(order: CruxOrder, cursor: &str) -> Result<CruxPlace> {
    let read = || {
        let [own, by, debate, key] = cursor.split('.').collect::<Vec<_>>().try_into().ok()?;
        if own != letter(order) {
            return None;
        }
        let by = match order {
            CruxOrder::Newest | CruxOrder::Changed => {
                let micros = by.parse().ok().filter(|it| (0..=LATEST_MICROS).contains(it))?;
                Measure::At(DateTime::from_timestamp_micros(micros)?)
            }
            CruxOrder::Pivotality => {
                let share = f64::from_bits(u64::from_str_radix(by, 16).ok()?);
                Measure::Share(Some(share).filter(|it| (-1.0..=1.0).contains(it))?)
            }
            CruxOrder::Dependents => Measure::Number(by.parse().ok()?),
        };
        let key: CruxKey = key.parse().ok()?;
        Some(CruxPlace { by, debate: debate.parse().ok()?, key: key.to_string() })
    };
    read().ok_or_else(no_cursor)
}

/// Returns the letter that cursors of this order start with.
fn letter(order: CruxOrder) -> &'static str {
    match order {
        CruxOrder::Newest => "n",
        CruxOrder::Changed => "c",
        CruxOrder::Pivotality => "p",
        CruxOrder::Dependents => "d",
    }
}

/// End of the year 9999, in microseconds since the epoch; well within the range of a Postgres timestamp.
pub const LATEST_MICROS: i64 = 253_402_300_799_999_999;
