//! Reads the events of some kinds of several debates at once, for folds that need no others.

use sqlx::{AssertSqlSafe, PgPool};

use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::log::fork_event::fork_event;
use crate::log::log::Log;
use crate::log::row::{EVENT_COLUMNS, group_by_part, stored_event_or_erased};
use crate::log::stored_event::StoredEvent;
use faultline_core::events::ids::DebateId;

/// Kind of the first event of a fork, which is always read.
const FORKED: &str = "debate_forked";

impl Log {
    /// Returns the events of some kinds of each debate up to a version, in order. The part that a fork shares with its
    /// origin is returned as the origin's events. The events of an erased debate have no body. Whether a stream has gaps is
    /// not checked.
    ///
    /// Cost: one statement per server, whatever the number of debates; as many more per level of fork origins. Bodies of other kinds are
    /// neither sent nor decrypted.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if a body cannot be decrypted, or the first event of a fork cannot be decoded; any other
    /// [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn read_kinds(
        &self,
        debates: &[(DebateId, i64)],
        kinds: &[&str],
    ) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let kinds: Vec<&str> = kinds.iter().copied().chain([FORKED]).collect();
        let mut found = vec![Vec::new(); debates.len()];
        let mut pending: Vec<(usize, (DebateId, i64))> = debates.iter().copied().enumerate().collect();
        while !pending.is_empty() {
            let parts: Vec<(DebateId, i64)> = pending.iter().map(|(_, part)| *part).collect();
            let mut origins = Vec::new();
            for ((place, part), mut events) in pending.iter().zip(self.kinds_of_streams(&parts, &kinds).await?) {
                origins.extend(origin(part.1, &events)?.map(|origin| (*place, origin)));
                events.append(&mut found[*place]);
                found[*place] = events;
            }
            pending = origins;
        }
        Ok(found)
    }

    /// Reads the events of these kinds of each debate's own stream.
    async fn kinds_of_streams(
        &self,
        parts: &[(DebateId, i64)],
        kinds: &[&str],
    ) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let mut found = vec![Vec::new(); parts.len()];
        for group in self.shards().grouped(parts, |(debate, _)| lane_of(*debate)) {
            let events = self.kinds_of_streams_on(group.pool, &group.of(parts), kinds).await?;
            group.place(events, &mut found);
        }
        Ok(found)
    }

    /// Reads the events of these kinds of each debate's own stream from the server that holds them.
    async fn kinds_of_streams_on(
        &self,
        pool: &PgPool,
        parts: &[(DebateId, i64)],
        kinds: &[&str],
    ) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}, part.place
            from unnest($1::smallint[], $2::uuid[], $3::bigint[])
                with ordinality as part (lane, debate_id, upto, place)
            left join lateral (
                select debate_id, key, master
                from debate_keys
                where debate_keys.debate_id = part.debate_id
                limit 1
            ) as k on true
            cross join lateral (
                select *
                from events
                where events.lane = part.lane
                and events.debate_id = part.debate_id
                and events.version <= part.upto
                and events.kind = any ($4)
                order by events.version
            ) as e",
        )))
        .bind(parts.iter().map(|(debate, _)| lane_of(*debate)).collect::<Vec<_>>())
        .bind(parts.iter().map(|(debate, _)| debate.0).collect::<Vec<_>>())
        .bind(parts.iter().map(|(_, upto)| *upto).collect::<Vec<_>>())
        .bind(kinds)
        .fetch_all(pool)
        .await
        .map_err(StoreError::database("read some kinds of events of several debates"))?;
        let keys = self.keys().decryptors();
        group_by_part(&rows, parts.len(), |row| stored_event_or_erased(row, &keys))
    }
}

/// Returns the origin of a fork, and the version up to which it is shared.
fn origin(upto: i64, events: &[StoredEvent]) -> Result<Option<(DebateId, i64)>, StoreError> {
    let Some(first) = events.first().filter(|event| event.stored.kind == FORKED && !event.erased) else {
        return Ok(None);
    };
    let first = first.read()?;
    Ok(fork_event(&first).map(|forked| (forked.origin, forked.at.min(upto))))
}
