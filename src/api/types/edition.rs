//! Versions of a persona: what was in force when, in which debates, and what changed.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::error::{from_fault, invalid};
use crate::api::shown;
use crate::api::types::debate::{Debate, FOLD, listed};
use crate::api::types::persona::Persona;
use crate::api::types::siblings::{Houses, Once, cell};
use crate::events::edition::{Change, changes};
use crate::events::ids::PersonaId;
use crate::store::editions::{StoredEdition, meant};
use crate::store::views::Views;

/// A version of a persona.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct PersonaVersion {
    /// Its name among the versions of its persona: the number, and what contract and voice hash to. Goes with
    /// `persona(version:)`.
    id: ID,
    /// The number, as it was raised by hand.
    number: i32,
    /// The version of its contract: of the name, the line about it, and what it holds.
    contract_version: ID,
    /// The version of its voice.
    voice_version: ID,
    /// When it was first met, by an ingest or in a debate.
    seen_at: DateTime<Utc>,
    /// Debates that pinned it.
    n_debates: i64,
    /// The persona as it is in this version.
    persona: Persona,
    #[graphql(skip)]
    versions: Arc<Versions>,
    #[graphql(skip)]
    place: usize,
}

/// All versions of a persona that were told together: what one of them has to read is read for all.
struct Versions {
    persona: PersonaId,
    /// The latest first.
    stored: Vec<StoredEdition>,
    /// By how many of each are asked for.
    debates: Once<i32, HashMap<String, Vec<Arc<Debate>>>>,
}

impl PersonaVersion {
    /// All versions of a persona, the latest first.
    pub(crate) async fn all(context: &Context<'_>, id: &PersonaId) -> Result<Vec<PersonaVersion>> {
        let stored = context.data::<Views>()?.editions(id).await.map_err(|it| from_fault(&it))?;
        let versions = Arc::new(Versions { persona: id.clone(), stored, debates: Once::default() });
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
    /// So many debates of each version, as the list has them; those that the list has not yet are folded.
    async fn read(&self, context: &Context<'_>, first: i32) -> Result<HashMap<String, Vec<Arc<Debate>>>> {
        let editions: Vec<String> = self.stored.iter().map(|it| it.edition.to_string()).collect();
        let views = context.data::<Views>()?;
        let pinned = views.debates_of_each(&self.persona, &editions, i64::from(first)).await;
        let pinned = pinned.map_err(|it| from_fault(&it))?;
        let debates = Houses::new(shown::generation(context).await?, pinned.values().flatten().copied());
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
    /// Debates that pinned it, newest first.
    #[graphql(complexity = "FOLD + listed(Some(first)) * (FOLD + child_complexity)")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(default = 20, desc = "So many, 1 to 100.")] first: i32,
    ) -> Result<Vec<Arc<Debate>>> {
        if !(1..=100).contains(&first) {
            return Err(invalid("first is 1 to 100"));
        }
        let cell = cell(&self.versions.debates, first);
        let found = cell.get_or_try_init(async || self.versions.read(context, first).await).await?;
        Ok(found.get(&self.stored().edition.to_string()).cloned().unwrap_or_default())
    }

    /// What changed in it, field by field: since the version before it, or since the one named.
    #[graphql(complexity = "FOLD + 10 * child_complexity")]
    async fn changes(
        &self,
        #[graphql(desc = "The version to compare with; the one before it where none is named.")] since: Option<String>,
    ) -> Result<Vec<FieldChange>> {
        let all = &self.versions.stored;
        let earlier = match since {
            Some(since) => Some(meant(all, &since).ok_or_else(|| invalid("there is no such version; see `versions`"))?),
            None => all.get(self.place + 1),
        };
        let changed = earlier.map(|it| changes(&it.persona, &self.stored().persona)).unwrap_or_default();
        Ok(changed.into_iter().map(FieldChange::from).collect())
    }
}

/// What differs in one field between two versions of a persona.
#[derive(SimpleObject, Clone)]
pub struct FieldChange {
    /// The field, as its file has it: `contract.stakes`, `voice.examples.opening`.
    field: String,
    /// What only the earlier one says.
    removed: Vec<String>,
    /// What only the later one says.
    added: Vec<String>,
}

impl From<Change> for FieldChange {
    fn from(change: Change) -> Self {
        FieldChange { field: change.field, removed: change.removed, added: change.added }
    }
}
