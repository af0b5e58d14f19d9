//! Resolvers of rooms, candidates for rooms, and agendas.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result};

use crate::api::complexity::{CRUXES_PER_DEBATE, FOLD_COMPLEXITY, assumed_page_size};
use crate::api::pages::stream_pages;
use crate::api::paging::PageArguments;
use crate::api::types::channel::{Agenda, RoomCandidate};
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::dispute::dispute::Dispute;
use crate::api::types::persona::participant::Participant;
use crate::api::types::room::Room;
use crate::api::types::room_summary::RoomSummary;
use crate::api::types::speech::turns::TurnConnection;
use faultline_core::verdicts::crux_card::crux_places::CruxMarks;
use faultline_core::verdicts::disagreement::room_summary::room_summary;

/// Related objects. They cost no extra fold, since a room exists only in a debate that is folded already; cruxes cost the
/// verdict.
#[ComplexObject]
impl Room {
    /// Participants whose disagreement it is about. In a private room, only they may speak, beside a moderator.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        inside(&self.debate, &self.participant_ids)
    }

    /// Members: the participants whose disagreement it is about, then those who joined by speaking in it.
    #[graphql(complexity = "child_complexity")]
    async fn members(&self) -> Vec<Participant> {
        let member = |id: &ID| self.debate.cast.iter().find(|member| member.persona.as_str() == id.as_str());
        let members = self.member_ids.iter().filter_map(member);
        members.map(|member| Participant::new(member, Arc::clone(&self.debate))).collect()
    }

    /// Cruxes that were worked out in it, highest rank first, resolved ones last: those whose dispute it discussed, and those
    /// of which a turn was taken in it. A crux can have been worked out in several rooms.
    #[graphql(complexity = "FOLD_COMPLEXITY + CRUXES_PER_DEBATE * child_complexity")]
    async fn cruxes(&self, context: &Context<'_>) -> Result<Vec<Crux>> {
        let (read_model, verdict) = (self.debate.read_model(context).await?, self.debate.verdict(context).await?);
        let Some(room) = read_model.rooms.rooms.get(&self.room) else { return Ok(Vec::new()) };
        let ranked = (1..).zip(verdict.all_cruxes()).filter(|(_, crux)| CruxMarks::from(*crux).is_in(room));
        let ranked: Vec<_> = ranked.map(|(rank, crux)| (rank, crux.clone())).collect();
        Crux::all_ranked(context, &self.debate, &ranked).await
    }

    /// Summary: what the members hold on its question and on its aspects; null if no dispute asks its question. Computed from the
    /// log, unlike the card.
    #[graphql(complexity = "child_complexity")]
    async fn summary(&self, context: &Context<'_>) -> Result<Option<RoomSummary>> {
        let read_model = self.debate.read_model(context).await?;
        let room = read_model.rooms.rooms.get(&self.room);
        let summary = room.and_then(|room| room_summary(room, &read_model.disputes, &read_model.flip_conditions));
        Ok(summary.map(|summary| RoomSummary::new(&summary, &ParticipantSource::from(&self.debate))))
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
        inside(&self.debate, &self.participant_ids)
    }
}

#[ComplexObject]
impl Agenda {
    /// Disputes in focus, the most divisive first, as they are at the version of the debate.
    #[graphql(complexity = "child_complexity")]
    async fn disputes(&self, context: &Context<'_>) -> Result<Vec<Dispute>> {
        let (read_model, source) = (self.debate.read_model(context).await?, ParticipantSource::from(&self.debate));
        Ok(self.in_focus.iter().filter_map(|dispute| Dispute::of(read_model, *dispute, &source)).collect())
    }
}

/// Returns the participants of a debate with these ids, in speaking order.
fn inside(debate: &Arc<Debate>, ids: &[ID]) -> Vec<Participant> {
    let inside = debate.cast.iter().filter(|member| ids.iter().any(|id| id.as_str() == member.persona.as_str()));
    inside.map(|member| Participant::new(member, Arc::clone(debate))).collect()
}
