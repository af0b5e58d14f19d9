//! Resolver of the documents of shared corpora.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::complexity::{FOLD_COMPLEXITY, assumed_page_size};
use crate::api::ids::parse_id;
use crate::api::pages::document_pages;
use crate::api::paging::PageArguments;
use crate::api::types::persona::document::DocumentConnection;
use crate::api::types::persona::shared_corpus::SharedCorpus;

#[ComplexObject]
impl SharedCorpus {
    /// Documents that the library contains, ordered by name.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn documents(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of documents from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only documents after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of documents from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only documents before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<DocumentConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        document_pages::documents(context, &parse_id(&self.id)?, page).await
    }
}
