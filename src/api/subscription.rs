//! What a client may follow: debates and the log from any place, history and then live in one ordered stream; views, cruxes
//! and stored views as they change.

use async_graphql::futures_util::Stream;
use async_graphql::futures_util::stream::{self, StreamExt};
use async_graphql::{Context, ID, Result, Subscription as GraphQl};

use crate::api::crux_pages;
use crate::api::error::{coded, from_desk, from_fault, from_misnamed, invalid};
use crate::api::streams::place::Place;
use crate::api::streams::reach::Reach;
use crate::api::types::crux::{Crux, CruxFilter};
use crate::api::types::debate::Debate;
use crate::api::types::event::Event;
use crate::api::types::found::{crux, is_wanted};
use crate::api::types::projection::{self, NAME, Projection};
use crate::desk::desk::Desk;
use crate::desk::feeds::{Feed, Feeds, NoFeed};
use crate::desk::finds::finds;
use crate::desk::watched::Watched;
use crate::events::ids::DebateId;
use crate::store::lanes::{Cursor, NoCursor};
use crate::store::views::Views;

/// What a client may follow.
pub struct Subscription;

/// What a client may follow.
#[GraphQl]
impl Subscription {
    /// A debate's events after a version: those that are there, then each as it is recorded. No gap, no repeat: pass the
    /// version of the last event you have and go on from there. The stream completes after the debate's last event. A
    /// version that the debate does not have yet is refused with the code `FUTURE_CURSOR`.
    async fn debate_events<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "The debate's name.")] debate_id: ID,
        #[graphql(desc = "The version of the last event you have; 0 or nothing for none.")] after: Option<i64>,
    ) -> Result<impl Stream<Item = Result<Event>> + use<'a>> {
        let debate: DebateId = debate_id.parse().map_err(|it| from_misnamed(&it))?;
        let reach = Reach::of(context);
        let after = reach.from_version().or(after).unwrap_or(0);
        let feed = context.data::<Feeds>()?.debate(debate, after, reach.upto_version()).await.map_err(from_feed)?;
        Ok(events(feed, reach))
    }

    /// A debate, as it is and again whenever what is asked of it has changed: changes within a fifth of a second are told
    /// as one, and who is slow is told the newest. The stream completes when the debate is over.
    async fn debate_view<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "The debate's name.")] debate_id: ID,
    ) -> Result<impl Stream<Item = Result<Debate>> + use<'a>> {
        let debate: DebateId = debate_id.parse().map_err(|it| from_misnamed(&it))?;
        let watched =
            Watched::open(context.data::<Desk>()?, context.data::<Feeds>()?, debate).await.map_err(from_desk)?;
        Ok(stream::unfold(watched, |mut watched| async move {
            let view = match watched.next().await? {
                Ok(board) => Debate::of_board(board.as_ref().clone(), Some(board.summary.version)),
                Err(fault) => Err(from_fault(&fault)),
            };
            Some((view, watched))
        }))
    }

    /// Cruxes of all debates as they are found from now on: what a debate turns on after an event and did not before it.
    /// For those found before, ask for `cruxes` once the subscription stands. Whoever reads too slowly for what is found is
    /// told `LAGGED`, and the stream ends.
    async fn crux_found<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Only cruxes to which all of it applies when they are found.")] filter: Option<CruxFilter>,
    ) -> Result<impl Stream<Item = Result<Crux>> + use<'a>> {
        let filter = crux_pages::wanted(filter.unwrap_or_default(), None)?;
        let (desk, feeds) = (context.data::<Desk>()?.clone(), context.data::<Feeds>()?);
        let found = finds(desk, feeds).await.map_err(|it| from_fault(&it))?;
        Ok(found.filter_map(move |it| {
            let told = match it.value {
                Ok(found) => is_wanted(&filter, &found).then(|| crux(&found)),
                Err(fault) => Some(Err(from_fault(&fault))),
            };
            std::future::ready(told)
        }))
    }

    /// Every event of every debate behind a cursor, in the log's order: those that are there, then each as it is recorded.
    /// No gap, no repeat: each event bears the cursor to go on from. The stream does not end. A text that is no cursor is
    /// refused with the code `INVALID`, one that lies beyond the log with `FUTURE_CURSOR`.
    async fn log<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "The cursor of the last event you have; none for all there are.")] after: Option<String>,
    ) -> Result<impl Stream<Item = Result<Event>> + use<'a>> {
        let reach = Reach::of(context);
        let after = match (reach.from_cursor(), after) {
            (Some(cursor), _) => cursor,
            (None, Some(text)) => text.parse().map_err(|it: NoCursor| invalid(&it.to_string()))?,
            (None, None) => Cursor::default(),
        };
        let items = context.data::<Feeds>()?.log(after, reach.upto_cursor()).await.map_err(from_feed)?;
        Ok(items.map(move |it| {
            let event = it.value.map_err(|it| from_fault(&it))?;
            let event = Event::behind(&event, &it.place);
            reach.mark(Place::Log(it.place));
            Ok(event)
        }))
    }

    /// How far stored views are: as they stand, then whenever that has changed. The stream does not end.
    async fn projection_progress<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "The projection's name; none for all of them.")] name: Option<String>,
    ) -> Result<impl Stream<Item = Result<Projection>> + use<'a>> {
        let name = projection::known(name.as_deref().unwrap_or(NAME))?;
        Ok(projection::progress(context.data::<Views>()?.clone(), name))
    }
}

/// The events of a feed, one by one.
fn events(feed: Feed, reach: Reach) -> impl Stream<Item = Result<Event>> {
    stream::unfold((feed, reach), |(mut feed, reach)| async move {
        let event = match feed.next().await? {
            Ok(recorded) => {
                reach.mark(Place::Version(recorded.version));
                Ok(Event::from(recorded.as_ref()))
            }
            Err(fault) => Err(from_fault(&fault)),
        };
        Some((event, (feed, reach)))
    })
}

/// Why something cannot be followed.
fn from_feed(reason: NoFeed) -> async_graphql::Error {
    let code = match &reason {
        NoFeed::Fault(fault) => return from_fault(fault),
        NoFeed::Missing(_) => "NOT_FOUND",
        NoFeed::Negative(_) => "INVALID",
        NoFeed::Future { .. } | NoFeed::FutureCursor => "FUTURE_CURSOR",
    };
    coded(&reason.to_string(), code)
}
