//! Seals: bodies made unreadable without the key of their debate, and keys without the master key.
//!
//! AES-256-GCM with a synthetic nonce (Rogaway and Shrimpton, *A Provable-Security Treatment of the Key-Wrap Problem*,
//! 2006): the nonce is the beginning of an HMAC-SHA-256 over the body and its place, under a key of its own. So one event
//! sealed twice is the same bytes, by which the log knows an append that is repeated from one that reuses an id, at whatever
//! version, and a nonce comes twice only with the same words in the same place. Id, debate, kind and schema are the place,
//! and authenticated; the version needs no seal, the chain covers it.
//!
//! Long bodies are packed (raw deflate) before they are sealed, since nobody can pack them afterwards: prompts are most of
//! a debate, and go into less than half of their length.
//!
//! Cost: 29 bytes an event, about a microsecond, and for long ones some ten microseconds a kilobyte to pack.

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::events::ids::DebateId;

/// The first byte of a sealed body. No JSON begins so, and nothing else is stored.
const SEALED: u8 = 1;
/// The first byte of one that was packed before.
const PACKED: u8 = 2;
/// Bodies of so many bytes are packed, where that makes them shorter.
const PACKS: usize = 1_024;
/// How well: more takes longer than it is worth.
const PACKING: Compression = Compression::new(3);
/// The longest body that is unpacked, in bytes; far more than an append may hold.
const MAX_UNPACKED: u64 = 256 << 20;
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
    matches!(body.first(), Some(&(SEALED | PACKED)))
}

impl DebateKey {
    /// A new key, by the system's random numbers.
    pub fn drawn(debate: DebateId) -> DebateKey {
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).expect("the system has random numbers");
        DebateKey { debate, bytes }
    }

    /// The key as it is to be stored.
    pub fn stored(&self, master: Option<&MasterKey>) -> StoredKey {
        let Some(master) = master else { return StoredKey { key: self.bytes.to_vec(), master: None } };
        let key = encrypt(&master.0, self.debate.0.as_bytes(), Vec::new(), &self.bytes);
        StoredKey { key, master: Some(master.fingerprint()) }
    }

    /// The key that was stored, wrapped with one of these master keys or with none.
    ///
    /// # Errors
    /// [`Unopened::NoMaster`], [`Unopened::Broken`].
    pub fn read<'a>(
        debate: DebateId,
        stored: &StoredKey,
        masters: impl IntoIterator<Item = &'a MasterKey>,
    ) -> Result<DebateKey, Unopened> {
        let bytes = match &stored.master {
            None => Cow::Borrowed(&stored.key),
            Some(wanted) => {
                let master = masters.into_iter().find(|it| it.fingerprint() == *wanted).ok_or(Unopened::NoMaster)?;
                Cow::Owned(decrypt(&cipher(&master.0), debate.0.as_bytes(), &stored.key)?)
            }
        };
        let bytes = bytes.as_slice().try_into().map_err(|_| Unopened::Broken)?;
        Ok(DebateKey { debate, bytes })
    }

    /// The body as it is to be stored.
    pub fn seal(&self, place: Place<'_>, body: &[u8]) -> Vec<u8> {
        match packed(body) {
            Some(packed) => encrypt(&self.bytes, &self.place(place, PACKED), vec![PACKED], &packed),
            None => encrypt(&self.bytes, &self.place(place, SEALED), vec![SEALED], body),
        }
    }

    /// The body that was stored, sealed or plain.
    ///
    /// # Errors
    /// [`Unopened::Broken`] where it is not what was sealed under this key in this place.
    pub fn open<'a>(&self, place: Place<'_>, stored: &'a [u8]) -> Result<Cow<'a, [u8]>, Unopened> {
        self.opener().open(place, stored)
    }

    /// The key made ready to open many bodies: that takes longer than to open one.
    pub fn opener(&self) -> Opener {
        Opener { debate: self.debate, cipher: cipher(&self.bytes) }
    }

    fn place(&self, place: Place<'_>, how: u8) -> Vec<u8> {
        authenticated(self.debate, place, how)
    }
}

/// Opens the bodies of one debate.
pub struct Opener {
    debate: DebateId,
    cipher: LessSafeKey,
}

impl Opener {
    /// The body that was stored, sealed or plain.
    ///
    /// # Errors
    /// As [`DebateKey::open`].
    pub fn open<'a>(&self, place: Place<'_>, stored: &'a [u8]) -> Result<Cow<'a, [u8]>, Unopened> {
        let opened = |how, sealed| decrypt(&self.cipher, &authenticated(self.debate, place, how), sealed);
        match stored.split_first() {
            Some((&SEALED, sealed)) => opened(SEALED, sealed).map(Cow::Owned),
            Some((&PACKED, sealed)) => unpacked(&opened(PACKED, sealed)?).map(Cow::Owned),
            _ => Ok(Cow::Borrowed(stored)),
        }
    }
}

/// What is authenticated with a body: where it stands, and how it is kept.
fn authenticated(debate: DebateId, place: Place<'_>, how: u8) -> Vec<u8> {
    let mut all = Vec::with_capacity(35 + place.kind.len());
    all.push(how);
    all.extend(debate.0.as_bytes());
    all.extend(place.id.as_bytes());
    all.extend(place.schema.to_be_bytes());
    all.extend(place.kind.as_bytes());
    all
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

/// What follows `to`: nonce, ciphertext, tag.
fn encrypt(key: &[u8; KEY_BYTES], place: &[u8], mut to: Vec<u8>, body: &[u8]) -> Vec<u8> {
    let mut told = hmac::Context::with_key(&derived(key, b"faultline nonce"));
    // The length sets the place apart from the body.
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

fn decrypt(cipher: &LessSafeKey, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Unopened> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(Unopened::Broken)?;
    let mut body = sealed.to_vec();
    let opened = cipher.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(place), &mut body);
    let n_bytes = opened.map_err(|_| Unopened::Broken)?.len();
    body.truncate(n_bytes);
    Ok(body)
}

fn cipher(key: &[u8; KEY_BYTES]) -> LessSafeKey {
    let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), b"faultline body");
    LessSafeKey::new(UnboundKey::new(&AES_256_GCM, own.as_ref()).expect("an HMAC-SHA-256 has 32 bytes"))
}

/// A key for one purpose of its own.
fn derived(key: &[u8; KEY_BYTES], purpose: &[u8]) -> hmac::Key {
    let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), purpose);
    hmac::Key::new(hmac::HMAC_SHA256, own.as_ref())
}

/// The body in fewer bytes; `None` where it is short, or cannot be had so.
fn packed(body: &[u8]) -> Option<Vec<u8>> {
    if body.len() < PACKS {
        return None;
    }
    let mut to = DeflateEncoder::new(Vec::with_capacity(body.len() / 2), PACKING);
    to.write_all(body).ok()?;
    to.finish().ok().filter(|it| it.len() < body.len())
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, Unopened> {
    let mut body = Vec::with_capacity(3 * packed.len());
    let read = DeflateDecoder::new(packed).take(MAX_UNPACKED).read_to_end(&mut body);
    read.map_err(|_| Unopened::Broken)?;
    Ok(body)
}

impl fmt::Debug for DebateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DebateKey(of {})", self.debate)
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Opener(of {})", self.debate)
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
        assert!(is_sealed(&sealed) && sealed.len() == BODY.len() + 29);
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
    fn long_bodies_are_packed_and_come_back_whole() {
        for n_bytes in [PACKS - 1, PACKS, 20_000] {
            let body = "what was said before, and said again. ".repeat(n_bytes / 38 + 1).into_bytes();
            let body = &body[..n_bytes];
            let sealed = key().seal(place(5), body);
            assert_eq!(sealed.len() < n_bytes, n_bytes >= PACKS, "{n_bytes}");
            assert_eq!(key().open(place(5), &sealed).as_deref(), Ok(body));
            assert_eq!(key().seal(place(5), body), sealed, "an append that is repeated is the same bytes");
            let mut otherwise = sealed.clone();
            otherwise[0] = SEALED + PACKED - sealed[0];
            assert_eq!(key().open(place(5), &otherwise), Err(Unopened::Broken));
        }
        let noise: Vec<u8> = (0..200u32).flat_map(|it| Sha256::digest(it.to_be_bytes())).collect();
        let sealed = key().seal(place(5), &noise);
        assert_eq!((sealed[0], sealed.len()), (SEALED, noise.len() + 29), "what cannot be packed is sealed as it is");
    }

    #[test]
    fn a_wrapped_key_takes_its_master_key() {
        let text = "00".repeat(31) + "fF\n";
        let master = MasterKey::read(&text).expect("64 digits");
        let other = MasterKey::read(&"01".repeat(32)).expect("64 digits");
        let (plain, wrapped) = (key().stored(None), key().stored(Some(&master)));
        assert_eq!((plain.key.len(), wrapped.key.len()), (32, 60));
        assert!(!wrapped.key.windows(8).any(|it| plain.key.windows(8).any(|own| own == it)));
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
