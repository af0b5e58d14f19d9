//! Resolvers of cited and suspected passages.

use async_graphql::dataloader::DataLoader;
use async_graphql::{ComplexObject, Context, Result};

use crate::api::types::speech::grounding::{Citation, CitedPassage, Passages, SuspectedPassage};
use crate::api::types::speech::search::FoundPassage;

#[ComplexObject]
impl Citation {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<CitedPassage>> {
        context.data::<DataLoader<Passages>>()?.load_one(self.chunk).await
    }
}

#[ComplexObject]
impl FoundPassage {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<CitedPassage>> {
        context.data::<DataLoader<Passages>>()?.load_one(self.chunk).await
    }
}

#[ComplexObject]
impl SuspectedPassage {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<CitedPassage>> {
        context.data::<DataLoader<Passages>>()?.load_one(self.chunk).await
    }
}
