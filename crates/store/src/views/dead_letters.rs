//! Dead letters: events that a projection could not read. The projection continues without their debates and records
//! them here; once the cause is fixed, an operator can request a retry.
//!
//! A generation that is being built has dead letters of its own. At the cut-over they replace those of the previous
//! generation (`generations::generation_cutover`).

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::views::Views;
use faultline_core::events::ids::DebateId;

/// Maximum number of letters returned, oldest first.
pub const MAX_LETTERS: i64 = 500;
/// Number of characters of a reason that are kept.
const REASON_CHARS: usize = 2_000;

/// An event that a projection could not read. The debate's rows keep the state before that event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Name of the projection.
    pub projection: String,
    /// The debate.
    pub debate: DebateId,
    /// Version of the event in the debate.
    pub version: i64,
    /// Lane of the event.
    pub lane: i16,
    /// Position of the event in the lane.
    pub position: i64,
    /// Wire name of the event's kind.
    pub kind: String,
    /// Reason why the event cannot be read.
    pub reason: String,
    /// Number of attempts to read it.
    pub attempts: i32,
    /// Time of the first failure, by the database's clock.
    pub found_at: DateTime<Utc>,
    /// Time of the last attempt.
    pub tried_at: DateTime<Utc>,
    /// True if a retry was requested and has not been made yet.
    pub retry_requested: bool,
}

/// Reader of the log whose dead letters these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterOwner {
    /// The projection of this name, which updates the served views.
    Projection(&'static str),
    /// The generation with this number, which is being built.
    Generation(i32),
}

/// A dead letter to be recorded.
#[derive(Clone, Debug)]
pub struct NewDeadLetter {
    projection: &'static str,
    /// The generation being built to which it belongs; `None` for the served views.
    generation: Option<i32>,
    debate: DebateId,
    version: i64,
    lane: i16,
    position: i64,
    kind: String,
    reason: String,
}

struct Stored {
    projection: String,
    debate_id: Uuid,
    version: i64,
    lane: i16,
    position: i64,
    kind: String,
    reason: String,
    attempts: i32,
    found_at: DateTime<Utc>,
    tried_at: DateTime<Utc>,
    wanted: bool,
}

reads_row!(Stored {
    projection,
    debate_id,
    version,
    lane,
    position,
    kind,
    reason,
    attempts,
    found_at,
    tried_at,
    wanted
});

impl NewDeadLetter {
    /// Returns the dead letter for a fault that a projection met in a debate; `None` if the fault is not the damage of
    /// a single event. The event may be one that the debate shares with its fork origin.
    pub fn of(projection: &'static str, debate: DebateId, fault: &StoreError) -> Option<NewDeadLetter> {
        let StoreError::Damaged { debate: damaged, version, lane, position, kind, source } = fault else { return None };
        let shared = if debate == *damaged { String::new() } else { format!("shared with debate {damaged}: ") };
        let reason = format!("{shared}{source}").replace('\0', "\u{fffd}").chars().take(REASON_CHARS).collect();
        let (version, lane, position) = (*version, *lane, *position);
        Some(NewDeadLetter {
            projection,
            generation: None,
            debate,
            version,
            lane,
            position,
            kind: kind.clone(),
            reason,
        })
    }

    /// Assigns the letter to a generation that is being built.
    #[must_use]
    pub fn for_generation(self, generation: i32) -> NewDeadLetter {
        NewDeadLetter { generation: Some(generation), ..self }
    }
}

impl Views {
    /// Returns the dead letters of a projection, oldest first; at most [`MAX_LETTERS`].
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn letters(&self, projection: &str) -> Result<Vec<DeadLetter>, StoreError> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select *
            from dead_letters
            where projection = $1
            order by found_at, debate_id, version
            limit $2",
        )
        .bind(projection)
        .bind(MAX_LETTERS)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("list dead letters"))?;
        Ok(rows.into_iter().map(letter).collect())
    }

    /// Returns the number of dead letters of all projections.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn count_dead_letters(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar("select count(*) from dead_letters")
            .fetch_one(&self.pool)
            .await
            .map_err(StoreError::database("count dead letters"))
    }

    /// Requests a retry of all dead letters of a projection, and returns their number. The process that runs the
    /// projector makes the retry.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn retry_letters(&self, projection: &str) -> Result<u64, StoreError> {
        let asked = sqlx::query("update dead_letters set wanted = true where projection = $1")
            .bind(projection)
            .execute(&self.pool)
            .await
            .map_err(StoreError::database("request a retry of dead letters"))?;
        Ok(asked.rows_affected())
    }

    /// Returns a debate for which a retry was requested, the oldest letter first; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn next_retry(&self, projection: &str) -> Result<Option<DebateId>, StoreError> {
        let found: Option<Uuid> = sqlx::query_scalar(
            "select debate_id
            from dead_letters
            where projection = $1
            and wanted
            order by found_at
            limit 1",
        )
        .bind(projection)
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("look for dead letters to retry"))?;
        Ok(found.map(DebateId))
    }
}

fn letter(row: Stored) -> DeadLetter {
    DeadLetter {
        projection: row.projection,
        debate: DebateId(row.debate_id),
        version: row.version,
        lane: row.lane,
        position: row.position,
        kind: row.kind,
        reason: row.reason,
        attempts: row.attempts,
        found_at: row.found_at,
        tried_at: row.tried_at,
        retry_requested: row.wanted,
    }
}

/// Saves letters. For one that is already there the attempts are incremented. Clears the retry requests of its debate.
pub(crate) async fn save(connection: &mut PgConnection, letters: &[NewDeadLetter]) -> Result<(), StoreError> {
    for it in letters {
        if let Some(generation) = it.generation {
            save_under_way(connection, generation, it).await?;
            continue;
        }
        sqlx::query(
            "with made as (
                update dead_letters
                set wanted = false
                where projection = $1
                and debate_id = $2
                and version <> $3
                and wanted
            )
            insert into dead_letters (projection, debate_id, version, lane, position, kind, reason)
            values ($1, $2, $3, $4, $5, $6, $7)
            on conflict (projection, debate_id, version) do update
            set
                reason = excluded.reason,
                attempts = dead_letters.attempts + 1,
                tried_at = clock_timestamp(),
                wanted = false",
        )
        .bind(it.projection)
        .bind(it.debate.0)
        .bind(it.version)
        .bind(it.lane)
        .bind(it.position)
        .bind(&it.kind)
        .bind(&it.reason)
        .execute(&mut *connection)
        .await
        .map_err(StoreError::database("save a dead letter"))?;
    }
    Ok(())
}

async fn save_under_way(connection: &mut PgConnection, generation: i32, it: &NewDeadLetter) -> Result<(), StoreError> {
    sqlx::query(
        "insert into generation_letters (generation, debate_id, version, lane, position, kind, reason)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (generation, debate_id, version) do update
        set reason = excluded.reason",
    )
    .bind(generation)
    .bind(it.debate.0)
    .bind(it.version)
    .bind(it.lane)
    .bind(it.position)
    .bind(&it.kind)
    .bind(&it.reason)
    .execute(connection)
    .await
    .map_err(StoreError::database("save a dead letter of a generation"))?;
    Ok(())
}

/// Deletes the dead letters of debates that can be read again.
pub(crate) async fn delete_resolved(
    connection: &mut PgConnection,
    resolved: &[(LetterOwner, DebateId)],
) -> Result<(), StoreError> {
    for (owner, debate) in resolved {
        let query = match owner {
            LetterOwner::Projection(name) => {
                sqlx::query("delete from dead_letters where projection = $1 and debate_id = $2").bind(name)
            }
            LetterOwner::Generation(number) => {
                sqlx::query("delete from generation_letters where generation = $1 and debate_id = $2").bind(number)
            }
        };
        let deleted = query.bind(debate.0).execute(&mut *connection).await;
        deleted.map_err(StoreError::database("delete the dead letters of a debate"))?;
    }
    Ok(())
}
