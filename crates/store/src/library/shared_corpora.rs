//! Reads and writes shared corpora: owners of documents that are no personas.
//!
//! A document, a passage or a source of a shared corpus has the id of the corpus in place of a persona's. No shared corpus
//! has the id of a persona: the database refuses it.

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::library::recall::persona_id;
use faultline_core::events::ids::PersonaId;

/// A corpus that belongs to no persona.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCorpus {
    /// Id of the corpus: the name of its folder. It has the form of a persona's id, and no persona has it.
    pub id: PersonaId,
    /// Display name.
    pub name: String,
    /// One-line description of the content.
    pub about: String,
}

/// A shared corpus in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSharedCorpus {
    /// The shared corpus.
    pub corpus: SharedCorpus,
    /// Number of documents.
    pub n_documents: i64,
    /// Number of passages.
    pub n_passages: i64,
}

/// Statement that reads the shared corpora, all or the one with the id `$1`.
const SELECT: &str = r#"
    select id, name, about
    from shared_corpora
    where $1::text is null or id = $1
    order by id collate "C""#;

impl Library {
    /// Inserts or updates a shared corpus. Returns whether anything changed.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement, as for the id of a persona.
    pub async fn upsert_shared_corpus(&self, corpus: &SharedCorpus) -> Result<bool, LibraryError> {
        let sql = "
            insert into shared_corpora (id, name, about)
            values ($1, $2, $3)
            on conflict (id) do update
            set name = excluded.name,
                about = excluded.about,
                changed_at = clock_timestamp()
            where (shared_corpora.name, shared_corpora.about) is distinct from (excluded.name, excluded.about)
            returning xmax = 0";
        let query = sqlx::query_scalar(sql).bind(corpus.id.as_str()).bind(&corpus.name).bind(&corpus.about);
        let changed: Option<bool> =
            query.fetch_optional(self.home()).await.map_err(StoreError::database("store a shared corpus"))?;
        if changed == Some(true) {
            self.place_new_corpus(&corpus.id).await?;
        }
        Ok(changed.is_some())
    }

    /// Returns a shared corpus; `None` if the library has none with this id.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn shared_corpus(&self, id: &PersonaId) -> Result<Option<StoredSharedCorpus>, LibraryError> {
        Ok(self.stored_shared_corpora(Some(id)).await?.pop())
    }

    /// Returns all shared corpora, ordered by id.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn shared_corpora(&self) -> Result<Vec<StoredSharedCorpus>, LibraryError> {
        self.stored_shared_corpora(None).await
    }

    /// Removes a shared corpus and all its documents from the library. Returns whether it existed.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if it is being moved; [`LibraryError::Fault`] if a database cannot be reached or refuses a
    /// statement.
    pub async fn remove_shared_corpus(&self, id: &PersonaId) -> Result<bool, LibraryError> {
        self.remove_owner(id, true).await
    }

    async fn stored_shared_corpora(&self, id: Option<&PersonaId>) -> Result<Vec<StoredSharedCorpus>, LibraryError> {
        let attempt = StoreError::database("read the shared corpora");
        let rows: Vec<(String, String, String)> =
            sqlx::query_as(SELECT).bind(id.map(PersonaId::as_str)).fetch_all(self.home()).await.map_err(&attempt)?;
        let mut corpora = Vec::with_capacity(rows.len());
        for (id, name, about) in rows {
            let corpus = SharedCorpus { id: persona_id(&id).map_err(&attempt)?, name, about };
            corpora.push(StoredSharedCorpus { corpus, n_documents: 0, n_passages: 0 });
        }
        let owners: Vec<PersonaId> = corpora.iter().map(|it| it.corpus.id.clone()).collect();
        for (corpus, amounts) in corpora.iter_mut().zip(self.amounts(&owners).await?) {
            (corpus.n_documents, corpus.n_passages) = (amounts.n_documents, amounts.n_passages);
        }
        Ok(corpora)
    }
}
