//! Cache of the keys of debates whose events arrive on a message bus.
//!
//! Every read of the log fetches the keys together with the bodies, so that an erasure takes effect at once. Events on a
//! bus do not pass through the database, and a lookup for each of them would cost as much as a read. So their keys are
//! cached, for as long as nothing was erased, which is checked every [`CHECKED_EVERY`] while messages arrive.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use uuid::Uuid;

use crate::cipher::{Decryptor, EventIdentity, is_encrypted};
use crate::error::StoreError;
use crate::keys::{KeyState, KeyStore, MAX_REMEMBERED};
use crate::lanes::lane_of;
use faultline_core::events::ids::DebateId;

/// Time limit for a lookup.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);
/// Time after which it is checked again whether anything was erased.
const CHECKED_EVERY: Duration = Duration::from_secs(1);

/// Decrypts bodies of events that arrive on a message bus.
#[derive(Debug, Default)]
pub(crate) struct ReceivedKeys {
    keys: HashMap<DebateId, BodyKey>,
    /// Number of the newest erasure when the keys were read.
    newest_erasure: i64,
    checked: Option<Instant>,
}

/// Key to the bodies of one debate.
#[derive(Debug)]
enum BodyKey {
    /// The bodies are plain text.
    Plain,
    Sealed(Box<Decryptor>),
    /// The debate was erased, or its key cannot be unwrapped: a read of the log reports the reason.
    Closed,
}

/// Debate, stored key, and fingerprint of the master key that wraps it.
type StoredBodyKey = (Uuid, Option<Vec<u8>>, Option<Vec<u8>>);

impl ReceivedKeys {
    /// Looks up the keys of these debates, as far as they are not cached, and removes those of erased debates. If the
    /// database fails, or does not answer in time, the cache is empty afterwards: nothing is decrypted with a key of
    /// which it is not known whether it still exists.
    pub(crate) async fn look_up(&mut self, store: &KeyStore, debates: impl IntoIterator<Item = DebateId>) {
        let reason = match timeout(LOOKUP_TIMEOUT, self.try_look_up(store, debates)).await {
            Ok(Ok(())) => return,
            Ok(Err(fault)) => fault.to_string(),
            Err(_) => format!("no answer within {} s", LOOKUP_TIMEOUT.as_secs()),
        };
        tracing::debug!(%reason, "received events are read from the log instead");
        *self = ReceivedKeys::default();
    }

    async fn try_look_up(
        &mut self,
        store: &KeyStore,
        debates: impl IntoIterator<Item = DebateId>,
    ) -> Result<(), StoreError> {
        let attempt = StoreError::database("read the keys of debates");
        if self.checked.is_none_or(|checked| checked.elapsed() >= CHECKED_EVERY) {
            let now = Instant::now();
            let newest: i64 = sqlx::query_scalar("select coalesce(max(id), 0) from erasures")
                .fetch_one(store.shards().home())
                .await
                .map_err(&attempt)?;
            if newest != self.newest_erasure {
                self.keys.clear();
            }
            (self.newest_erasure, self.checked) = (newest, Some(now));
        }
        if self.keys.len() > MAX_REMEMBERED {
            self.keys.clear();
        }
        let missing: Vec<Uuid> =
            debates.into_iter().filter(|debate| !self.keys.contains_key(debate)).map(|debate| debate.0).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut found: Vec<StoredBodyKey> = Vec::new();
        for group in store.shards().grouped(&missing, |debate| lane_of(DebateId(*debate))) {
            let rows = sqlx::query_as(
                "select debate_id, key, master
                from debate_keys
                where debate_id = any ($1)",
            )
            .bind(group.of(&missing))
            .fetch_all(group.pool)
            .await
            .map_err(&attempt)?;
            found.extend(rows);
        }
        self.keys.extend(missing.into_iter().map(|debate| (DebateId(debate), BodyKey::Plain)));
        for (debate, key, master) in found {
            let debate = DebateId(debate);
            self.keys.insert(debate, BodyKey::of(store, debate, KeyState::of((true, key, master))));
        }
        Ok(())
    }

    /// Decrypts a body; `None` if its key was not looked up or does not fit.
    pub(crate) fn decrypt(&self, debate: DebateId, event: EventIdentity<'_>, body: &[u8]) -> Option<Vec<u8>> {
        match self.keys.get(&debate)? {
            BodyKey::Plain => (!is_encrypted(body)).then(|| body.to_vec()),
            BodyKey::Sealed(decryptor) => decryptor.decrypt(event, body).ok().map(|body| body.into_owned()),
            BodyKey::Closed => None,
        }
    }
}

impl BodyKey {
    fn of(store: &KeyStore, debate: DebateId, state: KeyState) -> BodyKey {
        match state {
            KeyState::Plain => BodyKey::Plain,
            KeyState::Sealed(stored) => match store.unwrap_key(debate, &stored) {
                Ok(key) => BodyKey::Sealed(Box::new(key.decryptor())),
                Err(_) => BodyKey::Closed,
            },
            KeyState::Erased => BodyKey::Closed,
        }
    }
}
