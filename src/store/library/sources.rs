//! Sources in the web, as they were when they were last fetched.

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError};

/// How a source was found the last time.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredSource {
    /// Its name among the persona's sources.
    pub name: String,
    /// Where it was asked for.
    pub url: String,
    /// What its server calls the state that it was in.
    pub etag: Option<String>,
    /// When it had last been changed, as its server writes it.
    pub modified: Option<String>,
    /// Of the rules by which its documents were cut.
    pub revision: i16,
}

impl Library {
    /// The sources of a persona that were fetched, in the order of their names.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn sources(&self, persona: &PersonaId) -> Result<Vec<StoredSource>, LibraryError> {
        let sql = r#"
            select name, url, etag, modified, revision
            from sources
            where persona = $1
            order by name collate "C""#;
        let rows = sqlx::query_as(sql).bind(persona.as_str()).fetch_all(&self.pool).await;
        Ok(rows.map_err(Fault::database("list a persona's sources"))?)
    }

    /// Remembers how a source was found. Its documents have to be stored before.
    ///
    /// # Errors
    /// The database's fault.
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
        query.execute(&self.pool).await.map_err(Fault::database("remember a source"))?;
        Ok(())
    }

    /// Forgets the sources that are not among these.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn forget_sources(&self, persona: &PersonaId, but: &[String]) -> Result<(), LibraryError> {
        let sql = "
            delete from sources
            where persona = $1 and name <> all($2)";
        let query = sqlx::query(sql).bind(persona.as_str()).bind(but);
        query.execute(&self.pool).await.map_err(Fault::database("forget sources"))?;
        Ok(())
    }
}
