//! The token file: its lines, and the hashes that tokens are verified against.
//!
//! A line is `name role hash`, followed by `expires=2027-01-31` if the token expires. A token is `name.secret`. Its
//! secret has 244 random bits, so a single SHA-256 of the whole token is enough: no secret can be found by trial. Files
//! of earlier versions contain Argon2 hashes, which still work.

use std::collections::BTreeMap;
use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordVerifier, Version};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::api::role::Role;

/// Maximum number of tokens in a file.
pub const MAX_TOKENS: usize = 10_000;
/// Prefix of a SHA-256 hash.
const SHA256: &str = "sha256:";
/// Prefix of the expiry, which follows the hash.
const EXPIRES: &str = "expires=";

/// SHA-256 of a whole token.
pub type TokenDigest = [u8; 32];

/// Malformed token file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}; expected `name role hash`, as printed by `faultline token`")]
pub struct TokenFileError {
    line: usize,
    why: String,
}

/// One line of the file.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenEntry {
    /// Name of the token.
    pub name: Arc<str>,
    /// Role of the token.
    pub role: Role,
    /// Time at which the token expires, if it does.
    pub expires: Option<DateTime<Utc>>,
    /// Hash that the token is verified against.
    pub secret: TokenHash,
}

/// Stored hash of a token.
#[derive(Clone, PartialEq, Eq)]
pub enum TokenHash {
    /// SHA-256 of the token.
    Digest(TokenDigest),
    /// Argon2 hash of the token, from an earlier version.
    Argon2(String),
}

impl TokenEntry {
    /// Returns true if the token has expired.
    pub fn has_expired(&self) -> bool {
        self.expires.is_some_and(|expiry| expiry <= Utc::now())
    }

    /// Returns true for an Argon2 hash, which takes tens of milliseconds of CPU time to verify.
    pub fn is_slow(&self) -> bool {
        matches!(self.secret, TokenHash::Argon2(_))
    }
}

/// Parses a token file. Returns the entries by name.
///
/// # Errors
/// [`TokenFileError`] with the line number and the reason.
pub fn read(file: &str) -> Result<BTreeMap<Arc<str>, TokenEntry>, TokenFileError> {
    let mut entries = BTreeMap::new();
    for (at, line) in file.lines().enumerate() {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        if line.is_empty() {
            continue;
        }
        let bad = |why: String| TokenFileError { line: at + 1, why };
        let entry = entry(line).map_err(bad)?;
        let name = Arc::clone(&entry.name);
        if entries.insert(Arc::clone(&name), entry).is_some() {
            return Err(bad(format!("the name {name} is used twice")));
        }
        if entries.len() > MAX_TOKENS {
            return Err(bad(format!("the file has more than {MAX_TOKENS} tokens")));
        }
    }
    Ok(entries)
}

fn entry(line: &str) -> Result<TokenEntry, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, role, hash, expires) = match words[..] {
        [name, role, hash] => (name, role, hash, None),
        [name, role, hash, expires] => (name, role, hash, Some(expires)),
        _ => return Err("expected three or four words".to_owned()),
    };
    check_name(name)?;
    let expires = expires.map(|word| {
        let expiry = word.strip_prefix(EXPIRES).and_then(moment);
        expiry.ok_or_else(|| format!("{word:?} is not an expiry; use {EXPIRES}2027-01-31"))
    });
    Ok(TokenEntry { name: name.into(), role: role.parse()?, expires: expires.transpose()?, secret: secret(hash)? })
}

fn secret(hash: &str) -> Result<TokenHash, String> {
    if let Some(digits) = hash.strip_prefix(SHA256) {
        let mut digest = TokenDigest::default();
        let digits: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(16)).collect();
        let digits =
            digits.filter(|digits| digits.len() == 2 * digest.len()).ok_or("the hash is not 64 hexadecimal digits")?;
        for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
            // Two hexadecimal digits make one byte.
            *byte = (pair[0] << 4 | pair[1]) as u8;
        }
        return Ok(TokenHash::Digest(digest));
    }
    PasswordHash::new(hash).map_err(|_| "the hash is neither SHA-256 nor Argon2")?;
    Ok(TokenHash::Argon2(hash.to_owned()))
}

/// Parses a timestamp, or a date as its first moment in UTC.
fn moment(text: &str) -> Option<DateTime<Utc>> {
    let day = || Some(text.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN).and_utc());
    text.parse::<DateTime<Utc>>().ok().or_else(day)
}

/// Returns the digest of a token.
pub fn digest(token: &str) -> TokenDigest {
    Sha256::digest(token).into()
}

/// Verifies a token against an Argon2 hash, which takes tens of milliseconds of CPU time.
pub fn verify_argon2(token: &str, hash: &str) -> bool {
    // Argon2id; the hash itself states the memory and number of passes.
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::default());
    PasswordHash::new(hash).is_ok_and(|hash| hasher.verify_password(token.as_bytes(), &hash).is_ok())
}

/// New token, and its line for the token file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Token for its holder; it is not stored.
    pub token: String,
    /// Line for the token file.
    pub line: String,
}

/// Creates a token with 244 random bits.
///
/// # Errors
/// A message if the name is not a valid token name.
pub fn new_token(name: &str, role: Role, expires: Option<DateTime<Utc>>) -> Result<NewToken, String> {
    check_name(name)?;
    let token = format!("{name}.{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let digits: String = digest(&token).iter().map(|byte| format!("{byte:02x}")).collect();
    let expires =
        expires.map(|expiry| format!(" {EXPIRES}{}", expiry.format("%Y-%m-%dT%H:%M:%SZ"))).unwrap_or_default();
    Ok(NewToken { line: format!("{name} {} {SHA256}{digits}{expires}", role.name()), token })
}

/// Parses an expiry: a number of days from now (`90d`), a timestamp, or a date as its first moment in UTC.
///
/// # Errors
/// A message if the text has none of these forms, or the time is in the past.
pub fn read_expiry(text: &str) -> Result<DateTime<Utc>, String> {
    let days = || text.strip_suffix('d')?.parse::<u32>().ok();
    let after = days().and_then(|days| Utc::now().checked_add_days(chrono::Days::new(days.into())));
    match after.or_else(|| moment(text)) {
        Some(it) if it > Utc::now() => Ok(it),
        Some(_) => Err(format!("{text} is in the past")),
        None => Err(format!("{text:?} is not an expiry; use days (90d), a date (2027-01-31) or a timestamp")),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    match name.len() {
        1..=64 if name.bytes().all(fits) => Ok(()),
        _ => Err(format!("{name:?} is not a token name; use 1 to 64 letters, digits, - and _")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_token_file_is_refused_with_the_line() {
        let line = new_token("page", Role::Reader, None).expect("a token").line;
        let check = |file: &str, expected: &str| {
            let message = read(file).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.starts_with(expected), "{file}: {message}");
        };
        check("\npage reader", "line 2: expected three or four words");
        check("page reader secret", "line 1: the hash is neither SHA-256 nor Argon2");
        check(&format!("page reader sha256:+{}", "f".repeat(63)), "line 1: the hash is not 64 hexadecimal digits");
        check("page reader sha256:00ff", "line 1: the hash is not 64 hexadecimal digits");
        check(&format!("page reader sha256:{}é", "0".repeat(62)), "line 1: the hash is not 64 hexadecimal digits");
        check(&line.replace("reader", "king"), "line 1: unknown role \"king\"");
        check(&format!("{line}\n{line}"), "line 2: the name page is used twice");
        check(&line.replace("page", "a.b"), "line 1: \"a.b\" is not a token name");
        check(&format!("{line} soon"), "line 1: \"soon\" is not an expiry");
        assert!(new_token("a b", Role::Reader, None).is_err());
    }

    #[test]
    fn an_expiry_is_written_and_parsed() {
        let end = read_expiry("2099-01-31").expect("a day");
        assert_eq!(end.to_rfc3339(), "2099-01-31T00:00:00+00:00");
        let line = new_token("page", Role::Reader, Some(end)).expect("a token").line;
        assert_eq!(read(&line).expect("a file")["page"].expires, Some(end));
        assert!(read_expiry("90d").is_ok_and(|expiry| (expiry - Utc::now()).num_days() >= 89));
        for wrong in ["2001-01-31", "0d", "soon", "-1d"] {
            assert!(read_expiry(wrong).is_err(), "{wrong}");
        }
    }
}
