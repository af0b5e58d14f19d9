//! Ends moves of lanes whose process was killed, frozen or cut off: opens the lane where the placement says that it is.
//!
//! A closed lane names the move that closed it. If that move is not renewed any more, it can no longer change the placement, so
//! the lane may be opened: by any process, and by several at once.

use sqlx::PgPool;
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::LANES;
use crate::shards::shards::Shards;

const ATTEMPT: &str = "end the move of a lane";

/// Opens the lanes that moves have left closed, and removes these moves.
///
/// Cost: a statement for each server that holds lanes, and one more for each closed lane.
///
/// # Errors
/// [`StoreError`] if a database cannot be reached or refuses a statement.
pub(crate) async fn recover(shards: &Shards) -> Result<(), StoreError> {
    let lanes: Vec<i16> = (0..LANES).collect();
    for group in shards.grouped(&lanes, |lane| *lane) {
        let closed: Vec<(i16, Option<Uuid>)> = sqlx::query_as(
            "select lane, move
            from lanes
            where lane = any ($1)
            and closed_head is not null",
        )
        .bind(group.of(&lanes))
        .fetch_all(group.pool)
        .await
        .map_err(StoreError::database(ATTEMPT))?;
        for (lane, token) in closed {
            if !is_live(shards.home(), lane, token).await? && is_placed(shards, lane, group.pool).await? {
                open(group.pool, lane, token).await?;
                tracing::warn!(lane, "a move of this lane was interrupted; the lane is open again");
            }
        }
    }
    sqlx::query("delete from lane_moves where until < clock_timestamp()")
        .execute(shards.home())
        .await
        .map(drop)
        .map_err(StoreError::database(ATTEMPT))
}

/// Returns whether a move is renewed, so that it may still change the placement.
pub(super) async fn is_live(home: &PgPool, lane: i16, token: Option<Uuid>) -> Result<bool, StoreError> {
    sqlx::query_scalar(
        "select exists (
            select
            from lane_moves
            where lane = $1
            and token = $2
            and until >= clock_timestamp()
        )",
    )
    .bind(lane)
    .bind(token)
    .fetch_one(home)
    .await
    .map_err(StoreError::database(ATTEMPT))
}

/// Returns whether the placement, read now, is still that a lane is on a server.
async fn is_placed(shards: &Shards, lane: i16, server: &PgPool) -> Result<bool, StoreError> {
    shards.reload().await?;
    Ok(std::ptr::eq(shards.of_lane(lane), server))
}

/// Opens a lane, if it is closed by this move.
pub(super) async fn open(pool: &PgPool, lane: i16, token: Option<Uuid>) -> Result<(), StoreError> {
    sqlx::query("update lanes set closed_head = null where lane = $1 and move is not distinct from $2")
        .bind(lane)
        .bind(token)
        .execute(pool)
        .await
        .map(drop)
        .map_err(StoreError::database("open a lane"))
}
