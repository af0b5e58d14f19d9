//! Resolver of the shared corpora that found passages belong to.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::types::persona::passage::PassageHit;
use crate::api::types::persona::shared_corpus::SharedCorpus;

#[ComplexObject]
impl PassageHit {
    /// The shared corpus that contains it; null if a persona wrote it.
    async fn shared_corpus(&self, context: &Context<'_>) -> Result<Option<SharedCorpus>> {
        SharedCorpus::stored(context, self.shared.as_ref()).await
    }
}
