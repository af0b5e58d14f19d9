//! GraphQL types of persona versions: contents, the debates that used them, and changes between them.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::error::{from_fault, invalid};
use crate::api::pinned_generation;
use crate::api::types::debate::{Debate, FOLD_COMPLEXITY, assumed_page_size};
use crate::api::types::debate_loader::{DebateLoader, OnceMap, cell};
use crate::api::types::persona::Persona;
use faultline_core::events::edition::{FieldDiff, diff};
use faultline_core::events::ids::PersonaId;
use faultline_store::views::editions::{StoredEdition, find_version};
use faultline_store::views::views::Views;

/// A version of a persona.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct PersonaVersion {
    /// Id among the versions of the persona: the number and the hashes of contract and voice. Use it in
    /// `persona(version:)`.
    id: ID,
    /// Number of the version, set by hand.
    number: i32,
    /// Version of its contract: name, description and positions.
    contract_version: ID,
    /// Version of its voice.
    voice_version: ID,
    /// Time at which it was first seen, by an ingest or in a debate.
    seen_at: DateTime<Utc>,
    /// Number of debates that use it.
    n_debates: i64,
    /// Persona in this version.
    persona: Persona,
    #[graphql(skip)]
    versions: Arc<Versions>,
    #[graphql(skip)]
    place: usize,
}

/// All versions of a persona that were listed together. Data of their debates is read for all of them at once.
struct Versions {
    persona: PersonaId,
    /// Latest version first.
    stored: Vec<StoredEdition>,
    /// Debates of each version, by the requested number.
    debates: OnceMap<i32, HashMap<String, Vec<Arc<Debate>>>>,
}

impl PersonaVersion {
    /// Returns all versions of a persona, latest first.
    pub(crate) async fn all(context: &Context<'_>, id: &PersonaId) -> Result<Vec<PersonaVersion>> {
        let stored = context.data::<Views>()?.editions(id).await.map_err(|it| from_fault(&it))?;
        let versions = Arc::new(Versions { persona: id.clone(), stored, debates: OnceMap::default() });
        let version = |(place, it): (usize, &StoredEdition)| PersonaVersion {
            id: ID(it.edition.to_string()),
            number: it.edition.number,
            contract_version: ID(it.edition.contract.clone()),
            voice_version: ID(it.edition.voice.clone()),
            seen_at: it.seen_at,
            n_debates: it.n_debates,
            persona: Persona::new(&it.persona, Vec::new()),
            versions: Arc::clone(&versions),
            place,
        };
        Ok(versions.stored.iter().enumerate().map(version).collect())
    }

    fn stored(&self) -> &StoredEdition {
        &self.versions.stored[self.place]
    }
}

impl Versions {
    /// Reads up to `first` debates of each version from the list, and folds those that are not in the list yet.
    async fn read(&self, context: &Context<'_>, first: i32) -> Result<HashMap<String, Vec<Arc<Debate>>>> {
        let editions: Vec<String> = self.stored.iter().map(|it| it.edition.to_string()).collect();
        let views = context.data::<Views>()?;
        let pinned = views.debates_of_each(&self.persona, &editions, i64::from(first)).await;
        let pinned = pinned.map_err(|it| from_fault(&it))?;
        let debates =
            DebateLoader::new(pinned_generation::generation(context).await?, pinned.values().flatten().copied());
        let mut found = HashMap::with_capacity(pinned.len());
        for (edition, ids) in pinned {
            let mut told = Vec::with_capacity(ids.len());
            for id in ids {
                told.push(debates.debate(context, id).await?);
            }
            found.insert(edition, told);
        }
        Ok(found)
    }
}

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
        let changed = earlier.map(|it| diff(&it.persona, &self.stored().persona)).unwrap_or_default();
        Ok(changed.into_iter().map(FieldChange::from).collect())
    }
}

/// A difference in one field between two versions of a persona.
#[derive(SimpleObject, Clone)]
pub struct FieldChange {
    /// Path of the field in the persona file, such as `contract.stakes` or `voice.examples.opening`.
    field: String,
    /// Values that only the earlier version has.
    removed: Vec<String>,
    /// Values that only the later version has.
    added: Vec<String>,
}

impl From<FieldDiff> for FieldChange {
    fn from(change: FieldDiff) -> Self {
        FieldChange { field: change.field, removed: change.removed, added: change.added }
    }
}
