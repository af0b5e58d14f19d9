//! Membership in the projector: one session per process, which is renewed every second and shares the lanes.
//!
//! A member counts until its time has run out or its session has ended, so that one that is killed is replaced at once,
//! and one that is frozen, or whose host cannot be reached, after ten seconds. Members of one revision share its lanes.
//!
//! Every member holds an advisory lock, shared with the others. A process of an early version takes the lock exclusively
//! and never projects beside them; a process of a later one, which knows the lease but no lanes, projects alone under the
//! lease, and members hold no lanes meanwhile.

use std::time::Duration;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, PgPool};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::database::pool;
use crate::error::StoreError;
use crate::projector::lane_leases::HeldLanes;
use crate::projector::membership_term::{KEY, SESSIONS, TERM, term_millis};
use crate::projector::{coordinator_lease, lane_leases};

/// Interval of renewals.
const RENEWAL: Duration = Duration::from_secs(1);

/// Share of a member in the work of the projector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// Lanes that it keeps up to date and builds.
    pub lanes: HeldLanes,
    /// Fence of its lease as the coordinator; `None` if it is not the coordinator.
    pub coordinator: Option<i64>,
    /// True once it is no longer a member: its session was lost, or it could not renew its membership in time.
    pub is_over: bool,
}

/// Membership of this process. Ends on drop, or when the process or its session ends.
#[derive(Debug)]
pub struct ProjectorMember {
    assignment: watch::Receiver<Assignment>,
    /// Ends the renewals on drop.
    stop: Option<oneshot::Sender<()>>,
    renewals: JoinHandle<()>,
}

impl ProjectorMember {
    /// Becomes a member that makes rows of this revision. Returns `None` while a process of an early version projects.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn join(pool: &PgPool, revision: i32) -> Result<Option<ProjectorMember>, StoreError> {
        let attempt = StoreError::database("join the projector");
        let mut connection = pool::dedicated(pool, "projector").await?;
        // A member that is frozen in the middle of a renewal keeps its locks no longer than its membership.
        let limit = format!("set idle_in_transaction_session_timeout = {}", TERM.as_millis());
        connection.execute(AssertSqlSafe(limit)).await.map_err(&attempt)?;
        let is_shared: bool = sqlx::query_scalar("select pg_try_advisory_lock_shared($1)")
            .bind(KEY)
            .fetch_one(&mut connection)
            .await
            .map_err(&attempt)?;
        if !is_shared {
            let _farewell = connection.close().await;
            return Ok(None);
        }
        lane_leases::create(&mut connection, revision).await?;
        let lanes = HeldLanes { revision, member: Uuid::new_v4(), ..HeldLanes::default() };
        let first = renew(&mut connection, &Assignment { lanes, ..Assignment::default() }).await?;
        let (held, assignment) = watch::channel(first);
        let (stop, stopped) = oneshot::channel();
        let renewals = tokio::spawn(keep_renewing(connection, held, stopped));
        Ok(Some(ProjectorMember { assignment, stop: Some(stop), renewals }))
    }

    /// Returns the share of this member, which changes with the number of members.
    pub fn assignment(&self) -> watch::Receiver<Assignment> {
        self.assignment.clone()
    }

    /// Ends the membership, so that others take the lanes with their next renewal.
    pub async fn leave(mut self) {
        self.stop.take();
        let _ended = (&mut self.renewals).await;
    }
}

/// Renews a membership until it is lost or ended. Then the session ends.
async fn keep_renewing(
    mut connection: PgConnection,
    held: watch::Sender<Assignment>,
    mut stopped: oneshot::Receiver<()>,
) {
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            () = sleep(RENEWAL) => {}
        }
        let before = held.borrow().clone();
        match timeout(TERM, renew(&mut connection, &before)).await {
            Ok(Ok(assignment)) => {
                held.send_if_modified(|known| std::mem::replace(known, assignment) != *known);
            }
            Ok(Err(fault)) => {
                tracing::warn!(%fault, "cannot renew the membership in the projector");
                break;
            }
            Err(_) => break,
        }
    }
    let last = held.send_replace(Assignment { is_over: true, ..Assignment::default() });
    // Without the session nobody counts as a member, so an error here does not matter.
    let _farewell = timeout(RENEWAL, async {
        leave(&mut connection, &last).await?;
        connection.close().await.map_err(StoreError::database("leave the projector"))
    })
    .await;
}

/// Renews a membership in one transaction, together with the lease of the coordinator and the share of the lanes.
async fn renew(connection: &mut PgConnection, before: &Assignment) -> Result<Assignment, StoreError> {
    let attempt = StoreError::database("renew the membership in the projector");
    let HeldLanes { revision, member, .. } = before.lanes;
    let mut transaction = connection.begin().await.map_err(&attempt)?;
    sqlx::query(
        "insert into projector_members (member, revision, backend, until)
        values ($1, $2, pg_backend_pid(), clock_timestamp() + $3 * interval '1 millisecond')
        on conflict (member) do update
        set until = excluded.until",
    )
    .bind(member)
    .bind(revision)
    .bind(term_millis())
    .execute(&mut *transaction)
    .await
    .map_err(&attempt)?;
    let live = live_members(&mut transaction).await?;
    let is_newest = live.iter().all(|(_, other)| *other <= revision);
    let coordinator = coordinate(&mut transaction, before.coordinator, is_newest).await?;
    let peers: Vec<Uuid> = match coordinator_lease::shares_lanes(&mut transaction).await? {
        true => live.iter().filter(|(_, other)| *other == revision).map(|(peer, _)| *peer).collect(),
        // A process without lanes projects: all lanes are given back.
        false => Vec::new(),
    };
    let lanes = lane_leases::rebalance(&mut transaction, &before.lanes, &peers).await?;
    transaction.commit().await.map_err(attempt)?;
    Ok(Assignment { lanes, coordinator, is_over: false })
}

/// Renews, takes or gives up the lease of the coordinator, which belongs to a member of the newest revision.
async fn coordinate(
    connection: &mut PgConnection,
    fence: Option<i64>,
    is_newest: bool,
) -> Result<Option<i64>, StoreError> {
    match fence {
        Some(fence) if !is_newest => {
            coordinator_lease::give_up(connection, fence).await?;
            Ok(None)
        }
        Some(fence) if coordinator_lease::renew(connection, fence).await? => Ok(Some(fence)),
        _ if is_newest => coordinator_lease::take(connection).await,
        _ => Ok(None),
    }
}

/// Returns the members that count, in order, with their revisions.
async fn live_members(connection: &mut PgConnection) -> Result<Vec<(Uuid, i32)>, StoreError> {
    let live = format!(
        "select member, revision
        from projector_members
        where until > clock_timestamp()
        and backend in ({SESSIONS})
        order by member"
    );
    sqlx::query_as(AssertSqlSafe(live))
        .bind(KEY)
        .fetch_all(connection)
        .await
        .map_err(StoreError::database("list the members of the projector"))
}

/// Removes a member, with those whose time ran out long ago, and gives up its lease.
async fn leave(connection: &mut PgConnection, last: &Assignment) -> Result<(), StoreError> {
    sqlx::query("delete from projector_members where member = $1 or until < clock_timestamp() - interval '1 hour'")
        .bind(last.lanes.member)
        .execute(&mut *connection)
        .await
        .map_err(StoreError::database("leave the projector"))?;
    match last.coordinator {
        Some(fence) => coordinator_lease::give_up(connection, fence).await,
        None => Ok(()),
    }
}
