//! Pages of the list of debates.

use async_graphql::futures_util::FutureExt;
use async_graphql::{Context, Result};
use chrono::DateTime;

use crate::api::crux_pages::LATEST_MICROS;
use crate::api::paging::{Page, no_cursor};
use crate::api::shown;
use crate::api::types::brief;
use crate::api::types::list::DebateConnection;
use crate::api::types::siblings::told;
use crate::store::debates::{DebateOrder, Filter, ListPart, ListPlace};
use crate::store::views::Views;

/// Returns a page of the list, with one statement whatever its size.
pub(crate) async fn page(
    context: &Context<'_>,
    filter: &Filter,
    order: DebateOrder,
    page: Page,
) -> Result<DebateConnection> {
    let views = context.data::<Views>()?;
    let ahead = context.look_ahead();
    let part = ListPart {
        order,
        from: page.from.as_deref().map(|it| place(order, it)).transpose()?,
        toward: page.toward,
        limit: i64::from(page.size),
        counted: ahead.field("totalCount").exists(),
        brief: brief::of_debates(&ahead.field("nodes")) && brief::of_debates(&ahead.field("edges").field("node")),
    };
    let part = &part;
    let read = |generation| {
        let read = async move {
            let listed = views.listed(generation, filter, part).await?;
            Ok((listed.lines.first().map(|it| it.row.generation), listed))
        };
        read.boxed()
    };
    let listed = shown::read(context, read).await?;
    let cursors = listed.lines.iter().map(|it| cursor(order, order.place(&it.row)));
    let debates = cursors.zip(told(context, &listed.lines, part.brief).await?).collect();
    let (before, behind) = page.ends(listed.more);
    Ok(DebateConnection::new(debates, before, behind, listed.total))
}

/// Encodes the cursor of a place in a list of this order.
fn cursor(order: DebateOrder, place: ListPlace) -> String {
    format!("{}.{}.{}", letter(order), place.at.timestamp_micros(), place.debate)
}

/// Decodes a cursor.
fn place(order: DebateOrder, cursor: &str) -> Result<ListPlace> {
    let read = || {
        let [own, micros, debate] = cursor.split('.').collect::<Vec<_>>().try_into().ok()?;
        let micros = micros.parse().ok().filter(|it| (0..=LATEST_MICROS).contains(it))?;
        let at = DateTime::from_timestamp_micros(micros)?;
        (own == letter(order)).then_some(ListPlace { at, debate: debate.parse().ok()? })
    };
    read().ok_or_else(no_cursor)
}

/// Returns the letter that cursors of this order start with.
fn letter(order: DebateOrder) -> &'static str {
    match order {
        DebateOrder::Newest => "n",
        DebateOrder::Changed => "c",
    }
}
