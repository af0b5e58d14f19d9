//! Encryption keys of debates: created with the first event, read together with the bodies, destroyed by an erasure.
//!
//! A key is recorded in the transaction of the first event that it encrypts, so that a crash cannot separate the two.
//! The database refuses an encrypted first event without a key (`migrations/0018_adds_key_checks.sql`).
//!
//! A read fetches the key in the same statement as the bodies, so an erasure takes effect in every process when it
//! commits. Writers cache keys for [`REMEMBERED`], for [`MAX_REMEMBERED`] debates: an event written under a key that
//! was destroyed in the meantime cannot be read by anyone.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use sqlx::PgPool;
use tokio::time::sleep;
use uuid::Uuid;

use crate::cipher::{DebateKey, DecryptError, Decryptor, EncryptionSettings, EventIdentity, MasterKey, StoredKey};
use crate::database::backoff::{Backoff, WRITE_TIMEOUT};
use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::shards::shards::Shards;
use faultline_core::events::ids::DebateId;

/// Time for which a writer caches a debate's key.
pub const REMEMBERED: Duration = Duration::from_secs(30);
/// Maximum number of cached keys; when it is reached, the cache is cleared.
pub const MAX_REMEMBERED: usize = 4_096;

/// Key with which an append is encrypted.
#[derive(Clone, Debug)]
pub(crate) enum WriteKey {
    /// No key: the debate's bodies are plain text.
    Plain,
    /// The debate's key, recorded in the table.
    Recorded(DebateKey),
    /// New key of a new debate, and its stored form, to be recorded with the first event.
    New(DebateKey, StoredKey),
}

/// Cached keys with the time at which they were cached.
type Remembered = HashMap<DebateId, (Option<DebateKey>, Instant)>;
/// Stored key and the fingerprint of the master key that wraps it.
type KeyAndMaster = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Keys of debates, with a cache. Clones share the cache.
#[derive(Clone, Debug)]
pub struct KeyStore {
    shards: Shards,
    sealing: EncryptionSettings,
    remembered: Arc<Mutex<Remembered>>,
}

/// Storage form of the first body of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstBody {
    Plain,
    Sealed,
}

/// Key state of a debate.
#[derive(Clone, Debug)]
pub(crate) enum KeyState {
    /// No row in the table: the debate's bodies are plain text.
    Plain,
    /// The debate is encrypted with this stored key.
    Sealed(StoredKey),
    /// The debate was erased.
    Erased,
}

/// Key row of a debate as returned by a left join: whether there is one, the key, the master key's fingerprint.
pub(crate) type KeyRow = (bool, Option<Vec<u8>>, Option<Vec<u8>>);

impl KeyState {
    pub(crate) fn of((is_there, key, master): KeyRow) -> KeyState {
        match (is_there, key) {
            (false, _) => KeyState::Plain,
            (true, None) => KeyState::Erased,
            (true, Some(key)) => KeyState::Sealed(StoredKey { key, master }),
        }
    }
}

/// Key row of a debate, with a flag telling whether its first body is encrypted; `None` without events.
type KeyLine = (bool, Option<Vec<u8>>, Option<Vec<u8>>, Option<bool>);

impl KeyStore {
    /// Creates access to the keys on these servers: each key is on that of its debate's events.
    pub(crate) fn new(shards: Shards, sealing: EncryptionSettings) -> KeyStore {
        KeyStore { shards, sealing, remembered: Arc::default() }
    }

    /// Returns the servers that hold the keys.
    pub(crate) fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Returns the master key that new keys are wrapped with.
    pub(crate) fn master(&self) -> Option<&MasterKey> {
        self.sealing.master.as_ref()
    }

    /// Returns the master keys that stored keys can be unwrapped with.
    fn masters(&self) -> impl Iterator<Item = &MasterKey> {
        self.sealing.master.iter().chain(&self.sealing.also)
    }

    /// Checks that all keys can be unwrapped, and destroys the keys of erased debates again, in case the table of keys
    /// was restored from an older backup.
    ///
    /// # Errors
    /// [`StoreError::MasterKeyMismatch`] if keys are wrapped with a master key that is not configured; [`StoreError`]
    /// if the database cannot be reached or refuses the statement.
    pub(crate) async fn open(&self) -> Result<(), StoreError> {
        let attempt = StoreError::database("destroy the keys of erased debates");
        let erased: Vec<Uuid> = sqlx::query_scalar("select debate_id from erasures where debate_id is not null")
            .fetch_all(self.shards.home())
            .await
            .map_err(&attempt)?;
        let mut n_locked = 0;
        for pool in self.shards.pools() {
            destroy(pool, &erased).await.map_err(&attempt)?;
            n_locked += self.count_locked(pool).await?;
        }
        if n_locked > 0 {
            return Err(StoreError::MasterKeyMismatch { n_debates: n_locked, given: self.masters().next().is_some() });
        }
        Ok(())
    }

    /// Counts the keys on a server that are wrapped with a master key that is not configured.
    async fn count_locked(&self, pool: &PgPool) -> Result<i64, StoreError> {
        sqlx::query_scalar(
            "select count(*)
            from debate_keys
            where master is not null
            and master <> all ($1)",
        )
        .bind(self.masters().map(MasterKey::fingerprint).collect::<Vec<_>>())
        .fetch_one(pool)
        .await
        .map_err(StoreError::database("check that the keys of debates can be unwrapped"))
    }

    /// Returns the key with which to encrypt a debate's events. A new debate without a key gets a new one, which is
    /// recorded by the append itself.
    ///
    /// # Errors
    /// [`StoreError::Erased`] if the debate was erased; [`StoreError::KeyMissing`] if its events are encrypted and it
    /// has no key; [`StoreError::Locked`] if its key cannot be unwrapped; [`StoreError`] if the database cannot be
    /// reached or refuses the statement.
    pub(crate) async fn write_key(&self, debate: DebateId, begins: bool) -> Result<WriteKey, StoreError> {
        // The key of a new debate is never taken from the cache: a server that crashed may have lost its first events.
        if !begins && let Some(key) = self.recall(debate) {
            return Ok(key.map_or(WriteKey::Plain, WriteKey::Recorded));
        }
        let (state, first) = self.find_patiently(debate).await?;
        let key = match (state, first) {
            (KeyState::Erased, _) => return Err(StoreError::Erased { debate }),
            (KeyState::Sealed(stored), _) => {
                Some(self.unwrap_key(debate, &stored).map_err(|why| StoreError::Locked { debate, why })?)
            }
            (KeyState::Plain, Some(FirstBody::Sealed)) => return Err(StoreError::KeyMissing { debate }),
            (KeyState::Plain, Some(FirstBody::Plain)) => None,
            // The absence of a key is not cached, because the first append may still be refused.
            (KeyState::Plain, None) if begins && self.sealing.encrypts_new => return Ok(self.new_key(debate)),
            (KeyState::Plain, None) => return Ok(WriteKey::Plain),
        };
        self.remember(debate, key.clone());
        Ok(key.map_or(WriteKey::Plain, WriteKey::Recorded))
    }

    fn new_key(&self, debate: DebateId) -> WriteKey {
        let key = DebateKey::generate(debate);
        let stored = key.to_stored(self.master());
        WriteKey::New(key, stored)
    }

    /// Records a key for a new debate in the caller's transaction, unless it has one, and returns the key to encrypt
    /// with; `None` if its bodies are plain text.
    ///
    /// # Errors
    /// [`StoreError::Erased`] if the debate was erased; [`StoreError::Locked`] if its key cannot be unwrapped;
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub(crate) async fn record_new_key(
        &self,
        transaction: &mut PgConnection,
        debate: DebateId,
    ) -> Result<Option<DebateKey>, StoreError> {
        if !self.sealing.encrypts_new {
            return match self.find(debate).await?.0 {
                KeyState::Plain => Ok(None),
                state => self.usable(debate, state),
            };
        }
        let new = DebateKey::generate(debate).to_stored(self.master());
        let found: Option<KeyAndMaster> = sqlx::query_as(
            "select key, master
            from provide_key($1, $2, $3, $4)",
        )
        .bind(debate.0)
        .bind(lane_of(debate))
        .bind(new.key)
        .bind(new.master)
        .fetch_optional(transaction)
        .await
        .map_err(StoreError::database("record the key of a new debate"))?;
        self.usable(debate, found.map_or(KeyState::Plain, |(key, master)| KeyState::of((true, key, master))))
    }

    fn usable(&self, debate: DebateId, state: KeyState) -> Result<Option<DebateKey>, StoreError> {
        match state {
            KeyState::Plain => Ok(None),
            KeyState::Erased => Err(StoreError::Erased { debate }),
            KeyState::Sealed(stored) => {
                self.unwrap_key(debate, &stored).map(Some).map_err(|why| StoreError::Locked { debate, why })
            }
        }
    }

    /// Like [`KeyStore::find`], with retries while the database is unavailable, for as long as a writer retries.
    async fn find_patiently(&self, debate: DebateId) -> Result<(KeyState, Option<FirstBody>), StoreError> {
        let (begun, mut backoff) = (Instant::now(), Backoff::default());
        loop {
            match self.find(debate).await {
                Err(fault) if fault.is_transient() && begun.elapsed() < WRITE_TIMEOUT => {
                    sleep(backoff.next()).await;
                }
                found => return found,
            }
        }
    }

    /// Returns a decryptor for the bodies of one read.
    pub(crate) fn decryptors(&self) -> Decryptors<'_> {
        Decryptors { keys: self, last: RefCell::default() }
    }

    /// Unwraps a stored key.
    pub(crate) fn unwrap_key(&self, debate: DebateId, stored: &StoredKey) -> Result<DebateKey, DecryptError> {
        DebateKey::from_stored(debate, stored, self.masters())
    }

    /// Returns the key state of a debate and the storage form of its first body; `None` without a stream.
    async fn find(&self, debate: DebateId) -> Result<(KeyState, Option<FirstBody>), StoreError> {
        let (has_line, key, master, is_sealed) = sqlx::query_as::<_, KeyLine>(
            "select k.debate_id is not null, k.key, k.master, first.is_sealed
                from (select 1) as one
                left join debate_keys k on k.debate_id = $1
                left join lateral (
                    select substr(body, 1, 1) in ('\\x01', '\\x02') as is_sealed
                    from events
                    where lane = $2
                    and debate_id = $1
                    order by version
                    limit 1
                ) as first on true",
        )
        .bind(debate.0)
        .bind(lane_of(debate))
        .fetch_one(self.shards.of(debate))
        .await
        .map_err(StoreError::database("read a debate's key"))?;
        let first = is_sealed.map(|sealed| if sealed { FirstBody::Sealed } else { FirstBody::Plain });
        Ok((KeyState::of((has_line, key, master)), first))
    }

    /// Removes a debate's key from the cache.
    pub(crate) fn forget(&self, debate: DebateId) {
        self.lock().remove(&debate);
    }

    /// Clears the cache: a connection was lost, and the server may have lost writes that were not yet on disk.
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    /// Caches a key that was recorded with the first event of its debate.
    pub(crate) fn recorded(&self, debate: DebateId, key: DebateKey) {
        self.remember(debate, Some(key));
    }

    fn recall(&self, debate: DebateId) -> Option<Option<DebateKey>> {
        let mut remembered = self.lock();
        let (key, since) = remembered.get(&debate)?;
        if since.elapsed() < REMEMBERED {
            return Some(key.clone());
        }
        remembered.remove(&debate);
        None
    }

    fn remember(&self, debate: DebateId, key: Option<DebateKey>) {
        let mut remembered = self.lock();
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(debate, (key, Instant::now()));
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Destroys the keys of debates on a server, as far as it has them.
pub(crate) async fn destroy(pool: &PgPool, debates: &[Uuid]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update debate_keys
        set key = null, master = null
        where key is not null
        and debate_id = any ($1)",
    )
    .bind(debates)
    .execute(pool)
    .await
    .map(drop)
}

/// Decryptor for the bodies of one read. Caches the last key, because the bodies of one debate mostly come together.
pub(crate) struct Decryptors<'a> {
    keys: &'a KeyStore,
    last: RefCell<Option<(DebateId, StoredKey, Decryptor)>>,
}

impl Decryptors<'_> {
    /// Decrypts a body with the stored key that was read with it.
    pub(crate) fn decrypt<'b>(
        &self,
        debate: DebateId,
        stored: &StoredKey,
        place: EventIdentity<'_>,
        body: &'b [u8],
    ) -> Result<Cow<'b, [u8]>, DecryptError> {
        let mut last = self.last.borrow_mut();
        if let Some((of, key, decryptor)) = &*last
            && (of, key) == (&debate, stored)
        {
            return decryptor.decrypt(place, body);
        }
        let decryptor = self.keys.unwrap_key(debate, stored)?.decryptor();
        let opened = decryptor.decrypt(place, body);
        *last = Some((debate, stored.clone(), decryptor));
        opened
    }
}
