//! Writes the dispute rows of debates, only if they belong to the stored version of the debate.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use chrono::{DateTime, Utc};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::json_rows::{normalized_row, write_rows};
use crate::views::views::Views;
use faultline_core::events::ids::{DebateId, DisputeId, PersonaId};

/// All disputes of one debate at the version of its stored row.
#[derive(Clone, Debug)]
pub struct DebateDisputes {
    /// Generation of stored rows that the disputes belong to.
    pub generation: i32,
    /// Debate that the disputes belong to.
    pub debate: DebateId,
    /// Version of the debate's newest event in the fold.
    pub version: i64,
    /// Disputes of the debate whose rows may have changed. None is ever removed: one that no longer counts is retired.
    pub rows: Vec<DisputeRow>,
}

/// Stored columns of a dispute.
#[derive(Clone, Debug)]
pub struct DisputeRow {
    /// Id of the dispute in its debate.
    pub key: DisputeId,
    /// Disputed question.
    pub statement: String,
    /// Stage of the dispute's life cycle, as the projection names it.
    pub status: String,
    /// True if the dispute is the debate's own topic.
    pub is_topic: bool,
    /// Personas that have a stance.
    pub personas: Vec<PersonaId>,
    /// Time at which the first turn behind the dispute was recorded.
    pub opened_at: DateTime<Utc>,
    /// Time at which the newest turn behind the dispute was recorded.
    pub changed_at: DateTime<Utc>,
    /// Current stances as JSON.
    pub body: Box<RawValue>,
}

/// Stored disputes of a debate: the version of its row, and the normalized rows by dispute id.
pub type StoredDisputes = (i64, BTreeMap<String, Value>);

struct Stored {
    debate_id: Uuid,
    version: i64,
    key: Option<String>,
    statement: Option<String>,
    status: Option<String>,
    is_topic: Option<bool>,
    personas: Option<Vec<String>>,
    opened_at: Option<DateTime<Utc>>,
    changed_at: Option<DateTime<Utc>>,
    body: Option<String>,
}

reads_row!(Stored { debate_id, version, key, statement, status, is_topic, personas, opened_at, changed_at, body });

impl Views {
    /// Returns everything that is stored of the disputes of these debates. Debates without a row are absent. One
    /// statement.
    ///
    /// # Errors
    /// [`StoreError::Json`] if a stored body is not valid JSON; [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn stored_disputes(
        &self,
        generation: i32,
        debates: &[DebateId],
    ) -> Result<BTreeMap<DebateId, StoredDisputes>, StoreError> {
        let stored: Vec<Stored> = sqlx::query_as(
            "select
                d.debate_id, d.version, q.key, q.statement, q.status, q.is_topic, q.personas, q.opened_at, q.changed_at,
                q.body::text as body
            from debates d
            left join disputes q using (generation, debate_id)
            where d.generation = $1
            and d.debate_id = any ($2)",
        )
        .bind(generation)
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("read the disputes of debates"))?;
        let mut found: BTreeMap<DebateId, StoredDisputes> = BTreeMap::new();
        for row in stored {
            let disputes = found.entry(DebateId(row.debate_id)).or_insert_with(|| (row.version, BTreeMap::new()));
            let Some(key) = row.key else { continue };
            let facts = facts(
                &row.statement.unwrap_or_default(),
                &row.status.unwrap_or_default(),
                row.is_topic.unwrap_or_default(),
                json!(row.personas),
                (row.opened_at, row.changed_at),
                &row.body.unwrap_or_default(),
            );
            disputes.1.insert(key, facts?);
        }
        Ok(found)
    }
}

impl DisputeRow {
    /// Returns a digest of everything that is stored of the dispute, for comparison within a process.
    pub fn digest(&self) -> u64 {
        let DisputeRow { key, statement, status, is_topic, personas, opened_at, changed_at, body } = self;
        let mut hasher = DefaultHasher::new();
        (key, statement, status, is_topic, personas, opened_at, changed_at, body.get()).hash(&mut hasher);
        hasher.finish()
    }
}

impl DebateDisputes {
    /// Returns everything that is to be stored, by id, normalized as in the database, for comparison.
    ///
    /// # Errors
    /// [`StoreError::Json`] if a body is not valid JSON.
    pub fn normalized(&self) -> Result<BTreeMap<String, Value>, StoreError> {
        let facts = |row: &DisputeRow| {
            let times = (Some(row.opened_at), Some(row.changed_at));
            let facts = facts(&row.statement, &row.status, row.is_topic, json!(row.personas), times, row.body.get());
            facts.map(|facts| (row.key.to_string(), facts))
        };
        self.rows.iter().map(facts).collect()
    }
}

fn facts(
    statement: &str,
    status: &str,
    is_topic: bool,
    personas: Value,
    (opened_at, changed_at): (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    body: &str,
) -> Result<Value, StoreError> {
    let facts = json!({
        "statement": statement,
        "status": status,
        "is_topic": is_topic,
        "personas": personas,
        "opened_at": opened_at,
        "changed_at": changed_at,
    });
    normalized_row(facts, body, "parse a dispute")
}

const SAVE: &str = "
    insert into disputes (
        generation, debate_id, key, statement, status, is_topic, personas, opened_at, changed_at, body
    )
    select
        generation, debate_id, new.key, new.statement, new.status, new.is_topic, new.personas, new.opened_at, new.changed_at,
        new.body
    from jsonb_to_recordset($1::text::jsonb) as new (
        generation int, debate_id uuid, version bigint, key text, statement text, status text, is_topic boolean,
        personas text[], opened_at timestamptz, changed_at timestamptz, body jsonb
    )
    join debates using (generation, debate_id, version)
    on conflict (generation, debate_id, key) do update
    set
        statement = excluded.statement,
        status = excluded.status,
        is_topic = excluded.is_topic,
        personas = excluded.personas,
        opened_at = excluded.opened_at,
        changed_at = excluded.changed_at,
        body = excluded.body
    where (disputes.statement, disputes.status, disputes.changed_at, disputes.body)
        is distinct from (excluded.statement, excluded.status, excluded.changed_at, excluded.body)";

/// Saves the disputes of these debates. Call it after their rows were saved in the same transaction, which then locks
/// the rows. If a row has a newer version by now, the debate's disputes are left unchanged.
pub(crate) async fn save(connection: &mut PgConnection, debates: &[DebateDisputes]) -> Result<(), StoreError> {
    let rows: Vec<(&DebateDisputes, &DisputeRow)> =
        debates.iter().flat_map(|of| of.rows.iter().map(move |row| (of, row))).collect();
    write_rows(connection, SAVE, &rows, |(of, row)| line(of, row), "save disputes").await
}

/// Encodes the dispute as a JSON object with a key per column.
fn line(of: &DebateDisputes, row: &DisputeRow) -> Value {
    json!({
        "generation": of.generation,
        "debate_id": of.debate,
        "version": of.version,
        "key": row.key.to_string(),
        "statement": row.statement,
        "status": row.status,
        "is_topic": row.is_topic,
        "personas": row.personas,
        "opened_at": row.opened_at,
        "changed_at": row.changed_at,
        "body": row.body,
    })
}
