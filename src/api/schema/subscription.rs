//! GraphQL subscriptions: debates and the log from any position, history first and then live events in one ordered
//! stream; debate views, cruxes and projections as they change.

use async_graphql::futures_util::stream::StreamExt;
use async_graphql::futures_util::{Stream, stream};
use async_graphql::{Context, ID, Result, Subscription as GraphQl};

use crate::api::error::{error_with_code, from_fault, from_service, invalid};
use crate::api::ids::resolve_debate;
use crate::api::pages::crux_pages;
use crate::api::streams::position::{Position, PositionKind};
use crate::api::streams::resume_point::ResumePoint;
use crate::api::types::crux::crux::{Crux, CruxFilter};
use crate::api::types::crux::crux_events::{crux, matches_filter};
use crate::api::types::debate::debate::Debate;
use crate::api::types::event::Event;
use crate::api::types::projection;
use crate::api::types::projection::{NAME, Projection};
use crate::api::types::speech::draft::TurnDraft;
use faultline_service::drafts::draft_board::DraftBoard;
use faultline_service::drafts::draft_feed::{DraftFeed, FeedItem};
use faultline_service::feeds::crux_feed::crux_feed;
use faultline_service::feeds::debate_watch::DebateWatcher;
use faultline_service::feeds::event_feeds::{EventFeeds, Feed, SubscribeError};
use faultline_service::service::DebateService;
use faultline_store::views::views::Views;

/// Root type of all subscriptions.
pub struct Subscription;

/// All subscriptions.
#[GraphQl]
impl Subscription {
    /// Streams a debate's events after a version: first the existing ones, then new ones as they are appended, without
    /// gaps or repeats. To resume, pass the version of the last event received. The stream completes after the debate's
    /// last event. A version greater than the debate's latest is refused with `FUTURE_CURSOR`.
    async fn debate_events<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Id of the debate.")] debate_id: ID,
        #[graphql(desc = "Version of the last event received; by default 0, for all events.")] after: Option<i64>,
    ) -> Result<impl Stream<Item = Result<Event>> + use<'a>> {
        let debate = resolve_debate(context, &debate_id).await?;
        let resume_point = ResumePoint::resolve(context, || Ok(Position::Version(after.unwrap_or(0))))?;
        let (after, until) = resume_point.bounds(Position::version)?;
        let feed = context.data::<EventFeeds>()?.debate(debate, after, until).await.map_err(from_feed)?;
        Ok(events(feed, resume_point))
    }

    /// Streams the state of a debate: the current one, and again whenever a selected field has changed. Changes within
    /// 200 ms are combined, and a slow client skips to the latest state. The stream completes when the debate is over.
    async fn debate_view<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Id of the debate.")] debate_id: ID,
    ) -> Result<impl Stream<Item = Result<Debate>> + use<'a>> {
        let debate = resolve_debate(context, &debate_id).await?;
        let watched = DebateWatcher::open(context.data::<DebateService>()?, context.data::<EventFeeds>()?, debate)
            .await
            .map_err(from_service)?;
        Ok(stream::unfold(watched, |mut watched| async move {
            let view = match watched.next().await? {
                Ok(read_model) => {
                    Debate::from_read_model(read_model.as_ref().clone(), Some(read_model.summary.version))
                }
                Err(fault) => Err(from_fault(&fault)),
            };
            Some((view, watched))
        }))
    }

    /// Streams drafts of a debate's turns: words that a model is generating, and that are not yet said. A draft ends as
    /// SAID, when its turn is recorded, or as DISCARDED, with the reason. Drafts are not stored: the stream begins with
    /// those that are being written, and a client that reads slowly receives longer pieces. Only the process that drives
    /// the debate has them; other processes, and debates of other providers, send none. The stream completes when the
    /// debate is over.
    async fn turn_draft<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Id of the debate.")] debate_id: ID,
    ) -> Result<impl Stream<Item = Result<TurnDraft>> + use<'a>> {
        let debate = resolve_debate(context, &debate_id).await?;
        let events = context.data::<EventFeeds>()?.debate_from_now(debate).await.map_err(from_feed)?;
        let drafts = context.data::<DraftBoard>()?.read(debate);
        Ok(stream::unfold(DraftFeed::new(events, Some(drafts)), |mut feed| async move {
            loop {
                let draft = match feed.next().await? {
                    FeedItem::Draft(update) => Ok(TurnDraft::from(update)),
                    FeedItem::Event(Err(fault)) => Err(from_fault(&fault)),
                    FeedItem::Event(Ok(_)) => continue,
                };
                return Some((draft, feed));
            }
        }))
    }

    /// Streams new cruxes of all debates: cruxes that exist after an event and did not before it. For earlier ones,
    /// query `cruxes` once the subscription is established. A client that reads too slowly gets `LAGGED`, and the
    /// stream ends.
    async fn crux_found<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Only cruxes that match all conditions when they are found.")] filter: Option<CruxFilter>,
    ) -> Result<impl Stream<Item = Result<Crux>> + use<'a>> {
        let filter = crux_pages::store_filter(context, filter.unwrap_or_default(), None).await?;
        let (service, feeds) = (context.data::<DebateService>()?.clone(), context.data::<EventFeeds>()?);
        let found = crux_feed(service, feeds).await.map_err(|error| from_fault(&error))?;
        Ok(found.filter_map(move |item| {
            let matching = match item.value {
                Ok(found) => matches_filter(&filter, &found).then(|| crux(&found)),
                Err(fault) => Some(Err(from_fault(&fault))),
            };
            std::future::ready(matching)
        }))
    }

    /// Streams all events of all debates after a cursor, in log order: first the existing ones, then new ones as they
    /// are appended, without gaps or repeats. Each event has the cursor to resume from. The stream does not end. A
    /// malformed cursor is refused with `INVALID`, one ahead of the log with `FUTURE_CURSOR`.
    async fn log<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Cursor of the last event received; by default the start of the log.")] after: Option<String>,
    ) -> Result<impl Stream<Item = Result<Event>> + use<'a>> {
        let argument = || match &after {
            Some(text) => PositionKind::Log.parse(text).map_err(|reason| invalid(&reason)),
            None => Ok(PositionKind::Log.start()),
        };
        let resume_point = ResumePoint::resolve(context, argument)?;
        let (after, until) = resume_point.bounds(Position::cursor)?;
        let items = context.data::<EventFeeds>()?.log(after, until).await.map_err(from_feed)?;
        Ok(items.map(move |item| {
            let event = item.value.map_err(|error| from_fault(&error))?;
            let event = Event::behind(&event, &item.position);
            resume_point.report(Position::Log(item.position));
            Ok(event)
        }))
    }

    /// Streams the progress of projections: the current one, then every change. The stream does not end.
    async fn projection_progress<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "Name of the projection; by default all of them.")] name: Option<String>,
    ) -> Result<impl Stream<Item = Result<Projection>> + use<'a>> {
        let name = projection::projection_name(name.as_deref().unwrap_or(NAME))?;
        Ok(projection::progress(context.data::<Views>()?.clone(), name))
    }
}

/// Returns the events of a feed as a stream.
fn events(feed: Feed, resume_point: ResumePoint) -> impl Stream<Item = Result<Event>> {
    stream::unfold((feed, resume_point), |(mut feed, resume_point)| async move {
        let event = match feed.next().await? {
            Ok(recorded) => {
                resume_point.report(Position::Version(recorded.version));
                Ok(Event::from(recorded.as_ref()))
            }
            Err(fault) => Err(from_fault(&fault)),
        };
        Some((event, (feed, resume_point)))
    })
}

/// Maps a refused subscription to a GraphQL error.
fn from_feed(reason: SubscribeError) -> async_graphql::Error {
    let code = match &reason {
        SubscribeError::Fault(fault) => return from_fault(fault),
        SubscribeError::Missing(_) => "NOT_FOUND",
        SubscribeError::Negative(_) => "INVALID",
        SubscribeError::Future { .. } | SubscribeError::FutureCursor => "FUTURE_CURSOR",
    };
    error_with_code(&reason.to_string(), code)
}
