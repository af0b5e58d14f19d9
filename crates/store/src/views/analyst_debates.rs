//! Debates with the numbers of what they contain, as analysts see them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::views::Views;
use faultline_core::events::ids::DebateId;

/// Row of `analyst.debates`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalystDebate {
    /// Id of the debate.
    pub debate_id: Uuid,
    /// Version of the debate's newest event in the row.
    pub version: i64,
    /// Topic.
    pub topic: String,
    /// Name of the engine.
    pub engine: String,
    /// Name of the provider.
    pub provider: String,
    /// Status.
    pub status: String,
    /// Current phase, if the engine has phases.
    pub phase: Option<String>,
    /// Kind of the outcome, if the debate ended by itself.
    pub outcome: Option<String>,
    /// Regime.
    pub regime: Option<String>,
    /// Seed, as a decimal number.
    pub seed: Option<String>,
    /// Participants in speaking order.
    pub participants: Vec<String>,
    /// Number of turns taken.
    pub n_turns: i64,
    /// Number of arguments ever advanced; `None` in a row of an earlier version of the program, like the next two.
    pub n_arguments: Option<i64>,
    /// Number of attacks ever raised.
    pub n_attacks: Option<i64>,
    /// Number of concessions.
    pub n_concessions: Option<i64>,
    /// Number of disputes.
    pub n_disputes: i64,
    /// Number of open disputes.
    pub n_open_disputes: i64,
    /// Number of cruxes.
    pub n_cruxes: i64,
    /// Number of open cruxes.
    pub n_open_cruxes: i64,
    /// Number of tokens read and written.
    pub tokens: i64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: i64,
    /// Time of the opening.
    pub opened_at: DateTime<Utc>,
    /// Time of the newest event.
    pub changed_at: DateTime<Utc>,
    /// Time of the end.
    pub ended_at: Option<DateTime<Utc>>,
    /// Measures that have a value, by key; `None` until the debate ends.
    pub measures: Option<Json<BTreeMap<String, f64>>>,
}

reads_row!(AnalystDebate {
    debate_id,
    version,
    topic,
    engine,
    provider,
    status,
    phase,
    outcome,
    regime,
    seed,
    participants,
    n_turns,
    n_arguments,
    n_attacks,
    n_concessions,
    n_disputes,
    n_open_disputes,
    n_cruxes,
    n_open_cruxes,
    tokens,
    cost_micros,
    opened_at,
    changed_at,
    ended_at,
    measures
});

impl Views {
    /// Returns the served rows of these debates, in the order requested; debates without a row are omitted. One statement.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn analyst_debates(&self, debates: &[DebateId]) -> Result<Vec<AnalystDebate>, StoreError> {
        sqlx::query_as(
            "select
                debate_id, d.version, topic, engine, provider, status, phase, outcome, regime, seed::text as seed,
                participants, n_turns, n_arguments, n_attacks, n_concessions, n_disputes, n_open_disputes, n_cruxes,
                n_open_cruxes, tokens, cost_micros, opened_at, changed_at, ended_at, measures
            from unnest($1::uuid[]) with ordinality as wanted (debate_id, place)
            join analyst.debates d using (debate_id)
            order by wanted.place",
        )
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("read the list of debates for a table"))
    }
}
