//! Message bus: carries appended events to other processes, which then need not read them from the database.
//!
//! A bus saves reads and is never a source of truth: it may lose, delay, repeat and reorder messages. Positions in a
//! lane have no gaps, so a receiver knows what it lacks, and reads that from the log.
//!
//! Messages are encrypted under a key from the database of the store. So a bus shows to its other users no more than
//! the lanes, sizes and times of appends, and a message that did not come from a process of the store is discarded. The
//! bodies inside are those of the log, encrypted under the key of their debate, which is never on the bus.

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::cipher::{DecryptError, KEY_BYTES, cipher, decrypt, encrypt};
use crate::wake::bus_message::AppendMessage;

/// Authenticated with every message: the purpose of the key, and the format of the messages.
const PURPOSE: &[u8] = b"faultline append message 1";
/// Number of bytes of the digest that names a store on a bus.
const NAME_BYTES: usize = 8;

/// Connection to a message bus, as the log uses it.
pub trait MessageBus: fmt::Debug + Send + Sync {
    /// Publishes a message on the growth of a lane. Returns at once, and drops the message if the bus cannot take it
    /// now.
    fn publish(&self, lane: i16, message: Vec<u8>);
}

/// Name of a store on a bus, and the key of its messages.
#[derive(Clone)]
pub struct BusIdentity {
    name: String,
    key: [u8; KEY_BYTES],
}

impl BusIdentity {
    /// Derives the identity from the secret in the database, and from what distinguishes this database from a restored
    /// copy of it: the identifier of its server and its name.
    pub(crate) fn derive(secret: &[u8], server: i64, database: &str) -> BusIdentity {
        let digest = |purpose: &[u8]| {
            let parts = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(secret);
            parts.chain_update(server.to_be_bytes()).chain_update(database).finalize()
        };
        let name = digest(b"name")[..NAME_BYTES].iter().map(|byte| format!("{byte:02x}")).collect();
        BusIdentity { name, key: digest(b"key").into() }
    }

    /// Returns the name of the store: 16 hexadecimal digits. It reveals nothing of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Encodes and encrypts a message.
    pub(crate) fn seal(&self, message: &AppendMessage) -> Vec<u8> {
        encrypt(&self.key, PURPOSE, Vec::new(), &message.encode())
    }

    /// Decrypts and decodes a message.
    ///
    /// # Errors
    /// [`DecryptError::Corrupt`] if no process of this store encrypted it, or its format is unknown.
    pub(crate) fn open(&self, sealed: &[u8]) -> Result<AppendMessage, DecryptError> {
        AppendMessage::decode(&decrypt(&cipher(&self.key), PURPOSE, sealed)?).ok_or(DecryptError::Corrupt)
    }
}

impl fmt::Debug for BusIdentity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "BusIdentity({})", self.name)
    }
}

/// The bus of a log, once it is connected to one.
#[derive(Debug, Default)]
pub(crate) struct BusLink(OnceLock<(BusIdentity, Arc<dyn MessageBus>)>);

impl BusLink {
    /// Publishes on a bus from now on, unless the log is connected to one already.
    pub(crate) fn connect(&self, identity: BusIdentity, bus: Arc<dyn MessageBus>) {
        let _connected_before = self.0.set((identity, bus));
    }

    /// Returns whether there is a bus.
    pub(crate) fn is_connected(&self) -> bool {
        self.0.get().is_some()
    }

    /// Publishes a message, if there is a bus.
    pub(crate) fn publish(&self, message: &AppendMessage) {
        if let Some((identity, bus)) = self.0.get() {
            bus.publish(message.lane(), identity.seal(message));
        }
    }

    /// Decrypts and decodes a received message; `None` if there is no bus, or the message is none of this store.
    pub(crate) fn open(&self, sealed: &[u8]) -> Option<AppendMessage> {
        self.0.get()?.0.open(sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use faultline_core::events::ids::DebateId;
    use uuid::Uuid;

    use super::*;

    fn message() -> AppendMessage {
        AppendMessage { debate: DebateId(Uuid::from_u128(7)), version: 3, position: 40, n_events: 2, events: None }
    }

    #[test]
    fn a_message_opens_only_in_its_own_store_and_unaltered() {
        let own = BusIdentity::derive(b"secret", 1, "faultline");
        let sealed = own.seal(&message());
        assert_eq!(own.open(&sealed), Ok(message()));
        assert_ne!(sealed, own.seal(&AppendMessage { version: 4, ..message() }));
        for other in [
            BusIdentity::derive(b"another", 1, "faultline"),
            BusIdentity::derive(b"secret", 2, "faultline"),
            BusIdentity::derive(b"secret", 1, "staging"),
        ] {
            assert_eq!(other.open(&sealed), Err(DecryptError::Corrupt));
            assert_ne!(other.name(), own.name());
        }
        for n in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[n] ^= 1;
            assert_eq!(own.open(&altered), Err(DecryptError::Corrupt), "byte {n}");
            assert_eq!(own.open(&sealed[..n]), Err(DecryptError::Corrupt), "the first {n} bytes");
        }
    }

    #[test]
    fn the_name_of_a_store_reveals_nothing_of_its_key() {
        let identity = BusIdentity::derive(b"secret", 1, "faultline");
        let key: String = identity.key.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((identity.name().len(), key.contains(identity.name())), (16, false));
        assert_eq!(format!("{identity:?}"), format!("BusIdentity({})", identity.name()));
    }

    #[derive(Debug, Default)]
    struct Recording(std::sync::Mutex<Vec<(i16, Vec<u8>)>>);

    impl MessageBus for Recording {
        fn publish(&self, lane: i16, message: Vec<u8>) {
            self.0.lock().expect("no test panics while it records").push((lane, message));
        }
    }

    #[test]
    fn nothing_is_published_before_a_bus_is_connected_and_the_first_one_stays() {
        let (link, identity) = (BusLink::default(), BusIdentity::derive(b"secret", 1, "faultline"));
        link.publish(&message());
        assert!(!link.is_connected() && link.open(&identity.seal(&message())).is_none());
        let (bus, late) = (Arc::<Recording>::default(), Arc::<Recording>::default());
        link.connect(identity.clone(), bus.clone());
        link.connect(BusIdentity::derive(b"another", 1, "faultline"), late.clone());
        link.publish(&message());
        assert!(late.0.lock().expect("records").is_empty());
        let published = bus.0.lock().expect("records").clone();
        assert_eq!(published, [(message().lane(), identity.seal(&message()))]);
        assert_eq!(link.open(&published[0].1), Some(message()));
    }
}
