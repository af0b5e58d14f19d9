//! Resolvers of arguments.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::error::invalid;
use crate::api::types::persona::participant::Participant;
use crate::api::types::speech::argument::Argument;
use crate::api::types::speech::explanation::Explanation;

/// Fields that are computed on demand.
#[ComplexObject]
impl Argument {
    /// The author.
    async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
        self.participants.find(context, &self.speaker_id).await
    }

    /// Explains why the argument is accepted, rejected, undecided or does not count. The explanations of all arguments
    /// are computed together.
    async fn explanation(&self) -> Result<Explanation> {
        let explanation = self.reasons.of(self.argument).await?;
        explanation.ok_or_else(|| invalid("the argument is not in the debate"))
    }
}
