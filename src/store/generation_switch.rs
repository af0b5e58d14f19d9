//! The letters of a generation that is being built, and whether it may take over with them.
//!
//! A generation that leaves out a debate which what is served has whole would take something from the world. It does not
//! take over by itself then: it is kept up beside what is served, and says so, until what is damaged was mended or somebody
//! lets it.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::generations::Generations;
use crate::store::letters::LETTERS;

/// An event that a generation could not be made of. The rows of its debate are as they were before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The debate.
    pub debate: DebateId,
    /// The event's place in it.
    pub version: i64,
    /// Its wire name.
    pub kind: String,
    /// Why it cannot be read.
    pub reason: String,
    /// When it was found, by the database's clock.
    pub found_at: DateTime<Utc>,
    /// Whether what is served has the debate whole.
    pub newly: bool,
}

/// How much a generation leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loss {
    /// Debates with events that cannot be read.
    pub debates: i64,
    /// Those among them that what is served has whole.
    pub newly: i64,
    /// Debates that are left out of what is served.
    pub before: i64,
}

#[derive(FromRow)]
struct Stored {
    debate_id: Uuid,
    version: i64,
    kind: String,
    reason: String,
    found_at: DateTime<Utc>,
    newly: bool,
}

impl Generations {
    /// What a generation under way leaves out, newly left out first; at most [`LETTERS`].
    ///
    /// # Errors
    /// The database's.
    pub async fn left_out(&self, id: i32) -> Result<Vec<LeftOut>, Fault> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select debate_id, version, kind, reason, found_at,
                exists (select from generations where state = 'served')
                and not exists (
                    select
                    from dead_letters d
                    where d.projection = $2
                    and d.debate_id = l.debate_id
                ) as newly
            from generation_letters l
            where generation = $1
            order by newly desc, debate_id, version
            limit $3",
        )
        .bind(id)
        .bind(DEBATES)
        .bind(LETTERS)
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("look what a generation leaves out"))?;
        Ok(rows.into_iter().map(left_out).collect())
    }

    /// How much a generation under way leaves out, beside what is left out of what is served.
    ///
    /// # Errors
    /// The database's.
    pub async fn loss(&self, id: i32) -> Result<Loss, Fault> {
        let (debates, newly, before): (i64, i64, i64) = sqlx::query_as(
            "with before as (
                select distinct debate_id
                from dead_letters
                where projection = $2
            ),
            after as (
                select distinct debate_id
                from generation_letters
                where generation = $1
            )
            select
                (select count(*) from after),
                (
                    select count(*)
                    from after
                    where debate_id not in (select debate_id from before)
                    and exists (select from generations where state = 'served')
                ),
                (select count(*) from before)",
        )
        .bind(id)
        .bind(DEBATES)
        .fetch_one(&self.pool)
        .await
        .map_err(Fault::database("count what a generation leaves out"))?;
        Ok(Loss { debates, newly, before })
    }

    /// Lets a generation under way take over whatever it leaves out; answers whether it is under way.
    ///
    /// # Errors
    /// The database's.
    pub async fn allow_letters(&self, id: i32) -> Result<bool, Fault> {
        let allowed = sqlx::query(
            "update generations
            set allows_letters = true
            where generation = $1
            and state in ('wanted', 'building', 'held', 'approved')",
        )
        .bind(id)
        .execute(&self.pool)
        .await
        .map_err(Fault::database("let a generation take over with what it leaves out"))?;
        Ok(allowed.rows_affected() == 1)
    }
}

/// The letters of a generation that takes over are those of what is served, in place of the ones before; of those that are
/// the same it stays known since when, and whether another attempt was asked for.
pub(crate) async fn adopt(connection: &mut PgConnection, id: i32) -> Result<(), Fault> {
    const STATEMENTS: [&str; 2] = [
        "delete from dead_letters d
        where projection = $2
        and not exists (
            select
            from generation_letters l
            where l.generation = $1
            and l.debate_id = d.debate_id
            and l.version = d.version
        )",
        "insert into dead_letters (projection, debate_id, version, lane, position, kind, reason, found_at, tried_at)
        select $2, debate_id, version, lane, position, kind, reason, found_at, found_at
        from generation_letters
        where generation = $1
        on conflict (projection, debate_id, version) do update
        set reason = excluded.reason",
    ];
    let attempt = Fault::database("take over the letters of a generation");
    for statement in STATEMENTS {
        sqlx::query(statement).bind(id).bind(DEBATES).execute(&mut *connection).await.map_err(&attempt)?;
    }
    let taken = sqlx::query("delete from generation_letters where generation = $1").bind(id).execute(connection);
    taken.await.map_err(attempt)?;
    Ok(())
}

fn left_out(row: Stored) -> LeftOut {
    LeftOut {
        debate: DebateId(row.debate_id),
        version: row.version,
        kind: row.kind,
        reason: row.reason,
        found_at: row.found_at,
        newly: row.newly,
    }
}
