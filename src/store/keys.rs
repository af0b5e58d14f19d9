//! Which key a debate is sealed with: made when it begins, brought along with every body that is read, destroyed when the
//! debate is erased.
//!
//! A key is recorded in the transaction of the first event that it seals, so that no crash separates the two. The database
//! refuses a sealed first event without one (`migrations/0018_adds_key_checks.sql`).
//!
//! Whoever reads asks for the key in the statement that reads the bodies, so what is erased is erased for every process
//! with the commit that erases it. Whoever writes remembers keys for [`REMEMBERED`], for [`MAX_REMEMBERED`] debates: what
//! is written under a key that was destroyed meanwhile nobody can read, the writer included.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use sqlx::PgPool;
use tokio::time::sleep;

use crate::events::ids::DebateId;
use crate::store::backoff::Backoff;
use crate::store::fault::Fault;
use crate::store::lanes::lane_of;
use crate::store::sealing::{DebateKey, MasterKey, Opener, Place, StoredKey, Unopened};
use crate::store::writer::WRITE_PATIENCE;

/// How long a writer remembers a debate's key.
pub const REMEMBERED: Duration = Duration::from_secs(30);
/// For how many debates at most; then all are forgotten.
pub const MAX_REMEMBERED: usize = 4_096;

/// How bodies are kept.
#[derive(Clone, Debug)]
pub struct Sealing {
    /// Whether debates that begin get a key. One that has a key is sealed, whatever is said here.
    pub seals: bool,
    /// What keys are wrapped with.
    pub master: Option<MasterKey>,
    /// With what keys may be wrapped as well: what it was before, or will be.
    pub also: Option<MasterKey>,
}

impl Default for Sealing {
    fn default() -> Self {
        Sealing { seals: true, master: None, also: None }
    }
}

/// The key under which an append is to be sealed.
#[derive(Clone, Debug)]
pub(crate) enum WriteKey {
    /// None: the debate's bodies are plain.
    Plain,
    /// The debate's key, which is in the table.
    Recorded(DebateKey),
    /// A key for a debate that begins, and the key as it has to be stored along with the first event.
    New(DebateKey, StoredKey),
}

/// Keys, and since when they are remembered.
type Remembered = HashMap<DebateId, (Option<DebateKey>, Instant)>;
/// A key and its master key, as they are stored.
type KeyAndMaster = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The keys of debates. Clones share what is remembered.
#[derive(Clone, Debug)]
pub struct Keys {
    pool: PgPool,
    sealing: Sealing,
    remembered: Arc<Mutex<Remembered>>,
}

/// How the first body of a stream is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstBody {
    Plain,
    Sealed,
}

/// What the table of keys says of a debate.
#[derive(Clone, Debug)]
pub(crate) enum Cover {
    /// Nothing: its bodies are plain.
    Plain,
    /// Its key, as it is stored.
    Sealed(StoredKey),
    /// That it was erased.
    Erased,
}

/// A debate's line in the table, as a left join brings it: whether there is one, its key, its master key.
pub(crate) type KeyRow = (bool, Option<Vec<u8>>, Option<Vec<u8>>);

impl Cover {
    pub(crate) fn of((is_there, key, master): KeyRow) -> Cover {
        match (is_there, key) {
            (false, _) => Cover::Plain,
            (true, None) => Cover::Erased,
            (true, Some(key)) => Cover::Sealed(StoredKey { key, master }),
        }
    }
}

/// Whether the table has a line for a debate, its key, the master key that seals it, and whether the first body is sealed.
type KeyLine = (bool, Option<Vec<u8>>, Option<Vec<u8>>, Option<bool>);

impl Keys {
    /// The keys in this database.
    pub(crate) fn new(pool: PgPool, sealing: Sealing) -> Keys {
        Keys { pool, sealing, remembered: Arc::default() }
    }

    /// What keys are wrapped with.
    pub(crate) fn master(&self) -> Option<&MasterKey> {
        self.sealing.master.as_ref()
    }

    /// What keys can be opened with.
    fn masters(&self) -> impl Iterator<Item = &MasterKey> {
        self.sealing.master.iter().chain(&self.sealing.also)
    }

    /// Looks whether all keys can be used, and destroys again those of debates that were erased: a table of keys may have
    /// come back from an older backup than the rest.
    ///
    /// # Errors
    /// [`Fault::OtherMaster`] where keys are wrapped with another master key than is at hand; else the database's.
    pub(crate) async fn open(&self) -> Result<(), Fault> {
        sqlx::query(
            "update debate_keys
            set key = null, master = null
            where key is not null
            and debate_id in (select debate_id from erasures where debate_id is not null)",
        )
        .execute(&self.pool)
        .await
        .map_err(Fault::database("destroy the keys of erased debates"))?;
        let n_locked: i64 = sqlx::query_scalar(
            "select count(*)
            from debate_keys
            where master is not null
            and master <> all ($1)",
        )
        .bind(self.masters().map(MasterKey::fingerprint).collect::<Vec<_>>())
        .fetch_one(&self.pool)
        .await
        .map_err(Fault::database("look whether the keys of debates can be used"))?;
        if n_locked > 0 {
            return Err(Fault::OtherMaster { n_debates: n_locked, given: self.masters().next().is_some() });
        }
        Ok(())
    }

    /// The key to seal a debate's events with. A debate that begins and has no key yet gets a new one, which is not recorded:
    /// that is done by the append itself.
    ///
    /// # Errors
    /// [`Fault::Erased`], [`Fault::KeyMissing`], [`Fault::Locked`]; else the database's.
    pub(crate) async fn to_write(&self, debate: DebateId, begins: bool) -> Result<WriteKey, Fault> {
        // The key of a debate that begins is never taken from memory: a server that crashed may have lost its first events.
        if !begins && let Some(key) = self.recall(debate) {
            return Ok(key.map_or(WriteKey::Plain, WriteKey::Recorded));
        }
        let (cover, first) = self.find_patiently(debate).await?;
        let key = match (cover, first) {
            (Cover::Erased, _) => return Err(Fault::Erased { debate }),
            (Cover::Sealed(stored), _) => {
                Some(self.opened(debate, &stored).map_err(|why| Fault::Locked { debate, why })?)
            }
            (Cover::Plain, Some(FirstBody::Sealed)) => return Err(Fault::KeyMissing { debate }),
            (Cover::Plain, Some(FirstBody::Plain)) => None,
            // That it has none yet is not worth remembering: its beginning may still be refused.
            (Cover::Plain, None) if begins && self.sealing.seals => return Ok(self.drawn(debate)),
            (Cover::Plain, None) => return Ok(WriteKey::Plain),
        };
        self.remember(debate, key.clone());
        Ok(key.map_or(WriteKey::Plain, WriteKey::Recorded))
    }

    fn drawn(&self, debate: DebateId) -> WriteKey {
        let key = DebateKey::drawn(debate);
        let stored = key.stored(self.master());
        WriteKey::New(key, stored)
    }

    /// Records a key for a debate that begins in the caller's transaction, unless it has one, and returns the key to seal
    /// with; `None` if its bodies are plain.
    ///
    /// # Errors
    /// [`Fault::Erased`], [`Fault::Locked`]; else the database's.
    pub(crate) async fn to_begin(
        &self,
        transaction: &mut PgConnection,
        debate: DebateId,
    ) -> Result<Option<DebateKey>, Fault> {
        if !self.sealing.seals {
            return match self.find(debate).await?.0 {
                Cover::Plain => Ok(None),
                cover => self.usable(debate, cover),
            };
        }
        let new = DebateKey::drawn(debate).stored(self.master());
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
        .map_err(Fault::database("record the key of a debate that begins"))?;
        self.usable(debate, found.map_or(Cover::Plain, |(key, master)| Cover::of((true, key, master))))
    }

    fn usable(&self, debate: DebateId, cover: Cover) -> Result<Option<DebateKey>, Fault> {
        match cover {
            Cover::Plain => Ok(None),
            Cover::Erased => Err(Fault::Erased { debate }),
            Cover::Sealed(stored) => {
                self.opened(debate, &stored).map(Some).map_err(|why| Fault::Locked { debate, why })
            }
        }
    }

    /// As [`Keys::find`]. Waits for a database that is away as long as a writer does.
    async fn find_patiently(&self, debate: DebateId) -> Result<(Cover, Option<FirstBody>), Fault> {
        let (begun, mut backoff) = (Instant::now(), Backoff::default());
        loop {
            match self.find(debate).await {
                Err(fault) if fault.is_transient() && begun.elapsed() < WRITE_PATIENCE => {
                    sleep(backoff.next()).await;
                }
                found => return found,
            }
        }
    }

    /// Opens the bodies of one read.
    pub(crate) fn openers(&self) -> Openers<'_> {
        Openers { keys: self, last: RefCell::default() }
    }

    /// A stored key, to be used.
    pub(crate) fn opened(&self, debate: DebateId, stored: &StoredKey) -> Result<DebateKey, Unopened> {
        DebateKey::read(debate, stored, self.masters())
    }

    /// What the table of keys says of a debate, and how the first body of its stream is stored; `None` without a stream.
    async fn find(&self, debate: DebateId) -> Result<(Cover, Option<FirstBody>), Fault> {
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
        .fetch_one(&self.pool)
        .await
        .map_err(Fault::database("look for a debate's key"))?;
        let first = is_sealed.map(|it| if it { FirstBody::Sealed } else { FirstBody::Plain });
        Ok((Cover::of((has_line, key, master)), first))
    }

    /// Forgets a debate's key.
    pub(crate) fn forget(&self, debate: DebateId) {
        self.lock().remove(&debate);
    }

    /// Forgets all keys: a connection was lost, and the server behind it may have lost what it had not yet written to disk.
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    /// Remembers a key that was recorded with the first event of its debate.
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

/// Opens the bodies of one read. Those of a debate mostly come together, each with the debate's key: that is made ready once
/// for all that bring the same.
pub(crate) struct Openers<'a> {
    keys: &'a Keys,
    last: RefCell<Option<(DebateId, StoredKey, Opener)>>,
}

impl Openers<'_> {
    /// A body of a debate, by the key that came with it.
    pub(crate) fn open<'b>(
        &self,
        debate: DebateId,
        stored: &StoredKey,
        place: Place<'_>,
        body: &'b [u8],
    ) -> Result<Cow<'b, [u8]>, Unopened> {
        let mut last = self.last.borrow_mut();
        if let Some((of, key, opener)) = &*last
            && (of, key) == (&debate, stored)
        {
            return opener.open(place, body);
        }
        let opener = self.keys.opened(debate, stored)?.opener();
        let opened = opener.open(place, body);
        *last = Some((debate, stored.clone(), opener));
        opened
    }
}
