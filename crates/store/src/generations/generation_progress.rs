//! Progress of a generation that is being built: the position reached in each lane, and the number of remaining events.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::generations::generations::{Generation, GenerationState, Generations};
use crate::lanes::{Cursor, Heads, LANES};
use crate::log::log;
use crate::reads_row;
use crate::views::views::DEBATES;
use crate::views::views::Views;
use faultline_core::events::ids::DebateId;

/// Progress of a generation in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneProgress {
    /// Number of the generation.
    pub generation: i32,
    /// Number of the lane.
    pub lane: i16,
    /// Position up to which the rows contain every event of the lane, once all its debates are processed.
    pub position: i64,
    /// Last debate that is in the rows; `None` before the first.
    pub debate: Option<DebateId>,
    /// True if all debates of the lane are processed.
    pub is_through: bool,
    /// Number of debates in the rows, counted during processing.
    pub n_debates: i64,
    /// Number of events in the rows, counted during processing.
    pub n_events: i64,
}

/// Position that a generation has reached in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePosition {
    /// Number of the generation.
    pub generation: i32,
    /// Number of the lane.
    pub lane: i16,
    /// Position up to which the rows contain every event of the lane.
    pub position: i64,
}

/// Progress of a generation over all lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GenerationProgress {
    /// Number of events of the log that are in the generation's rows.
    pub done: i64,
    /// Number of events of the log.
    pub total: i64,
    /// Number of debates processed.
    pub n_debates: i64,
    /// Events processed per second, from the start until the generation caught up, or until now.
    pub rate: Option<f64>,
}

struct Stored {
    generation: i32,
    lane: i16,
    position: i64,
    debate_id: Option<Uuid>,
    is_through: bool,
    n_debates: i64,
    n_events: i64,
    saved_at: DateTime<Utc>,
}

reads_row!(Stored { generation, lane, position, debate_id, is_through, n_debates, n_events, saved_at });

impl Generations {
    /// Records the heads of the lanes at the start of a generation; heads recorded before are kept.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn begin(&self, generation: i32, heads: &Heads) -> Result<(), StoreError> {
        sqlx::query(
            "insert into generation_lanes (generation, lane, position)
            select $1, lane, position
            from unnest($2::smallint[], $3::bigint[]) as head (lane, position)
            on conflict do nothing",
        )
        .bind(generation)
        .bind((0..LANES).collect::<Vec<_>>())
        .bind(heads.to_vec())
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("start a generation"))?;
        Ok(())
    }

    /// Returns the progress of a generation in each lane, ordered by lane.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn lanes(&self, generation: i32) -> Result<Vec<LaneProgress>, StoreError> {
        Ok(self.stored(generation).await?.iter().map(place).collect())
    }

    /// Takes over the checkpoints of earlier versions of this program, which recorded the position of a served generation
    /// there.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn adopt_checkpoints(&self) -> Result<(), StoreError> {
        let attempt = StoreError::database("adopt the checkpoints of the stored views");
        let found: Vec<(i32, String)> = sqlx::query_as(
            "select checkpoints.revision, cursor
            from checkpoints
            join generations on generations.generation = checkpoints.revision
            where name = $1
            and state in ('served', 'retired')",
        )
        .bind(DEBATES)
        .fetch_all(&self.pool)
        .await
        .map_err(&attempt)?;
        for (generation, cursor) in found {
            let Ok(cursor) = cursor.parse::<Cursor>() else { continue };
            sqlx::query(
                "insert into generation_lanes (generation, lane, position, is_through)
                select $1, lane, position, true
                from unnest($2::smallint[], $3::bigint[]) as reached (lane, position)
                on conflict (generation, lane) do update
                set position = greatest(generation_lanes.position, excluded.position)",
            )
            .bind(generation)
            .bind((0..LANES).collect::<Vec<_>>())
            .bind((0..LANES).map(|lane| cursor.position(lane)).collect::<Vec<_>>())
            .execute(&self.pool)
            .await
            .map_err(&attempt)?;
        }
        Ok(())
    }

    async fn stored(&self, generation: i32) -> Result<Vec<Stored>, StoreError> {
        sqlx::query_as(
            "select *
            from generation_lanes
            where generation = $1
            order by lane",
        )
        .bind(generation)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("read the progress of a generation"))
    }

    /// Returns the progress of a generation.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn progress(&self, generation: &Generation) -> Result<GenerationProgress, StoreError> {
        let heads = log::heads(&self.shards).await?;
        let total = heads.iter().sum();
        let lanes = self.stored(generation.id).await?;
        let n_debates = lanes.iter().map(|progress| progress.n_debates).sum();
        let counted: i64 = lanes.iter().map(|progress| progress.n_events).sum();
        let until = generation.caught_up_at.or_else(|| lanes.iter().map(|progress| progress.saved_at).max());
        let lasted = generation.started_at.zip(until).map(|(from, to)| (to - from).as_seconds_f64());
        let rate = lasted.filter(|seconds| *seconds > 0.0).map(|seconds| counted as f64 / seconds);
        let is_kept = matches!(generation.state, GenerationState::Served | GenerationState::Retired);
        let done = match is_kept {
            true => total - cursor(&lanes.iter().map(place).collect::<Vec<_>>()).lag(&heads),
            false => lanes
                .iter()
                .map(
                    |progress| {
                        if progress.is_through { progress.position } else { progress.n_events.min(progress.position) }
                    },
                )
                .sum(),
        };
        Ok(GenerationProgress { done, total, n_debates, rate })
    }
}

impl Views {
    /// Returns the number of events by which a generation that was served is behind the heads.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn behind(&self, generation: i32, heads: &Heads) -> Result<i64, StoreError> {
        Ok(self.reached(generation).await?.lag(heads))
    }

    /// Returns the cursor behind all events that the rows of a served or retired generation contain.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn reached(&self, generation: i32) -> Result<Cursor, StoreError> {
        Ok(cursor(&self.generations().lanes(generation).await?))
    }
}

fn place(row: &Stored) -> LaneProgress {
    LaneProgress {
        generation: row.generation,
        lane: row.lane,
        position: row.position,
        debate: row.debate_id.map(DebateId),
        is_through: row.is_through,
        n_debates: row.n_debates,
        n_events: row.n_events,
    }
}

/// Returns the cursor after the events that these lanes have processed.
pub fn cursor(lanes: &[LaneProgress]) -> Cursor {
    let mut cursor = Cursor::default();
    lanes.iter().for_each(|progress| cursor.set(progress.lane, progress.position));
    cursor
}

/// Saves the positions of lanes; an earlier position never replaces a later one.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached or refuses the statement, or if a lane is missing because its
/// generation was dropped.
pub(crate) async fn save_positions(
    connection: &mut PgConnection,
    positions: &[LanePosition],
) -> Result<(), StoreError> {
    if positions.is_empty() {
        return Ok(());
    }
    let attempt = StoreError::database("save the positions of a generation");
    let saved = sqlx::query(
        "update generation_lanes as l
        set position = greatest(l.position, n.position), saved_at = clock_timestamp()
        from unnest($1::int[], $2::smallint[], $3::bigint[]) as n (generation, lane, position)
        where l.generation = n.generation
        and l.lane = n.lane",
    )
    .bind(positions.iter().map(|reached| reached.generation).collect::<Vec<_>>())
    .bind(positions.iter().map(|reached| reached.lane).collect::<Vec<_>>())
    .bind(positions.iter().map(|reached| reached.position).collect::<Vec<_>>())
    .execute(connection)
    .await
    .map_err(&attempt)?;
    if saved.rows_affected() == positions.len() as u64 { Ok(()) } else { Err(attempt(sqlx::Error::RowNotFound)) }
}

/// Saves the progress of lanes.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached or refuses the statement, or if a lane is missing because its
/// generation was dropped.
pub(crate) async fn save(connection: &mut PgConnection, lanes: &[LaneProgress]) -> Result<(), StoreError> {
    if lanes.is_empty() {
        return Ok(());
    }
    // Durability is not needed, because the rows can be built again: a crash of the server resets rows and progress to
    // the same earlier moment.
    let attempt = StoreError::database("save the progress of a generation");
    sqlx::query("set local synchronous_commit = off").execute(&mut *connection).await.map_err(&attempt)?;
    let saved = sqlx::query(
        "update generation_lanes as l
        set
            position = n.position,
            debate_id = n.debate_id,
            is_through = n.is_through,
            n_debates = n.n_debates,
            n_events = n.n_events,
            saved_at = clock_timestamp()
        from unnest(
            $1::int[], $2::smallint[], $3::bigint[], $4::uuid[], $5::boolean[], $6::bigint[], $7::bigint[]
        ) as n (generation, lane, position, debate_id, is_through, n_debates, n_events)
        where l.generation = n.generation
        and l.lane = n.lane",
    )
    .bind(lanes.iter().map(|progress| progress.generation).collect::<Vec<_>>())
    .bind(lanes.iter().map(|progress| progress.lane).collect::<Vec<_>>())
    .bind(lanes.iter().map(|progress| progress.position).collect::<Vec<_>>())
    .bind(lanes.iter().map(|progress| progress.debate.map(|debate| debate.0)).collect::<Vec<_>>())
    .bind(lanes.iter().map(|progress| progress.is_through).collect::<Vec<_>>())
    .bind(lanes.iter().map(|progress| progress.n_debates).collect::<Vec<_>>())
    .bind(lanes.iter().map(|progress| progress.n_events).collect::<Vec<_>>())
    .execute(connection)
    .await
    .map_err(&attempt)?;
    // A missing lane means that the generation was dropped; the error rolls the transaction back, so that no rows are
    // left.
    if saved.rows_affected() == lanes.len() as u64 { Ok(()) } else { Err(attempt(sqlx::Error::RowNotFound)) }
}
