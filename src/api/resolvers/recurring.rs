//! Resolvers of recurring questions.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, Result};

use crate::api::batching::once_map::cell;
use crate::api::complexity::assumed_page_size;
use crate::api::error::from_fault;
use crate::api::paging::{PageArguments, PageRequest, invalid_cursor};
use crate::api::types::crux::crux::{Crux, CruxConnection};
use crate::api::types::crux::recurring::{CruxCluster, Found, Members};
use faultline_core::events::ids::DebateId;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_store::views::debates::PageDirection;

/// Paged fields.
#[ComplexObject]
impl CruxCluster {
    /// Cruxes that ask the question, in the order in which they arose.
    #[graphql(complexity = "assumed_page_size(first.or(last)) * child_complexity")]
    async fn members(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of cruxes from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only cruxes after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of cruxes from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only cruxes before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<CruxConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        let cruxes = &self.members.clusters[self.place];
        let named = |name: &(DebateId, String)| format!("m.{}.{}", name.0, name.1);
        let places: Vec<i64> = (0..).take(cruxes.len()).collect();
        let place =
            |cursor: &String| places.iter().zip(cruxes).find(|pair| named(pair.1) == *cursor).map(|pair| *pair.0);
        let from = page.from.as_ref().map(|cursor| place(cursor).ok_or_else(invalid_cursor)).transpose()?;
        let cut = page.slice(&places, from, |place| *place);
        let names = &cruxes[cut.items.clone()];
        let found = self.members.read(context, &page, names).await?;
        let edges = names.iter().filter_map(|name| found.get(name).map(|crux| (named(name), Arc::clone(crux), None)));
        Ok(CruxConnection::new(edges.collect(), cut.before, cut.has_next, Some(cruxes.len() as i64)))
    }
}

impl Members {
    /// Reads members of one cluster. The first ones, and likewise the last ones, are read for all clusters at once;
    /// those in between for one cluster only.
    async fn read(&self, context: &Context<'_>, page: &PageRequest, names: &[(DebateId, String)]) -> Result<Found> {
        if page.from.is_some() {
            return self.named(context, names).await;
        }
        let (last, size) = (page.toward == PageDirection::Newer, page.size as usize);
        let end = |names: &Vec<(DebateId, String)>| {
            let n_left = names.len().saturating_sub(size);
            if last { names[n_left..].to_vec() } else { names[..names.len() - n_left].to_vec() }
        };
        let ends = async || {
            let names: Vec<(DebateId, String)> = self.clusters.iter().flat_map(end).collect();
            self.named(context, &names).await
        };
        cell(&self.ends, (last, size)).get_or_try_init(ends).await.cloned()
    }

    async fn named(&self, context: &Context<'_>, names: &[(DebateId, String)]) -> Result<Found> {
        let views = context.data::<CrossDebateSearch>()?.views();
        let rows = views.cruxes_named(self.generation, names).await.map_err(|error| from_fault(&error))?;
        let cruxes = Crux::of_rows(&rows).map_err(|error| from_fault(&error))?;
        Ok(rows.iter().map(|row| (row.debate(), row.key.clone())).zip(cruxes).collect())
    }
}
