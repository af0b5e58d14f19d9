//! Writes the rows of the list of debates.

use std::collections::BTreeMap;

use sqlx::PgConnection;

use crate::error::StoreError;
use crate::views::debates::{DebateRow, clean};
use crate::views::views::MAX_ROWS;
use faultline_core::events::ids::DebateId;

/// Saves rows; an older version never replaces a newer one.
pub(crate) async fn save(connection: &mut PgConnection, rows: &[DebateRow]) -> Result<(), StoreError> {
    let mut newest: BTreeMap<(i32, DebateId), &DebateRow> = BTreeMap::new();
    for row in rows {
        let known = newest.entry((row.generation, row.debate)).or_insert(row);
        if row.version > known.version {
            *known = row;
        }
    }
    let rows: Vec<&DebateRow> = newest.into_values().collect();
    for rows in rows.chunks(MAX_ROWS) {
        let lines: Vec<serde_json::Value> = rows.iter().map(|row| json(row)).collect();
        sqlx::query(
            "insert into debates
            select *
            from jsonb_populate_recordset(null::debates, $1)
            on conflict (generation, debate_id) do update
            set
                version = excluded.version,
                topic = excluded.topic,
                engine = excluded.engine,
                provider = excluded.provider,
                status = excluded.status,
                phase = excluded.phase,
                regime = excluded.regime,
                opened_at = excluded.opened_at,
                changed_at = excluded.changed_at,
                ended_at = excluded.ended_at,
                n_turns = excluded.n_turns,
                tokens = excluded.tokens,
                cost_micros = excluded.cost_micros,
                participants = excluded.participants,
                outcome = excluded.outcome,
                models = excluded.models,
                measures = excluded.measures,
                speaker_figures = excluded.speaker_figures,
                n_arguments = excluded.n_arguments,
                n_attacks = excluded.n_attacks,
                n_concessions = excluded.n_concessions
            where debates.version <= excluded.version",
        )
        .bind(serde_json::Value::Array(lines))
        .execute(&mut *connection)
        .await
        .map_err(StoreError::database("save the list of debates"))?;
    }
    Ok(())
}

impl DebateRow {
    /// Returns everything that is stored of the row but its generation, normalized as in the database, for comparison.
    pub fn normalized(&self) -> serde_json::Value {
        let mut columns = json(self);
        columns.as_object_mut().map(|columns| columns.remove("generation"));
        columns
    }
}

/// Encodes the row as a JSON object with a key per column. Arrays per column would not work: the participant lists
/// differ in length.
fn json(row: &DebateRow) -> serde_json::Value {
    serde_json::json!({
        "generation": row.generation,
        "debate_id": row.debate,
        "version": row.version,
        "topic": clean(&row.topic),
        "engine": clean(&row.engine),
        "provider": clean(&row.provider),
        "status": clean(&row.status),
        "phase": row.phase.as_deref().map(clean),
        "regime": row.regime.as_deref().map(clean),
        "opened_at": row.opened_at,
        "changed_at": row.changed_at,
        "ended_at": row.ended_at,
        "n_turns": row.n_turns,
        "tokens": row.tokens,
        "cost_micros": row.cost_micros,
        "participants": row.participants,
        "outcome": row.outcome,
        "models": row.models.iter().map(|model| clean(model)).collect::<Vec<_>>(),
        "measures": row.measures,
        "speaker_figures": row.speaker_figures,
        "n_arguments": row.n_arguments,
        "n_attacks": row.n_attacks,
        "n_concessions": row.n_concessions,
    })
}
