//! Appends a single request in one plain SQL statement, without a function call and without arrays of columns.
//!
//! It handles only the regular case. The first append of a debate, whose key is recorded with it, takes another path.
//! If anything is not as the caller expects (another version, an id that was already recorded, a lost lease), this
//! statement changes nothing and the caller asks `append_events`, which decides. Both write identical rows.
//!
//! The end of the stream is read before the lane is locked, so another writer may append to the stream in between. The
//! version is then already taken, and the constraint `events_pkey` refuses the insert.

use chrono::{DateTime, Utc};
use sqlx::error::DatabaseError;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::lanes::lane_of;
use crate::log::append::{AppendOutcome, Request};

/// Maximum number of events of a single append. Each is picked from an array by its index, which walks the array.
const MAX_EVENTS: usize = 16;

/// Constraints that refuse an append whose version or id is already taken.
const TAKEN: [&str; 2] = ["events_pkey", "events_debate_id_key"];
/// Error code for an append whose lease was lost: `division_by_zero`. Its message does not reveal the row.
const FENCED: &str = "22012";

/// Records the request in a transaction of its own. Returns `None`, and records nothing, if `append_events` has to
/// decide.
///
/// # Errors
/// The driver's error. Then either nothing or everything was recorded; a retry records everything once.
pub(crate) async fn write(
    connection: &mut PgConnection,
    request: &Request,
) -> Result<Option<AppendOutcome>, sqlx::Error> {
    if request.events.len() > MAX_EVENTS || request.new_key.is_some() {
        return Ok(None);
    }
    let lines = &request.events;
    let written: Result<Option<(i64, DateTime<Utc>)>, _> = sqlx::query_as(WRITE)
        .bind(lane_of(request.debate))
        .bind(request.debate.0)
        .bind(request.expected)
        .bind(request.fence)
        .bind(lines.len() as i32)
        .bind(lines.iter().map(|line| line.id).collect::<Vec<Uuid>>())
        .bind(lines.iter().map(|line| line.stored.kind.as_str()).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.stored.schema).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.stored.body.as_slice()).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.caused_by).collect::<Vec<_>>())
        .bind(request.actor.as_deref())
        .fetch_optional(connection)
        .await;
    match written {
        Ok(grown) => {
            Ok(grown.map(|(position, at)| AppendOutcome::Appended { version: request.expected + 1, position, at }))
        }
        Err(sqlx::Error::Database(refused)) if is_to_be_decided(refused.as_ref()) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_to_be_decided(refused: &dyn DatabaseError) -> bool {
    refused.constraint().is_some_and(|constraint| TAKEN.contains(&constraint))
        || refused.code().is_some_and(|code| code == FENCED)
}

/// The statement. Parameters: lane, debate, expected version, fence or null, number of events; then arrays with a value
/// for each event: ids, kinds, schemas, bodies, causes; and the actor. Returns the first event's position and the time
/// of all events, or no row.
const WRITE: &str = "
    with recursive stream as materialized (
        select coalesce(newest.version, 0) as version, coalesce(newest.hash, chain_start($2)) as hash
        from (select 1) as one
        left join lateral (
            select version, hash
            from events
            where lane = $1
            and debate_id = $2
            order by version desc
            limit 1
        ) as newest on true
    ),
    -- holds the lane's row lock until commit
    grown as (
        update lanes
        set head = head + $5
        from stream
        where lane = $1
        and stream.version = $3
        returning head - $5 as before, clock_timestamp() as at, stream.hash
    ),
    -- Checks the lease after the lane is locked: another claim is committed by then, or waits for this commit. Without
    -- the share lock the lease would be read as of the start of the statement. If the lease is lost, the division by
    -- zero aborts the statement, because the lane's head is already incremented.
    chain (place, hash) as (
        select 0, hash
        from grown
        left join lateral (
            select true as held
            from leases
            where debate_id = $2
            and fence = $4
            and holder is not null
            for share
        ) as lease on true
        where 1 / (case when $4::bigint is null or lease.held then 1 else 0 end) = 1
        union all
        select
            place + 1,
            chain_hash(
                chain.hash, ($6::uuid[])[place + 1], $3 + place + 1, grown.at, ($8::smallint[])[place + 1],
                ($7::text[])[place + 1], $11, ($10::uuid[])[place + 1], ($9::bytea[])[place + 1]
            )
        from chain, grown
        where place < $5
    ),
    written as (
        insert into events (
            position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, actor, body, hash
        )
        select
            grown.before + place,
            $3 + place,
            grown.at,
            $2,
            ($6::uuid[])[place],
            ($10::uuid[])[place],
            $1,
            ($8::smallint[])[place],
            ($7::text[])[place],
            $11,
            ($9::bytea[])[place],
            chain.hash
        from chain, grown
        where place > 0
    )
    select before + 1, at
    from grown";
