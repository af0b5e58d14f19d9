//! How far the lanes were read for a generation that is being built, and what is still to come.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::generations::{Generation, GenerationState, Generations};
use crate::store::lanes::{Cursor, Heads, LANES};
use crate::store::log;
use crate::store::views::Views;

/// How far a lane was read for a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePlace {
    /// The generation.
    pub generation: i32,
    /// The lane.
    pub lane: i16,
    /// Once its debates are through, the rows hold every event of the lane up to here.
    pub position: i64,
    /// The last debate that is in the rows; `None` before the first.
    pub debate: Option<DebateId>,
    /// Whether all debates are through.
    pub is_through: bool,
    /// Debates in the rows, as counted while they were gone through.
    pub n_debates: i64,
    /// Events in the rows, counted likewise.
    pub n_events: i64,
}

/// How far a generation is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Events of the log that are in its rows.
    pub done: i64,
    /// Events of the log.
    pub total: i64,
    /// Debates that were gone through.
    pub n_debates: i64,
    /// Events gone through in a second, from its beginning until it had caught up, or until now.
    pub rate: Option<f64>,
}

#[derive(FromRow)]
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

impl Generations {
    /// Notes where the lanes' heads stand as a generation is begun; where that was noted before, it stays.
    ///
    /// # Errors
    /// The database's.
    pub async fn begin(&self, generation: i32, heads: &Heads) -> Result<(), Fault> {
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
        .map_err(Fault::database("begin a generation"))?;
        Ok(())
    }

    /// How far each lane was read for a generation, by lane.
    ///
    /// # Errors
    /// The database's.
    pub async fn lanes(&self, generation: i32) -> Result<Vec<LanePlace>, Fault> {
        Ok(self.stored(generation).await?.iter().map(place).collect())
    }

    async fn stored(&self, generation: i32) -> Result<Vec<Stored>, Fault> {
        sqlx::query_as(
            "select *
            from generation_lanes
            where generation = $1
            order by lane",
        )
        .bind(generation)
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("look how far a generation is"))
    }

    /// How far a generation is.
    ///
    /// # Errors
    /// The database's.
    pub async fn progress(&self, generation: &Generation) -> Result<Progress, Fault> {
        let heads = log::heads(&self.pool).await?;
        let total = heads.iter().sum();
        let lanes = self.stored(generation.id).await?;
        let n_debates = lanes.iter().map(|it| it.n_debates).sum();
        let counted: i64 = lanes.iter().map(|it| it.n_events).sum();
        let until = generation.caught_up_at.or_else(|| lanes.iter().map(|it| it.saved_at).max());
        let lasted = generation.started_at.zip(until).map(|(from, to)| (to - from).as_seconds_f64());
        let rate = lasted.filter(|it| *it > 0.0).map(|it| counted as f64 / it);
        let is_kept = matches!(generation.state, GenerationState::Served | GenerationState::Retired);
        let done = match is_kept {
            true => total - Views { pool: self.pool.clone() }.behind(generation.id, &heads).await?,
            false => {
                lanes.iter().map(|it| if it.is_through { it.position } else { it.n_events.min(it.position) }).sum()
            }
        };
        Ok(Progress { done, total, n_debates, rate })
    }
}

impl Views {
    /// How many events a generation that was served is behind the heads.
    ///
    /// # Errors
    /// The database's.
    pub async fn behind(&self, generation: i32, heads: &Heads) -> Result<i64, Fault> {
        Ok(self.checkpoint(DEBATES, generation).await?.unwrap_or_default().behind(heads))
    }
}

fn place(row: &Stored) -> LanePlace {
    LanePlace {
        generation: row.generation,
        lane: row.lane,
        position: row.position,
        debate: row.debate_id.map(DebateId),
        is_through: row.is_through,
        n_debates: row.n_debates,
        n_events: row.n_events,
    }
}

/// Behind what these lanes have read.
pub fn cursor(lanes: &[LanePlace]) -> Cursor {
    let mut cursor = Cursor::default();
    lanes.iter().for_each(|it| cursor.set(it.lane, it.position));
    cursor
}

/// Saves how far lanes were read.
pub(crate) async fn save(connection: &mut PgConnection, lanes: &[LanePlace]) -> Result<(), Fault> {
    if lanes.is_empty() {
        return Ok(());
    }
    // What is built can be built again: after a crash of the server, rows and place are both as they were a moment before.
    let attempt = Fault::database("save how far a generation is");
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
    .bind(lanes.iter().map(|it| it.generation).collect::<Vec<_>>())
    .bind(lanes.iter().map(|it| it.lane).collect::<Vec<_>>())
    .bind(lanes.iter().map(|it| it.position).collect::<Vec<_>>())
    .bind(lanes.iter().map(|it| it.debate.map(|it| it.0)).collect::<Vec<_>>())
    .bind(lanes.iter().map(|it| it.is_through).collect::<Vec<_>>())
    .bind(lanes.iter().map(|it| it.n_debates).collect::<Vec<_>>())
    .bind(lanes.iter().map(|it| it.n_events).collect::<Vec<_>>())
    .execute(connection)
    .await
    .map_err(&attempt)?;
    // Not there any more: it was dropped, and nothing is to be left behind by one who did not know.
    if saved.rows_affected() == lanes.len() as u64 { Ok(()) } else { Err(attempt(sqlx::Error::RowNotFound)) }
}
