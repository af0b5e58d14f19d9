//! Pages of the list of debates.

use async_graphql::futures_util::FutureExt;
use async_graphql::{Context, Result};
use chrono::DateTime;

use crate::api::batching::lookahead;
use crate::api::error::check_search_length;
use crate::api::ids::parse_optional_id;
use crate::api::loading::debate_loader::debates_of_rows;
use crate::api::pages::crux_pages::LATEST_MICROS;
use crate::api::paging::{PageRequest, invalid_cursor};
use crate::api::pinned_generation;
use crate::api::types::debate::debate_list::{DebateConnection, DebateFilter};
use faultline_store::views::debates::{DebateCursor, DebatePageRequest, DebateQuery, DebateSort, MAX_SEARCH_CHARS};
use faultline_store::views::views::Views;

/// Returns a page of the list, with one statement whatever its size.
pub(crate) async fn page(
    context: &Context<'_>,
    filter: &DebateQuery,
    order: DebateSort,
    page: PageRequest,
) -> Result<DebateConnection> {
    let views = context.data::<Views>()?;
    let ahead = context.look_ahead();
    let part = DebatePageRequest {
        order,
        from: page.from.as_deref().map(|cursor| place(order, cursor)).transpose()?,
        toward: page.toward,
        limit: i64::from(page.size),
        counted: ahead.field("totalCount").exists(),
        brief: lookahead::debates_need_columns_only(&ahead.field("nodes"))
            && lookahead::debates_need_columns_only(&ahead.field("edges").field("node")),
    };
    let part = &part;
    let read = |generation| {
        let read = async move {
            let listed = views.list_debates(generation, filter, part).await?;
            Ok((listed.lines.first().map(|line| line.row.generation), listed))
        };
        read.boxed()
    };
    let listed = pinned_generation::read(context, read).await?;
    let cursors = listed.lines.iter().map(|line| cursor(order, order.place(&line.row)));
    let debates = cursors.zip(debates_of_rows(context, &listed.lines, part.brief).await?).collect();
    let (before, behind) = page.has_previous_and_next(listed.more);
    Ok(DebateConnection::new(debates, before, behind, listed.total))
}

/// Converts a debate filter to the store's filter.
///
/// # Errors
/// `INVALID` if an id is malformed or the search is too long.
pub(crate) fn store_filter(filter: DebateFilter) -> Result<DebateQuery> {
    let persona = parse_optional_id(filter.persona_id.as_ref())?;
    check_search_length(filter.search.as_ref(), MAX_SEARCH_CHARS)?;
    let status = filter.status.map(|status| status.name().to_owned());
    Ok(DebateQuery {
        status,
        engine: filter.engine,
        persona,
        topic: filter.search,
        provider: filter.provider,
        regime: filter.regime.map(|it| it.name().to_owned()),
        outcome: filter.outcome.map(|it| it.name().to_owned()),
        model: filter.model,
        opened_after: filter.opened_after,
        opened_before: filter.opened_before,
    })
}

/// Encodes the cursor of a place in a list of this order.
fn cursor(order: DebateSort, place: DebateCursor) -> String {
    format!("{}.{}.{}", letter(order), place.at.timestamp_micros(), place.debate)
}

/// Decodes a cursor.
fn place(order: DebateSort, cursor: &str) -> Result<DebateCursor> {
    let read = || {
        let [own, micros, debate] = cursor.split('.').collect::<Vec<_>>().try_into().ok()?;
        let micros = micros.parse().ok().filter(|micros| (0..=LATEST_MICROS).contains(micros))?;
        let at = DateTime::from_timestamp_micros(micros)?;
        (own == letter(order)).then_some(DebateCursor { at, debate: debate.parse().ok()? })
    };
    read().ok_or_else(invalid_cursor)
}

/// Returns the letter that cursors of this order start with.
fn letter(order: DebateSort) -> &'static str {
    match order {
        DebateSort::Newest => "n",
        DebateSort::Changed => "c",
    }
}
