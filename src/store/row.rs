//! A row of `events`, as it comes from a statement.

use std::sync::Arc;

use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire;
use crate::store::fault::Fault;

/// The event in a row whose columns are, in this order: lane, position, `debate_id`, version, id, kind, schema, body,
/// `caused_by`, `recorded_at`.
///
/// # Errors
/// [`Fault::Damaged`] where the body is not what its kind promises.
pub(crate) fn recorded(row: &PgRow) -> Result<Recorded, Fault> {
    let odd = Fault::database("read a row of events");
    let lane: i16 = row.try_get(0).map_err(&odd)?;
    let position: i64 = row.try_get(1).map_err(&odd)?;
    let debate = DebateId(row.try_get(2).map_err(&odd)?);
    let version: i64 = row.try_get(3).map_err(&odd)?;
    let kind: &str = row.try_get(5).map_err(&odd)?;
    let schema: i16 = row.try_get(6).map_err(&odd)?;
    let body: &[u8] = row.try_get(7).map_err(&odd)?;
    let event = wire::decode(kind, schema, body).map_err(|source| Fault::Damaged {
        debate,
        version,
        lane,
        position,
        kind: kind.to_owned(),
        source: Arc::new(source),
    })?;
    Ok(Recorded {
        lane,
        position,
        debate,
        version,
        id: row.try_get(4).map_err(&odd)?,
        caused_by: row.try_get(8).map_err(&odd)?,
        at: row.try_get(9).map_err(&odd)?,
        event,
    })
}
