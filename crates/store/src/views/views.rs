//! Stored views and checkpoints: read models derived from the log, and how far the log was read for them.
//!
//! A row is never replaced by an older version of itself, so two concurrent projectors, or one that reads events again,
//! do no harm. Rows belong to a generation; [`Views::served_generation`] returns the one that readers see.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::compression::{FASTEST, compress, decompress};
use crate::error::StoreError;
use crate::lanes::Cursor;
use crate::projector::save_fence::SaveFence;
use crate::shards::shards::Shards;
use faultline_core::events::ids::DebateId;

/// Common name of all stored views in the tables of checkpoints and served generations.
pub const DEBATES: &str = "debates";
/// Body of a view that is stored compressed.
const NO_JSON: &str = "null";
/// Attempt that errors of reading a view name.
const READ: &str = "read a stored view";
/// Maximum number of rows written by one statement.
pub(crate) const MAX_ROWS: usize = 1_000;

/// A generation number that is never assigned.
const NO_GENERATION: i32 = 0;

/// The stored views.
#[derive(Clone, Debug)]
pub struct Views {
    /// Connections to the home, where the views are.
    pub(crate) pool: PgPool,
    /// Servers of the log that the views are derived from.
    pub(crate) shards: Shards,
    /// Fence under which rows are saved; `None` if nobody else saves rows.
    pub(crate) fence: Option<SaveFence>,
}

/// A view of one debate, to be stored.
#[derive(Clone, Debug)]
pub struct ViewRow {
    /// Name of the projection.
    pub projection: &'static str,
    /// Generation to which the row belongs.
    pub generation: i32,
    /// The debate.
    pub debate: DebateId,
    /// Version of the debate's newest event in the view.
    pub version: i64,
    /// The view.
    pub body: ViewBody,
}

/// Content of a view, as it is stored.
#[derive(Clone, Debug)]
pub enum ViewBody {
    /// JSON, into which statements may look.
    Json(Box<RawValue>),
    /// Compressed JSON, which takes the database a fraction of the time to store.
    Compressed(Vec<u8>),
}

/// A view as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View<T> {
    /// Version of the debate's newest event in the view.
    pub version: i64,
    /// The view.
    pub value: T,
}

/// Progress of a reader of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Name of the reader, usually of a projection.
    pub name: &'static str,
    /// Revision of the reader; for projectors of views, the generation.
    pub revision: i32,
    /// Cursor behind the last event that is included in the rows.
    pub cursor: Cursor,
}

impl ViewBody {
    /// Compresses a view.
    pub fn compressed(json: Box<RawValue>) -> ViewBody {
        match compress(replace_nul(json.get()).as_bytes(), FASTEST) {
            Ok(bytes) => ViewBody::Compressed(bytes),
            Err(_) => ViewBody::Json(json),
        }
    }

    /// Returns the view as the JSON that is read back.
    ///
    /// # Errors
    /// [`StoreError::Json`] if the bytes are not compressed text.
    pub fn json(&self) -> Result<Cow<'_, str>, StoreError> {
        match self {
            ViewBody::Json(body) => Ok(replace_nul(body.get())),
            ViewBody::Compressed(bytes) => decompressed(bytes).map(Cow::Owned),
        }
    }

    fn stored_json(&self) -> Option<Cow<'_, str>> {
        match self {
            ViewBody::Json(body) => Some(replace_nul(body.get())),
            ViewBody::Compressed(_) => None,
        }
    }

    fn stored_bytes(&self) -> Option<&[u8]> {
        match self {
            ViewBody::Json(_) => None,
            ViewBody::Compressed(bytes) => Some(bytes),
        }
    }
}

impl Views {
    /// Returns the views in this database, of a log that is there too.
    pub fn new(pool: PgPool) -> Self {
        Views::on(Shards::single(pool))
    }

    /// Returns the views at the home of a log on several servers.
    pub fn on(shards: Shards) -> Self {
        Views { pool: shards.home().clone(), shards, fence: None }
    }

    /// Returns these views, saved and cut over only while no other member of the projector has taken over
    /// ([`ProjectorMember`](crate::projector::projector_member::ProjectorMember)).
    pub fn fenced(&self, fence: SaveFence) -> Views {
        Views { fence: Some(fence), ..self.clone() }
    }

    /// Returns a stored view; `None` if the generation has none of this debate.
    ///
    /// # Errors
    /// [`StoreError::Json`] if the row cannot be decoded as `T`; any other [`StoreError`] if the database cannot be
    /// reached or refuses the statement.
    pub async fn load<T: DeserializeOwned>(
        &self,
        projection: &str,
        generation: i32,
        debate: DebateId,
    ) -> Result<Option<View<T>>, StoreError> {
        let mut found = self.load_many(projection, generation, &[debate]).await?;
        Ok(found.remove(&debate))
    }

    /// Returns the stored views of several debates, with one statement. Debates without a view are absent from the map.
    ///
    /// # Errors
    /// As [`Views::load`].
    pub async fn load_many<T: DeserializeOwned>(
        &self,
        projection: &str,
        generation: i32,
        debates: &[DebateId],
    ) -> Result<HashMap<DebateId, View<T>>, StoreError> {
        let rows: Vec<(Uuid, i64, String, Option<Vec<u8>>)> = sqlx::query_as(
            "select debate_id, version, body::text, compressed
            from views
            where projection = $1
            and generation = $2
            and debate_id = any ($3)",
        )
        .bind(projection)
        .bind(generation)
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("load views"))?;
        let view = |(debate, version, body, compressed): (Uuid, i64, String, Option<Vec<u8>>)| {
            let body = match compressed {
                // Otherwise an earlier version of the program has replaced the view since.
                Some(bytes) if body == NO_JSON => decompressed(&bytes)?,
                _ => body,
            };
            let value = serde_json::from_str(&body).map_err(StoreError::json(READ))?;
            Ok((DebateId(debate), View { version, value }))
        };
        rows.into_iter().map(view).collect()
    }

    /// Returns a reader's checkpoint; `None` if it has none, or one that this program cannot parse.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn checkpoint(&self, name: &str, revision: i32) -> Result<Option<Cursor>, StoreError> {
        let text: Option<String> = sqlx::query_scalar(
            "select cursor
            from checkpoints
            where name = $1
            and revision = $2",
        )
        .bind(name)
        .bind(revision)
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("load a checkpoint"))?;
        let cursor = text.as_deref().map(str::parse);
        if let Some(Err(unreadable)) = &cursor {
            tracing::warn!(name, revision, %unreadable, "cannot parse a checkpoint; starting from the beginning");
        }
        Ok(cursor.and_then(Result::ok))
    }

    /// Returns the generation to read from: the served one, or a number without rows if none is served.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn generation_to_read(&self) -> Result<i32, StoreError> {
        Ok(self.served_generation(DEBATES).await?.unwrap_or(NO_GENERATION))
    }

    /// Returns the generation that is served to readers; `None` if there has never been one. Call it once per request:
    /// a cut-over may happen at any time, and the rows of the previous generation stay for a while.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn served_generation(&self, name: &str) -> Result<Option<i32>, StoreError> {
        sqlx::query_scalar(
            "select generation
            from served
            where name = $1",
        )
        .bind(name)
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("read which generation is served"))
    }
}

fn decompressed(bytes: &[u8]) -> Result<String, StoreError> {
    let unreadable = |reason: std::io::Error| StoreError::json(READ)(serde::de::Error::custom(reason));
    let text = decompress(bytes).map_err(unreadable)?;
    String::from_utf8(text).map_err(|error| unreadable(std::io::Error::other(error)))
}

/// Saves views; an older version never replaces a newer one.
pub(crate) async fn save_views(connection: &mut PgConnection, rows: &[ViewRow]) -> Result<(), StoreError> {
    let mut newest: BTreeMap<(&str, i32, DebateId), &ViewRow> = BTreeMap::new();
    for row in rows {
        let known = newest.entry((row.projection, row.generation, row.debate)).or_insert(row);
        if row.version > known.version {
            *known = row;
        }
    }
    // In the order of keys, so that two transactions that save the same rows do not deadlock.
    let rows: Vec<&ViewRow> = newest.into_values().collect();
    for rows in rows.chunks(MAX_ROWS) {
        sqlx::query(
            "insert into views (projection, generation, debate_id, version, body, compressed)
            select projection, generation, debate_id, version, coalesce(body::jsonb, 'null'), compressed
            from unnest($1::text[], $2::int[], $3::uuid[], $4::bigint[], $5::text[], $6::bytea[])
                as new (projection, generation, debate_id, version, body, compressed)
            on conflict (projection, generation, debate_id) do update
            set version = excluded.version, body = excluded.body, compressed = excluded.compressed
            where views.version <= excluded.version",
        )
        .bind(rows.iter().map(|row| row.projection).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.generation).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.debate.0).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.version).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.body.stored_json()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.body.stored_bytes()).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await
        .map_err(StoreError::database("save views"))?;
    }
    Ok(())
}

/// Saves checkpoints; of several by one name and revision, the last one.
pub(crate) async fn save_checkpoints(
    connection: &mut PgConnection,
    checkpoints: &[Checkpoint],
) -> Result<(), StoreError> {
    let last: BTreeMap<(&str, i32), String> = checkpoints
        .iter()
        .map(|checkpoint| ((checkpoint.name, checkpoint.revision), checkpoint.cursor.to_string()))
        .collect();
    sqlx::query(
        "insert into checkpoints (name, revision, cursor)
        select *
        from unnest($1::text[], $2::int[], $3::text[])
        on conflict (name, revision) do update
        set cursor = excluded.cursor, saved_at = clock_timestamp()",
    )
    .bind(last.keys().map(|key| key.0).collect::<Vec<_>>())
    .bind(last.keys().map(|key| key.1).collect::<Vec<_>>())
    .bind(last.values().collect::<Vec<_>>())
    .execute(connection)
    .await
    .map_err(StoreError::database("save checkpoints"))?;
    Ok(())
}

/// Replaces `\u0000`, which a model may write and `jsonb` does not accept, by the replacement character.
pub(crate) fn replace_nul(json: &str) -> Cow<'_, str> {
    const NUL: &str = "\\u0000";
    if !json.contains(NUL) {
        return Cow::Borrowed(json);
    }
    let mut clean = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        clean.push_str(&rest[..at]);
        let escape = if rest[at..].starts_with(NUL) { NUL.len() } else { 2 };
        clean.push_str(if escape == 2 { &rest[at..at + 2] } else { "\u{fffd}" });
        rest = &rest[at + escape..];
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escaped_nul_characters_are_replaced() {
        for text in ["plain", "a\0b", "\0\0", "\\u0000", "\\\0", "\u{1}\n\"\\", "\\\\u0000\0é"] {
            let json = serde_json::to_string(&serde_json::json!({ text: [text] })).unwrap();
            let stored: serde_json::Value = serde_json::from_str(&replace_nul(&json)).unwrap();
            let clean = text.replace('\0', "\u{fffd}");
            assert_eq!(stored, serde_json::json!({ clean.clone(): [clean] }), "{json}");
        }
    }
}
