//! GraphQL types of persona versions: contents, the debates that used them, and changes between them.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::batching::once_map::OnceMap;
use crate::api::error::from_fault;
use crate::api::types::debate::debate::Debate;
use crate::api::types::persona::persona::Persona;
use faultline_core::events::edition::FieldDiff;
use faultline_core::events::ids::PersonaId;
use faultline_store::views::editions::StoredEdition;
use faultline_store::views::views::Views;

/// A version of a persona.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct PersonaVersion {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Version: the number and the hashes of contract and voice. Use it in `persona(version:)`.
    version_id: ID,
    /// Number of the version, set by hand.
    number: i32,
    /// Version of its contract: name, description and positions.
    contract_version: ID,
    /// Version of its voice.
    voice_version: ID,
    /// Time at which it was first seen, by an ingest or in a debate.
    first_seen_at: DateTime<Utc>,
    /// Number of debates that use it.
    debate_count: i64,
    /// Persona in this version.
    persona: Persona,
    #[graphql(skip)]
    pub(crate) versions: Arc<Versions>,
    #[graphql(skip)]
    pub(crate) place: usize,
}

/// All versions of a persona that were listed together. Data of their debates is read for all of them at once.
pub(crate) struct Versions {
    pub(crate) persona: PersonaId,
    /// Latest version first.
    pub(crate) stored: Vec<StoredEdition>,
    /// Debates of each version, by the requested number.
    pub(crate) debates: OnceMap<i32, HashMap<String, Vec<Arc<Debate>>>>,
}

impl PersonaVersion {
    /// Returns all versions of a persona, latest first.
    pub(crate) async fn all(context: &Context<'_>, id: &PersonaId) -> Result<Vec<PersonaVersion>> {
        let stored = context.data::<Views>()?.editions(id).await.map_err(|error| from_fault(&error))?;
        let versions = Arc::new(Versions { persona: id.clone(), stored, debates: OnceMap::default() });
        let version = |(place, stored): (usize, &StoredEdition)| PersonaVersion {
            id: ID(format!("persona-version:{id}@{}", stored.edition)),
            version_id: ID(stored.edition.to_string()),
            number: stored.edition.number,
            contract_version: ID(stored.edition.contract.clone()),
            voice_version: ID(stored.edition.voice.clone()),
            first_seen_at: stored.seen_at,
            debate_count: stored.n_debates,
            persona: Persona::new(&stored.persona, Vec::new()).pinned(),
            versions: Arc::clone(&versions),
            place,
        };
        Ok(versions.stored.iter().enumerate().map(version).collect())
    }

    /// Returns the stored version.
    pub(crate) fn stored(&self) -> &StoredEdition {
        &self.versions.stored[self.place]
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
