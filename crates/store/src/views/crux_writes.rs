//! Writes the crux rows of debates, only if they belong to the stored version of the debate.

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
use faultline_core::events::ids::{DebateId, PersonaId};

/// All cruxes of one debate at the version of its stored row.
#[derive(Clone, Debug)]
pub struct DebateCruxes {
    /// Generation of stored rows that the cruxes belong to.
    pub generation: i32,
    /// Debate that the cruxes belong to.
    pub debate: DebateId,
    /// Version of the debate's newest event in the fold.
    pub version: i64,
    /// Cruxes in the order of their places, with unique keys.
    pub rows: Vec<CruxRow>,
    /// Keys of further cruxes, whose stored rows are as they should be.
    pub unchanged: Vec<String>,
}

/// Stored columns of a crux.
#[derive(Clone, Debug)]
pub struct CruxRow {
    /// Key of the crux, unique within its debate.
    pub key: String,
    /// Rank of the crux among all of its debate, open ones first, from 1.
    pub place: i32,
    /// Kind of the crux, as the projection names it.
    pub kind: String,
    /// True if the participants still disagree on the crux.
    pub open: bool,
    /// Statement of the crux, in the words of those who disagree.
    pub statement: String,
    /// Share of theses whose status the crux changes; `None` if it rests on no argument.
    pub pivotality: Option<f64>,
    /// Order of the crux, if one was computed.
    pub order: Option<u32>,
    /// Number of disputed arguments that depend on the crux.
    pub n_dependents: usize,
    /// Personas that take a side.
    pub personas: Vec<PersonaId>,
    /// Regime of the debate, as the projection names it.
    pub regime: String,
    /// Time at which the crux came into being, by the log's clock.
    pub opened_at: DateTime<Utc>,
    /// Time at which the newest turn behind the crux was recorded.
    pub changed_at: DateTime<Utc>,
    /// The complete crux as JSON.
    pub body: Box<RawValue>,
}

struct Stored {
    debate_id: Uuid,
    version: i64,
    key: Option<String>,
    place: Option<i32>,
    kind: Option<String>,
    open: Option<bool>,
    statement: Option<String>,
    pivotality: Option<f64>,
    crux_order: Option<i32>,
    n_dependents: Option<i32>,
    personas: Option<Vec<String>>,
    regime: Option<String>,
    opened_at: Option<DateTime<Utc>>,
    changed_at: Option<DateTime<Utc>>,
    body: Option<String>,
}

reads_row!(Stored {
    debate_id,
    version,
    key,
    place,
    kind,
    open,
    statement,
    pivotality,
    crux_order,
    n_dependents,
    personas,
    regime,
    opened_at,
    changed_at,
    body
});

impl Views {
    /// Returns all stored cruxes of these debates, each debate's in its own order, with the version of its row. Debates
    /// without a row are absent. One statement.
    ///
    /// # Errors
    /// [`StoreError::Json`] if a stored body is not valid JSON; [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn cruxes_of(
        &self,
        generation: i32,
        debates: &[DebateId],
    ) -> Result<BTreeMap<DebateId, DebateCruxes>, StoreError> {
        let stored: Vec<Stored> = sqlx::query_as(
            "select
                d.debate_id, d.version, c.key, c.place, c.kind, c.open, c.statement, c.pivotality, c.crux_order,
                c.n_dependents, c.personas, c.regime, c.opened_at, c.changed_at, c.body::text as body
            from debates d
            left join cruxes c using (generation, debate_id)
            where d.generation = $1
            and d.debate_id = any ($2)
            order by d.debate_id, c.place",
        )
        .bind(generation)
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("read the cruxes of debates"))?;
        let mut found = BTreeMap::new();
        for stored in stored {
            let (debate, version) = (DebateId(stored.debate_id), stored.version);
            let empty = || DebateCruxes { generation, debate, version, rows: Vec::new(), unchanged: Vec::new() };
            let cruxes = found.entry(debate).or_insert_with(empty);
            if let Some(row) = row(stored) {
                cruxes.rows.push(row?);
            }
        }
        Ok(found)
    }
}

/// Converts a joined row; `None` for the row of a debate without cruxes.
fn row(row: Stored) -> Option<Result<CruxRow, StoreError>> {
    let body = RawValue::from_string(row.body?).map_err(StoreError::json("parse a stored crux"));
    let body = match body {
        Ok(body) => body,
        Err(fault) => return Some(Err(fault)),
    };
    Some(Ok(CruxRow {
        key: row.key?,
        place: row.place?,
        kind: row.kind?,
        open: row.open?,
        statement: row.statement?,
        pivotality: row.pivotality,
        order: row.crux_order.and_then(|order| order.try_into().ok()),
        n_dependents: row.n_dependents?.try_into().unwrap_or_default(),
        personas: row.personas?.iter().filter_map(|persona| persona.parse().ok()).collect(),
        regime: row.regime?,
        opened_at: row.opened_at?,
        changed_at: row.changed_at?,
        body,
    }))
}

impl CruxRow {
    /// Returns a digest of everything that is stored of the crux, for comparison within a process.
    pub fn digest(&self) -> u64 {
        let CruxRow { key, place, kind, open, statement, pivotality, order, n_dependents, personas, regime, .. } = self;
        let mut hasher = DefaultHasher::new();
        (key, place, kind, open, statement, pivotality.map(f64::to_bits), order, n_dependents).hash(&mut hasher);
        (personas, regime, self.opened_at, self.changed_at, self.body.get()).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns everything that is stored of the crux, normalized as in the database, for comparison.
    ///
    /// # Errors
    /// [`StoreError::Json`] if the body is not valid JSON.
    pub fn normalized(&self) -> Result<Value, StoreError> {
        let facts = json!({
            "key": self.key,
            "place": self.place,
            "kind": self.kind,
            "open": self.open,
            "statement": self.statement,
            "pivotality": self.pivotality,
            "order": self.order,
            "n_dependents": self.n_dependents,
            "personas": self.personas,
            "regime": self.regime,
            "opened_at": self.opened_at,
            "changed_at": self.changed_at,
        });
        normalized_row(facts, self.body.get(), "parse a crux")
    }
}

/// Attempt that errors of the writes name.
const ATTEMPT: &str = "save cruxes";

const DELETE: &str = "
    delete from cruxes
    using jsonb_to_recordset($1::text::jsonb) as new (generation int, debate_id uuid, version bigint, keys text[])
    join debates using (generation, debate_id, version)
    where cruxes.generation = new.generation
    and cruxes.debate_id = new.debate_id
    and cruxes.key <> all (new.keys)";

const SAVE: &str = "
    insert into cruxes (
        generation, debate_id, key, place, kind, open, statement, pivotality, crux_order, n_dependents, personas, regime,
        opened_at, changed_at, body
    )
    select
        generation, debate_id, new.key, new.place, new.kind, new.open, new.statement, new.pivotality, new.crux_order,
        new.n_dependents, new.personas, new.regime, new.opened_at, new.changed_at, new.body
    from jsonb_to_recordset($1::text::jsonb) as new (
        generation int, debate_id uuid, version bigint, key text, place int, kind text, open boolean, statement text,
        pivotality double precision, crux_order int, n_dependents int, personas text[], regime text,
        opened_at timestamptz, changed_at timestamptz, body jsonb
    )
    join debates using (generation, debate_id, version)
    on conflict (generation, debate_id, key) do update
    set
        place = excluded.place,
        kind = excluded.kind,
        open = excluded.open,
        statement = excluded.statement,
        pivotality = excluded.pivotality,
        crux_order = excluded.crux_order,
        n_dependents = excluded.n_dependents,
        personas = excluded.personas,
        regime = excluded.regime,
        opened_at = excluded.opened_at,
        changed_at = excluded.changed_at,
        body = excluded.body
    where (cruxes.place, cruxes.regime, cruxes.opened_at, cruxes.changed_at, cruxes.body)
        is distinct from (excluded.place, excluded.regime, excluded.opened_at, excluded.changed_at, excluded.body)";

/// Replaces the cruxes of these debates. Call it after their rows were saved in the same transaction, which then locks
/// the rows. If a row has a newer version by now, the debate's cruxes are left unchanged.
pub(crate) async fn save(connection: &mut PgConnection, debates: &[DebateCruxes]) -> Result<(), StoreError> {
    let kept = |cruxes: &DebateCruxes| {
        let keys = cruxes.rows.iter().map(|row| &row.key).chain(&cruxes.unchanged).collect::<Vec<_>>();
        json!({ "generation": cruxes.generation, "debate_id": cruxes.debate, "version": cruxes.version, "keys": keys })
    };
    write_rows(connection, DELETE, debates, kept, ATTEMPT).await?;
    let rows: Vec<(&DebateCruxes, &CruxRow)> =
        debates.iter().flat_map(|of| of.rows.iter().map(move |row| (of, row))).collect();
    write_rows(connection, SAVE, &rows, |(of, row)| line(of, row), ATTEMPT).await
}

/// Encodes the crux as a JSON object with a key per column.
fn line(of: &DebateCruxes, row: &CruxRow) -> Value {
    json!({
        "generation": of.generation,
        "debate_id": of.debate,
        "version": of.version,
        "key": row.key,
        "place": row.place,
        "kind": row.kind,
        "open": row.open,
        "statement": row.statement,
        "pivotality": row.pivotality,
        "crux_order": row.order,
        "n_dependents": row.n_dependents,
        "personas": row.personas,
        "regime": row.regime,
        "opened_at": row.opened_at,
        "changed_at": row.changed_at,
        "body": row.body,
    })
}
