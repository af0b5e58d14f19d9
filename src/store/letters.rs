//! Dead letters: events that a projection could not read. It goes on without their debates, and says so here; whoever has
//! mended what was wrong asks for another attempt.
//!
//! A generation that is being built has letters of its own; they take the place of those of the one before when it takes
//! over (`generation_switch.rs`).

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::views::Views;

/// Letters told of at most, the oldest first.
pub const LETTERS: i64 = 500;
/// Characters of a reason that are kept.
const REASON_CHARS: usize = 2_000;

/// An event that a projection could not read. The debate's rows stay as they were before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The projection.
    pub projection: String,
    /// The debate.
    pub debate: DebateId,
    /// The event's place in it.
    pub version: i64,
    /// Its lane.
    pub lane: i16,
    /// Its place in the lane.
    pub position: i64,
    /// Its wire name.
    pub kind: String,
    /// Why it cannot be read.
    pub reason: String,
    /// How often it was tried.
    pub attempts: i32,
    /// When it was found, by the database's clock.
    pub found_at: DateTime<Utc>,
    /// When it was last tried.
    pub tried_at: DateTime<Utc>,
    /// Whether another attempt was asked for and not made yet.
    pub wanted: bool,
}

/// What is to be noted of an event that cannot be read.
#[derive(Clone, Debug)]
pub struct NewLetter {
    projection: &'static str,
    /// The generation under way that it is of; `None` for what is served.
    generation: Option<i32>,
    debate: DebateId,
    version: i64,
    lane: i16,
    position: i64,
    kind: String,
    reason: String,
}

#[derive(FromRow)]
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

impl NewLetter {
    /// The letter of a projection that met this fault in a debate; `None` where it is another than damage of one event.
    /// The event may be one that the debate shares with the one that it was forked from.
    pub fn of(projection: &'static str, debate: DebateId, fault: &Fault) -> Option<NewLetter> {
        let Fault::Damaged { debate: damaged, version, lane, position, kind, source } = fault else { return None };
        let shared = if debate == *damaged { String::new() } else { format!("shared with debate {damaged}: ") };
        let reason = format!("{shared}{source}").replace('\0', "\u{fffd}").chars().take(REASON_CHARS).collect();
        let (version, lane, position) = (*version, *lane, *position);
        Some(NewLetter { projection, generation: None, debate, version, lane, position, kind: kind.clone(), reason })
    }

    /// The same, of a generation that is being built.
    #[must_use]
    pub fn under_way(self, generation: i32) -> NewLetter {
        NewLetter { generation: Some(generation), ..self }
    }
}

impl Views {
    /// The letters of a projection, the oldest first; at most [`LETTERS`].
    ///
    /// # Errors
    /// The database's.
    pub async fn letters(&self, projection: &str) -> Result<Vec<Letter>, Fault> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select *
            from dead_letters
            where projection = $1
            order by found_at, debate_id, version
            limit $2",
        )
        .bind(projection)
        .bind(LETTERS)
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("list dead letters"))?;
        Ok(rows.into_iter().map(letter).collect())
    }

    /// How many letters there are, of all projections.
    ///
    /// # Errors
    /// The database's.
    pub async fn n_letters(&self) -> Result<i64, Fault> {
        sqlx::query_scalar("select count(*) from dead_letters")
            .fetch_one(&self.pool)
            .await
            .map_err(Fault::database("count dead letters"))
    }

    /// Asks for another attempt at all letters of a projection; answers how many there are. Whoever keeps the views up
    /// makes it.
    ///
    /// # Errors
    /// The database's.
    pub async fn retry_letters(&self, projection: &str) -> Result<u64, Fault> {
        let asked = sqlx::query("update dead_letters set wanted = true where projection = $1")
            .bind(projection)
            .execute(&self.pool)
            .await
            .map_err(Fault::database("ask for another attempt at dead letters"))?;
        Ok(asked.rows_affected())
    }

    /// A debate of which an attempt was asked for; `None` where there is none.
    ///
    /// # Errors
    /// The database's.
    pub async fn wanted_letter(&self, projection: &str) -> Result<Option<DebateId>, Fault> {
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
        .map_err(Fault::database("look for dead letters to try again"))?;
        Ok(found.map(DebateId))
    }
}

fn letter(row: Stored) -> Letter {
    Letter {
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
        wanted: row.wanted,
    }
}

/// Notes letters; one that is there has been tried once more. An attempt that was asked for is made for all of its debate.
pub(crate) async fn save(connection: &mut PgConnection, letters: &[NewLetter]) -> Result<(), Fault> {
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
        .map_err(Fault::database("note a dead letter"))?;
    }
    Ok(())
}

async fn save_under_way(connection: &mut PgConnection, generation: i32, it: &NewLetter) -> Result<(), Fault> {
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
    .map_err(Fault::database("note a letter of a generation"))?;
    Ok(())
}

/// Forgets the letters of a generation under way for debates that can be read again.
pub(crate) async fn raise_under_way(connection: &mut PgConnection, raised: &[(i32, DebateId)]) -> Result<(), Fault> {
    for (generation, debate) in raised {
        sqlx::query("delete from generation_letters where generation = $1 and debate_id = $2")
            .bind(generation)
            .bind(debate.0)
            .execute(&mut *connection)
            .await
            .map_err(Fault::database("forget a letter of a generation"))?;
    }
    Ok(())
}

/// Forgets the letters of debates that can be read again.
pub(crate) async fn raise(connection: &mut PgConnection, raised: &[(&'static str, DebateId)]) -> Result<(), Fault> {
    for (projection, debate) in raised {
        sqlx::query("delete from dead_letters where projection = $1 and debate_id = $2")
            .bind(projection)
            .bind(debate.0)
            .execute(&mut *connection)
            .await
            .map_err(Fault::database("forget a dead letter"))?;
    }
    Ok(())
}
