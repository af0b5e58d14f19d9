//! Seals: bodies made unreadable without the key of their debate, and keys without the master key.
//!
//! AES-256-GCM-SIV (RFC 8452). The nonce of a body is the end of its event's id, and id, debate, kind and schema are
//! authenticated with it. So one event sealed twice is the same bytes, by which the log knows an append that is repeated
//! from one that reuses an id, at whatever version. A nonce that comes twice in a debate, by an append that was refused and
//! then decided anew or by ids that a client made badly, tells no more than whether both bodies were the same: that is
//! what SIV is for. The version needs no seal; the chain covers it.
//!
//! Cost: 17 bytes an event, and a few microseconds a kilobyte.

use std::borrow::Cow;
use std::fmt;

use aes_gcm_siv::aead::{Aead, Generate, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Key, Nonce};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::events::ids::DebateId;

/// The first byte of a sealed body. No JSON begins so, and nothing else is stored.
const SEALED: u8 = 1;
/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a master key's digest by which wrapped keys name it.
const FINGERPRINT_BYTES: usize = 8;

/// The key of one debate.
#[derive(Clone)]
pub struct DebateKey {
    debate: DebateId,
    bytes: [u8; KEY_BYTES],
}

/// The key that keys are wrapped with.
#[derive(Clone)]
pub struct MasterKey([u8; KEY_BYTES]);

/// Which event a body is of: sealed with it, so that it opens in no other place.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The event's own name.
    pub id: Uuid,
    /// Its wire name.
    pub kind: &'a str,
    /// The shape number of its body.
    pub schema: i16,
}

/// A debate's key as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// The key itself, or wrapped.
    pub key: Vec<u8>,
    /// Which master key it is wrapped with.
    pub master: Option<Vec<u8>>,
}

/// Why something sealed could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unopened {
    /// The table of keys has none for the debate.
    #[error("it is sealed, and the key of its debate is missing from debate_keys")]
    NoKey,
    /// The key is wrapped with a master key that is not at hand.
    #[error("the key of its debate is wrapped with another master key than FAULTLINE_MASTER_KEY names")]
    NoMaster,
    /// It is not what was sealed under this key in this place.
    #[error("its seal is broken")]
    Broken,
}

/// Whether a stored body is sealed.
pub fn is_sealed(body: &[u8]) -> bool {
    body.first() == Some(&SEALED)
}

impl DebateKey {
    /// A new key, by the system's random numbers.
    pub fn drawn(debate: DebateId) -> DebateKey {
        DebateKey { debate, bytes: Key::<Aes256GcmSiv>::generate().into() }
    }

    /// The key as it is to be stored.
    pub fn stored(&self, master: Option<&MasterKey>) -> StoredKey {
        let Some(master) = master else { return StoredKey { key: self.bytes.to_vec(), master: None } };
        let key = Payload { msg: &self.bytes, aad: self.debate.0.as_bytes() };
        let sealed = cipher(&master.0).encrypt(&nonce(self.debate.0), key);
        StoredKey { key: sealed.expect("32 bytes are not too long"), master: Some(master.fingerprint()) }
    }

    /// The key that was stored.
    ///
    /// # Errors
    /// [`Unopened::NoMaster`], [`Unopened::Broken`].
    pub fn read(debate: DebateId, stored: &StoredKey, master: Option<&MasterKey>) -> Result<DebateKey, Unopened> {
        let bytes = match (&stored.master, master) {
            (None, _) => Cow::Borrowed(&stored.key),
            (Some(wanted), Some(master)) if *wanted == master.fingerprint() => {
                let wrapped = Payload { msg: &stored.key, aad: debate.0.as_bytes() };
                let opened = cipher(&master.0).decrypt(&nonce(debate.0), wrapped);
                Cow::Owned(opened.map_err(|_| Unopened::Broken)?)
            }
            (Some(_), _) => return Err(Unopened::NoMaster),
        };
        let bytes = bytes.as_slice().try_into().map_err(|_| Unopened::Broken)?;
        Ok(DebateKey { debate, bytes })
    }

    /// The body as it is to be stored.
    pub fn seal(&self, place: Place<'_>, body: &[u8]) -> Vec<u8> {
        let aad = self.place(place);
        let sealed = cipher(&self.bytes).encrypt(&nonce(place.id), Payload { msg: body, aad: &aad });
        let mut stored = vec![SEALED];
        stored.extend(sealed.expect("a body is shorter than 64 GiB"));
        stored
    }

    /// The body that was stored, sealed or plain.
    ///
    /// # Errors
    /// [`Unopened::Broken`] where it is not what was sealed under this key in this place.
    pub fn open<'a>(&self, place: Place<'_>, stored: &'a [u8]) -> Result<Cow<'a, [u8]>, Unopened> {
        let Some((&SEALED, sealed)) = stored.split_first() else { return Ok(Cow::Borrowed(stored)) };
        let aad = self.place(place);
        let opened = cipher(&self.bytes).decrypt(&nonce(place.id), Payload { msg: sealed, aad: &aad });
        opened.map(Cow::Owned).map_err(|_| Unopened::Broken)
    }

    fn place(&self, place: Place<'_>) -> Vec<u8> {
        let mut aad = Vec::with_capacity(34 + place.kind.len());
        aad.extend(self.debate.0.as_bytes());
        aad.extend(place.id.as_bytes());
        aad.extend(place.schema.to_be_bytes());
        aad.extend(place.kind.as_bytes());
        aad
    }
}

impl MasterKey {
    /// The key that a text holds: 64 hexadecimal digits, with space around them or not. `None` where it is none.
    pub fn read(text: &str) -> Option<MasterKey> {
        let text = text.trim().as_bytes();
        let mut bytes = [0; KEY_BYTES];
        if text.len() != 2 * KEY_BYTES {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |it: u8| char::from(it).to_digit(16);
            *byte = u8::try_from(digit(digits[0])? << 4 | digit(digits[1])?).ok()?;
        }
        Some(MasterKey(bytes))
    }

    /// By what wrapped keys name it: nothing of the key can be told from it.
    pub fn fingerprint(&self) -> Vec<u8> {
        let digest = Sha256::new().chain_update(b"faultline master key").chain_update(self.0).finalize();
        digest[..FINGERPRINT_BYTES].to_vec()
    }
}

fn cipher(key: &[u8; KEY_BYTES]) -> Aes256GcmSiv {
    Aes256GcmSiv::new(&(*key).into())
}

/// The last 12 bytes of an id: of a v7 id all that is random, and a piece of the time.
fn nonce(id: Uuid) -> Nonce {
    let [_, _, _, _, rest @ ..] = *id.as_bytes();
    rest.into()
}

impl fmt::Debug for DebateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DebateKey(of {})", self.debate)
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MasterKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"phase":"opening"}"#;

    fn key() -> DebateKey {
        DebateKey { debate: DebateId(Uuid::from_u128(1)), bytes: [7; KEY_BYTES] }
    }

    fn place(id: u128) -> Place<'static> {
        Place { id: Uuid::from_u128(id), kind: "phase_entered", schema: 1 }
    }

    #[test]
    fn what_is_sealed_opens_in_its_place_and_nowhere_else() {
        let sealed = key().seal(place(5), BODY);
        assert!(is_sealed(&sealed) && sealed.len() == BODY.len() + 17);
        assert!(!sealed.windows(5).any(|it| it == b"phase"));
        assert_eq!(key().open(place(5), &sealed).as_deref(), Ok(BODY));
        assert_eq!(key().seal(place(5), BODY), sealed, "an append that is repeated is the same bytes");
        assert_ne!(key().seal(place(5), b"{}")[1..13], sealed[1..13], "another body under one id shares nothing");
        let elsewhere = [
            (key(), place(6)),
            (key(), Place { kind: "debate_paused", ..place(5) }),
            (key(), Place { schema: 2, ..place(5) }),
            (DebateKey { debate: DebateId(Uuid::from_u128(2)), ..key() }, place(5)),
            (DebateKey { bytes: [8; KEY_BYTES], ..key() }, place(5)),
        ];
        for (key, place) in elsewhere {
            assert_eq!(key.open(place, &sealed), Err(Unopened::Broken), "{place:?}");
        }
        for at in 1..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert_eq!(key().open(place(5), &altered), Err(Unopened::Broken), "byte {at}");
        }
        assert_eq!(key().open(place(5), &sealed[..9]), Err(Unopened::Broken));
    }

    #[test]
    fn what_is_plain_stays_as_it_is() {
        for plain in [BODY, b"", b"7", b"\xff"] {
            assert_eq!(key().open(place(5), plain).as_deref(), Ok(plain));
        }
    }

    #[test]
    fn the_cipher_is_the_one_of_rfc_8452() {
        // Appendix C.2: AEAD_AES_256_GCM_SIV, the test of 8 bytes without associated data.
        let mut key = [0; KEY_BYTES];
        key[0] = 1;
        let mut nonce = [0; 12];
        nonce[0] = 3;
        let sealed = cipher(&key).encrypt(&nonce.into(), [1, 0, 0, 0, 0, 0, 0, 0].as_slice()).expect("short");
        let told: String = sealed.iter().map(|it| format!("{it:02x}")).collect();
        assert_eq!(told, "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28");
    }

    #[test]
    fn a_wrapped_key_takes_its_master_key() {
        let text = "00".repeat(31) + "fF\n";
        let master = MasterKey::read(&text).expect("64 digits");
        let other = MasterKey::read(&"01".repeat(32)).expect("64 digits");
        let (plain, wrapped) = (key().stored(None), key().stored(Some(&master)));
        assert_eq!((plain.key.len(), wrapped.key.len()), (32, 48));
        assert_ne!(wrapped.key[..32], plain.key[..]);
        let bytes = |read: Result<DebateKey, Unopened>| read.map(|it| it.bytes);
        let debate = key().debate;
        assert_eq!(bytes(DebateKey::read(debate, &wrapped, Some(&master))), Ok(key().bytes));
        assert_eq!(bytes(DebateKey::read(debate, &plain, Some(&master))), Ok(key().bytes));
        assert_eq!(bytes(DebateKey::read(debate, &wrapped, Some(&other))), Err(Unopened::NoMaster));
        assert_eq!(bytes(DebateKey::read(debate, &wrapped, None)), Err(Unopened::NoMaster));
        let elsewhere = DebateId(Uuid::from_u128(2));
        assert_eq!(bytes(DebateKey::read(elsewhere, &wrapped, Some(&master))), Err(Unopened::Broken));
        for text in ["", "00", &"0g".repeat(32), &"00".repeat(33), &"é".repeat(32)] {
            assert!(MasterKey::read(text).is_none(), "{text}");
        }
    }
}
