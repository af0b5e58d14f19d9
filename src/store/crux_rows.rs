//! Saving the cruxes of debates: with the debate's line, and only while that is the newest.

use chrono::{DateTime, Utc};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sqlx::{FromRow, PgConnection};

use crate::events::ids::{DebateId, PersonaId};
use crate::store::fault::Fault;
use crate::store::views::{ROWS, Views, storable};

/// All cruxes of one debate, as its line of the same generation and version stands for them.
#[derive(Clone, Debug)]
pub struct CruxesOf {
    /// The generation of the fold that they are from.
    pub generation: i32,
    /// The debate.
    pub debate: DebateId,
    /// The debate's newest event in the fold.
    pub version: i64,
    /// The cruxes in the debate's own order; none of two have the same key.
    pub rows: Vec<CruxRow>,
}

/// A crux as columns.
#[derive(Clone, Debug)]
pub struct CruxRow {
    /// Its name among the debate's cruxes.
    pub key: String,
    /// How it was found, in the fold's words.
    pub kind: String,
    /// Whether it still divides them.
    pub open: bool,
    /// The crux, in the words of those who disagree.
    pub statement: String,
    /// The share of theses whose status it changes; `None` where it rests on no argument.
    pub pivotality: Option<f64>,
    /// Its order, where one was found.
    pub order: Option<u32>,
    /// Disputed arguments that rest on it.
    pub n_dependents: usize,
    /// Who takes a side.
    pub personas: Vec<PersonaId>,
    /// What the debate amounts to, in the fold's words.
    pub regime: String,
    /// When it came to be one, by the log's clock.
    pub opened_at: DateTime<Utc>,
    /// When the newest turn behind it was recorded.
    pub changed_at: DateTime<Utc>,
    /// The crux itself, as JSON.
    pub body: Box<RawValue>,
}

#[derive(FromRow)]
struct Stored {
    version: i64,
    key: Option<String>,
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

impl Views {
    /// All cruxes of a debate as they are stored, in its own order, with the version of its line; `None` where it has no
    /// line.
    ///
    /// # Errors
    /// [`Fault::Json`] where a row is not what is written here; else the database's.
    pub async fn cruxes_of(&self, generation: i32, debate: DebateId) -> Result<Option<CruxesOf>, Fault> {
        let stored: Vec<Stored> = sqlx::query_as(
            "select
                d.version, c.key, c.kind, c.open, c.statement, c.pivotality, c.crux_order, c.n_dependents, c.personas,
                c.regime, c.opened_at, c.changed_at, c.body::text as body
            from debates d
            left join cruxes c using (generation, debate_id)
            where d.generation = $1
            and d.debate_id = $2
            order by c.place",
        )
        .bind(generation)
        .bind(debate.0)
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("read a debate's cruxes"))?;
        let Some(version) = stored.first().map(|it| it.version) else { return Ok(None) };
        let rows = stored.into_iter().filter_map(row).collect::<Result<_, _>>()?;
        Ok(Some(CruxesOf { generation, debate, version, rows }))
    }
}

/// `None` where there is none: the debate has no crux.
fn row(row: Stored) -> Option<Result<CruxRow, Fault>> {
    let body = RawValue::from_string(row.body?).map_err(Fault::json("read a stored crux"));
    let body = match body {
        Ok(body) => body,
        Err(fault) => return Some(Err(fault)),
    };
    Some(Ok(CruxRow {
        key: row.key?,
        kind: row.kind?,
        open: row.open?,
        statement: row.statement?,
        pivotality: row.pivotality,
        order: row.crux_order.and_then(|it| it.try_into().ok()),
        n_dependents: row.n_dependents?.try_into().unwrap_or_default(),
        personas: row.personas?.iter().filter_map(|it| it.parse().ok()).collect(),
        regime: row.regime?,
        opened_at: row.opened_at?,
        changed_at: row.changed_at?,
        body,
    }))
}

impl CruxRow {
    /// All that is stored of it, in the form in which it is stored: for comparing.
    ///
    /// # Errors
    /// [`Fault::Json`] where its body is none.
    pub fn facts(&self) -> Result<Value, Fault> {
        let read = |text: &str| serde_json::from_str::<Value>(&storable(text)).map_err(Fault::json("read a crux"));
        let facts = json!({
            "key": self.key,
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
            "body": read(self.body.get())?,
        });
        read(&facts.to_string())
    }
}

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

/// Replaces the cruxes of these debates. To be called after their lines were saved in the same transaction, which holds
/// the lines: where a line is of a newer version by now, the debate's cruxes stay as they are.
pub(crate) async fn save(connection: &mut PgConnection, debates: &[CruxesOf]) -> Result<(), Fault> {
    let kept = |it: &CruxesOf| {
        let keys: Vec<&str> = it.rows.iter().map(|it| it.key.as_str()).collect();
        json!({ "generation": it.generation, "debate_id": it.debate, "version": it.version, "keys": keys })
    };
    for debates in debates.chunks(ROWS) {
        execute(connection, DELETE, debates.iter().map(kept).collect()).await?;
    }
    let rows: Vec<(&CruxesOf, i32, &CruxRow)> =
        debates.iter().flat_map(|of| (1..).zip(&of.rows).map(move |(place, row)| (of, place, row))).collect();
    for rows in rows.chunks(ROWS) {
        let rows: Vec<Value> = rows.iter().map(|(of, place, row)| line(of, *place, row)).collect();
        execute(connection, SAVE, rows).await?;
    }
    Ok(())
}

async fn execute(connection: &mut PgConnection, statement: &'static str, rows: Vec<Value>) -> Result<(), Fault> {
    let rows = Value::Array(rows).to_string();
    let query = sqlx::query(statement).bind(storable(&rows).into_owned());
    query.execute(connection).await.map_err(Fault::database("save cruxes"))?;
    Ok(())
}

/// The crux under its columns' names.
fn line(of: &CruxesOf, place: i32, row: &CruxRow) -> Value {
    json!({
        "generation": of.generation,
        "debate_id": of.debate,
        "version": of.version,
        "key": row.key,
        "place": place,
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
