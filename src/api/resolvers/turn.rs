//! Resolvers of turns.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::complexity::FOLD_COMPLEXITY;
use crate::api::types::channel::TurnAttention;
use crate::api::types::persona::participant::Participant;
use crate::api::types::speech::argument::Turn;
use crate::api::types::speech::fact_check::FactCheck;
use crate::api::types::speech::search::Search;

/// Fields that require the debate. They cost no extra fold: a turn exists only in a debate that is folded already.
#[ComplexObject]
impl Turn {
    /// The participant; null for the moderator.
    async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
        match &self.speaker_id {
            Some(id) => self.participants.find(context, id).await,
            None => Ok(None),
        }
    }

    /// Fact checks of its claims, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn fact_checks(&self, context: &Context<'_>) -> Result<Vec<FactCheck>> {
        let debate = self.participants.debate_ref.load(context, self.participants.debate).await?;
        let checks = &debate.read_model(context).await?.fact_checks;
        Ok(checks.of_turn(self.turn).map(|check| FactCheck::new(check, checks, &self.participants)).collect())
    }

    /// Searches that the participant asked for before it, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn searches(&self, context: &Context<'_>) -> Result<Vec<Search>> {
        let debate = self.participants.debate_ref.load(context, self.participants.debate).await?;
        let searches = &debate.read_model(context).await?.searches;
        Ok(searches.before(self.turn).map(|search| Search::new(search, &self.participants)).collect())
    }

    /// Attention of the other participants to it; null if nobody scored it.
    async fn attention(&self, context: &Context<'_>) -> Result<Option<TurnAttention>> {
        let debate = self.participants.debate_ref.load(context, self.participants.debate).await?;
        let scored = debate.read_model(context).await?.attention.turns.get(&self.turn);
        Ok(scored.map(|scored| TurnAttention::new(scored, &self.participants)))
    }
}
