//! Stores versions of personas, and which version each debate pinned.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::json_rows::write_rows;
use crate::views::views::Views;
use faultline_core::events::edition::Edition;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::persona::Persona;

/// Maximum number of versions of a persona, or of debates of a version, in one result; greater limits are lowered to
/// it.
pub const MAX_EDITIONS: i64 = 500;

/// Personas that a debate pinned.
#[derive(Clone, Debug)]
pub struct DebateCast {
    /// Id of the debate.
    pub debate: DebateId,
    /// Time at which the debate was opened.
    pub opened_at: DateTime<Utc>,
    /// Participants in the versions that the debate pinned.
    pub personas: Vec<(Edition, Persona)>,
}

/// Stored version of a persona.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEdition {
    /// Edition: number and digests of contract and voice.
    pub edition: Edition,
    /// Persona as defined in this version.
    pub persona: Persona,
    /// Time at which the version was first recorded, by an ingest or from a debate.
    pub seen_at: DateTime<Utc>,
    /// Number of debates that pinned the version.
    pub n_debates: i64,
}

/// Finds the version that a text denotes: by its full name, or the most recently recorded one with this number.
pub fn find_version<'a>(editions: &'a [StoredEdition], text: &str) -> Option<&'a StoredEdition> {
    let text = text.trim();
    let by_number = || {
        editions.iter().filter(|stored| stored.edition.number.to_string() == text).max_by_key(|stored| stored.seen_at)
    };
    editions.iter().find(|stored| stored.edition.to_string() == text).or_else(by_number)
}

struct Row {
    number: i32,
    contract: String,
    voice: String,
    body: Value,
    seen_at: DateTime<Utc>,
    n_debates: i64,
}

reads_row!(Row { number, contract, voice, body, seen_at, n_debates });

/// Attempt that errors of the writes name.
const ATTEMPT: &str = "save versions of personas";

const MEET: &str = "
    insert into persona_versions (persona, edition, number, contract, voice, body, ingested)
    select persona, edition, number, contract, voice, body, ingested
    from jsonb_to_recordset($1::text::jsonb) as new (
        persona text, edition text, number int, contract text, voice text, body jsonb, ingested boolean
    )
    on conflict (persona, edition) do nothing";

/// Marks versions that a debate told of before. Not part of the other statement, because `do update` would lock known
/// versions, and all debates of a persona would be saved one after another.
const MARK: &str = "
    update persona_versions
    set ingested = true
    from jsonb_to_recordset($1::text::jsonb) as new (persona text, edition text)
    where persona_versions.persona = new.persona
    and persona_versions.edition = new.edition
    and persona_versions.ingested is not true";

const PIN: &str = "
    insert into casts (debate_id, persona, edition, opened_at)
    select debate_id, persona, edition, opened_at
    from jsonb_to_recordset($1::text::jsonb) as new (
        debate_id uuid, persona text, edition text, opened_at timestamptz
    )
    on conflict (debate_id, persona, edition) do nothing";

/// Source of a version of a persona.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionSource {
    /// The library: the version is kept until the persona is erased.
    Ingest,
    /// A debate: the version is deleted with the last debate that pinned it.
    Debate,
}

/// Records these versions; known ones are left unchanged, except that an ingest marks them as ingested.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached or refuses the statement.
pub(crate) async fn record_versions(
    connection: &mut PgConnection,
    personas: impl Iterator<Item = &(Edition, Persona)>,
    told_by: VersionSource,
) -> Result<(), StoreError> {
    // Each version once and in a fixed order, so that two transactions that save the same versions cannot deadlock.
    let new: BTreeMap<(&PersonaId, &Edition), &Persona> =
        personas.map(|(edition, persona)| ((&persona.id, edition), persona)).collect();
    let row = |((persona, edition), body): ((&PersonaId, &Edition), &Persona)| {
        json!({
            "persona": persona,
            "edition": edition.to_string(),
            "number": edition.number,
            "contract": edition.contract,
            "voice": edition.voice,
            "body": body,
            "ingested": told_by == VersionSource::Ingest,
        })
    };
    let rows: Vec<Value> = new.into_iter().map(row).collect();
    write_rows(connection, MEET, &rows, Value::clone, ATTEMPT).await?;
    match told_by {
        VersionSource::Ingest => write_rows(connection, MARK, &rows, Value::clone, ATTEMPT).await,
        VersionSource::Debate => Ok(()),
    }
}

/// Saves the participants of debates and the versions that they pinned.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached or refuses the statement.
pub(crate) async fn save(connection: &mut PgConnection, casts: &[DebateCast]) -> Result<(), StoreError> {
    record_versions(connection, casts.iter().flat_map(|cast| &cast.personas), VersionSource::Debate).await?;
    let pinned = |of: &DebateCast, (edition, persona): &(Edition, Persona)| {
        let edition = edition.to_string();
        json!({ "debate_id": of.debate, "persona": persona.id, "edition": edition, "opened_at": of.opened_at })
    };
    let rows: Vec<Value> =
        casts.iter().flat_map(|of| of.personas.iter().map(move |persona| pinned(of, persona))).collect();
    write_rows(connection, PIN, &rows, Value::clone, ATTEMPT).await
}

impl Views {
    /// Returns the recorded versions of a persona, latest first: by number, then by the time of recording. At most
    /// [`MAX_EDITIONS`].
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn editions(&self, persona: &PersonaId) -> Result<Vec<StoredEdition>, StoreError> {
        let sql = "
            select
                number, contract, voice, body, seen_at,
                (
                    select count(*)
                    from casts
                    where casts.persona = persona_versions.persona
                    and casts.edition = persona_versions.edition
                ) as n_debates
            from persona_versions
            where persona = $1
            order by number desc, seen_at desc, edition desc
            limit $2";
        let rows = sqlx::query_as::<_, Row>(sql).bind(persona.as_str()).bind(MAX_EDITIONS).fetch_all(&self.pool).await;
        let read = |row: Row| {
            let Row { number, contract, voice, body, seen_at, n_debates } = row;
            let persona = serde_json::from_value(body).map_err(StoreError::json("parse a version of a persona"))?;
            Ok(StoredEdition { edition: Edition { number, contract, voice }, persona, seen_at, n_debates })
        };
        rows.map_err(StoreError::database("read the versions of a persona"))?.into_iter().map(read).collect()
    }

    /// Returns the debates that pinned each of these versions of a persona, newest first: at most `limit` for each
    /// version, and at most [`MAX_EDITIONS`]. One statement.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn debates_of_each(
        &self,
        persona: &PersonaId,
        editions: &[String],
        limit: i64,
    ) -> Result<HashMap<String, Vec<DebateId>>, StoreError> {
        let sql = "
            select given.edition, pinned.debate_id
            from unnest($2::text[]) as given (edition)
            cross join lateral (
                select debate_id, opened_at
                from casts
                where casts.persona = $1
                and casts.edition = given.edition
                order by opened_at desc, debate_id desc
                limit $3
            ) as pinned
            order by given.edition, pinned.opened_at desc, pinned.debate_id desc";
        let query = sqlx::query_as::<_, (String, Uuid)>(sql).bind(persona.as_str()).bind(editions);
        let found = query.bind(limit.clamp(0, MAX_EDITIONS)).fetch_all(&self.pool).await;
        let mut debates: HashMap<String, Vec<DebateId>> = HashMap::new();
        for (edition, debate) in found.map_err(StoreError::database("list the debates of a persona's versions"))? {
            debates.entry(edition).or_default().push(DebateId(debate));
        }
        Ok(debates)
    }
}
