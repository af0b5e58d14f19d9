//! Resolvers of personas.

use async_graphql::{ComplexObject, Context, Result};

use crate::api::complexity::{FOLD_COMPLEXITY, assumed_page_size};
use crate::api::pages::{debate_pages, document_pages};
use crate::api::paging::PageArguments;
use crate::api::types::debate::debate_list::DebateConnection;
use crate::api::types::persona::document::DocumentConnection;
use crate::api::types::persona::edition::PersonaVersion;
use crate::api::types::persona::persona::Persona;
use faultline_store::views::debates::{DebateQuery, DebateSort};

/// History, read from the database with a short delay, and documents.
#[ComplexObject]
impl Persona {
    /// All versions that were ever ingested or took part in a debate, latest first: by number, then by the time they
    /// were first seen.
    #[graphql(complexity = "FOLD_COMPLEXITY + 10 * child_complexity")]
    async fn versions(&self, context: &Context<'_>) -> Result<Vec<PersonaVersion>> {
        PersonaVersion::all(context, &self.persona).await
    }

    /// Debates in which any version of it takes part, newest first.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of debates from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only debates after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of debates from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only debates before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<DebateConnection> {
        let filter = DebateQuery { persona: Some(self.persona.clone()), ..DebateQuery::default() };
        debate_pages::page(context, &filter, DebateSort::Newest, PageArguments { first, after, last, before }.page()?)
            .await
    }

    /// Documents that it wrote and that the library contains, ordered by name. They are the present ones, whichever version
    /// of the persona was requested; there are none before they are ingested.
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
        document_pages::documents(context, &self.persona, PageArguments { first, after, last, before }.page()?).await
    }
}
