//! Lease of the coordinator: the member of the projector that creates, cuts over and drops generations.
//!
//! There is one coordinator, of the newest revision that is present. Its lease is renewed with its membership. If the
//! holder is killed, its session ends, and another member takes the lease at once; if it is frozen, or its host cannot be
//! reached, the lease runs out. A former holder that wakes up changes nothing: it saves and cuts over under the newest
//! lease only.

use sqlx::{AssertSqlSafe, PgConnection};

use crate::error::StoreError;
use crate::projector::membership_term::{KEY, SESSIONS, term_millis};

/// Takes the lease if it has run out, or if its holder's session has ended, and returns its number.
pub(crate) async fn take(connection: &mut PgConnection) -> Result<Option<i64>, StoreError> {
    let take = format!(
        "insert into projector_lease as lease (backend, until, lanes_fence)
        values (pg_backend_pid(), clock_timestamp() + $2 * interval '1 millisecond', 1)
        on conflict (is_only) do update
        set
            fence = lease.fence + 1,
            lanes_fence = lease.fence + 1,
            backend = excluded.backend,
            until = excluded.until
        where lease.until < clock_timestamp()
        or lease.backend not in ({SESSIONS})
        returning fence"
    );
    sqlx::query_scalar(AssertSqlSafe(take))
        .bind(KEY)
        .bind(term_millis())
        .fetch_optional(connection)
        .await
        .map_err(StoreError::database("take the lease of the projector's coordinator"))
}

/// Renews a lease. Returns false if another member has taken it.
pub(crate) async fn renew(connection: &mut PgConnection, fence: i64) -> Result<bool, StoreError> {
    let renewed = sqlx::query(
        "update projector_lease
        set until = clock_timestamp() + $2 * interval '1 millisecond'
        where fence = $1",
    );
    let renewed = renewed.bind(fence).bind(term_millis()).execute(connection).await;
    let renewed = renewed.map_err(StoreError::database("renew the lease of the projector's coordinator"))?;
    Ok(renewed.rows_affected() == 1)
}

/// Gives a lease up, so that another member can take it now.
pub(crate) async fn give_up(connection: &mut PgConnection, fence: i64) -> Result<(), StoreError> {
    sqlx::query("update projector_lease set until = '-infinity' where fence = $1")
        .bind(fence)
        .execute(connection)
        .await
        .map_err(StoreError::database("give up the lease of the projector's coordinator"))?;
    Ok(())
}

/// Returns whether the lease was taken last by a program that shares lanes. An earlier version projects all lanes alone
/// under it.
pub(crate) async fn shares_lanes(connection: &mut PgConnection) -> Result<bool, StoreError> {
    sqlx::query_scalar("select exists (select from projector_lease where lanes_fence = fence)")
        .fetch_one(connection)
        .await
        .map_err(StoreError::database("read the lease of the projector's coordinator"))
}

/// Checks in a transaction that a lease is still the newest one. A lease that is taken between this check and
/// the commit does no harm: an older version of a debate never replaces a newer one.
pub(crate) async fn confirm(connection: &mut PgConnection, fence: i64) -> Result<(), StoreError> {
    let is_newest: bool = sqlx::query_scalar("select exists (select from projector_lease where fence = $1)")
        .bind(fence)
        .fetch_one(connection)
        .await
        .map_err(StoreError::database("confirm the lease of the projector's coordinator"))?;
    if is_newest { Ok(()) } else { Err(StoreError::Superseded) }
}
