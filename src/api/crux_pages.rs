//! Pages of the list of cruxes: one statement for the cruxes, one for all their debates where those are asked for.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, Result};
use chrono::DateTime;
use sha2::{Digest, Sha256};

use crate::api::error::{coded, from_fault, from_misnamed, invalid};
use crate::api::paging::{Page, no_cursor};
use crate::api::shown;
use crate::api::types::crux::{Crux, CruxConnection, CruxFilter, Placed, SearchMatch};
use crate::api::types::debate::Debate;
use crate::desk::inquiry::Inquiry;
use crate::events::ids::DebateId;
use crate::projections::summary::Summary;
use crate::store::cruxes::{self, CruxOrder, CruxPart, CruxPlace, Measure, StoredCrux};
use crate::store::debates::SEARCH_CHARS;
use crate::store::fault::Fault;
use crate::store::views::Views;
use crate::verdicts::crux_name::CruxKey;
use crate::verdicts::cruxes::Crux as Inner;

/// What applies to the cruxes to be listed, as the store is asked.
///
/// # Errors
/// `INVALID` and `LIMIT` where a name is none, a share is none, or a search is too long.
pub fn wanted(filter: CruxFilter, search: Option<String>) -> Result<cruxes::CruxFilter> {
    if search.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
        return Err(coded(&format!("at most {SEARCH_CHARS} characters are searched for"), "LIMIT"));
    }
    if filter.min_pivotality.is_some_and(|it| !(0.0..=1.0).contains(&it)) {
        return Err(invalid("a pivotality is a share, from 0 to 1"));
    }
    Ok(cruxes::CruxFilter {
        debate: filter.debate.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?,
        persona: filter.persona.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?,
        kind: filter.kind.map(|it| it.name().to_owned()),
        open: filter.open,
        min_pivotality: filter.min_pivotality,
        // A search for nothing is none.
        search: search.filter(|it| !it.trim().is_empty()),
    })
}

/// A page of the list.
///
/// # Errors
/// `INVALID` where the cursor is none of this order.
pub async fn page(
    context: &Context<'_>,
    filter: &cruxes::CruxFilter,
    order: CruxOrder,
    page: Page,
) -> Result<CruxConnection> {
    let views = context.data::<Views>()?;
    let faulted = |it| from_fault(&it);
    let part = CruxPart {
        from: page.from.as_deref().map(|it| place(order, it)).transpose()?,
        toward: page.toward,
        limit: i64::from(page.size),
        counted: context.look_ahead().field("totalCount").exists(),
    };
    let generation = shown::generation(context).await?;
    let found = views.cruxes(generation, filter, order, &part).await.map_err(faulted)?;
    let whole = wants_debates(context);
    let cruxes = placed(views, (generation, &found.rows), whole, |it| cursor(it, order)).await?;
    let cruxes = cruxes.into_iter().map(|(cursor, crux)| (cursor, crux, None)).collect();
    let (before, behind) = page.ends(found.more);
    Ok(CruxConnection::new(cruxes, before, behind, found.total))
}

/// A page of what a search finds, what fits best first.
///
/// # Errors
/// `INVALID` where the cursor is of another search.
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
    let part = CruxPart { from, toward: page.toward, limit: i64::from(page.size), counted };
    let sought = inquiry.sought(text).await.map_err(faulted)?;
    let generation = shown::generation(context).await?;
    let found = inquiry.views().cruxes_found(generation, filter, &sought, &part).await.map_err(faulted)?;
    let whole = wants_debates(context);
    let named = |row: &StoredCrux| found_cursor(&mark, row.hit.score, row.debate(), &row.key);
    let cruxes = placed(inquiry.views(), (generation, &found.rows), whole, named).await?;
    let hits = found.rows.iter().map(|it| Some(SearchMatch::from(&it.hit)));
    let cruxes = cruxes.into_iter().zip(hits).map(|((cursor, crux), hit)| (cursor, crux, hit)).collect();
    let (before, behind) = page.ends(found.more);
    Ok(CruxConnection::new(cruxes, before, behind, found.total))
}

/// Whether a client asks for the debates of the cruxes of a connection.
pub fn wants_debates(context: &Context<'_>) -> bool {
    let asked = |path: &[&str]| path.iter().fold(context.look_ahead(), |look, name| look.field(name)).exists();
    ["debate", "turns"].iter().any(|it| asked(&["nodes", it]) || asked(&["edges", "node", it]))
}

/// Stored cruxes of a generation with their cursors; with their debates, where those are asked for.
///
/// # Errors
/// Our own faults.
pub async fn placed(
    views: &Views,
    (generation, rows): (i32, &[StoredCrux]),
    whole: bool,
    cursor: impl Fn(&StoredCrux) -> String,
) -> Result<Vec<(String, Crux)>> {
    let houses = if whole { houses(views, generation, rows).await? } else { HashMap::new() };
    let mut cruxes = Vec::with_capacity(rows.len());
    for row in rows {
        let crux = serde_json::from_str(&row.body).map_err(Fault::json("read a stored crux"));
        let crux: Inner = crux.map_err(|it| from_fault(&it))?;
        let rank = usize::try_from(row.place).unwrap_or_default();
        let placed = Placed { debate: row.debate(), rank, crux: &crux, times: (row.opened_at, row.changed_at) };
        cruxes.push((cursor(row), Crux::new(placed, houses.get(&row.debate()).cloned())));
    }
    Ok(cruxes)
}

/// By which cursors of one search are told from those of another.
pub fn mark(of: &(&str, String)) -> String {
    let digest = Sha256::digest(format!("{}\0{}", of.0, of.1));
    digest[..6].iter().map(|it| format!("{it:02x}")).collect()
}

/// The cursor of something found.
pub fn found_cursor(mark: &str, score: i64, debate: DebateId, key: &str) -> String {
    format!("s.{mark}.{score}.{debate}.{key}")
}

/// The place in what was found that a cursor names.
///
/// # Errors
/// `INVALID` where the cursor is none of this search.
pub fn found_place(mark: &str, cursor: &str) -> Result<(Measure, DebateId, String)> {
    let read = || {
        let parts: Vec<&str> = cursor.split('.').collect();
        let ["s", own, score, debate, key] = parts.as_slice() else { return None };
        let key: CruxKey = key.parse().ok()?;
        Some((*own == mark, Measure::Score(score.parse().ok()?), debate.parse().ok()?, key.to_string()))
    };
    match read() {
        Some((true, by, debate, key)) => Ok((by, debate, key)),
        Some((false, ..)) => Err(invalid("this cursor is of another search; begin this one without a cursor")),
        None => Err(no_cursor()),
    }
}

/// The debates of cruxes, each read once, in one statement.
async fn houses(views: &Views, generation: i32, rows: &[StoredCrux]) -> Result<HashMap<DebateId, Arc<Debate>>> {
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let mut debates: Vec<DebateId> = rows.iter().map(StoredCrux::debate).collect();
    debates.sort_unstable();
    debates.dedup();
    let summaries = views.load_many::<Summary>("summary", generation, &debates).await.map_err(|it| from_fault(&it))?;
    let houses = summaries.iter().map(|(id, view)| Ok((*id, Arc::new(Debate::of_summary(&view.value, None)?))));
    houses.collect()
}

/// The cursor of a crux in a list of this order.
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

/// The place that a cursor names.
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

/// By which cursors of one order are told from those of another.
fn letter(order: CruxOrder) -> &'static str {
    match order {
        CruxOrder::Newest => "n",
        CruxOrder::Changed => "c",
        CruxOrder::Pivotality => "p",
        CruxOrder::Dependents => "d",
    }
}

/// The end of the year 9999: the database's calendar ends somewhere behind it.
pub const LATEST_MICROS: i64 = 253_402_300_799_999_999;
