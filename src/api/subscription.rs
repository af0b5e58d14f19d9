//! Follow a debate from any version: history, then live, in one ordered stream.

use async_graphql::futures_util::Stream;
use async_graphql::futures_util::stream;
use async_graphql::{Context, ID, Result, Subscription as GraphQl};

use crate::api::error::{from_desk, from_fault, from_misnamed};
use crate::api::types::event::Event;
use crate::api::types::projection::{self, NAME, Projection};
use crate::desk::desk::Desk;
use crate::desk::feed::Feed;
use crate::events::ids::DebateId;
use crate::store::tail::Tail;
use crate::store::views::Views;

/// What a client may follow.
pub struct Subscription;

/// What a client may follow.
#[GraphQl]
impl Subscription {
    /// A debate's events after a version: those that are there, then each as it is recorded. No gap, no repeat: pass the
    /// version of the last event you have and go on from there. The stream completes after the debate's last event.
    async fn debate_events<'a>(
        &self,
        context: &Context<'a>,
        #[graphql(desc = "The debate's name.")] debate_id: ID,
        #[graphql(default = 0, desc = "The version of the last event you have; 0 for none.")] after: i64,
    ) -> Result<impl Stream<Item = Result<Event>> + use<'a>> {
        let debate: DebateId = debate_id.parse().map_err(|it| from_misnamed(&it))?;
        let desk = context.data::<Desk>()?;
        let feed = desk.feed(context.data::<Tail>()?, debate, after).await.map_err(from_desk)?;
        Ok(events(feed))
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
fn events(feed: Feed) -> impl Stream<Item = Result<Event>> {
    stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?.map(|it| Event::from(&it)).map_err(|it| from_fault(&it));
        Some((event, feed))
    })
}
