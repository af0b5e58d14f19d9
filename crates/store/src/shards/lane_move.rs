//! Moves a lane of the log to another server while the log is read and written.
//!
//! ```text
//! copy, while the lane grows ─▶ close it here ─▶ copy the rest ─▶ change the placement ─▶ open it there ─▶ delete it here
//!                               └── appends to the lane wait ──────────────────────────┘
//! ```
//!
//! The change of the placement, at home, decides. If the process that moves the lane dies before it, the lane is opened again
//! where it was, and after it, where it is then (`move_recovery.rs`). A process that does not
//! know of the move yet is refused its appends, because the lane is closed where it writes.

use std::time::Duration;

use sqlx::PgPool;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::LANES;
use crate::shard::ShardError;
use crate::shards::lane_copy::{LaneCopy, Leases, clear};
use crate::shards::move_recovery::{is_live, open, recover};
use crate::shards::shards::{PLACEMENT_POLL, Shards};

/// Time after which the former copy of a lane is deleted: all processes know of the move by then, unless they are cut off from
/// the home.
pub const GRACE: Duration = Duration::from_secs(60);
/// Time for which a move counts as under way after it was renewed last.
const TERM: Duration = Duration::from_secs(15);
/// Interval at which it is renewed.
const RENEWAL: Duration = Duration::from_secs(3);
/// Number of events behind the head at which the lane is closed, to copy the rest.
const NEAR: i64 = 500;
/// Maximum number of rounds of copying before the lane is closed, however fast it grows.
const MAX_ROUNDS: usize = 20;

const ATTEMPT: &str = "move a lane of the log";

/// Move of a lane. Call [`LaneMove::carry_over`], then [`LaneMove::delete_former_copy`]; several moves may wait together in between.
pub struct LaneMove {
    shards: Shards,
    lane: i16,
    target: String,
    from: PgPool,
    to: PgPool,
    token: Uuid,
    copy: LaneCopy,
    /// Renews the move until it is dropped.
    renewal: JoinHandle<()>,
}

/// Result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedOver {
    /// Number of events that were copied.
    pub n_events: i64,
    /// Time for which appends to the lane waited.
    pub paused: Duration,
}

impl LaneMove {
    /// Begins to move a lane to a shard by its name; `None` if it is there already.
    ///
    /// # Errors
    /// [`StoreError::Shard`] if the shard is unknown, there is no such lane, or it is being moved already; any other
    /// [`StoreError`] if a database cannot be reached or refuses a statement.
    pub async fn begin(shards: &Shards, lane: i16, target: &str) -> Result<Option<LaneMove>, StoreError> {
        if !(0..LANES).contains(&lane) {
            return Err(ShardError::NoLane { lane }.into());
        }
        let Some(to) = shards.named(target) else {
            return Err(ShardError::NoShard { shard: target.to_owned(), known: shards.names().join(", ") }.into());
        };
        recover(shards).await?;
        let token = take(shards.home(), lane, target).await?;
        // Read while no other move can change it.
        shards.reload().await?;
        if shards.name_of(lane) == target {
            end(shards, lane, token).await?;
            return Ok(None);
        }
        let from = shards.of_lane(lane).clone();
        let renewal = tokio::spawn(renew(shards.home().clone(), lane, token));
        match LaneCopy::begin(shards.home(), (&from, to), lane, token).await {
            Ok(copy) => {
                let (shards, target, to) = (shards.clone(), target.to_owned(), to.clone());
                Ok(Some(LaneMove { shards, lane, target, from, to, token, copy, renewal }))
            }
            Err(fault) => {
                renewal.abort();
                end(shards, lane, token).await?;
                Err(fault)
            }
        }
    }

    /// Copies the lane and changes its placement. `report` is called with the number of copied events and that of all.
    ///
    /// Cost: reads and writes every event of the lane once.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement; the lane is then where it was, or in its new
    /// place.
    pub async fn carry_over(&mut self, report: impl FnMut(i64, i64)) -> Result<CarriedOver, StoreError> {
        let carried = self.try_carry_over(report).await;
        if carried.is_err() {
            self.renewal.abort();
            if let Err(fault) = end(&self.shards, self.lane, self.token).await {
                tracing::warn!(%fault, lane = self.lane, "cannot end the move of a lane; it ends by itself");
            }
        }
        carried
    }

    async fn try_carry_over(&mut self, mut report: impl FnMut(i64, i64)) -> Result<CarriedOver, StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        for _ in 0..MAX_ROUNDS {
            let head = head(&self.from, self.lane).await?;
            report(self.copy.copied, head);
            if head - self.copy.copied <= NEAR {
                break;
            }
            self.copy.copy_to(head).await?;
        }
        self.copy.copy_leases(Leases::Replace).await?;
        let closed_at = Instant::now();
        // Waits for appends in progress.
        let closing = "update lanes set closed_head = head, move = $2 where lane = $1 returning head";
        let head: i64 = sqlx::query_scalar(closing)
            .bind(self.lane)
            .bind(self.token)
            .fetch_one(&self.from)
            .await
            .map_err(&attempt)?;
        self.copy.copy_to(head).await?;
        self.copy.copy_leases(Leases::Replace).await?;
        let counted = sqlx::query("update lanes set head = $3, closed_head = $3 where lane = $1 and move = $2");
        let counted = counted.bind(self.lane).bind(self.token).bind(head).execute(&self.to).await;
        if counted.map_err(attempt)?.rows_affected() == 0 {
            return Err(ShardError::MoveRanOut { lane: self.lane }.into());
        }
        place(self.shards.home(), (self.lane, &self.target, self.token)).await?;
        open(&self.to, self.lane, Some(self.token)).await?;
        let paused = closed_at.elapsed();
        self.shards.reload().await?;
        self.copy.close_leases().await?;
        report(self.copy.copied, head);
        Ok(CarriedOver { n_events: head, paused })
    }

    /// Waits until no process reads the former copy of the lane any more, and deletes it. `grace` must be longer than
    /// [`PLACEMENT_POLL`].
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement. The lane is in its new place, and a part of the
    /// former copy may be left, which [`delete_leftovers`] deletes.
    pub async fn delete_former_copy(mut self, grace: Duration) -> Result<(), StoreError> {
        let begun = Instant::now();
        // Needs of runners that processes recorded there before they knew of the move.
        for wait in [(2 * PLACEMENT_POLL).min(grace), grace] {
            sleep(wait.saturating_sub(begun.elapsed())).await;
            if !is_live(self.shards.home(), self.lane, Some(self.token)).await? {
                return Err(ShardError::MoveRanOut { lane: self.lane }.into());
            }
            self.copy.copy_leases(Leases::Merge).await?;
            self.copy.close_leases().await?;
        }
        clear(&self.from, self.lane, self.token).await?;
        self.renewal.abort();
        end(&self.shards, self.lane, self.token).await
    }
}

/// Deletes copies of a lane on servers that do not hold it, after `grace`: a move that was interrupted leaves one. Returns whether
/// there were any.
///
/// # Errors
/// [`StoreError::Shard`] if the lane is being moved; any other [`StoreError`] if a database cannot be reached or refuses a
/// statement.
pub async fn delete_leftovers(shards: &Shards, lane: i16, grace: Duration) -> Result<bool, StoreError> {
    recover(shards).await?;
    let token = take(shards.home(), lane, shards.name_of(lane)).await?;
    let renewal = tokio::spawn(renew(shards.home().clone(), lane, token));
    let deleted = try_delete_leftovers(shards, (lane, token), grace).await;
    renewal.abort();
    end(shards, lane, token).await?;
    deleted
}

async fn try_delete_leftovers(
    shards: &Shards,
    (lane, token): (i16, Uuid),
    grace: Duration,
) -> Result<bool, StoreError> {
    let attempt = StoreError::database("look for former copies of a lane");
    shards.reload().await?;
    let mut left = Vec::new();
    for pool in shards.pools().filter(|pool| !std::ptr::eq(*pool, shards.of_lane(lane))) {
        let has_copy = sqlx::query_scalar("select exists (select from events where lane = $1)").bind(lane);
        if has_copy.fetch_one(pool).await.map_err(&attempt)? {
            left.push(pool);
        }
    }
    if left.is_empty() {
        return Ok(false);
    }
    sleep(grace).await;
    for pool in left {
        let taken = "update lanes set move = $2 where lane = $1 and closed_head is not null";
        sqlx::query(taken).bind(lane).bind(token).execute(pool).await.map_err(&attempt)?;
        clear(pool, lane, token).await?;
    }
    Ok(true)
}

impl Drop for LaneMove {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

/// Records that a lane is being moved, and returns the token of the move.
async fn take(home: &PgPool, lane: i16, target: &str) -> Result<Uuid, StoreError> {
    let taken: Option<Uuid> = sqlx::query_scalar(
        "insert into lane_moves (lane, target, token, until)
        values ($1, $2, gen_random_uuid(), clock_timestamp() + $3 * interval '1 millisecond')
        on conflict (lane) do nothing
        returning token",
    )
    .bind(lane)
    .bind(target)
    .bind(millis(TERM))
    .fetch_optional(home)
    .await
    .map_err(StoreError::database(ATTEMPT))?;
    taken.ok_or_else(|| ShardError::MoveUnderWay { lane }.into())
}

/// Renews a move until the task is aborted. A move that ran out is not renewed again.
async fn renew(home: PgPool, lane: i16, token: Uuid) {
    loop {
        sleep(RENEWAL).await;
        let renewed = sqlx::query(
            "update lane_moves
            set until = clock_timestamp() + $3 * interval '1 millisecond'
            where lane = $1
            and token = $2
            and until >= clock_timestamp()",
        );
        if let Err(error) = renewed.bind(lane).bind(token).bind(millis(TERM)).execute(&home).await {
            tracing::warn!(lane, %error, "cannot renew the move of a lane");
        }
    }
}

/// Changes the placement of a lane, if the move has not run out.
async fn place(home: &PgPool, (lane, target, token): (i16, &str, Uuid)) -> Result<(), StoreError> {
    let placed = sqlx::query(
        "with live as (
            select lane, target
            from lane_moves
            where lane = $1
            and token = $2
            and until >= clock_timestamp()
            for update
        )
        insert into lane_shards (lane, shard, epoch)
        select lane, $3, 1
        from live
        on conflict (lane) do update
        set shard = excluded.shard, epoch = lane_shards.epoch + 1",
    )
    .bind(lane)
    .bind(token)
    .bind(target)
    .execute(home)
    .await
    .map_err(StoreError::database("change the placement of a lane"))?;
    if placed.rows_affected() == 1 { Ok(()) } else { Err(ShardError::MoveRanOut { lane }.into()) }
}

/// Ends a move of this process. If it did not succeed, the lane is opened again where it is.
async fn end(shards: &Shards, lane: i16, token: Uuid) -> Result<(), StoreError> {
    sqlx::query("update lane_moves set until = '-infinity' where lane = $1 and token = $2")
        .bind(lane)
        .bind(token)
        .execute(shards.home())
        .await
        .map_err(StoreError::database(ATTEMPT))?;
    recover(shards).await
}

async fn head(pool: &PgPool, lane: i16) -> Result<i64, StoreError> {
    sqlx::query_scalar("select head from lanes where lane = $1")
        .bind(lane)
        .fetch_one(pool)
        .await
        .map_err(StoreError::database("read a lane's head"))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
