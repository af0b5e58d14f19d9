//! Reads and writes personas in the library.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::views::editions;
use crate::views::editions::VersionSource;
use faultline_core::events::edition::Edition;
use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::Persona;

/// A persona in the library.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPersona {
    /// The persona.
    pub persona: Persona,
    /// Topics that it is meant to debate.
    pub topics: Vec<String>,
    /// Time at which its content last changed.
    pub changed_at: DateTime<Utc>,
}

impl Library {
    /// Inserts or updates a persona, and records this version of it. Returns whether anything changed.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses a statement, or if the persona cannot be
    /// encoded.
    pub async fn upsert_persona(&self, persona: &Persona, topics: &[String]) -> Result<bool, LibraryError> {
        let body = serde_json::to_value(persona).map_err(StoreError::json("write a persona"))?;
        let sql = "
            insert into personas (id, name, version, topics, body)
            values ($1, $2, $3, $4, $5)
            on conflict (id) do update
            set name = excluded.name,
                version = excluded.version,
                topics = excluded.topics,
                body = excluded.body,
                changed_at = clock_timestamp()
            where (personas.topics, personas.body) is distinct from (excluded.topics, excluded.body)
            returning xmax = 0";
        let query = sqlx::query_scalar(sql).bind(persona.id.as_str()).bind(&persona.name).bind(persona.version);
        let mut transaction = begin(self.home()).await.map_err(StoreError::database("store a persona"))?;
        let changed: Option<bool> = query
            .bind(topics)
            .bind(body)
            .fetch_optional(&mut *transaction)
            .await
            .map_err(StoreError::database("store a persona"))?;
        let version = (Edition::of(persona), persona.clone());
        editions::record_versions(&mut transaction, std::iter::once(&version), VersionSource::Ingest).await?;
        transaction.commit().await.map_err(StoreError::database("store a persona"))?;
        if changed == Some(true) {
            self.place_new_corpus(&persona.id).await?;
        }
        Ok(changed.is_some())
    }

    /// Returns a persona; `None` if the library has none with this id.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement, or if the row cannot be
    /// decoded.
    pub async fn persona(&self, id: &PersonaId) -> Result<Option<StoredPersona>, LibraryError> {
        let sql = "
            select body, topics, changed_at
            from personas
            where id = $1";
        let row = sqlx::query_as(sql).bind(id.as_str()).fetch_optional(self.home()).await;
        Ok(row.map_err(StoreError::database("read a persona"))?.map(stored).transpose()?)
    }

    /// Returns all personas, ordered by id.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement, or if a row cannot be
    /// decoded.
    pub async fn personas(&self) -> Result<Vec<StoredPersona>, LibraryError> {
        let sql = r#"
            select body, topics, changed_at
            from personas
            order by id collate "C""#;
        let rows =
            sqlx::query_as(sql).fetch_all(self.home()).await.map_err(StoreError::database("read the personas"))?;
        Ok(rows.into_iter().map(stored).collect::<Result<_, _>>()?)
    }

    /// Removes a persona and all its writings from the library. Returns whether it existed.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if its corpus is being moved; [`LibraryError::Fault`] if a database cannot be reached or
    /// refuses a statement.
    pub async fn remove_persona(&self, id: &PersonaId) -> Result<bool, LibraryError> {
        self.remove_owner(id, false).await
    }
}

fn stored((body, topics, changed_at): (Value, Vec<String>, DateTime<Utc>)) -> Result<StoredPersona, StoreError> {
    let persona = serde_json::from_value(body).map_err(StoreError::json("read a stored persona"))?;
    Ok(StoredPersona { persona, topics, changed_at })
}
