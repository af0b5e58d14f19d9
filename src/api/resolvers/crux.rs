//! Resolvers of cruxes.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context};

use crate::api::complexity::{DEBATE_COMPLEXITY, FOLD_COMPLEXITY, ROOMS_PER_DEBATE};
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::room::Room;
use crate::api::types::speech::argument::Turn;
use faultline_core::verdicts::crux_card::crux_places::CruxMarks;

/// Fields that require the debate.
#[ComplexObject]
impl Crux {
    /// The debate.
    #[graphql(complexity = "DEBATE_COMPLEXITY + child_complexity")]
    async fn debate(&self, context: &Context<'_>) -> async_graphql::Result<Arc<Debate>> {
        self.debate_ref.load(context, self.debate).await
    }

    /// Turns in which it was stated or attacked, with the passages they cite.
    #[graphql(complexity = "FOLD_COMPLEXITY + 5 * child_complexity")]
    async fn turns(&self, context: &Context<'_>) -> async_graphql::Result<Vec<Turn>> {
        let debate = self.debate_ref.load(context, self.debate).await?;
        let read_model = debate.read_model(context).await?;
        let participants = ParticipantSource::from(&debate);
        let turns = self.turns.iter().filter_map(|id| read_model.transcript.turn(*id));
        Ok(turns.map(|turn| Turn::new(turn, &participants)).collect())
    }

    /// Rooms and threads in which it was worked out, in the order of opening: those that discussed its dispute, and those in
    /// which one of its turns was taken.
    #[graphql(complexity = "FOLD_COMPLEXITY + ROOMS_PER_DEBATE * child_complexity")]
    async fn rooms(&self, context: &Context<'_>) -> async_graphql::Result<Vec<Room>> {
        let debate = self.debate_ref.load(context, self.debate).await?;
        let rooms = &debate.read_model(context).await?.rooms;
        debate.prepare_cruxes(context).await?;
        let found = CruxMarks { dispute: self.dispute, turns: &self.turns }.rooms(rooms);
        Ok(Room::all(rooms, &debate).into_iter().filter(|room| found.contains(&room.room)).collect())
    }
}
