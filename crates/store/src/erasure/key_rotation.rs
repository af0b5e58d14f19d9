//! Master-key rotation: wraps the keys of debates under the current master key, while debates are read and written.
//!
//! A debate's key stays the same, and with it everything that is encrypted under it; only its stored form changes. A
//! batch is one transaction. After a crash, keys that are not wrapped under the current master key yet are found by the
//! next pass. A key that is destroyed in the meantime stays destroyed.

use sqlx::Executor;
use uuid::Uuid;

use crate::cipher::{DecryptError, MasterKey, StoredKey};
use crate::database::pool::dedicated;
use crate::error::StoreError;
use crate::log::log::Log;
use faultline_core::events::ids::DebateId;

/// Number of keys wrapped by one statement.
pub const BATCH: i64 = 500;

/// Numbers of debate keys by the form in which they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RotationStatus {
    /// Keys wrapped with the current master key.
    pub wrapped: i64,
    /// Keys wrapped with another master key.
    pub other_master: i64,
    /// Keys stored in plain.
    pub plain: i64,
    /// Destroyed keys.
    pub destroyed: i64,
}

/// Result of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewrapped {
    /// Last debate of the batch, behind which more may follow; `None` at the end.
    pub last: Option<DebateId>,
    /// Number of keys that were wrapped again.
    pub wrapped: u64,
    /// Debates whose keys could not be unwrapped, with the reasons.
    pub failed: Vec<(DebateId, DecryptError)>,
}

/// A row of the table of keys: debate, key, fingerprint of the master key.
type Line = (Uuid, Vec<u8>, Option<Vec<u8>>);

impl Log {
    /// Counts the keys of debates by the form in which they are stored.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn rotation_status(&self) -> Result<RotationStatus, StoreError> {
        let mut status = RotationStatus::default();
        for pool in self.shards().pools() {
            let (wrapped, other_master, plain, destroyed): (i64, i64, i64, i64) = sqlx::query_as(
                "select
                    count(*) filter (where master = $1),
                    count(*) filter (where master is not null and master is distinct from $1),
                    count(*) filter (where key is not null and master is null),
                    count(*) filter (where key is null)
                from debate_keys",
            )
            .bind(self.keys().master().map(MasterKey::fingerprint))
            .fetch_one(pool)
            .await
            .map_err(StoreError::database("count the keys of debates"))?;
            status.wrapped += wrapped;
            status.other_master += other_master;
            status.plain += plain;
            // The home keeps a row for every erased debate, wherever its events are.
            status.destroyed = status.destroyed.max(destroyed);
        }
        Ok(status)
    }

    /// Wraps the next batch of keys that are not wrapped with the current master key: by debate id, after `after`, at
    /// most [`BATCH`]. Does nothing without a master key.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement. Then all keys of the batch were wrapped
    /// or none.
    pub async fn rewrap(&self, after: Option<DebateId>) -> Result<Rewrapped, StoreError> {
        let attempt = StoreError::database("rewrap the keys of debates");
        let Some(master) = self.keys().master() else { return Ok(Rewrapped::default()) };
        let mut lines: Vec<Line> = Vec::new();
        for pool in self.shards().pools() {
            let found: Vec<Line> = sqlx::query_as(
                "select debate_id, key, master
                from debate_keys
                where key is not null
                and master is distinct from $1
                and ($2::uuid is null or debate_id > $2)
                order by debate_id
                limit $3",
            )
            .bind(master.fingerprint())
            .bind(after.map(|debate| debate.0))
            .bind(BATCH)
            .fetch_all(pool)
            .await
            .map_err(&attempt)?;
            lines.extend(found);
        }
        lines.sort_unstable();
        lines.truncate(BATCH as usize);
        let mut done = Rewrapped { last: lines.last().map(|(debate, ..)| DebateId(*debate)), ..Rewrapped::default() };
        let (mut debates, mut before, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for (debate, key, by) in lines {
            let stored = StoredKey { key, master: by };
            match self.keys().unwrap_key(DebateId(debate), &stored) {
                Ok(opened) => {
                    debates.push(debate);
                    before.push(stored.key);
                    keys.push(opened.to_stored(Some(master)).key);
                }
                Err(why) => done.failed.push((DebateId(debate), why)),
            }
        }
        // Skips keys that have changed since they were read, because the debate was erased or its key was wrapped
        // elsewhere.
        for pool in self.shards().pools() {
            let wrapped = sqlx::query(
                "update debate_keys
                set key = new.key, master = $4
                from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as new (debate_id, before, key)
                where debate_keys.debate_id = new.debate_id
                and debate_keys.key = new.before",
            )
            .bind(&debates)
            .bind(&before)
            .bind(&keys)
            .bind(master.fingerprint())
            .execute(pool)
            .await
            .map_err(&attempt)?;
            done.wrapped += wrapped.rows_affected();
        }
        Ok(done)
    }

    /// Rewrites the table of keys so that its file contains no destroyed or formerly stored keys. Readers wait for a
    /// moment while it is locked. Gives up if the lock is not granted within 5 s.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached, refuses a statement or does not grant the lock in time.
    pub async fn scrub_keys(&self) -> Result<(), StoreError> {
        let attempt = StoreError::database("rewrite the table of keys");
        for pool in self.shards().pools() {
            let mut connection = dedicated(pool, "scrubbing").await?;
            connection.execute("set lock_timeout = '5s'; set statement_timeout = 0").await.map_err(&attempt)?;
            connection.execute("vacuum (full) debate_keys").await.map_err(&attempt)?;
        }
        Ok(())
    }
}
