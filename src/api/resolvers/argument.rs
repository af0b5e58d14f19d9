//! Resolvers of arguments.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::error::invalid;
use crate::api::types::persona::participant::Participant;
use crate::api::types::speech::argument::Argument;
use crate::api::types::speech::why::Why;

/// Fields that are computed on demand.
#[ComplexObject]
impl Argument {
    /// The author.
    async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
        self.participants.find(context, &self.speaker_id).await
    }

    /// Explains why the argument is accepted, rejected, undecided or does not count. The explanations of all arguments
    /// are computed together.
    async fn why(&self) -> Result<Why> {
        let why = self.reasons.of(self.argument).await?;
        why.ok_or_else(|| invalid("the argument is not in the debate"))
    }
}
