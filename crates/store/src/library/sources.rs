//! Web sources, as of their last fetch.

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::reads_row;
use faultline_core::events::ids::PersonaId;

/// State of a source at its last fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSource {
    /// Name of the source, unique for the persona.
    pub name: String,
    /// URL from which it was fetched.
    pub url: String,
    /// Entity tag that its server returned.
    pub etag: Option<String>,
    /// Time of its last modification, as its server wrote it.
    pub modified: Option<String>,
    /// Revision of the rules by which its documents were split.
    pub revision: i16,
}

reads_row!(StoredSource { name, url, etag, modified, revision });

impl Library {
    /// Returns the fetched sources of a persona, ordered by name.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn sources(&self, persona: &PersonaId) -> Result<Vec<StoredSource>, LibraryError> {
        let sql = r#"
            select name, url, etag, modified, revision
            from sources
            where persona = $1
            order by name collate "C""#;
        let rows = sqlx::query_as(sql).bind(persona.as_str()).fetch_all(self.servers.corpora().of(persona)).await;
        Ok(rows.map_err(StoreError::database("list a persona's sources"))?)
    }

    /// Records the state of a source after a fetch. Store its documents first.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if the corpus is being moved; [`LibraryError::Fault`] if a database cannot be reached or
    /// refuses a statement.
    pub async fn remember_source(&self, persona: &PersonaId, source: &StoredSource) -> Result<(), LibraryError> {
        let sql = "
            insert into sources (persona, name, url, etag, modified, revision)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (persona, name) do update
            set url = excluded.url,
                etag = excluded.etag,
                modified = excluded.modified,
                revision = excluded.revision,
                fetched_at = clock_timestamp()";
        let query = sqlx::query(sql).bind(persona.as_str()).bind(&source.name).bind(&source.url);
        let query = query.bind(&source.etag).bind(&source.modified).bind(source.revision);
        let mut tx = self.begin_change(persona, "record a source").await?;
        query.execute(&mut *tx).await.map_err(StoreError::database("record a source"))?;
        Ok(tx.commit().await.map_err(StoreError::database("record a source"))?)
    }

    /// Deletes all sources of a persona that are not in `but`.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if the corpus is being moved; [`LibraryError::Fault`] if a database cannot be reached or
    /// refuses a statement.
    pub async fn forget_sources(&self, persona: &PersonaId, but: &[String]) -> Result<(), LibraryError> {
        let sql = "
            delete from sources
            where persona = $1 and name <> all($2)";
        let query = sqlx::query(sql).bind(persona.as_str()).bind(but);
        let mut tx = self.begin_change(persona, "delete sources").await?;
        query.execute(&mut *tx).await.map_err(StoreError::database("delete sources"))?;
        Ok(tx.commit().await.map_err(StoreError::database("delete sources"))?)
    }
}
