//! Decodes rows of `events`, each joined with the key of its debate.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::events::event::{Erased, Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::wire::{self, Damaged, Stored};
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::keys::{Cover, KeyRow, Openers};
use crate::store::sealing::{Place, Unopened, is_sealed};

/// Decodes the event of a row. Columns, in this order: lane, position, `debate_id`, version, id, kind, schema, body,
/// `caused_by`, `recorded_at`; then of its debate's key: whether there is a row, key, master. An event of an erased
/// debate is returned as [`Event::Erased`].
///
/// # Errors
/// [`Fault::Damaged`] if the body cannot be decrypted, or does not have the shape of its kind.
pub(crate) fn recorded_or_erased(row: &PgRow, keys: &Openers<'_>) -> Result<Recorded, Fault> {
    let odd = Fault::database("read a row of events");
    let lane: i16 = row.try_get(0).map_err(&odd)?;
    let position: i64 = row.try_get(1).map_err(&odd)?;
    let debate = DebateId(row.try_get(2).map_err(&odd)?);
    let version: i64 = row.try_get(3).map_err(&odd)?;
    let id = row.try_get(4).map_err(&odd)?;
    let kind: &str = row.try_get(5).map_err(&odd)?;
    let schema: i16 = row.try_get(6).map_err(&odd)?;
    let body: &[u8] = row.try_get(7).map_err(&odd)?;
    let event = event(keys, debate, &cover(row)?, Place { id, kind, schema }, body);
    let event = event.map_err(|source| Fault::Damaged {
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
        id,
        caused_by: row.try_get(8).map_err(&odd)?,
        at: row.try_get(9).map_err(&odd)?,
        event,
    })
}

/// Decodes the event of a row, and refuses one of an erased debate.
///
/// # Errors
/// As [`recorded_or_erased`]; [`Fault::Erased`] if the debate was erased.
pub(crate) fn recorded(row: &PgRow, keys: &Openers<'_>) -> Result<Recorded, Fault> {
    let recorded = recorded_or_erased(row, keys)?;
    match recorded.event {
        Event::Erased(_) => Err(Fault::Erased { debate: recorded.debate }),
        _ => Ok(recorded),
    }
}

/// Decodes a stored body, encrypted or plain.
///
/// # Errors
/// [`Damaged`] if the body cannot be decrypted, or does not have the shape of its kind.
pub(crate) fn event(
    keys: &Openers<'_>,
    debate: DebateId,
    cover: &Cover,
    place: Place<'_>,
    body: &[u8],
) -> Result<Event, Damaged> {
    let Place { kind, schema, .. } = place;
    match opened(keys, debate, cover, place, body) {
        Ok(Some(body)) => wire::decode(kind, schema, &body),
        Ok(None) => Ok(Event::Erased(Erased { kind: kind.to_owned(), schema })),
        Err(why) => Err(wire::damaged(kind, schema, why)),
    }
}

/// Returns the plain text of a stored body; `None` if its debate was erased.
fn opened<'a>(
    keys: &Openers<'_>,
    debate: DebateId,
    cover: &Cover,
    place: Place<'_>,
    body: &'a [u8],
) -> Result<Option<Cow<'a, [u8]>>, Unopened> {
    match cover {
        Cover::Erased => Ok(None),
        _ if !is_sealed(body) => Ok(Some(Cow::Borrowed(body))),
        Cover::Plain => Err(Unopened::NoKey),
        Cover::Sealed(stored) => keys.open(debate, stored, place, body).map(Some),
    }
}

/// Reads like [`kept_or_erased`], but returns an event whose body cannot be decrypted with an empty body, which never
/// decodes.
///
/// # Errors
/// [`Fault::Database`] if the row has other columns.
pub(crate) fn kept_or_damaged(row: &PgRow, keys: &Openers<'_>) -> Result<Kept, Fault> {
    kept_else(row, keys, |_| Ok(Some(Cow::Borrowed(&[]))))
}

/// Reads the stored event of a row without decoding its body. An event of an erased debate has no body.
///
/// # Errors
/// [`Fault::Damaged`] if the body cannot be decrypted; [`Fault::Database`] if the row has other columns.
fn kept_or_erased(row: &PgRow, keys: &Openers<'_>) -> Result<Kept, Fault> {
    kept_else(row, keys, Err)
}

/// Reads the stored event of a row without decoding its body; `damaged` handles a body that cannot be decrypted.
fn kept_else<'r>(
    row: &'r PgRow,
    keys: &Openers<'_>,
    damaged: impl FnOnce(Fault) -> Result<Option<Cow<'r, [u8]>>, Fault>,
) -> Result<Kept, Fault> {
    let odd = Fault::database("read a row of events");
    let (lane, position) = (row.try_get(0).map_err(&odd)?, row.try_get(1).map_err(&odd)?);
    let (debate, version) = (DebateId(row.try_get(2).map_err(&odd)?), row.try_get(3).map_err(&odd)?);
    let (id, kind): (_, String) = (row.try_get(4).map_err(&odd)?, row.try_get(5).map_err(&odd)?);
    let schema = row.try_get(6).map_err(&odd)?;
    let body: &[u8] = row.try_get(7).map_err(&odd)?;
    let cover = cover(row)?;
    let opened = opened(keys, debate, &cover, Place { id, kind: &kind, schema }, body);
    let body = opened.or_else(|why| {
        let source = Arc::new(wire::damaged(&kind, schema, why));
        damaged(Fault::Damaged { debate, version, lane, position, kind: kind.clone(), source })
    })?;
    Ok(Kept {
        lane,
        position,
        debate,
        version,
        id,
        erased: body.is_none(),
        stored: Stored { kind, schema, body: body.map_or_else(|| b"null".to_vec(), Cow::into_owned) },
        caused_by: row.try_get(8).map_err(&odd)?,
        at: row.try_get(9).map_err(&odd)?,
    })
}

/// Reads the stored event of a row, and refuses one of an erased debate.
///
/// # Errors
/// As [`kept_or_erased`]; [`Fault::Erased`] if the debate was erased.
pub(crate) fn kept(row: &PgRow, keys: &Openers<'_>) -> Result<Kept, Fault> {
    let kept = kept_or_erased(row, keys)?;
    if kept.erased { Err(Fault::Erased { debate: kept.debate }) } else { Ok(kept) }
}

/// Groups the rows of several parts by part. The column behind those of the event and its key is the number of the
/// part, from 1. Rows keep their order.
///
/// # Errors
/// Those of `read`; [`Fault::Database`] if the row has other columns.
pub(crate) fn placed<T: Clone>(
    rows: &[PgRow],
    parts: usize,
    read: impl Fn(&PgRow) -> Result<T, Fault>,
) -> Result<Vec<Vec<T>>, Fault> {
    let mut found = vec![Vec::new(); parts];
    for row in rows {
        let place: i64 = row.try_get(13).map_err(Fault::database("read a row of events"))?;
        if let Some(part) = usize::try_from(place - 1).ok().and_then(|it| found.get_mut(it)) {
            part.push(read(row)?);
        }
    }
    Ok(found)
}

/// Reads the key of the row's debate.
fn cover(row: &PgRow) -> Result<Cover, Fault> {
    let odd = Fault::database("read a row of events");
    let key: KeyRow = (row.try_get(10).map_err(&odd)?, row.try_get(11).map_err(&odd)?, row.try_get(12).map_err(&odd)?);
    Ok(Cover::of(key))
}
