//! Leases: record which process drives which debate, and prove it with every append.
//!
//! A supervisor follows the log and records whether each debate needs a runner. It claims debates that have no holder,
//! renews the leases of those it drives, and releases those it is done with. A lease that is not renewed expires and
//! can be claimed by another process. Each claim increments the fence (a fencing token), and from then on the log
//! refuses appends of the former holder. All times are by the database's clock.
//!
//! A claim of an expired lease is recorded in `lapses`: calls that were requested under that lease and not answered are
//! made again, and the table says why.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::shards::shards::Shards;
use faultline_core::events::ids::DebateId;

/// Maximum number of debates per claim; a greater limit is lowered to this one.
pub const MAX_CLAIMS: i64 = 1_000;
/// Number of lapses kept per debate, the newest ones.
pub const MAX_LAPSES: i64 = 100;

/// Statement of a claim. Debates without a holder are found by provider, those whose lease expired by the time: each by an
/// index that contains no others.
///
/// The number of debates that are left is never less than none: for a row that changed after the statement began, Postgres
/// evaluates parts of it again, and may then count debates of `free` twice.
const CLAIM: &str = "\
    with wanted as (
        select unnest($4::text[]) as provider
        union
        select provider
        from leases
        where $4::text[] is null
        and state = 'open'
        and holder is null
    ),
    free as materialized (
        select of_provider.debate_id
        from wanted
        cross join lateral (
            select debate_id
            from leases
            where state = 'open'
            and holder is null
            and provider = wanted.provider
            and debate_id <> all ($5)
            order by debate_id
            limit $3
            for update skip locked
        ) as of_provider
        order by of_provider.debate_id
        limit $3
    ),
    lapsed as materialized (
        select debate_id, holder
        from leases
        where state = 'open'
        and holder is not null
        and until < now()
        and ($4::text[] is null or provider = any ($4))
        and debate_id <> all ($5)
        order by until, debate_id
        limit greatest($3 - (select count(*) from free), 0)
        for update skip locked
    ),
    taken as (
        select debate_id, null::uuid as holder
        from free
        union all
        select debate_id, holder
        from lapsed
    ),
    claimed as (
        update leases
        set holder = $1, fence = fence + 1, until = now() + $2 * interval '1 millisecond'
        from taken
        where leases.debate_id = taken.debate_id
        returning leases.debate_id, leases.fence, taken.holder as former
    ),
    noted as (
        insert into lapses (debate_id, fence, former, claimant)
        select debate_id, fence, former, $1
        from claimed
        where former is not null
        on conflict (debate_id, fence) do update
        set former = excluded.former, claimant = excluded.claimant, claimed_at = excluded.claimed_at
    ),
    forgotten as (
        delete from lapses
        using claimed
        where lapses.debate_id = claimed.debate_id
        and lapses.fence <= claimed.fence - $6
    )
    select debate_id, fence, former
    from claimed";

/// Fencing token with which an append proves that its writer still holds the debate's lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The debate held.
    pub debate: DebateId,
    /// Number of the claim, from 1; incremented by every claim.
    pub token: i64,
}

/// A claimed debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedDebate {
    /// Fence under which the debate is held.
    pub fence: Fence,
    /// Previous holder, if its lease expired; `None` if the debate had no holder.
    pub previous_holder: Option<Uuid>,
}

/// Result of renewing leases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    /// Debates that the holder still holds.
    pub held: Vec<DebateId>,
    /// Those among them whose leases had expired without being claimed by another process.
    pub lapsed: Vec<DebateId>,
}

/// A debate's need for a runner, according to its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveState {
    /// It needs a runner.
    Open,
    /// It needs no runner at the moment: it is paused.
    Paused,
    /// It needs no runner any more: it has ended.
    Closed,
}

/// A debate's need for a runner, as of one of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveRequest {
    /// The debate.
    pub debate: DebateId,
    /// Version of that event. An older version never overwrites a newer one.
    pub version: i64,
    /// The debate's need for a runner.
    pub state: DriveState,
    /// Registered name of the provider that the debate uses.
    pub provider: String,
}

/// The table of leases.
#[derive(Clone, Debug)]
pub struct Leases {
    shards: Shards,
    /// Number of claims, which decides the server with which the next one begins.
    turn: Arc<AtomicUsize>,
}

impl Leases {
    /// Returns the leases in this database.
    pub fn new(pool: PgPool) -> Self {
        Leases::on(Shards::single(pool))
    }

    /// Returns the leases on these servers: each is on that of its debate's events.
    pub fn on(shards: Shards) -> Self {
        Leases { shards, turn: Arc::default() }
    }

    /// Records which debates need a runner. Idempotent and independent of order: the newest event of a debate counts.
    /// Holders are not changed.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn record_requests(&self, wants: &[DriveRequest]) -> Result<(), StoreError> {
        let mut newest: BTreeMap<DebateId, &DriveRequest> = BTreeMap::new();
        for want in wants {
            let known = newest.entry(want.debate).or_insert(want);
            if want.version > known.version {
                *known = want;
            }
        }
        let newest: Vec<&DriveRequest> = newest.into_values().collect();
        for group in self.shards.grouped(&newest, |want| lane_of(want.debate)) {
            let wants = group.of(&newest);
            // Leases are locked in the order of their debates everywhere, so that two statements cannot deadlock.
            sqlx::query(
                "insert into leases (debate_id, version, state, provider)
                select *
                from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[])
                on conflict (debate_id) do update
                set version = excluded.version, state = excluded.state, provider = excluded.provider
                where leases.version < excluded.version",
            )
            .bind(wants.iter().map(|want| want.debate.0).collect::<Vec<_>>())
            .bind(wants.iter().map(|want| want.version).collect::<Vec<_>>())
            .bind(wants.iter().map(|want| want.state.name()).collect::<Vec<_>>())
            .bind(wants.iter().map(|want| want.provider.as_str()).collect::<Vec<_>>())
            .execute(group.pool)
            .await
            .map_err(StoreError::database("record which debates need a runner"))?;
        }
        Ok(())
    }

    /// Claims open debates that have no holder or whose lease expired; those without a lease come first, then the
    /// longest expired. With `providers`, claims only debates that use one of them. Never claims those in `except`.
    /// Claims at most `limit` debates, and never more than [`MAX_CLAIMS`].
    ///
    /// A process lists the debates that it drives in `except`: an expired lease can still be renewed as long as no
    /// other process has claimed it, and claiming it would discard the work in progress.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement. Debates may then have been claimed
    /// without the caller knowing; their leases expire after `ttl`.
    pub async fn claim(
        &self,
        holder: Uuid,
        ttl: Duration,
        limit: i64,
        providers: Option<&[String]>,
        except: &[DebateId],
    ) -> Result<Vec<ClaimedDebate>, StoreError> {
        let limit = limit.clamp(0, MAX_CLAIMS);
        let except: Vec<Uuid> = except.iter().map(|debate| debate.0).collect();
        let (mut claimed, mut failed, mut n_failed) = (Vec::new(), None, 0);
        let mut pools: Vec<&PgPool> = self.shards.pools().collect();
        // Begins elsewhere each time, so that no server waits until all debates of another one are driven.
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % pools.len();
        pools.rotate_left(turn);
        for pool in &pools {
            let left = limit - claimed.len() as i64;
            if left == 0 {
                break;
            }
            let found: Result<Vec<(Uuid, i64, Option<Uuid>)>, _> = sqlx::query_as(CLAIM)
                .bind(holder)
                .bind(millis(ttl))
                .bind(left)
                .bind(providers)
                .bind(&except)
                .bind(MAX_LAPSES)
                .fetch_all(*pool)
                .await;
            match found.map_err(StoreError::database("claim debates")) {
                Ok(found) => {
                    let found = found.into_iter().map(|(debate, token, previous_holder)| ClaimedDebate {
                        fence: Fence { debate: DebateId(debate), token },
                        previous_holder,
                    });
                    // Not those of a lane that has moved since, whose former leases are about to be closed.
                    let is_placed = |claim: &ClaimedDebate| std::ptr::eq(self.shards.of(claim.fence.debate), *pool);
                    claimed.extend(found.filter(is_placed));
                }
                Err(fault) => {
                    tracing::warn!(%fault, "cannot claim debates on one server");
                    n_failed += 1;
                    failed = Some(fault);
                }
            }
        }
        match failed.filter(|_| n_failed == pools.len()) {
            Some(fault) => Err(fault),
            None => Ok(claimed),
        }
    }

    /// Extends the leases of these debates and returns those that `holder` still holds; the others are lost. An expired
    /// lease still belongs to its holder as long as no other process has claimed it: its fence is unchanged.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement. No lease is lost before its last
    /// known expiry.
    pub async fn renew(&self, holder: Uuid, ttl: Duration, debates: &[DebateId]) -> Result<Renewed, StoreError> {
        let (mut renewed, mut failed) = (Renewed::default(), None);
        let groups = self.shards.grouped(debates, |debate| lane_of(*debate));
        let mut n_failed = 0;
        for group in &groups {
            match renew_on(group.pool, holder, ttl, &group.of(debates)).await {
                Ok(held) => {
                    let lapsed = held.iter().filter(|(_, has_lapsed)| *has_lapsed);
                    renewed.lapsed.extend(lapsed.map(|(debate, _)| DebateId(*debate)));
                    renewed.held.extend(held.iter().map(|(debate, _)| DebateId(*debate)));
                }
                // The log refuses their appends if another process has claimed them in the meantime.
                Err(fault) => {
                    tracing::warn!(%fault, "cannot renew the leases of debates on one server");
                    renewed.held.extend(group.of(debates));
                    n_failed += 1;
                    failed = Some(fault);
                }
            }
        }
        match failed.filter(|_| n_failed == groups.len()) {
            Some(fault) => Err(fault),
            None => Ok(renewed),
        }
    }

    /// Returns those of these debates that a process drives: their leases have not expired.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn driven(&self, debates: &[DebateId]) -> Result<Vec<DebateId>, StoreError> {
        let mut driven = Vec::new();
        for group in self.shards.grouped(debates, |debate| lane_of(*debate)) {
            let found: Vec<Uuid> = sqlx::query_scalar(
                "select debate_id
                from leases
                where debate_id = any ($1)
                and until >= now()",
            )
            .bind(group.of(debates).iter().map(|debate| debate.0).collect::<Vec<_>>())
            .fetch_all(group.pool)
            .await
            .map_err(StoreError::database("read which debates are driven"))?;
            driven.extend(found.into_iter().map(DebateId));
        }
        Ok(driven)
    }

    /// Releases a debate if it is still held under this fence, and returns whether it was. Nothing can be appended
    /// under the fence afterwards.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement. The lease then expires in time.
    pub async fn release(&self, fence: Fence) -> Result<bool, StoreError> {
        let released = sqlx::query(
            "update leases
            set holder = null, until = null
            where debate_id = $1
            and fence = $2
            and holder is not null",
        )
        .bind(fence.debate.0)
        .bind(fence.token)
        .execute(self.shards.of(fence.debate))
        .await
        .map_err(StoreError::database("release a lease"))?;
        Ok(released.rows_affected() == 1)
    }

    /// Releases all leases of a process that is stopping, and returns their number.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement. The leases then expire in time.
    pub async fn release_all(&self, holder: Uuid) -> Result<u64, StoreError> {
        let mut n_released = 0;
        for pool in self.shards.pools() {
            let released = sqlx::query(
                "with held as materialized (
                    select debate_id
                    from leases
                    where holder = $1
                    order by debate_id
                    for no key update
                )
                update leases
                set holder = null, until = null
                from held
                where leases.debate_id = held.debate_id",
            )
            .bind(holder)
            .execute(pool)
            .await
            .map_err(StoreError::database("release all leases"))?;
            n_released += released.rows_affected();
        }
        Ok(n_released)
    }
}

/// Extends leases on one server. Returns those that are still held, and whether each had expired.
async fn renew_on(
    pool: &PgPool,
    holder: Uuid,
    ttl: Duration,
    debates: &[DebateId],
) -> Result<Vec<(Uuid, bool)>, StoreError> {
    sqlx::query_as(
        "with held as materialized (
                select debate_id, until < now() as has_lapsed
                from leases
                where debate_id = any ($3)
                and holder = $1
                order by debate_id
                for no key update
            )
            update leases
            set until = now() + $2 * interval '1 millisecond'
            from held
            where leases.debate_id = held.debate_id
            returning leases.debate_id, held.has_lapsed",
    )
    .bind(holder)
    .bind(millis(ttl))
    .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await
    .map_err(StoreError::database("renew leases"))
}

impl DriveState {
    /// Returns the name under which the state is stored.
    fn name(self) -> &'static str {
        match self {
            DriveState::Open => "open",
            DriveState::Paused => "resting",
            DriveState::Closed => "closed",
        }
    }
}

fn millis(ttl: Duration) -> i64 {
    i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)
}
