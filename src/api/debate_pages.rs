//! Pages of the list of debates.

use async_graphql::{Context, Result};
use chrono::DateTime;

use crate::api::crux_pages::LATEST_MICROS;
use crate::api::error::{from_desk, from_fault};
use crate::api::paging::{Page, no_cursor};
use crate::api::shown;
use crate::api::types::debate::Debate;
use crate::api::types::list::DebateConnection;
use crate::desk::desk::Desk;
use crate::events::ids::DebateId;
use crate::projections::summary::Summary;
use crate::store::debates::{Filter, ListPlace};
use crate::store::views::Views;

/// A page of the list: a few statements, whatever its size.
pub(crate) async fn page(context: &Context<'_>, filter: &Filter, page: Page) -> Result<DebateConnection> {
    let views = context.data::<Views>()?;
    let from = page.from.as_deref().map(place).transpose()?;
    let faulted = |it| from_fault(&it);
    let generation = shown::generation(context).await?;
    let lines = views.list(generation, filter, from, page.toward, i64::from(page.size)).await.map_err(faulted)?;
    let ids: Vec<DebateId> = lines.rows.iter().map(|it| it.debate).collect();
    let summaries = views.load_many::<Summary>("summary", generation, &ids).await.map_err(faulted)?;
    let (newer, older) = page.ends(lines.more);
    let mut debates = Vec::with_capacity(lines.rows.len());
    for row in &lines.rows {
        let cursor = format!("{}.{}", row.opened_at.timestamp_micros(), row.debate);
        let debate = match summaries.get(&row.debate) {
            Some(view) => Debate::of_summary(&view.value, None)?,
            None => Debate::of_board(context.data::<Desk>()?.board(row.debate, None).await.map_err(from_desk)?, None)?,
        };
        debates.push((cursor, debate));
    }
    Ok(DebateConnection::new(debates, newer, older))
}

/// The place in the list that a cursor names.
fn place(cursor: &str) -> Result<ListPlace> {
    let read = || {
        let (micros, debate) = cursor.split_once('.')?;
        let micros = micros.parse().ok().filter(|it| (0..=LATEST_MICROS).contains(it))?;
        Some(ListPlace { opened_at: DateTime::from_timestamp_micros(micros)?, debate: debate.parse().ok()? })
    };
    read().ok_or_else(no_cursor)
}
