//! Lease of the only projector: a row with a fence and the time until which it holds, beside an advisory lock.
//!
//! The holder renews its lease. If it is killed, its session ends, and another process takes the lease at once. If it is
//! frozen, or its host cannot be reached, its session may last for hours, and the lease runs out. A holder that wakes up
//! again saves nothing: rows are saved under the newest fence only ([`Views::fenced`](crate::views::views::Views::fenced)).
//!
//! The lock is shared. A process of an earlier version takes it exclusively, and never projects beside one with a lease.

use std::time::Duration;

use sqlx::postgres::PgConnection;
use sqlx::{Connection, PgPool};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::database::pool;
use crate::error::StoreError;

/// Key of the advisory lock: "Faultlin" as a number.
const KEY: i64 = 0x4661_756c_746c_696e;
/// Time for which a lease holds after it was taken or renewed.
pub const TERM: Duration = Duration::from_secs(10);
/// Interval of renewals.
const RENEWAL: Duration = Duration::from_secs(2);

/// Takes the lease if it has run out, or if its holder's session has ended.
const TAKE: &str = "
    insert into projector_lease as lease (backend, until)
    values (pg_backend_pid(), clock_timestamp() + $2 * interval '1 millisecond')
    on conflict (is_only) do update
    set fence = lease.fence + 1, backend = excluded.backend, until = excluded.until
    where lease.until < clock_timestamp()
    or not exists (
        select
        from pg_locks
        where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = $1
        and objsubid = 1
        and granted
        and pid = lease.backend
    )
    returning fence";
const RENEW: &str = "
    update projector_lease
    set until = clock_timestamp() + $2 * interval '1 millisecond'
    where fence = $1";

/// Lease of the process that runs the projector. Released on drop, or when the process or its session ends.
#[derive(Debug)]
pub struct ProjectorLease {
    fence: i64,
    /// Time until which the lease surely holds.
    until: watch::Receiver<Instant>,
    /// Ends the renewals on drop.
    stop: Option<oneshot::Sender<()>>,
    renewals: JoinHandle<()>,
}

impl ProjectorLease {
    /// Takes the lease if it is free.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn try_take(pool: &PgPool) -> Result<Option<ProjectorLease>, StoreError> {
        let attempt = StoreError::database("take the projector's lease");
        let mut connection = pool::dedicated(pool, "projector").await?;
        let is_shared: bool = sqlx::query_scalar("select pg_try_advisory_lock_shared($1)")
            .bind(KEY)
            .fetch_one(&mut connection)
            .await
            .map_err(&attempt)?;
        let begun = Instant::now();
        let taken: Option<i64> = match is_shared {
            true => sqlx::query_scalar(TAKE)
                .bind(KEY)
                .bind(term_millis())
                .fetch_optional(&mut connection)
                .await
                .map_err(&attempt)?,
            false => None,
        };
        let Some(fence) = taken else {
            let _farewell = connection.close().await;
            return Ok(None);
        };
        let (held, until) = watch::channel(begun + TERM);
        let (stop, stopped) = oneshot::channel();
        let renewals = tokio::spawn(renew(connection, fence, held, stopped));
        Ok(Some(ProjectorLease { fence, until, stop: Some(stop), renewals }))
    }

    /// Number of the lease, with which its holder saves rows.
    pub fn fence(&self) -> i64 {
        self.fence
    }

    /// Returns whether the lease is still held. A session that was lost is noticed with the next renewal, within two seconds.
    pub fn is_held(&self) -> bool {
        Instant::now() < *self.until.borrow()
    }

    /// Releases the lease now.
    pub async fn release(mut self) {
        self.stop.take();
        let _ended = (&mut self.renewals).await;
    }
}

/// Renews a lease on the session that holds the lock, until it is lost or released. Then the session ends.
async fn renew(
    mut connection: PgConnection,
    fence: i64,
    held: watch::Sender<Instant>,
    mut stopped: oneshot::Receiver<()>,
) {
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            () = tokio::time::sleep(RENEWAL) => {}
        }
        let begun = Instant::now();
        let renewed = sqlx::query(RENEW).bind(fence).bind(term_millis()).execute(&mut connection);
        match timeout(TERM, renewed).await {
            Ok(Ok(renewed)) if renewed.rows_affected() == 1 => held.send_replace(begun + TERM),
            _ => {
                held.send_replace(begun);
                break;
            }
        };
    }
    // The server releases the lock with the session, so an error while closing it does not matter.
    let _farewell = timeout(RENEWAL, connection.close()).await;
}

/// Term of a lease in milliseconds.
fn term_millis() -> f64 {
    TERM.as_secs_f64() * 1_000.0
}

/// Checks at the end of a transaction that a lease is still the newest one; always true without a lease. A lease that is taken
/// between this check and the commit does no harm: an older version of a debate never replaces a newer one.
pub(crate) async fn confirm_lease(connection: &mut PgConnection, fence: Option<i64>) -> Result<(), StoreError> {
    let Some(fence) = fence else { return Ok(()) };
    let is_newest: bool = sqlx::query_scalar("select exists (select from projector_lease where fence = $1)")
        .bind(fence)
        .fetch_one(connection)
        .await
        .map_err(StoreError::database("confirm the projector's lease"))?;
    if is_newest { Ok(()) } else { Err(StoreError::Superseded) }
}
