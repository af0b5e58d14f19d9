//! Versions of a persona: what was in force when, in which debates, and what changed.

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::error::{from_desk, from_fault, invalid};
use crate::api::types::debate::{Debate, FOLD, listed};
use crate::api::types::persona::Persona;
use crate::desk::desk::Desk;
use crate::events::edition::{Change, changes};
use crate::events::ids::PersonaId;
use crate::store::editions::{StoredEdition, meant};
use crate::store::views::Views;

/// A version of a persona.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct PersonaVersion {
    /// Which: the number, and what contract and voice hash to. Goes with `persona(version:)`.
    version: ID,
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
    id: PersonaId,
    #[graphql(skip)]
    stored: StoredEdition,
    #[graphql(skip)]
    before: Option<StoredEdition>,
}

impl PersonaVersion {
    /// All versions of a persona, the latest first.
    pub(crate) async fn all(context: &Context<'_>, id: &PersonaId) -> Result<Vec<PersonaVersion>> {
        let stored = context.data::<Views>()?.editions(id).await.map_err(|it| from_fault(&it))?;
        let before = stored.iter().skip(1).cloned().map(Some).chain(std::iter::once(None));
        let version = |(it, before): (&StoredEdition, Option<StoredEdition>)| PersonaVersion {
            version: ID(it.edition.to_string()),
            number: it.edition.number,
            contract_version: ID(it.edition.contract.clone()),
            voice_version: ID(it.edition.voice.clone()),
            seen_at: it.seen_at,
            n_debates: it.n_debates,
            persona: Persona::new(&it.persona, Vec::new()),
            id: id.clone(),
            stored: it.clone(),
            before,
        };
        Ok(stored.iter().zip(before).map(version).collect())
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
    ) -> Result<Vec<Debate>> {
        if !(1..=100).contains(&first) {
            return Err(invalid("first is 1 to 100"));
        }
        let found = context.data::<Views>()?.debates_of(&self.id, &self.stored.edition, i64::from(first)).await;
        let mut debates = Vec::new();
        for debate in found.map_err(|it| from_fault(&it))? {
            let board = context.data::<Desk>()?.board(debate, None).await.map_err(from_desk)?;
            debates.push(Debate::of_board(board, None)?);
        }
        Ok(debates)
    }

    /// What changed in it, field by field: since the version before it, or since the one named.
    #[graphql(complexity = "FOLD + 10 * child_complexity")]
    async fn changes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The version to compare with; the one before it where none is named.")] since: Option<String>,
    ) -> Result<Vec<FieldChange>> {
        let Some(since) = since else {
            let before = self.before.as_ref().map(|it| changes(&it.persona, &self.stored.persona));
            return Ok(before.unwrap_or_default().into_iter().map(FieldChange::from).collect());
        };
        let all = context.data::<Views>()?.editions(&self.id).await.map_err(|it| from_fault(&it))?;
        let earlier = meant(&all, &since).ok_or_else(|| invalid("there is no such version; see `versions`"))?;
        Ok(changes(&earlier.persona, &self.stored.persona).into_iter().map(FieldChange::from).collect())
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
