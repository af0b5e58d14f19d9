//! Leases: which process drives which debate, and proof of it with every append.
//!
//! A supervisor follows the log and notes what each debate wants. It claims what nobody holds, renews what it drives, and
//! releases what it is done with. A lease that is not renewed can be claimed by others; the claim raises the fence, and
//! from then on the log refuses whatever the former holder still appends. All times are by the database's clock.
//!
//! Who claims what another let run out takes note of it in `lapses`: what had been asked under such a lease and not answered
//! is asked once more, and there it stands why.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::store::fault::Fault;

/// Debates claimed at once at most; a greater limit counts as this one.
pub const CLAIM: i64 = 1_000;
/// Lapses of one debate that are kept, the last ones.
pub const LAPSES: i64 = 100;

/// Under this an append proves that its writer still holds the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The debate held.
    pub debate: DebateId,
    /// Which of its holds, from 1; raised by every claim.
    pub token: i64,
}

/// A debate that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Under which it is held.
    pub fence: Fence,
    /// Who had held it and let its lease run out; `None` where nobody did.
    pub former: Option<Uuid>,
}

/// What became of leases that were to be renewed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    /// Debates that are still the holder's.
    pub held: Vec<DebateId>,
    /// Those among them whose leases had run out meanwhile, without anybody's having claimed them.
    pub lapsed: Vec<DebateId>,
}

/// What a debate wants of runners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It wants one.
    Open,
    /// None for now: it is paused.
    Resting,
    /// None any more: it is over.
    Closed,
}

/// What a debate wants, as of one of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// The debate.
    pub debate: DebateId,
    /// The event's version. Older news never overwrites newer.
    pub version: i64,
    /// What it wants.
    pub state: State,
    /// The registered name of the provider that answers in it.
    pub provider: String,
}

/// The table of leases.
#[derive(Clone, Debug)]
pub struct Leases {
    pool: PgPool,
}

impl Leases {
    /// The leases in this database.
    pub fn new(pool: PgPool) -> Self {
        Leases { pool }
    }

    /// Notes what debates want. Noting it twice, late, or out of order changes nothing: the newest event counts. Who
    /// holds a debate is left as it is.
    ///
    /// # Errors
    /// The database's.
    pub async fn note(&self, wants: &[Want]) -> Result<(), Fault> {
        let mut newest: BTreeMap<DebateId, &Want> = BTreeMap::new();
        for want in wants {
            let known = newest.entry(want.debate).or_insert(want);
            if want.version > known.version {
                *known = want;
            }
        }
        // By debate, as everywhere where leases are locked: so no two statements wait for each other.
        sqlx::query(
            "insert into leases (debate_id, version, state, provider)
            select *
            from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[])
            on conflict (debate_id) do update
            set version = excluded.version, state = excluded.state, provider = excluded.provider
            where leases.version < excluded.version",
        )
        .bind(newest.keys().map(|it| it.0).collect::<Vec<_>>())
        .bind(newest.values().map(|it| it.version).collect::<Vec<_>>())
        .bind(newest.values().map(|it| it.state.name()).collect::<Vec<_>>())
        .bind(newest.values().map(|it| it.provider.as_str()).collect::<Vec<_>>())
        .execute(&self.pool)
        .await
        .map_err(Fault::database("note what debates want"))?;
        Ok(())
    }

    /// Claims open debates that nobody holds, longest abandoned first; with `providers`, only debates that one of these
    /// answers in, and never those of `except`. At most `limit`, or [`CLAIM`]. Who drives a debate names it in `except`: a
    /// lease that ran out is renewed as long as nobody else has claimed it, and claiming it would throw away what is under
    /// way.
    ///
    /// # Errors
    /// The database's. Then debates may have been claimed unseen; they come free again after `ttl`.
    pub async fn claim(
        &self,
        holder: Uuid,
        ttl: Duration,
        limit: i64,
        providers: Option<&[String]>,
        except: &[DebateId],
    ) -> Result<Vec<Claim>, Fault> {
        let claimed: Vec<(Uuid, i64, Option<Uuid>)> = sqlx::query_as(
            "with free as materialized (
                select debate_id, holder
                from leases
                where state = 'open'
                and (holder is null or until < now())
                and ($4::text[] is null or provider = any ($4))
                and debate_id <> all ($5)
                order by until nulls first, debate_id
                limit $3
                for update skip locked
            ),
            claimed as (
                update leases
                set holder = $1, fence = fence + 1, until = now() + $2 * interval '1 millisecond'
                from free
                where leases.debate_id = free.debate_id
                returning leases.debate_id, leases.fence, free.holder as former
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
            from claimed",
        )
        .bind(holder)
        .bind(millis(ttl))
        .bind(limit.clamp(0, CLAIM))
        .bind(providers)
        .bind(except.iter().map(|it| it.0).collect::<Vec<_>>())
        .bind(LAPSES)
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("claim debates"))?;
        let claim = |(debate, token, former)| Claim { fence: Fence { debate: DebateId(debate), token }, former };
        Ok(claimed.into_iter().map(claim).collect())
    }

    /// Holds these debates for another while; answers which of them are still the holder's. The others are lost. A lease that
    /// ran out is still the holder's as long as nobody has claimed it: its fence is the same.
    ///
    /// # Errors
    /// The database's. Then nothing is lost before the last known time is over.
    pub async fn renew(&self, holder: Uuid, ttl: Duration, debates: &[DebateId]) -> Result<Renewed, Fault> {
        let held: Vec<(Uuid, bool)> = sqlx::query_as(
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
        .bind(debates.iter().map(|it| it.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("renew leases"))?;
        let lapsed = held.iter().filter(|(_, has_lapsed)| *has_lapsed).map(|(debate, _)| DebateId(*debate)).collect();
        Ok(Renewed { held: held.into_iter().map(|(debate, _)| DebateId(debate)).collect(), lapsed })
    }

    /// Gives a debate up, if it is still held under this fence; answers whether it was. Nothing can be appended under
    /// the fence any more.
    ///
    /// # Errors
    /// The database's. Then it comes free by time.
    pub async fn release(&self, fence: Fence) -> Result<bool, Fault> {
        let released = sqlx::query(
            "update leases
            set holder = null, until = null
            where debate_id = $1
            and fence = $2
            and holder is not null",
        )
        .bind(fence.debate.0)
        .bind(fence.token)
        .execute(&self.pool)
        .await
        .map_err(Fault::database("release a lease"))?;
        Ok(released.rows_affected() == 1)
    }

    /// Gives up all that a process holds, as it stops; answers how many debates that were.
    ///
    /// # Errors
    /// The database's. Then they come free by time.
    pub async fn release_all(&self, holder: Uuid) -> Result<u64, Fault> {
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
        .execute(&self.pool)
        .await
        .map_err(Fault::database("release all leases"))?;
        Ok(released.rows_affected())
    }
}

impl State {
    /// As it is stored.
    fn name(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Resting => "resting",
            State::Closed => "closed",
        }
    }
}

fn millis(ttl: Duration) -> i64 {
    i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)
}
