//! Decodes rows of `events`, each joined with the key of its debate.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::cipher::{DecryptError, EventIdentity, is_encrypted};
use crate::error::StoreError;
use crate::keys::{Decryptors, KeyRow, KeyState};
use crate::log::stored_event::StoredEvent;
use faultline_core::events::event::{Erased, Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire;
use faultline_core::events::wire::{DecodeError, EncodedEvent};

/// Columns of a row: those of an event `e`, then those of the key `k` of its debate (whether there is a row, key,
/// master). The functions below read them by their places; further columns may follow.
pub(crate) const EVENT_COLUMNS: &str = "
                e.lane, e.position, e.debate_id, e.version, e.id, e.kind, e.schema, e.body, e.caused_by, e.recorded_at,
                k.debate_id is not null, k.key, k.master";

/// Joins events `e` with the keys `k` of their debates. The `limit 1` makes Postgres look up the key of each event and
/// never scan all keys.
pub(crate) const KEY_JOIN: &str = "left join lateral (
                select debate_id, key, master
                from debate_keys
                where debate_keys.debate_id = e.debate_id
                limit 1
            ) as k on true";

/// Decodes the event of a row with [`EVENT_COLUMNS`]. An event of an erased debate is returned as [`Event::Erased`].
///
/// # Errors
/// [`StoreError::Damaged`] if the body cannot be decrypted, or does not have the shape of its kind.
pub(crate) fn decode_or_erased(row: &PgRow, keys: &Decryptors<'_>) -> Result<Recorded, StoreError> {
    let odd = StoreError::database("read a row of events");
    let lane: i16 = row.try_get(0).map_err(&odd)?;
    let position: i64 = row.try_get(1).map_err(&odd)?;
    let debate = DebateId(row.try_get(2).map_err(&odd)?);
    let version: i64 = row.try_get(3).map_err(&odd)?;
    let id = row.try_get(4).map_err(&odd)?;
    let kind: &str = row.try_get(5).map_err(&odd)?;
    let schema: i16 = row.try_get(6).map_err(&odd)?;
    let body: &[u8] = row.try_get(7).map_err(&odd)?;
    let event = event(keys, debate, &key_state(row)?, EventIdentity { id, kind, schema }, body);
    let event = event.map_err(|source| StoreError::Damaged {
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
/// As [`decode_or_erased`]; [`StoreError::Erased`] if the debate was erased.
pub(crate) fn decode(row: &PgRow, keys: &Decryptors<'_>) -> Result<Recorded, StoreError> {
    let recorded = decode_or_erased(row, keys)?;
    match recorded.event {
        Event::Erased(_) => Err(StoreError::Erased { debate: recorded.debate }),
        _ => Ok(recorded),
    }
}

/// Decodes a stored body, encrypted or plain.
///
/// # Errors
/// [`DecodeError`] if the body cannot be decrypted, or does not have the shape of its kind.
pub(crate) fn event(
    keys: &Decryptors<'_>,
    debate: DebateId,
    key_state: &KeyState,
    place: EventIdentity<'_>,
    body: &[u8],
) -> Result<Event, DecodeError> {
    let EventIdentity { kind, schema, .. } = place;
    match opened(keys, debate, key_state, place, body) {
        Ok(Some(body)) => wire::decode(kind, schema, &body),
        Ok(None) => Ok(Event::Erased(Erased { kind: kind.to_owned(), schema })),
        Err(why) => Err(wire::decode_error(kind, schema, why)),
    }
}

/// Returns the plain text of a stored body; `None` if its debate was erased.
fn opened<'a>(
    keys: &Decryptors<'_>,
    debate: DebateId,
    key_state: &KeyState,
    place: EventIdentity<'_>,
    body: &'a [u8],
) -> Result<Option<Cow<'a, [u8]>>, DecryptError> {
    match key_state {
        KeyState::Erased => Ok(None),
        _ if !is_encrypted(body) => Ok(Some(Cow::Borrowed(body))),
        KeyState::Plain => Err(DecryptError::NoKey),
        KeyState::Sealed(stored) => keys.decrypt(debate, stored, place, body).map(Some),
    }
}

/// Reads like [`stored_event_or_erased`], but returns an event whose body cannot be decrypted with an empty body, which
/// never decodes.
///
/// # Errors
/// [`StoreError::Database`] if the row has other columns.
pub(crate) fn stored_event_or_empty(row: &PgRow, keys: &Decryptors<'_>) -> Result<StoredEvent, StoreError> {
    stored_event_else(row, keys, |_| Ok(Some(Cow::Borrowed(&[]))))
}

/// Reads the stored event of a row without decoding its body. An event of an erased debate has no body.
///
/// # Errors
/// [`StoreError::Damaged`] if the body cannot be decrypted; [`StoreError::Database`] if the row has other columns.
pub(crate) fn stored_event_or_erased(row: &PgRow, keys: &Decryptors<'_>) -> Result<StoredEvent, StoreError> {
    stored_event_else(row, keys, Err)
}

/// Reads the stored event of a row without decoding its body; `decode_error` handles a body that cannot be decrypted.
fn stored_event_else<'r>(
    row: &'r PgRow,
    keys: &Decryptors<'_>,
    damaged: impl FnOnce(StoreError) -> Result<Option<Cow<'r, [u8]>>, StoreError>,
) -> Result<StoredEvent, StoreError> {
    let odd = StoreError::database("read a row of events");
    let (lane, position) = (row.try_get(0).map_err(&odd)?, row.try_get(1).map_err(&odd)?);
    let (debate, version) = (DebateId(row.try_get(2).map_err(&odd)?), row.try_get(3).map_err(&odd)?);
    let (id, kind): (_, String) = (row.try_get(4).map_err(&odd)?, row.try_get(5).map_err(&odd)?);
    let schema = row.try_get(6).map_err(&odd)?;
    let body: &[u8] = row.try_get(7).map_err(&odd)?;
    let key_state = key_state(row)?;
    let opened = opened(keys, debate, &key_state, EventIdentity { id, kind: &kind, schema }, body);
    let body = opened.or_else(|why| {
        let source = Arc::new(wire::decode_error(&kind, schema, why));
        damaged(StoreError::Damaged { debate, version, lane, position, kind: kind.clone(), source })
    })?;
    Ok(StoredEvent {
        lane,
        position,
        debate,
        version,
        id,
        erased: body.is_none(),
        stored: EncodedEvent { kind, schema, body: body.map_or_else(|| b"null".to_vec(), Cow::into_owned) },
        caused_by: row.try_get(8).map_err(&odd)?,
        at: row.try_get(9).map_err(&odd)?,
    })
}

/// Reads the stored event of a row, and refuses one of an erased debate.
///
/// # Errors
/// As [`stored_event_or_erased`]; [`StoreError::Erased`] if the debate was erased.
pub(crate) fn stored_event(row: &PgRow, keys: &Decryptors<'_>) -> Result<StoredEvent, StoreError> {
    let event = stored_event_or_erased(row, keys)?;
    if event.erased { Err(StoreError::Erased { debate: event.debate }) } else { Ok(event) }
}

/// Groups the rows of several parts by part. The column behind those of the event and its key is the number of the
/// part, from 1. Rows keep their order.
///
/// # Errors
/// Those of `read`; [`StoreError::Database`] if the row has other columns.
pub(crate) fn group_by_part<T: Clone>(
    rows: &[PgRow],
    parts: usize,
    read: impl Fn(&PgRow) -> Result<T, StoreError>,
) -> Result<Vec<Vec<T>>, StoreError> {
    let mut found = vec![Vec::new(); parts];
    for row in rows {
        let place: i64 = row.try_get(13).map_err(StoreError::database("read a row of events"))?;
        if let Some(part) = usize::try_from(place - 1).ok().and_then(|index| found.get_mut(index)) {
            part.push(read(row)?);
        }
    }
    Ok(found)
}

/// Reads the key of the row's debate.
fn key_state(row: &PgRow) -> Result<KeyState, StoreError> {
    let odd = StoreError::database("read a row of events");
    let key: KeyRow = (row.try_get(10).map_err(&odd)?, row.try_get(11).map_err(&odd)?, row.try_get(12).map_err(&odd)?);
    Ok(KeyState::of(key))
}
