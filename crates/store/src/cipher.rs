//! Encryption of event bodies under the key of their debate, and of these keys under the master key.
//!
//! AES-256-GCM with a synthetic nonce (Rogaway and Shrimpton, *A Provable-Security Treatment of the Key-Wrap Problem*,
//! 2006): the nonce is a prefix of an HMAC-SHA-256 over the associated data and the body, under a separately derived
//! key. Encryption is therefore deterministic: one event encrypted twice gives the same bytes, by which the log
//! distinguishes a repeated append from a reused id, at whatever version. A nonce repeats only for the same body with
//! the same associated data. The associated data are id, debate, kind and schema. The version is not included, because
//! the hash chain covers it.
//!
//! Long bodies are compressed (raw deflate) before encryption, since ciphertext cannot be compressed: prompts are most
//! of a debate, and shrink to less than half of their length.
//!
//! Cost: 29 bytes and about a microsecond per event, and for long bodies some ten microseconds per kilobyte to
//! compress.

use std::borrow::Cow;
use std::fmt;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::compression::{SMALL, compress, decompress};
use faultline_core::events::ids::DebateId;

/// First byte of an encrypted body. No JSON begins with it, and nothing else is stored.
const SEALED: u8 = 1;
/// First byte of a body that was compressed and then encrypted.
const PACKED: u8 = 2;
/// Minimum size in bytes of bodies that are compressed, if that makes them shorter.
const MIN_PACKED_BYTES: usize = 1_024;
/// Size of a key in bytes.
pub const KEY_BYTES: usize = 32;
/// Size in bytes of the digest by which wrapped keys identify their master key.
const FINGERPRINT_BYTES: usize = 8;

/// Encryption settings.
#[derive(Clone, Debug)]
pub struct EncryptionSettings {
    /// True to encrypt new debates. A debate that has a key is always encrypted.
    pub encrypts_new: bool,
    /// Master key that wraps the keys of debates; `None` to store them unwrapped.
    pub master: Option<MasterKey>,
    /// Further master key for reading wrapped keys: the previous or the next one.
    pub also: Option<MasterKey>,
}

impl Default for EncryptionSettings {
    fn default() -> Self {
        EncryptionSettings { encrypts_new: true, master: None, also: None }
    }
}

/// Encryption key of one debate.
#[derive(Clone)]
pub struct DebateKey {
    debate: DebateId,
    bytes: [u8; KEY_BYTES],
}

/// Master key, with which the keys of debates are wrapped.
#[derive(Clone)]
pub struct MasterKey([u8; KEY_BYTES]);

/// Associated data of a body: identifies the event, so that the body decrypts for no other event.
#[derive(Clone, Copy, Debug)]
pub struct EventIdentity<'a> {
    /// Id of the event.
    pub id: Uuid,
    /// Wire name of its kind.
    pub kind: &'a str,
    /// Schema number of its body.
    pub schema: i16,
}

/// A debate's key in its stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// The key, plain or wrapped.
    pub key: Vec<u8>,
    /// Fingerprint of the master key with which it is wrapped; `None` if it is stored plain.
    pub master: Option<Vec<u8>>,
}

/// Reason why a body or a key could not be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecryptError {
    /// The table of keys has no key for the debate.
    #[error("it is encrypted, and the key of its debate is missing from debate_keys")]
    NoKey,
    /// The key is wrapped with a master key that was not given.
    #[error("the key of its debate is wrapped with a master key other than the one in FAULTLINE_MASTER_KEY")]
    WrongMaster,
    /// Authentication failed: the bytes were altered, or belong to another event or key.
    #[error("decryption failed: the stored bytes were altered, or belong to another event")]
    Corrupt,
}

/// Returns whether a stored body is encrypted.
pub fn is_encrypted(body: &[u8]) -> bool {
    matches!(body.first(), Some(&(SEALED | PACKED)))
}

impl DebateKey {
    /// Generates a new key from the system's random numbers.
    pub fn generate(debate: DebateId) -> DebateKey {
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).expect("the system's random number generator works");
        DebateKey { debate, bytes }
    }

    /// Returns the key in its stored form, wrapped if a master key is given.
    pub fn to_stored(&self, master: Option<&MasterKey>) -> StoredKey {
        let Some(master) = master else { return StoredKey { key: self.bytes.to_vec(), master: None } };
        let key = encrypt(&master.0, self.debate.0.as_bytes(), Vec::new(), &self.bytes);
        StoredKey { key, master: Some(master.fingerprint()) }
    }

    /// Restores a key from its stored form, wrapped with one of these master keys or plain.
    ///
    /// # Errors
    /// [`DecryptError::WrongMaster`] if the wrapping master key is not among `masters`; [`DecryptError::Corrupt`] if it
    /// cannot be unwrapped.
    pub fn from_stored<'a>(
        debate: DebateId,
        stored: &StoredKey,
        masters: impl IntoIterator<Item = &'a MasterKey>,
    ) -> Result<DebateKey, DecryptError> {
        let bytes = match &stored.master {
            None => Cow::Borrowed(&stored.key),
            Some(wanted) => {
                let master = masters
                    .into_iter()
                    .find(|master| master.fingerprint() == *wanted)
                    .ok_or(DecryptError::WrongMaster)?;
                Cow::Owned(decrypt(&cipher(&master.0), debate.0.as_bytes(), &stored.key)?)
            }
        };
        let bytes = bytes.as_slice().try_into().map_err(|_| DecryptError::Corrupt)?;
        Ok(DebateKey { debate, bytes })
    }

    /// Encrypts a body for storage; compresses it first if it is long.
    pub fn encrypt(&self, place: EventIdentity<'_>, body: &[u8]) -> Vec<u8> {
        match packed(body) {
            Some(packed) => encrypt(&self.bytes, &self.place(place, PACKED), vec![PACKED], &packed),
            None => encrypt(&self.bytes, &self.place(place, SEALED), vec![SEALED], body),
        }
    }

    /// Decrypts a stored body; returns a plain one unchanged.
    ///
    /// # Errors
    /// [`DecryptError::Corrupt`] if the bytes were altered, or were encrypted under another key or for another event.
    pub fn decrypt<'a>(&self, place: EventIdentity<'_>, stored: &'a [u8]) -> Result<Cow<'a, [u8]>, DecryptError> {
        self.decryptor().decrypt(place, stored)
    }

    /// Prepares the key for decrypting many bodies; the preparation costs more than one decryption.
    pub fn decryptor(&self) -> Decryptor {
        Decryptor { debate: self.debate, cipher: cipher(&self.bytes) }
    }

    fn place(&self, place: EventIdentity<'_>, how: u8) -> Vec<u8> {
        authenticated(self.debate, place, how)
    }
}

/// Decrypts the bodies of one debate.
pub struct Decryptor {
    debate: DebateId,
    cipher: LessSafeKey,
}

impl Decryptor {
    /// Decrypts a stored body; returns a plain one unchanged.
    ///
    /// # Errors
    /// As [`DebateKey::decrypt`].
    pub fn decrypt<'a>(&self, place: EventIdentity<'_>, stored: &'a [u8]) -> Result<Cow<'a, [u8]>, DecryptError> {
        let opened = |how, sealed| decrypt(&self.cipher, &authenticated(self.debate, place, how), sealed);
        match stored.split_first() {
            Some((&SEALED, sealed)) => opened(SEALED, sealed).map(Cow::Owned),
            Some((&PACKED, sealed)) => {
                decompress(&opened(PACKED, sealed)?).map(Cow::Owned).map_err(|_| DecryptError::Corrupt)
            }
            _ => Ok(Cow::Borrowed(stored)),
        }
    }
}

/// Builds the associated data of a body: its format, its debate and its event.
fn authenticated(debate: DebateId, place: EventIdentity<'_>, how: u8) -> Vec<u8> {
    let mut all = Vec::with_capacity(35 + place.kind.len());
    all.push(how);
    all.extend(debate.0.as_bytes());
    all.extend(place.id.as_bytes());
    all.extend(place.schema.to_be_bytes());
    all.extend(place.kind.as_bytes());
    all
}

impl MasterKey {
    /// Parses a master key: 64 hexadecimal digits, with optional white space around them. `None` if the text is
    /// anything else.
    pub fn read(text: &str) -> Option<MasterKey> {
        let text = text.trim().as_bytes();
        let mut bytes = [0; KEY_BYTES];
        if text.len() != 2 * KEY_BYTES {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |letter: u8| char::from(letter).to_digit(16);
            *byte = u8::try_from(digit(digits[0])? << 4 | digit(digits[1])?).ok()?;
        }
        Some(MasterKey(bytes))
    }

    /// Returns the digest by which wrapped keys identify this key. It reveals nothing of the key.
    pub fn fingerprint(&self) -> Vec<u8> {
        let digest = Sha256::new().chain_update(b"faultline master key").chain_update(self.0).finalize();
        digest[..FINGERPRINT_BYTES].to_vec()
    }
}

/// Appends nonce, ciphertext and tag to `to`.
pub(crate) fn encrypt(key: &[u8; KEY_BYTES], place: &[u8], mut to: Vec<u8>, body: &[u8]) -> Vec<u8> {
    let mut told = hmac::Context::with_key(&derived(key, b"faultline nonce"));
    // The length separates the associated data from the body.
    told.update(&(place.len() as u64).to_be_bytes());
    told.update(place);
    told.update(body);
    let mut nonce = [0; NONCE_LEN];
    nonce.copy_from_slice(&told.sign().as_ref()[..NONCE_LEN]);
    to.extend(nonce);
    let from = to.len();
    to.extend(body);
    let nonce = Nonce::assume_unique_for_key(nonce);
    let tag = cipher(key).seal_in_place_separate_tag(nonce, Aad::from(place), &mut to[from..]);
    to.extend(tag.expect("a body is shorter than 64 GiB").as_ref());
    to
}

pub(crate) fn decrypt(cipher: &LessSafeKey, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, DecryptError> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(DecryptError::Corrupt)?;
    let mut body = sealed.to_vec();
    let opened = cipher.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(place), &mut body);
    let n_bytes = opened.map_err(|_| DecryptError::Corrupt)?.len();
    body.truncate(n_bytes);
    Ok(body)
}

pub(crate) fn cipher(key: &[u8; KEY_BYTES]) -> LessSafeKey {
    let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), b"faultline body");
    LessSafeKey::new(UnboundKey::new(&AES_256_GCM, own.as_ref()).expect("an HMAC-SHA-256 has 32 bytes"))
}

/// Derives a key for one purpose.
fn derived(key: &[u8; KEY_BYTES], purpose: &[u8]) -> hmac::Key {
    let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), purpose);
    hmac::Key::new(hmac::HMAC_SHA256, own.as_ref())
}

/// Compresses a body; `None` if it is short or does not shrink.
fn packed(body: &[u8]) -> Option<Vec<u8>> {
    if body.len() < MIN_PACKED_BYTES {
        return None;
    }
    compress(body, SMALL).ok().filter(|packed| packed.len() < body.len())
}

impl fmt::Debug for DebateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DebateKey(of {})", self.debate)
    }
}

impl fmt::Debug for Decryptor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Decryptor(of {})", self.debate)
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

    fn place(id: u128) -> EventIdentity<'static> {
        EventIdentity { id: Uuid::from_u128(id), kind: "phase_entered", schema: 1 }
    }

    #[test]
    fn a_body_decrypts_only_for_its_own_event_and_key() {
        let sealed = key().encrypt(place(5), BODY);
        assert!(is_encrypted(&sealed) && sealed.len() == BODY.len() + 29);
        assert!(!sealed.windows(5).any(|window| window == b"phase"));
        assert_eq!(key().decrypt(place(5), &sealed).as_deref(), Ok(BODY));
        assert_eq!(key().encrypt(place(5), BODY), sealed, "encryption must be deterministic");
        assert_ne!(
            key().encrypt(place(5), b"{}")[1..13],
            sealed[1..13],
            "another body under the same id must have another nonce"
        );
        let elsewhere = [
            (key(), place(6)),
            (key(), EventIdentity { kind: "debate_paused", ..place(5) }),
            (key(), EventIdentity { schema: 2, ..place(5) }),
            (DebateKey { debate: DebateId(Uuid::from_u128(2)), ..key() }, place(5)),
            (DebateKey { bytes: [8; KEY_BYTES], ..key() }, place(5)),
        ];
        for (key, place) in elsewhere {
            assert_eq!(key.decrypt(place, &sealed), Err(DecryptError::Corrupt), "{place:?}");
        }
        for at in 1..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert_eq!(key().decrypt(place(5), &altered), Err(DecryptError::Corrupt), "byte {at}");
        }
        assert_eq!(key().decrypt(place(5), &sealed[..9]), Err(DecryptError::Corrupt));
    }

    #[test]
    fn a_plain_body_is_returned_unchanged() {
        for plain in [BODY, b"", b"7", b"\xff"] {
            assert_eq!(key().decrypt(place(5), plain).as_deref(), Ok(plain));
        }
    }

    #[test]
    fn long_bodies_are_compressed_and_restored() {
        for n_bytes in [MIN_PACKED_BYTES - 1, MIN_PACKED_BYTES, 20_000] {
            let body = "what was said before, and said again. ".repeat(n_bytes / 38 + 1).into_bytes();
            let body = &body[..n_bytes];
            let sealed = key().encrypt(place(5), body);
            assert_eq!(sealed.len() < n_bytes, n_bytes >= MIN_PACKED_BYTES, "{n_bytes}");
            assert_eq!(key().decrypt(place(5), &sealed).as_deref(), Ok(body));
            assert_eq!(key().encrypt(place(5), body), sealed, "encryption must be deterministic");
            let mut otherwise = sealed.clone();
            otherwise[0] = SEALED + PACKED - sealed[0];
            assert_eq!(key().decrypt(place(5), &otherwise), Err(DecryptError::Corrupt));
        }
        let noise: Vec<u8> = (0..200u32).flat_map(|number| Sha256::digest(number.to_be_bytes())).collect();
        let sealed = key().encrypt(place(5), &noise);
        assert_eq!(
            (sealed[0], sealed.len()),
            (SEALED, noise.len() + 29),
            "an incompressible body is encrypted uncompressed"
        );
    }

    #[test]
    fn a_wrapped_key_needs_its_master_key() {
        let text = "00".repeat(31) + "fF\n";
        let master = MasterKey::read(&text).expect("64 digits");
        let other = MasterKey::read(&"01".repeat(32)).expect("64 digits");
        let (plain, wrapped) = (key().to_stored(None), key().to_stored(Some(&master)));
        assert_eq!((plain.key.len(), wrapped.key.len()), (32, 60));
        assert!(!wrapped.key.windows(8).any(|window| plain.key.windows(8).any(|own| own == window)));
        let bytes = |read: Result<DebateKey, DecryptError>| read.map(|key| key.bytes);
        let debate = key().debate;
        assert_eq!(bytes(DebateKey::from_stored(debate, &wrapped, Some(&master))), Ok(key().bytes));
        assert_eq!(bytes(DebateKey::from_stored(debate, &plain, Some(&master))), Ok(key().bytes));
        assert_eq!(bytes(DebateKey::from_stored(debate, &wrapped, Some(&other))), Err(DecryptError::WrongMaster));
        assert_eq!(bytes(DebateKey::from_stored(debate, &wrapped, None)), Err(DecryptError::WrongMaster));
        let elsewhere = DebateId(Uuid::from_u128(2));
        assert_eq!(bytes(DebateKey::from_stored(elsewhere, &wrapped, Some(&master))), Err(DecryptError::Corrupt));
        for text in ["", "00", &"0g".repeat(32), &"00".repeat(33), &"é".repeat(32)] {
            assert!(MasterKey::read(text).is_none(), "{text}");
        }
    }
}
