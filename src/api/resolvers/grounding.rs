//! Resolvers of cited and suspected passages, and of their personas and shared corpora.

use async_graphql::dataloader::DataLoader;
use async_graphql::{ComplexObject, Context, Result};

use crate::api::ids::parse_id;
use crate::api::loading::nodes;
use crate::api::types::persona::persona::Persona;
use crate::api::types::persona::shared_corpus::SharedCorpus;
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
impl CitedPassage {
    /// The persona; null for a passage of a shared corpus, and if the persona does not take part in debates any more.
    async fn persona(&self, context: &Context<'_>) -> Result<Option<Persona>> {
        match self.shared {
            Some(_) => Ok(None),
            None => nodes::persona(context, &parse_id(&self.persona_id)?, None).await,
        }
    }

    /// The shared corpus that contains it; null if a persona wrote it.
    async fn shared_corpus(&self, context: &Context<'_>) -> Result<Option<SharedCorpus>> {
        SharedCorpus::stored(context, self.shared.as_ref()).await
    }
}

#[ComplexObject]
impl SuspectedPassage {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<CitedPassage>> {
        context.data::<DataLoader<Passages>>()?.load_one(self.chunk).await
    }
}
