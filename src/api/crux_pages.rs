//! Pages of the list of cruxes: one statement for the cruxes, one for all their debates where those are asked for.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, Result};
use chrono::DateTime;

use crate::api::error::{coded, from_fault, from_misnamed, invalid};
use crate::api::paging::{Page, no_cursor};
use crate::api::types::crux::{Crux, CruxConnection, CruxFilter, Placed};
use crate::api::types::debate::Debate;
use crate::events::ids::DebateId;
use crate::projections::summary::Summary;
use crate::store::cruxes::{self, CruxOrder, CruxPart, CruxPlace, Measure, StoredCrux};
use crate::store::debates::SEARCH_CHARS;
use crate::store::fault::Fault;
use crate::store::views::Views;
use crate::verdicts::board::REVISION;
use crate::verdicts::crux_name::CruxKey;
use crate::verdicts::cruxes::Crux as Inner;

/// What is searched for, as the store is asked.
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
    let asked = |path: &[&str]| {
        let look = context.look_ahead();
        path.iter().fold(look, |look, name| look.field(name)).exists()
    };
    let part = CruxPart {
        from: page.from.as_deref().map(|it| place(order, it)).transpose()?,
        toward: page.toward,
        limit: i64::from(page.size),
        counted: asked(&["totalCount"]),
    };
    let found = views.cruxes(REVISION, filter, order, &part).await.map_err(faulted)?;
    let whole = ["debate", "turns"].iter().any(|it| asked(&["nodes", it]) || asked(&["edges", "node", it]));
    let houses = if whole { houses(views, &found.rows).await? } else { HashMap::new() };
    let mut cruxes = Vec::with_capacity(found.rows.len());
    for row in &found.rows {
        let crux: Inner =
            serde_json::from_str(&row.body).map_err(Fault::json("read a stored crux")).map_err(faulted)?;
        let rank = usize::try_from(row.place).unwrap_or_default();
        let placed = Placed { debate: row.debate(), rank, crux: &crux, times: (row.opened_at, row.changed_at) };
        cruxes.push((cursor(row, order), Crux::new(placed, houses.get(&row.debate()).cloned())));
    }
    let (before, behind) = page.ends(found.more);
    Ok(CruxConnection::new(cruxes, before, behind, found.total))
}

/// The debates of cruxes, each read once, in one statement.
async fn houses(views: &Views, rows: &[StoredCrux]) -> Result<HashMap<DebateId, Arc<Debate>>> {
    let Some(revision) = rows.first().map(|it| it.revision) else { return Ok(HashMap::new()) };
    let mut debates: Vec<DebateId> = rows.iter().map(StoredCrux::debate).collect();
    debates.sort_unstable();
    debates.dedup();
    let summaries = views.load_many::<Summary>("summary", revision, &debates).await.map_err(|it| from_fault(&it))?;
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
