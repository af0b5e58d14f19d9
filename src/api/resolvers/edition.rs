//! Resolvers of persona versions.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, Result};

use crate::api::batching::once_map::cell;
use crate::api::complexity::{FOLD_COMPLEXITY, assumed_page_size};
use crate::api::error::{from_fault, invalid};
use crate::api::pinned_generation;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::DebateLoader;
use crate::api::types::persona::edition::{FieldChange, PersonaVersion, Versions};
use faultline_core::events::edition::diff;
use faultline_store::views::editions::find_version;
use faultline_store::views::views::Views;

#[ComplexObject]
impl PersonaVersion {
    /// Debates that use this version, newest first.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(Some(first)) * (FOLD_COMPLEXITY + child_complexity)")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(default = 20, desc = "Number of debates: 1 to 100.")] first: i32,
    ) -> Result<Vec<Arc<Debate>>> {
        if !(1..=100).contains(&first) {
            return Err(invalid("`first` must be between 1 and 100"));
        }
        let cell = cell(&self.versions.debates, first);
        let found = cell.get_or_try_init(async || self.versions.read(context, first).await).await?;
        Ok(found.get(&self.stored().edition.to_string()).cloned().unwrap_or_default())
    }

    /// Changes by field, since the previous version or since the given one.
    #[graphql(complexity = "FOLD_COMPLEXITY + 10 * child_complexity")]
    async fn changes(
        &self,
        #[graphql(desc = "Version to compare with; by default the previous one.")] since: Option<String>,
    ) -> Result<Vec<FieldChange>> {
        let all = &self.versions.stored;
        let earlier = match since {
            Some(since) => Some(find_version(all, &since).ok_or_else(|| invalid("no such version; see `versions`"))?),
            None => all.get(self.place + 1),
        };
        let changed = earlier.map(|edition| diff(&edition.persona, &self.stored().persona)).unwrap_or_default();
        Ok(changed.into_iter().map(FieldChange::from).collect())
    }
}

impl Versions {
    /// Reads up to `first` debates of each version from the list, and folds those that are not in the list yet.
    async fn read(&self, context: &Context<'_>, first: i32) -> Result<HashMap<String, Vec<Arc<Debate>>>> {
        let editions: Vec<String> = self.stored.iter().map(|stored| stored.edition.to_string()).collect();
        let views = context.data::<Views>()?;
        let pinned = views.debates_of_each(&self.persona, &editions, i64::from(first)).await;
        let pinned = pinned.map_err(|error| from_fault(&error))?;
        let debates =
            DebateLoader::new(pinned_generation::generation(context).await?, pinned.values().flatten().copied());
        let mut found = HashMap::with_capacity(pinned.len());
        for (edition, ids) in pinned {
            let mut loaded = Vec::with_capacity(ids.len());
            for id in ids {
                loaded.push(debates.debate(context, id).await?);
            }
            found.insert(edition, loaded);
        }
        Ok(found)
    }
}
