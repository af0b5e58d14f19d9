//! The file of tokens: its lines, and what they hold a token against.
//!
//! A line is `name role hash`, and `expires=2027-01-31` where the token ends. A token is `name.secret`; its secret has 244 random
//! bits, so that one SHA-256 of the whole token is enough to keep: nobody finds a secret by trying. Files of earlier versions
//! hold argon2's hashes; they still work.

use std::collections::BTreeMap;
use std::sync::Arc;

use argon2::password_hash::{PasswordHash, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::api::role::Role;

/// The most tokens of a file.
pub const MAX_TOKENS: usize = 10_000;
/// Prefix of a hash that is one SHA-256.
const SHA256: &str = "sha256:";
/// Prefix of the end of a token, behind its hash.
const EXPIRES: &str = "expires=";

/// A SHA-256 of a whole token.
pub type TokenDigest = [u8; 32];

/// A file of tokens that cannot be read as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}; a line is `name role hash`, as `faultline token` writes it")]
pub struct BadTokens {
    line: usize,
    why: String,
}

/// A line of the file.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The token's name.
    pub name: Arc<str>,
    /// Its role.
    pub role: Role,
    /// Its end, if it has one.
    pub expires: Option<DateTime<Utc>>,
    /// The hash that it is checked against.
    pub secret: Secret,
}

/// The stored hash of a token.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// Its SHA-256.
    Digest(TokenDigest),
    /// Argon2's hash of it, as earlier versions wrote it.
    Argon2(String),
}

impl Entry {
    /// True from its end on.
    pub fn has_expired(&self) -> bool {
        self.expires.is_some_and(|it| it <= Utc::now())
    }

    /// True for a hash of argon2, as earlier versions made it: a check takes tens of milliseconds of a processor.
    pub fn is_slow(&self) -> bool {
        matches!(self.secret, Secret::Argon2(_))
    }
}

/// Reads a file; the entries by their names.
///
/// # Errors
/// [`BadTokens`], with the line.
pub fn read(file: &str) -> Result<BTreeMap<Arc<str>, Entry>, BadTokens> {
    let mut entries = BTreeMap::new();
    for (at, line) in file.lines().enumerate() {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        if line.is_empty() {
            continue;
        }
        let bad = |why: String| BadTokens { line: at + 1, why };
        let entry = entry(line).map_err(bad)?;
        let name = Arc::clone(&entry.name);
        if entries.insert(Arc::clone(&name), entry).is_some() {
            return Err(bad(format!("the name {name} stands there twice")));
        }
        if entries.len() > MAX_TOKENS {
            return Err(bad(format!("at most {MAX_TOKENS} tokens")));
        }
    }
    Ok(entries)
}

fn entry(line: &str) -> Result<Entry, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, role, hash, expires) = match words[..] {
        [name, role, hash] => (name, role, hash, None),
        [name, role, hash, expires] => (name, role, hash, Some(expires)),
        _ => return Err("there are not three words, nor four".to_owned()),
    };
    check_name(name)?;
    let expires = expires.map(|it| {
        let told = it.strip_prefix(EXPIRES).and_then(moment);
        told.ok_or_else(|| format!("{it:?} does not say when the token ends: {EXPIRES}2027-01-31"))
    });
    Ok(Entry { name: name.into(), role: role.parse()?, expires: expires.transpose()?, secret: secret(hash)? })
}

fn secret(hash: &str) -> Result<Secret, String> {
    if let Some(digits) = hash.strip_prefix(SHA256) {
        let mut digest = TokenDigest::default();
        let digits: Option<Vec<u32>> = digits.chars().map(|it| it.to_digit(16)).collect();
        let digits = digits.filter(|it| it.len() == 2 * digest.len()).ok_or("the hash is not 64 hexadecimal digits")?;
        for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
            // Two digits are a byte.
            *byte = (pair[0] << 4 | pair[1]) as u8;
        }
        return Ok(Secret::Digest(digest));
    }
    PasswordHash::new(hash).map_err(|_| "the hash is neither a SHA-256 nor one of argon2")?;
    Ok(Secret::Argon2(hash.to_owned()))
}

/// A moment, or the beginning of a day in UTC.
fn moment(text: &str) -> Option<DateTime<Utc>> {
    let day = || Some(text.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN).and_utc());
    text.parse::<DateTime<Utc>>().ok().or_else(day)
}

/// The digest of a token.
pub fn digest(token: &str) -> TokenDigest {
    Sha256::digest(token).into()
}

/// Checks a token against a hash of argon2, which takes tens of milliseconds of a processor.
pub fn fits_argon2(token: &str, hash: &str) -> bool {
    // Argon2id; with how much memory and how many passes stands in the hash.
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::default());
    PasswordHash::new(hash).is_ok_and(|it| hasher.verify_password(token.as_bytes(), &it).is_ok())
}

/// A new token, and the line that lets it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// To be given to its holder, and kept nowhere.
    pub token: String,
    /// For the file of tokens.
    pub line: String,
}

/// Makes a token of 244 random bits, which ends when it is said to.
///
/// # Errors
/// A name that cannot be one; in words.
pub fn new_token(name: &str, role: Role, expires: Option<DateTime<Utc>>) -> Result<NewToken, String> {
    check_name(name)?;
    let token = format!("{name}.{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let digits: String = digest(&token).iter().map(|it| format!("{it:02x}")).collect();
    let expires = expires.map(|it| format!(" {EXPIRES}{}", it.format("%Y-%m-%dT%H:%M:%SZ"))).unwrap_or_default();
    Ok(NewToken { line: format!("{name} {} {SHA256}{digits}{expires}", role.name()), token })
}

/// The end of a token: after so many days (`90d`), at a moment or at the beginning of a day in UTC.
///
/// # Errors
/// A text that is none of these, or a time that is over already; in words.
pub fn read_expiry(text: &str) -> Result<DateTime<Utc>, String> {
    let days = || text.strip_suffix('d')?.parse::<u32>().ok();
    let after = days().and_then(|it| Utc::now().checked_add_days(chrono::Days::new(it.into())));
    match after.or_else(|| moment(text)) {
        Some(it) if it > Utc::now() => Ok(it),
        Some(_) => Err(format!("{text} is over already")),
        None => Err(format!("{text:?} is neither a number of days (90d) nor a day (2027-01-31) nor a moment")),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |it: u8| it.is_ascii_alphanumeric() || it == b'-' || it == b'_';
    match name.len() {
        1..=64 if name.bytes().all(fits) => Ok(()),
        _ => Err(format!("{name:?} is no name of a token: 1 to 64 letters, digits, - and _")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_none_says_where() {
        let line = new_token("page", Role::Reader, None).expect("a token").line;
        let check = |file: &str, expected: &str| {
            let told = read(file).err().map(|it| it.to_string()).unwrap_or_default();
            assert!(told.starts_with(expected), "{file}: {told}");
        };
        check("\npage reader", "line 2: there are not three words");
        check("page reader secret", "line 1: the hash is neither a SHA-256 nor one of argon2");
        check(&format!("page reader sha256:+{}", "f".repeat(63)), "line 1: the hash is not 64 hexadecimal digits");
        check("page reader sha256:00ff", "line 1: the hash is not 64 hexadecimal digits");
        check(&format!("page reader sha256:{}é", "0".repeat(62)), "line 1: the hash is not 64 hexadecimal digits");
        check(&line.replace("reader", "king"), "line 1: \"king\" is no role");
        check(&format!("{line}\n{line}"), "line 2: the name page stands there twice");
        check(&line.replace("page", "a.b"), "line 1: \"a.b\" is no name");
        check(&format!("{line} soon"), "line 1: \"soon\" does not say when the token ends");
        assert!(new_token("a b", Role::Reader, None).is_err());
    }

    #[test]
    fn an_end_is_written_and_read() {
        let end = read_expiry("2099-01-31").expect("a day");
        assert_eq!(end.to_rfc3339(), "2099-01-31T00:00:00+00:00");
        let line = new_token("page", Role::Reader, Some(end)).expect("a token").line;
        assert_eq!(read(&line).expect("a file")["page"].expires, Some(end));
        assert!(read_expiry("90d").is_ok_and(|it| (it - Utc::now()).num_days() >= 89));
        for wrong in ["2001-01-31", "0d", "soon", "-1d"] {
            assert!(read_expiry(wrong).is_err(), "{wrong}");
        }
    }
}
