//! Copies the rows of a lane from one server to another, and deletes them.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection, PgPool};
use uuid::Uuid;

use crate::database::erased::erased_among;
use crate::database::row_copy::{copy_rows, copying_connection};
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::reads_row;
use crate::shard::ShardError;
use faultline_core::events::ids::DebateId;

/// Number of positions that are copied or deleted at once: some megabytes.
const PAGE: i64 = 10_000;

/// Columns of an event.
const COLUMNS: &str = "position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, actor, body, hash";

const ATTEMPT: &str = "move a lane of the log";
/// Name of the connections.
const ROLE: &str = "moving a lane";

/// Connections for the copy of a lane.
pub(super) struct LaneCopy {
    lane: i16,
    home: PgPool,
    source: PgConnection,
    target: PgConnection,
    /// Position up to which everything is copied.
    pub(super) copied: i64,
    /// Position up to which debates had events when their leases were copied last; `None` before.
    leases_at: Option<i64>,
    /// Debates with a copied lease that was not closed.
    leased: BTreeSet<Uuid>,
}

/// Debate, its stored key, and the fingerprint of the master key that wraps it.
type KeyRow = (Uuid, Option<Vec<u8>>, Option<Vec<u8>>);

struct LeaseRow {
    debate_id: Uuid,
    version: i64,
    state: String,
    provider: String,
    holder: Option<Uuid>,
    fence: i64,
    until: Option<DateTime<Utc>>,
}

reads_row!(LeaseRow { debate_id, version, state, provider, holder, fence, until });

struct LapseRow {
    debate_id: Uuid,
    fence: i64,
    former: Uuid,
    claimant: Uuid,
    claimed_at: DateTime<Utc>,
}

reads_row!(LapseRow { debate_id, fence, former, claimant, claimed_at });

/// Whether a copied lease replaces one that is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leases {
    /// Always: the lane is closed on both servers.
    Replace,
    /// Only if it knows of a newer event: the lane is open there by now.
    Merge,
}

impl LaneCopy {
    /// Opens the connections, and deletes what an earlier move may have left on the target. From then on the lane belongs
    /// to this move there.
    pub(super) async fn begin(
        home: &PgPool,
        (source, target): (&PgPool, &PgPool),
        lane: i16,
        token: Uuid,
    ) -> Result<LaneCopy, StoreError> {
        let taken = sqlx::query("update lanes set move = $2 where lane = $1 and closed_head is not null")
            .bind(lane)
            .bind(token)
            .execute(target)
            .await
            .map_err(StoreError::database(ATTEMPT))?;
        if taken.rows_affected() == 0 {
            return Err(ShardError::OpenTwice { lane }.into());
        }
        clear(target, lane, token).await?;
        Ok(LaneCopy {
            lane,
            home: home.clone(),
            source: copying_connection(source, ROLE).await?,
            target: copying_connection(target, ROLE).await?,
            copied: 0,
            leases_at: None,
            leased: BTreeSet::new(),
        })
    }

    /// Copies the events up to a position, with the keys of their debates and the origins of forks.
    pub(super) async fn copy_to(&mut self, upto: i64) -> Result<(), StoreError> {
        while self.copied < upto {
            let last = upto.min(self.copied + PAGE);
            self.copy_page(last).await?;
            self.copied = last;
        }
        Ok(())
    }

    /// Copies the next events up to a position in one transaction, so that a move that dies leaves no key without its debate.
    async fn copy_page(&mut self, last: i64) -> Result<(), StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let LaneCopy { lane, home, source, target, copied: after, .. } = self;
        let range = (*lane, *after, last);
        // Until it ends, nothing is erased, so that no key is copied while it is destroyed.
        let mut unerased = begin(home).await.map_err(&attempt)?;
        erased_among(&mut unerased, &[]).await?;
        let mut page = target.begin().await.map_err(&attempt)?;
        copy_beginnings(source, &mut page, range).await.map_err(&attempt)?;
        let n_copied = copy_events(source, &mut page, range).await.map_err(&attempt)?;
        if n_copied != last - *after {
            return Err(StoreError::LaneGap { lane: *lane, wanted: *after + n_copied + 1, found: None });
        }
        page.commit().await.map_err(&attempt)?;
        unerased.commit().await.map_err(attempt)
    }

    /// Copies the leases of the lane's debates: all at first, later those that may have changed.
    pub(super) async fn copy_leases(&mut self, how: Leases) -> Result<(), StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        // The lease of a debate that has ended changes only with further events of it.
        let rows: Vec<LeaseRow> = sqlx::query_as(
            "select debate_id, version, state, provider, holder, fence, until
            from leases
            where $2::bigint is null
            or state <> 'closed'
            or debate_id in (select debate_id from events where lane = $1 and position > $2)",
        )
        .bind(self.lane)
        .bind(self.leases_at)
        .fetch_all(&mut self.source)
        .await
        .map_err(&attempt)?;
        let mut rows: Vec<LeaseRow> =
            rows.into_iter().filter(|row| lane_of(DebateId(row.debate_id)) == self.lane).collect();
        if how == Leases::Merge {
            // Whoever claimed a debate there after the move does not drive it.
            rows.iter_mut().for_each(|row| (row.holder, row.until) = (None, None));
        }
        let statement = match how {
            Leases::Replace => {
                "insert into leases (debate_id, version, state, provider, holder, fence, until)
                select *
                from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::timestamptz[])
                on conflict (debate_id) do update
                set version = excluded.version, state = excluded.state, provider = excluded.provider,
                    holder = excluded.holder, fence = excluded.fence, until = excluded.until"
            }
            Leases::Merge => {
                "insert into leases (debate_id, version, state, provider, holder, fence, until)
                select *
                from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::uuid[], $6::bigint[], $7::timestamptz[])
                on conflict (debate_id) do update
                set version = excluded.version, state = excluded.state, provider = excluded.provider
                where leases.version < excluded.version"
            }
        };
        sqlx::query(statement)
            .bind(rows.iter().map(|row| row.debate_id).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| row.version).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| row.state.as_str()).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| row.provider.as_str()).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| row.holder).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| row.fence).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| row.until).collect::<Vec<_>>())
            .execute(&mut self.target)
            .await
            .map_err(attempt)?;
        self.copy_lapses().await?;
        self.leases_at = Some(self.copied);
        self.leased.extend(rows.iter().filter(|row| row.state != "closed").map(|row| row.debate_id));
        Ok(())
    }

    /// Copies the records of leases that expired; there are few.
    async fn copy_lapses(&mut self) -> Result<(), StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let rows: Vec<LapseRow> = sqlx::query_as("select debate_id, fence, former, claimant, claimed_at from lapses")
            .fetch_all(&mut self.source)
            .await
            .map_err(&attempt)?;
        let rows: Vec<LapseRow> =
            rows.into_iter().filter(|row| lane_of(DebateId(row.debate_id)) == self.lane).collect();
        sqlx::query(
            "insert into lapses (debate_id, fence, former, claimant, claimed_at)
            select *
            from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::timestamptz[])
            on conflict (debate_id, fence) do nothing",
        )
        .bind(rows.iter().map(|row| row.debate_id).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.fence).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.former).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.claimant).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.claimed_at).collect::<Vec<_>>())
        .execute(&mut self.target)
        .await
        .map(drop)
        .map_err(attempt)
    }

    /// Closes the copied leases on the source, so that nobody claims a debate there any more. A need of a runner that is
    /// recorded there later, by a process that does not know of the move yet, opens its lease again.
    pub(super) async fn close_leases(&mut self) -> Result<(), StoreError> {
        sqlx::query(
            "update leases
            set state = 'closed', holder = null, until = null, fence = fence + 1
            where debate_id = any ($1)",
        )
        .bind(self.leased.iter().copied().collect::<Vec<_>>())
        .execute(&mut self.source)
        .await
        .map(drop)
        .map_err(StoreError::database(ATTEMPT))
    }
}

/// Copies the keys of debates that begin within a range of a lane, and the origins of those that are forks.
async fn copy_beginnings(
    source: &mut PgConnection,
    target: &mut PgConnection,
    (lane, after, upto): (i16, i64, i64),
) -> Result<(), sqlx::Error> {
    let debates: Vec<Uuid> = sqlx::query_scalar(
        "select debate_id
        from events
        where lane = $1
        and position > $2
        and position <= $3
        and (version = 1 or kind = 'debate_forked')
        order by debate_id",
    )
    .bind(lane)
    .bind(after)
    .bind(upto)
    .fetch_all(&mut *source)
    .await?;
    let keys: Vec<KeyRow> = sqlx::query_as("select debate_id, key, master from debate_keys where debate_id = any ($1)")
        .bind(&debates)
        .fetch_all(&mut *source)
        .await?;
    let (ids, keys, masters) = unzip(keys);
    sqlx::query(
        "insert into debate_keys (debate_id, key, master)
        select *
        from unnest($1::uuid[], $2::bytea[], $3::bytea[])
        on conflict (debate_id) do nothing",
    )
    .bind(ids)
    .bind(keys)
    .bind(masters)
    .execute(&mut *target)
    .await?;
    let origins: Vec<(Uuid, Uuid, i64)> =
        sqlx::query_as("select fork, origin, at from fork_origins where fork = any ($1)")
            .bind(&debates)
            .fetch_all(source)
            .await?;
    let (forks, origins, ats) = unzip(origins);
    sqlx::query(
        "insert into fork_origins (fork, origin, at)
        select *
        from unnest($1::uuid[], $2::uuid[], $3::bigint[])
        on conflict (fork) do nothing",
    )
    .bind(forks)
    .bind(origins)
    .bind(ats)
    .execute(target)
    .await
    .map(drop)
}

/// Copies the events of a range of a lane as they are stored. Returns their number.
async fn copy_events(
    source: &mut PgConnection,
    target: &mut PgConnection,
    (lane, after, upto): (i16, i64, i64),
) -> Result<i64, sqlx::Error> {
    let from = format!(
        "select {COLUMNS}
        from events
        where lane = {lane} and position > {after} and position <= {upto}
        order by position"
    );
    let copied = copy_rows(source, target, &from, ("events", COLUMNS)).await?;
    Ok(i64::try_from(copied).unwrap_or(i64::MAX))
}

/// Deletes the rows of a lane that is closed on a server, for as long as the lane belongs to this move there. The rows of erased
/// debates among the keys stay: they say that these are erased.
pub(super) async fn clear(pool: &PgPool, lane: i16, token: Uuid) -> Result<(), StoreError> {
    let attempt = StoreError::database("delete the former copy of a lane");
    let mut connection = copying_connection(pool, ROLE).await?;
    let mut after = 0;
    loop {
        let mut transaction = connection.begin().await.map_err(&attempt)?;
        // Locks the lane, so that it stays closed, and is not taken by another move.
        let own: Option<i64> = sqlx::query_scalar(
            "select closed_head
            from lanes
            where lane = $1
            and move = $2
            and closed_head is not null
            for update",
        )
        .bind(lane)
        .bind(token)
        .fetch_optional(&mut *transaction)
        .await
        .map_err(&attempt)?;
        if own.is_none() {
            return Err(ShardError::MoveRanOut { lane }.into());
        }
        let upto: Option<i64> = sqlx::query_scalar(
            "select max(position)
            from (select position from events where lane = $1 and position > $2 order by position limit $3) as page",
        )
        .bind(lane)
        .bind(after)
        .bind(PAGE)
        .fetch_one(&mut *transaction)
        .await
        .map_err(&attempt)?;
        let Some(upto) = upto else { break };
        let debates: Vec<Uuid> = sqlx::query_scalar(
            "with gone as (
                delete from events
                where lane = $1
                and position > $2
                and position <= $3
                returning debate_id, version, kind
            )
            select debate_id
            from gone
            where version = 1
            or kind = 'debate_forked'",
        )
        .bind(lane)
        .bind(after)
        .bind(upto)
        .fetch_all(&mut *transaction)
        .await
        .map_err(&attempt)?;
        for statement in [
            "delete from debate_keys where debate_id = any ($1) and key is not null",
            "delete from fork_origins where fork = any ($1)",
            "delete from lapses where debate_id = any ($1)",
            "delete from leases where debate_id = any ($1)",
        ] {
            sqlx::query(statement).bind(&debates).execute(&mut *transaction).await.map_err(&attempt)?;
        }
        transaction.commit().await.map_err(&attempt)?;
        after = upto;
    }
    connection.close().await.map_err(attempt)
}

fn unzip<A, B, C>(rows: Vec<(A, B, C)>) -> (Vec<A>, Vec<B>, Vec<C>) {
    let mut columns = (Vec::new(), Vec::new(), Vec::new());
    for (one, two, three) in rows {
        columns.0.push(one);
        columns.1.push(two);
        columns.2.push(three);
    }
    columns
}
