//! Personas in the library.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::events::edition::Edition;
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::store::editions::{self, ToldBy};
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError};

/// A persona in the library.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPersona {
    /// The persona.
    pub persona: Persona,
    /// What it is made to debate.
    pub topics: Vec<String>,
    /// When it was last written otherwise than it was.
    pub changed_at: DateTime<Utc>,
}

impl Library {
    /// Enters a persona, or what has changed of it, and remembers this version of it. Says whether anything had changed.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn upsert_persona(&self, persona: &Persona, topics: &[String]) -> Result<bool, LibraryError> {
        let body = serde_json::to_value(persona).map_err(Fault::json("write a persona"))?;
        let sql = "
            insert into personas (id, name, version, topics, body)
            values ($1, $2, $3, $4, $5)
            on conflict (id) do update
            set name = excluded.name,
                version = excluded.version,
                topics = excluded.topics,
                body = excluded.body,
                changed_at = clock_timestamp()
            where (personas.topics, personas.body) is distinct from (excluded.topics, excluded.body)";
        let query = sqlx::query(sql).bind(persona.id.as_str()).bind(&persona.name).bind(persona.version);
        let mut transaction = self.pool.begin().await.map_err(Fault::database("store a persona"))?;
        let done = query.bind(topics).bind(body).execute(&mut *transaction).await;
        let changed = done.map_err(Fault::database("store a persona"))?.rows_affected() > 0;
        let version = (Edition::of(persona), persona.clone());
        editions::meet(&mut transaction, std::iter::once(&version), ToldBy::Ingest).await?;
        transaction.commit().await.map_err(Fault::database("store a persona"))?;
        Ok(changed)
    }

    /// A persona; `None` where the library has none of this id.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn persona(&self, id: &PersonaId) -> Result<Option<StoredPersona>, LibraryError> {
        let sql = "
            select body, topics, changed_at
            from personas
            where id = $1";
        let row = sqlx::query_as(sql).bind(id.as_str()).fetch_optional(&self.pool).await;
        Ok(row.map_err(Fault::database("read a persona"))?.map(stored).transpose()?)
    }

    /// All personas, in the order of their ids.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn personas(&self) -> Result<Vec<StoredPersona>, LibraryError> {
        let sql = r#"
            select body, topics, changed_at
            from personas
            order by id collate "C""#;
        let rows = sqlx::query_as(sql).fetch_all(&self.pool).await.map_err(Fault::database("read the personas"))?;
        Ok(rows.into_iter().map(stored).collect::<Result<_, _>>()?)
    }

    /// Takes a persona and all it wrote out of the library. Says whether it was there.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn remove_persona(&self, id: &PersonaId) -> Result<bool, LibraryError> {
        let sql = "
            delete from personas
            where id = $1";
        let done = sqlx::query(sql).bind(id.as_str()).execute(&self.pool).await;
        Ok(done.map_err(Fault::database("remove a persona"))?.rows_affected() > 0)
    }
}

fn stored((body, topics, changed_at): (Value, Vec<String>, DateTime<Utc>)) -> Result<StoredPersona, Fault> {
    let persona = serde_json::from_value(body).map_err(Fault::json("read a stored persona"))?;
    Ok(StoredPersona { persona, topics, changed_at })
}
