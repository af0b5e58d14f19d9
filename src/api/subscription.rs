//! Follow a debate from any version: history, then live, in one ordered stream.

use async_graphql::futures_util::Stream;
use async_graphql::futures_util::stream;
use async_graphql::{Context, ID, Result, Subscription as GraphQl};

use crate::api::error::{from_desk, from_fault, from_misnamed, invalid};
use crate::api::types::event::Event;
use crate::desk::desk::Desk;
use crate::events::event;
use crate::events::ids::DebateId;
use crate::store::follower::Follower;
use crate::store::tail::Tail;

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
        let summary = desk.board(debate, None).await.map_err(from_desk)?.summary;
        let head = summary.version;
        if after < 0 || after > head {
            return Err(invalid(&format!(
                "after is {after}; debate {debate} has versions 1 to {head}, and 0 is before all"
            )));
        }
        // Whoever has the last event of a debate that is over would wait for ever.
        let is_over = summary.status.is_final() && after == head;
        let follower = Follower::of_debate(desk.log(), context.data::<Tail>()?, debate, after);
        Ok(events((!is_over).then_some(follower)))
    }
}

/// The events of a follower one by one, until the debate's last; none without a follower.
fn events(follower: Option<Follower>) -> impl Stream<Item = Result<Event>> {
    let start = follower.map(|it| (it, Vec::new().into_iter()));
    stream::unfold(start, |state| async move {
        let (mut follower, mut page): (Follower, std::vec::IntoIter<event::Recorded>) = state?;
        loop {
            if let Some(recorded) = page.next() {
                let is_last =
                    matches!(recorded.event, event::Event::DebateConcluded(_) | event::Event::DebateAborted(_));
                let event = Ok(Event::from(&recorded));
                return Some((event, (!is_last).then_some((follower, page))));
            }
            match follower.next().await {
                Ok(events) => page = events.into_iter(),
                Err(fault) => return Some((Err(from_fault(&fault)), None)),
            }
        }
    })
}
