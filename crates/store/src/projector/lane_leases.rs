//! Lanes of the projector, shared fairly among its members.
//!
//! A lane is held for as long as its holder is a member, and has a fence that rises with every change of hands. A member
//! saves rows of a lane under its fence only, so that one that was frozen, and wakes up after others took its lanes,
//! saves nothing. Every member computes its own share, gives back lanes that exceed it, and takes free ones up to it;
//! lanes that are being saved are not taken.

use std::collections::BTreeMap;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::{LANES, LaneSet};
use crate::projector::coordinator_lease;

/// Lanes that a member holds, with their fences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldLanes {
    pub(crate) revision: i32,
    pub(crate) member: Uuid,
    pub(crate) fences: BTreeMap<i16, i64>,
}

impl HeldLanes {
    /// Returns the set of these lanes.
    pub fn set(&self) -> LaneSet {
        self.fences.keys().copied().collect()
    }

    /// Returns the number of these lanes.
    pub fn len(&self) -> usize {
        self.fences.len()
    }

    /// Returns whether no lane is held.
    pub fn is_empty(&self) -> bool {
        self.fences.is_empty()
    }
}

/// Number of lanes that a member is to hold among `members`, all those of its revision in order. The shares of all
/// members add up to all lanes, and differ by at most one.
pub(crate) fn share(member: Uuid, members: &[Uuid]) -> usize {
    let (lanes, rank) = (LANES as usize, members.iter().position(|other| *other == member));
    rank.map_or(0, |rank| lanes / members.len() + usize::from(rank < lanes % members.len()))
}

/// Gives back lanes of a member that exceed its share, takes free ones up to it, and returns those it holds then.
/// `live` are all members that may hold lanes.
pub(crate) async fn rebalance(
    connection: &mut PgConnection,
    held: &HeldLanes,
    live: &[Uuid],
) -> Result<HeldLanes, StoreError> {
    // In the order of lanes, as everywhere, so that no two transactions wait for each other.
    const GIVE_BACK: &str = "
        update projection_lanes
        set holder = null
        where (revision, lane) in (
            select revision, lane
            from projection_lanes
            where revision = $1
            and holder = $2
            order by lane
            offset $3
            for no key update
        )";
    // A lane that somebody saves right now is locked, and is taken the next time.
    const TAKE: &str = "
        update projection_lanes
        set holder = $2, fence = fence + 1
        where (revision, lane) in (
            select revision, lane
            from projection_lanes
            where revision = $1
            and (holder is null or holder <> all ($4))
            order by lane
            limit $3 - (select count(*) from projection_lanes where revision = $1 and holder = $2)
            for update skip locked
        )";
    let attempt = StoreError::database("share the lanes of the projector");
    let share = share(held.member, live) as i64;
    let (revision, member) = (held.revision, held.member);
    sqlx::query(GIVE_BACK).bind(revision).bind(member).bind(share).execute(&mut *connection).await.map_err(&attempt)?;
    sqlx::query(TAKE)
        .bind(revision)
        .bind(member)
        .bind(share)
        .bind(live)
        .execute(&mut *connection)
        .await
        .map_err(&attempt)?;
    let fences: Vec<(i16, i64)> = sqlx::query_as(
        "select lane, fence
        from projection_lanes
        where revision = $1
        and holder = $2",
    )
    .bind(revision)
    .bind(member)
    .fetch_all(connection)
    .await
    .map_err(&attempt)?;
    Ok(HeldLanes { revision, member, fences: fences.into_iter().collect() })
}

/// Creates the lanes of a revision, if they do not exist.
pub(crate) async fn create(connection: &mut PgConnection, revision: i32) -> Result<(), StoreError> {
    sqlx::query(
        "insert into projection_lanes (revision, lane)
        select $1, lane
        from generate_series(0, $2 - 1) as lane
        on conflict do nothing",
    )
    .bind(revision)
    .bind(i32::from(LANES))
    .execute(connection)
    .await
    .map_err(StoreError::database("create the lanes of the projector"))?;
    Ok(())
}

/// Checks at the start of a transaction that a member still holds some lanes. They cannot be taken before the transaction
/// ends.
pub(crate) async fn confirm(connection: &mut PgConnection, held: &HeldLanes, lanes: &[i16]) -> Result<(), StoreError> {
    let fences: Vec<(i16, i64)> =
        lanes.iter().map(|lane| (*lane, held.fences.get(lane).copied().unwrap_or_default())).collect();
    let confirmed = sqlx::query(
        "select
        from projection_lanes
        where revision = $1
        and holder = $2
        and (lane, fence) in (select * from unnest($3::smallint[], $4::bigint[]))
        order by lane
        for key share",
    )
    .bind(held.revision)
    .bind(held.member)
    .bind(fences.iter().map(|pair| pair.0).collect::<Vec<_>>())
    .bind(fences.iter().map(|pair| pair.1).collect::<Vec<_>>())
    .fetch_all(&mut *connection)
    .await
    .map_err(StoreError::database("confirm the lanes of the projector"))?;
    let is_holder = confirmed.len() == lanes.len() && coordinator_lease::shares_lanes(connection).await?;
    if is_holder { Ok(()) } else { Err(StoreError::Superseded) }
}

/// Waits until nobody saves rows, and prevents it until the transaction ends.
pub(crate) async fn stop_saves(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("select from projection_lanes order by revision, lane for update")
        .execute(connection)
        .await
        .map_err(StoreError::database("stop the saves of stored views"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_all_lanes_and_differ_by_at_most_one() {
        for n_members in 1..=20_u128 {
            let members: Vec<Uuid> = (0..n_members).map(Uuid::from_u128).collect();
            let shares: Vec<usize> = members.iter().map(|member| share(*member, &members)).collect();
            assert_eq!(shares.iter().sum::<usize>(), LANES as usize, "{shares:?}");
            let (least, most) = (shares.iter().min(), shares.iter().max());
            assert!(most <= least.map(|least| least + 1).as_ref(), "{shares:?}");
        }
        assert_eq!(share(Uuid::from_u128(7), &[Uuid::from_u128(1)]), 0, "no member");
    }
}
