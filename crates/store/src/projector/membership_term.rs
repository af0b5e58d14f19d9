//! Term of memberships in the projector, and the advisory lock that every member holds.

use std::time::Duration;

/// Key of the advisory lock: "Faultlin" as a number.
pub(crate) const KEY: i64 = 0x4661_756c_746c_696e;
/// Time for which a membership holds after it was renewed, and a transaction of a member may stand still.
pub(crate) const TERM: Duration = Duration::from_secs(10);

/// Selects the process ids of the sessions that hold the advisory lock `$1` in this database.
pub(crate) const SESSIONS: &str = "
        select pid
        from pg_locks
        where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = $1
        and objsubid = 1
        and granted";

/// Term of a membership in milliseconds.
pub(crate) fn term_millis() -> f64 {
    TERM.as_secs_f64() * 1_000.0
}
