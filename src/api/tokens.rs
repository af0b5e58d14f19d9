//! Who may do what: bearer tokens, and the roles that they carry.
//!
//! A token is `name.secret`. The file of tokens has a line for each, `name role hash`, where the hash is argon2's of the
//! whole token: the file gives nobody a token. The name says which hash to hold a token against, so a guess costs one
//! computation and not one for each line; these are done one at a time, and a token that was found good is remembered by
//! its digest until the service ends.
//!
//! | role | may |
//! |---|---|
//! | `reader` | ask and subscribe |
//! | `writer` | change debates as well |
//! | `admin` | keep the service as well: rebuild what is stored, erase |

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use uuid::Uuid;

/// The longest token, in bytes.
pub const MAX_TOKEN_BYTES: usize = 512;
/// The most tokens of a file.
pub const MAX_TOKENS: usize = 10_000;
/// How long a token may wait for those before it to be held against their hashes.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a token allows; each allows what those before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// To ask and to subscribe.
    Reader,
    /// To change debates.
    Writer,
    /// To keep the service.
    Admin,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 3] = [Role::Reader, Role::Writer, Role::Admin];

    /// Its name in the file of tokens.
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        let role = Role::ALL.into_iter().find(|it| it.name() == text);
        role.ok_or_else(|| format!("{text:?} is no role: reader, writer or admin"))
    }
}

/// Who holds a token, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What the token allows.
    pub role: Role,
    /// Which one of the file it is, in the order of their names; `None` where none was asked for.
    pub token: Option<u32>,
}

impl From<Role> for Holder {
    fn from(role: Role) -> Holder {
        Holder { role, token: None }
    }
}

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// No token was shown.
    #[error("this service wants a token: send it as `Authorization: Bearer NAME.SECRET`, or in connection_init")]
    Missing,
    /// It is none of the file's.
    #[error("this token is not known here")]
    Unknown,
    /// Too many are being looked at.
    #[error("too many tokens are being looked at; try again")]
    Busy,
}

/// A file of tokens that cannot be read as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}; a line is `name role hash`, as `faultline token` writes it")]
pub struct BadTokens {
    line: usize,
    why: String,
}

/// Who is let in, and as what.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// `None` lets everybody in, as admin.
    tokens: Option<Arc<Tokens>>,
}

impl Access {
    /// Only those with a token of this file.
    ///
    /// # Errors
    /// [`BadTokens`], with the line.
    pub fn by_tokens(file: &str) -> Result<Access, BadTokens> {
        Ok(Access { tokens: Some(Arc::new(Tokens::read(file)?)) })
    }

    /// Whether nobody needs a token.
    pub fn is_open(&self) -> bool {
        self.tokens.is_none()
    }

    /// Who sends these headers, and what they may do.
    ///
    /// # Errors
    /// [`Denied`].
    pub async fn by_headers(&self, headers: &HeaderMap) -> Result<Holder, Denied> {
        let given = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok());
        self.by_credentials(given).await
    }

    /// Who says `Bearer TOKEN`, or the token alone, and what they may do.
    ///
    /// # Errors
    /// [`Denied`].
    pub async fn by_credentials(&self, given: Option<&str>) -> Result<Holder, Denied> {
        let Some(tokens) = &self.tokens else { return Ok(Role::Admin.into()) };
        let given = given.map(str::trim).filter(|it| !it.is_empty()).ok_or(Denied::Missing)?;
        let bare = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        tokens.holder(bare.map_or(given, |(_, token)| token.trim())).await
    }
}

struct Tokens {
    entries: BTreeMap<String, Entry>,
    /// The digests of tokens that were found good: at most one for each entry.
    good: Mutex<HashMap<[u8; 32], Holder>>,
    one_at_a_time: Arc<Semaphore>,
}

struct Entry {
    holder: Holder,
    hash: String,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.keys()).finish()
    }
}

impl Tokens {
    fn read(file: &str) -> Result<Tokens, BadTokens> {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        for (at, line) in file.lines().enumerate() {
            let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
            if line.is_empty() {
                continue;
            }
            let bad = |why: String| BadTokens { line: at + 1, why };
            let [name, role, hash] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                return Err(bad("there are not three words".to_owned()));
            };
            check_name(name).map_err(bad)?;
            PasswordHash::new(hash).map_err(|_| bad("the hash is not one of argon2".to_owned()))?;
            let holder = Holder { role: role.parse().map_err(bad)?, token: None };
            let entry = Entry { holder, hash: hash.to_owned() };
            if entries.insert(name.to_owned(), entry).is_some() {
                return Err(bad(format!("{name} stands there twice")));
            }
            if entries.len() > MAX_TOKENS {
                return Err(bad(format!("at most {MAX_TOKENS} tokens")));
            }
        }
        (0..).zip(entries.values_mut()).for_each(|(at, it)| it.holder.token = Some(at));
        Ok(Tokens { entries, good: Mutex::default(), one_at_a_time: Arc::new(Semaphore::new(1)) })
    }

    async fn holder(&self, token: &str) -> Result<Holder, Denied> {
        let name = token.split_once('.').map(|(name, _)| name);
        let entry = name.and_then(|it| self.entries.get(it)).filter(|_| token.len() <= MAX_TOKEN_BYTES);
        let Some(Entry { holder, hash }) = entry else { return Err(Denied::Unknown) };
        let digest: [u8; 32] = Sha256::digest(token).into();
        if self.good.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&digest) {
            return Ok(*holder);
        }
        let waited = tokio::time::timeout(PATIENCE, Arc::clone(&self.one_at_a_time).acquire_owned()).await;
        let Ok(Ok(turn)) = waited else { return Err(Denied::Busy) };
        let (hash, token) = (hash.clone(), token.to_owned());
        let fits = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            PasswordHash::new(&hash).is_ok_and(|it| hasher().verify_password(token.as_bytes(), &it).is_ok())
        });
        if !fits.await.unwrap_or(false) {
            return Err(Denied::Unknown);
        }
        self.good.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, *holder);
        Ok(*holder)
    }
}

/// A new token, and the line that lets it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// To be given to its holder, and kept nowhere.
    pub token: String,
    /// For the file of tokens.
    pub line: String,
}

/// Makes a token of 244 random bits.
///
/// # Errors
/// Where the name cannot be one; in words.
pub fn new_token(name: &str, role: Role) -> Result<NewToken, String> {
    check_name(name)?;
    let token = format!("{name}.{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let salt = SaltString::encode_b64(Uuid::new_v4().as_bytes()).map_err(|it| it.to_string())?;
    let hash = hasher().hash_password(token.as_bytes(), &salt).map_err(|it| it.to_string())?;
    Ok(NewToken { line: format!("{name} {} {hash}", role.name()), token })
}

/// Argon2id with 19 MiB and two passes. What a hash was made with stands in the hash.
fn hasher() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::default())
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

    fn file(tokens: &[(&str, Role)]) -> (Vec<String>, String) {
        let made: Vec<NewToken> = tokens.iter().map(|(name, role)| new_token(name, *role).expect("a token")).collect();
        let lines: Vec<String> = made.iter().map(|it| it.line.clone()).collect();
        (made.into_iter().map(|it| it.token).collect(), lines.join("\n"))
    }

    #[tokio::test]
    async fn a_token_opens_to_its_role_and_no_other_text_does() {
        let (tokens, lines) = file(&[("page", Role::Reader), ("engine", Role::Admin)]);
        let access = Access::by_tokens(&format!("# who may\n\n{lines}   # the engine\n")).expect("a file");
        let check = async |given: &str, expected: Result<Role, Denied>| {
            assert_eq!(access.by_credentials(Some(given)).await.map(|it| it.role), expected, "{given}");
        };
        for _ in 0..2 {
            check(&format!("Bearer {}", tokens[0]), Ok(Role::Reader)).await;
            check(&format!("bearer  {}", tokens[1]), Ok(Role::Admin)).await;
            check(&tokens[0], Ok(Role::Reader)).await;
        }
        let secret = tokens[0].split_once('.').expect("a secret").1;
        check(&format!("engine.{secret}"), Err(Denied::Unknown)).await;
        check(&tokens[0][..tokens[0].len() - 1], Err(Denied::Unknown)).await;
        check(&format!("Basic {}", tokens[0]), Err(Denied::Unknown)).await;
        check("page", Err(Denied::Unknown)).await;
        check(&format!("page.{}", "x".repeat(MAX_TOKEN_BYTES)), Err(Denied::Unknown)).await;
        check(" ", Err(Denied::Missing)).await;
        assert_eq!(access.by_credentials(None).await, Err(Denied::Missing));
        assert_eq!(Access::default().by_credentials(None).await, Ok(Role::Admin.into()));
        let numbers = [access.by_credentials(Some(&tokens[0])).await, access.by_credentials(Some(&tokens[1])).await];
        assert_eq!(numbers.map(|it| it.map(|it| it.token)), [Ok(Some(1)), Ok(Some(0))], "by their names in order");
        let told = format!("{access:?}");
        assert!(told.contains("page") && !told.contains(secret) && !told.contains("argon2"), "{told}");
    }

    #[test]
    fn a_file_that_is_none_says_where() {
        let (_, line) = file(&[("page", Role::Reader)]);
        let check = |file: &str, expected: &str| {
            let told = Access::by_tokens(file).err().map(|it| it.to_string()).unwrap_or_default();
            assert!(told.starts_with(expected), "{file}: {told}");
        };
        check("\npage reader", "line 2: there are not three words");
        check("page reader secret", "line 1: the hash is not one of argon2");
        check(&line.replace("reader", "king"), "line 1: \"king\" is no role");
        check(&format!("{line}\n{line}"), "line 2: page stands there twice");
        check(&line.replace("page", "a.b"), "line 1: \"a.b\" is no name");
        assert!(new_token("a b", Role::Reader).is_err());
    }
}
