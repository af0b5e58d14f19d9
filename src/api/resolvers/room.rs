//! Resolvers of rooms and candidates for rooms.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, Result};

use crate::api::complexity::assumed_page_size;
use crate::api::pages::stream_pages;
use crate::api::paging::PageArguments;
use crate::api::types::channel::RoomCandidate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::dispute::dispute::Dispute;
use crate::api::types::persona::participant::Participant;
use crate::api::types::room::Room;
use crate::api::types::speech::turns::TurnConnection;

/// Related objects. They cost no extra fold: a room exists only in a debate that is folded already.
#[ComplexObject]
impl Room {
    /// Participants who may speak in it, beside a moderator.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let inside = self
            .debate
            .cast
            .iter()
            .filter(|member| self.participant_ids.iter().any(|id| **id == member.persona.as_str()));
        inside.map(|member| Participant::new(member, Arc::clone(&self.debate))).collect()
    }

    /// Dispute with the room's question, if there is one; it has the current stances of all participants.
    #[graphql(complexity = "child_complexity")]
    async fn dispute(&self, context: &Context<'_>) -> Result<Option<Dispute>> {
        let read_model = self.debate.read_model(context).await?;
        let dispute = read_model.rooms.rooms.get(&self.room).and_then(|room| room.opened.dispute);
        Ok(dispute.and_then(|dispute| Dispute::of(read_model, dispute, &ParticipantSource::from(&self.debate))))
    }

    /// Turns taken in it, in order.
    #[graphql(complexity = "assumed_page_size(first.or(last)) * child_complexity")]
    async fn turns(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of turns from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only turns after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of turns from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only turns before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<TurnConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        let turns = &self.debate.read_model(context).await?.transcript.turns;
        let inside: Vec<_> = turns.iter().filter(|turn| turn.room == Some(self.room)).cloned().collect();
        stream_pages::turns(&inside, &page, &ParticipantSource::from(&self.debate))
    }
}

#[ComplexObject]
impl RoomCandidate {
    /// The two participants.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let inside = self
            .debate
            .cast
            .iter()
            .filter(|member| self.participant_ids.iter().any(|id| **id == member.persona.as_str()));
        inside.map(|member| Participant::new(member, Arc::clone(&self.debate))).collect()
    }
}
