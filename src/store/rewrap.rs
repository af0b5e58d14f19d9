//! Keys of debates wrapped anew, under another master key than they were or under one for the first time, while debates are
//! read and written.
//!
//! A debate's key stays the same, and with it everything that is sealed under it: only how the table keeps it changes. A batch
//! is one transaction. What a crash leaves is what is not wrapped with the master key at hand yet, and the next pass finds it;
//! a key that is destroyed meanwhile stays destroyed.

use sqlx::Executor;
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::log::Log;
use crate::store::pool::dedicated;
use crate::store::sealing::{MasterKey, StoredKey, Unopened};

/// Keys wrapped by one statement.
pub const BATCH: i64 = 500;

/// How the keys of debates are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrapping {
    /// Keys that are wrapped with the master key at hand.
    pub wrapped: i64,
    /// Keys that are wrapped with another one.
    pub otherwise: i64,
    /// Keys that are stored as they are.
    pub bare: i64,
    /// Keys that were destroyed.
    pub destroyed: i64,
}

/// What became of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewrapped {
    /// Behind this debate others may follow; `None` where there are no more.
    pub last: Option<DebateId>,
    /// Keys that were wrapped anew.
    pub wrapped: u64,
    /// Debates whose keys could not be opened, and why.
    pub unopened: Vec<(DebateId, Unopened)>,
}

/// A line of the table: debate, key, master key.
type Line = (Uuid, Vec<u8>, Option<Vec<u8>>);

impl Log {
    /// Counts the keys of debates by how they are kept.
    ///
    /// # Errors
    /// The database's.
    pub async fn wrapping(&self) -> Result<Wrapping, Fault> {
        let (wrapped, otherwise, bare, destroyed): (i64, i64, i64, i64) = sqlx::query_as(
            "select
                count(*) filter (where master = $1),
                count(*) filter (where master is not null and master is distinct from $1),
                count(*) filter (where key is not null and master is null),
                count(*) filter (where key is null)
            from debate_keys",
        )
        .bind(self.keys().master().map(MasterKey::fingerprint))
        .fetch_one(self.pool())
        .await
        .map_err(Fault::database("count the keys of debates"))?;
        Ok(Wrapping { wrapped, otherwise, bare, destroyed })
    }

    /// Wraps the next keys behind a debate's, by id, that are not wrapped with the master key at hand; at most [`BATCH`].
    /// Without one at hand nothing is done.
    ///
    /// # Errors
    /// The database's. Then none of the batch was wrapped anew, or all of it.
    pub async fn rewrap(&self, after: Option<DebateId>) -> Result<Rewrapped, Fault> {
        let attempt = Fault::database("wrap the keys of debates anew");
        let Some(master) = self.keys().master() else { return Ok(Rewrapped::default()) };
        let lines: Vec<Line> = sqlx::query_as(
            "select debate_id, key, master
            from debate_keys
            where key is not null
            and master is distinct from $1
            and ($2::uuid is null or debate_id > $2)
            order by debate_id
            limit $3",
        )
        .bind(master.fingerprint())
        .bind(after.map(|it| it.0))
        .bind(BATCH)
        .fetch_all(self.pool())
        .await
        .map_err(&attempt)?;
        let mut done = Rewrapped { last: lines.last().map(|(debate, ..)| DebateId(*debate)), ..Rewrapped::default() };
        let (mut debates, mut before, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for (debate, key, by) in lines {
            let stored = StoredKey { key, master: by };
            match self.keys().opened(DebateId(debate), &stored) {
                Ok(opened) => {
                    debates.push(debate);
                    before.push(stored.key);
                    keys.push(opened.stored(Some(master)).key);
                }
                Err(why) => done.unopened.push((DebateId(debate), why)),
            }
        }
        // Where somebody erased the debate or wrapped its key meanwhile, it is not what it was, and is left alone.
        let wrapped = sqlx::query(
            "update debate_keys
            set key = new.key, master = $4
            from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as new (debate_id, before, key)
            where debate_keys.debate_id = new.debate_id
            and debate_keys.key = new.before",
        )
        .bind(debates)
        .bind(before)
        .bind(keys)
        .bind(master.fingerprint())
        .execute(self.pool())
        .await
        .map_err(attempt)?;
        done.wrapped = wrapped.rows_affected();
        Ok(done)
    }

    /// Rewrites the table of keys, so that its file holds none that were destroyed or kept otherwise; readers wait for that,
    /// for a moment. Where they cannot, it is left.
    ///
    /// # Errors
    /// The database's.
    pub async fn scrub_keys(&self) -> Result<(), Fault> {
        let attempt = Fault::database("rewrite the table of keys");
        let mut connection = dedicated(self.pool(), "scrubbing").await?;
        connection.execute("set lock_timeout = '5s'; set statement_timeout = 0").await.map_err(&attempt)?;
        connection.execute("vacuum (full) debate_keys").await.map_err(attempt)?;
        Ok(())
    }
}
