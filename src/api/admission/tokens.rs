//! Authentication by bearer tokens, and the roles they carry.
//!
//! The name in a token selects the line of the file ([`token_file`]) to verify it against, which takes one SHA-256 for
//! known and unknown names alike. Argon2 hashes of earlier versions are verified one at a time, and limited per address
//! by the rate of failures. A token that was found valid is cached by its digest.
//!
//! The set of tokens can be replaced while the service runs. Callers whose token was removed or has expired are
//! disconnected ([`AccessControl::until_invalid`]).

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use chrono::Utc;
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

use crate::api::admission::rate::{RateLimitKey, RateLimiter};
use crate::api::admission::token_file;
use crate::api::admission::token_file::{TokenDigest, TokenEntry, TokenFileError, TokenHash, digest, verify_argon2};
use crate::api::role::Role;

/// Maximum length of a token, in bytes.
pub const MAX_TOKEN_BYTES: usize = 512;
/// Default rate of failures per second and address; twice as many at once.
const FAILURES: usize = 5;
/// Maximum time a token waits for its turn to be verified against an Argon2 hash.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum sleep before a token's expiry is checked again.
const MAX_SLEEP: Duration = Duration::from_secs(3_600);

/// Holder of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Role of the token.
    pub role: Role,
    /// The token; `None` if none was required.
    pub token: Option<Token>,
}

/// Identity of a line of the token file, valid while the line is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Number of the line, unique for the life of the process.
    pub id: u32,
    /// Name of the token.
    pub name: Arc<str>,
}

impl From<Role> for Holder {
    fn from(role: Role) -> Holder {
        Holder { role, token: None }
    }
}

/// Reason why access is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessDenied {
    /// No token was sent.
    #[error("a token is required: send it as `Authorization: Bearer NAME.SECRET`, or in connection_init")]
    Missing,
    /// The token is not in the file.
    #[error("the token is unknown")]
    Unknown,
    /// The token has expired.
    #[error("the token has expired; request a new one")]
    Expired,
    /// Too many invalid tokens were sent from this address.
    #[error("too many invalid tokens from this address; retry in a second")]
    Failures {
        /// Number of failures per second that are allowed.
        max: usize,
    },
    /// Too many tokens are being verified.
    #[error("too many tokens are being verified; try again")]
    Busy,
}

/// Access control by tokens, or access for everybody. Clones share the tokens.
#[derive(Clone, Debug, Default)]
pub struct AccessControl {
    /// `None` grants everybody the role admin.
    shared: Option<Arc<Shared>>,
}

struct Shared {
    tokens: watch::Sender<Arc<Tokens>>,
    failures: RateLimiter,
    one_at_a_time: Arc<Semaphore>,
    next_id: AtomicU32,
}

/// Parsed token file.
#[derive(Default)]
struct Tokens {
    lines: BTreeMap<Arc<str>, Line>,
}

struct Line {
    id: u32,
    entry: TokenEntry,
    /// Digests of tokens that match the Argon2 hash: at most one.
    good: Mutex<HashSet<TokenDigest>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tokens.borrow().lines.keys()).finish()
    }
}

impl AccessControl {
    /// Creates access control with the tokens of this file.
    ///
    /// # Errors
    /// [`TokenFileError`] with the line number and the reason.
    pub fn by_tokens(file: &str) -> Result<AccessControl, TokenFileError> {
        AccessControl::within(file, FAILURES)
    }

    /// Like [`AccessControl::by_tokens`], with a rate of failures per second and address, and twice as many at once; 0 means
    /// unlimited.
    ///
    /// # Errors
    /// [`TokenFileError`] with the line number and the reason.
    pub fn within(file: &str, failures: usize) -> Result<AccessControl, TokenFileError> {
        let shared = Shared {
            tokens: watch::Sender::default(),
            failures: RateLimiter::of_addresses(failures),
            one_at_a_time: Arc::new(Semaphore::new(1)),
            next_id: AtomicU32::new(0),
        };
        let access = AccessControl { shared: Some(Arc::new(shared)) };
        access.reload(file)?;
        Ok(access)
    }

    /// Replaces the tokens. Unchanged lines stay valid without interruption.
    ///
    /// # Errors
    /// [`TokenFileError`] with the line number and the reason; the previous tokens then stay valid.
    pub fn reload(&self, file: &str) -> Result<(), TokenFileError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let before = Arc::clone(&shared.tokens.borrow());
        let line = |(name, entry): (Arc<str>, TokenEntry)| {
            let known = before.lines.get(&name).filter(|line| line.entry == entry);
            let (id, good) = match known {
                Some(it) => (it.id, it.good.lock().unwrap_or_else(PoisonError::into_inner).clone()),
                None => (shared.next_id.fetch_add(1, Ordering::Relaxed), HashSet::new()),
            };
            (name, Line { id, entry, good: Mutex::new(good) })
        };
        let tokens = Tokens { lines: token_file::read(file)?.into_iter().map(line).collect() };
        for it in
            tokens.lines.values().filter(|line| line.entry.is_slow() && !before.lines.contains_key(&line.entry.name))
        {
            tracing::warn!(
                token = &*it.entry.name,
                "this token is stored as an Argon2 hash, which is slow to verify; replace it using `faultline token`"
            );
        }
        shared.tokens.send_replace(Arc::new(tokens));
        Ok(())
    }

    /// Returns true if no token is required.
    pub fn is_open(&self) -> bool {
        self.shared.is_none()
    }

    /// Returns the holder of the token in these headers. Failures are counted for the address.
    ///
    /// # Errors
    /// [`AccessDenied`] with the reason.
    pub async fn by_headers(&self, headers: &HeaderMap, address: Option<IpAddr>) -> Result<Holder, AccessDenied> {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        self.by_credentials(given, address).await
    }

    /// Returns the holder of `Bearer TOKEN`, or of the bare token.
    ///
    /// # Errors
    /// [`AccessDenied`] with the reason.
    pub async fn by_credentials(&self, given: Option<&str>, address: Option<IpAddr>) -> Result<Holder, AccessDenied> {
        let Some(shared) = &self.shared else { return Ok(Role::Admin.into()) };
        let given = given.map(str::trim).filter(|text| !text.is_empty()).ok_or(AccessDenied::Missing)?;
        let bare = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        shared.holder(bare.map_or(given, |(_, token)| token.trim()), address).await
    }

    /// Waits until a token is removed from the file or expires, and returns the reason. Never completes if the token
    /// has no expiry and stays in the file, or if none was required.
    pub async fn until_invalid(&self, holder: &Holder) -> AccessDenied {
        let (Some(shared), Some(token)) = (&self.shared, &holder.token) else { return std::future::pending().await };
        let mut changed = shared.tokens.subscribe();
        loop {
            let standing = changed.borrow_and_update().standing(token);
            match standing {
                Standing::Gone => return AccessDenied::Unknown,
                Standing::Ended => return AccessDenied::Expired,
                Standing::Good(left) => {
                    let wait = async {
                        match left {
                            Some(left) => sleep(left.min(MAX_SLEEP)).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        () = wait => {}
                        // An error means that the service is gone.
                        it = changed.changed() => if it.is_err() { return AccessDenied::Unknown },
                    }
                }
            }
        }
    }
}

/// State of a token at one moment.
enum Standing {
    /// Valid, for this long if it expires.
    Good(Option<Duration>),
    Ended,
    Gone,
}

impl Tokens {
    fn standing(&self, token: &Token) -> Standing {
        match self.lines.get(&token.name).filter(|line| line.id == token.id) {
            None => Standing::Gone,
            Some(it) if it.entry.has_expired() => Standing::Ended,
            Some(it) => {
                let left = it.entry.expires.map(|expiry| (expiry - Utc::now()).to_std().unwrap_or_default());
                // A little later than the expiry, so that the token has expired by then.
                Standing::Good(left.map(|left| left + Duration::from_millis(2)))
            }
        }
    }
}

impl Shared {
    async fn holder(&self, token: &str, address: Option<IpAddr>) -> Result<Holder, AccessDenied> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(self.failed(address));
        }
        let tokens = Arc::clone(&self.tokens.borrow());
        // Computed for unknown names too, so that they take the same time. A constant-time comparison is not needed:
        // nobody can choose a token by how much of its digest is right.
        let digest = digest(token);
        let line = token.split_once('.').and_then(|(name, _)| tokens.lines.get(name));
        let fits = match line.map(|line| (line, &line.entry.secret)) {
            None => false,
            Some((_, TokenHash::Digest(expected))) => *expected == digest,
            Some((line, TokenHash::Argon2(hash))) => self.fits_slowly(line, token, digest, hash, address).await?,
        };
        match line.filter(|_| fits) {
            None => Err(self.failed(address)),
            Some(line) if line.entry.has_expired() => Err(AccessDenied::Expired),
            Some(Line { id, entry, .. }) => {
                Ok(Holder { role: entry.role, token: Some(Token { id: *id, name: Arc::clone(&entry.name) }) })
            }
        }
    }

    /// Verifies a token against an Argon2 hash. A failure is charged before anything is computed.
    async fn fits_slowly(
        &self,
        line: &Line,
        token: &str,
        digest: TokenDigest,
        hash: &str,
        address: Option<IpAddr>,
    ) -> Result<bool, AccessDenied> {
        if line.good.lock().unwrap_or_else(PoisonError::into_inner).contains(&digest) {
            return Ok(true);
        }
        if let denied @ AccessDenied::Failures { .. } = self.failed(address) {
            return Err(denied);
        }
        let waited = tokio::time::timeout(TIMEOUT, Arc::clone(&self.one_at_a_time).acquire_owned()).await;
        let Ok(Ok(turn)) = waited else { return Err(AccessDenied::Busy) };
        let (hash, token) = (hash.to_owned(), token.to_owned());
        let fits = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            verify_argon2(&token, &hash)
        });
        let fits = fits.await.unwrap_or(false);
        if fits {
            line.good.lock().unwrap_or_else(PoisonError::into_inner).insert(digest);
        }
        Ok(fits)
    }

    /// Counts a failure for an address, and returns the reason for denying access.
    fn failed(&self, address: Option<IpAddr>) -> AccessDenied {
        let payer = address.map_or(RateLimitKey::Overflow, RateLimitKey::of_address);
        match self.failures.take(&[payer], Instant::now()) {
            Ok(()) => AccessDenied::Unknown,
            Err(exceeded) => AccessDenied::Failures { max: exceeded.rate },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::admission::token_file::{NewToken, new_token};

    /// Line of an earlier version: Argon2 hash of `old.secret`, with little memory to keep the test fast.
    const OLD: &str = "old writer $argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$";

    fn file(tokens: &[(&str, Role)]) -> (Vec<String>, String) {
        let made: Vec<NewToken> =
            tokens.iter().map(|(name, role)| new_token(name, *role, None).expect("a token")).collect();
        let lines: Vec<String> = made.iter().map(|issued| issued.line.clone()).collect();
        (made.into_iter().map(|issued| issued.token).collect(), lines.join("\n"))
    }

    #[tokio::test]
    async fn a_token_grants_its_role_and_any_other_text_is_refused() {
        let (tokens, lines) = file(&[("page", Role::Reader), ("engine", Role::Admin)]);
        let access = AccessControl::by_tokens(&format!("# who may\n\n{lines}   # the engine\n")).expect("a file");
        let check = async |given: &str, expected: Result<Role, AccessDenied>| {
            assert_eq!(access.by_credentials(Some(given), None).await.map(|holder| holder.role), expected, "{given}");
        };
        for _ in 0..2 {
            check(&format!("Bearer {}", tokens[0]), Ok(Role::Reader)).await;
            check(&format!("bearer  {}", tokens[1]), Ok(Role::Admin)).await;
            check(&tokens[0], Ok(Role::Reader)).await;
        }
        let secret = tokens[0].split_once('.').expect("a secret").1;
        check(&format!("engine.{secret}"), Err(AccessDenied::Unknown)).await;
        check(&tokens[0][..tokens[0].len() - 1], Err(AccessDenied::Unknown)).await;
        check(&format!("Basic {}", tokens[0]), Err(AccessDenied::Unknown)).await;
        check("page", Err(AccessDenied::Unknown)).await;
        check(&format!("page.{}", "x".repeat(MAX_TOKEN_BYTES)), Err(AccessDenied::Unknown)).await;
        check(" ", Err(AccessDenied::Missing)).await;
        assert_eq!(access.by_credentials(None, None).await, Err(AccessDenied::Missing));
        assert_eq!(AccessControl::default().by_credentials(None, None).await, Ok(Role::Admin.into()));
        let text = format!("{access:?}");
        assert!(text.contains("page") && !text.contains(secret) && !text.contains("sha256"), "{text}");
    }

    #[tokio::test]
    async fn failures_are_limited_per_address_and_valid_tokens_are_still_accepted() {
        let (tokens, lines) = file(&[("page", Role::Reader)]);
        let access = AccessControl::within(&lines, 3).expect("a file");
        let [here, there] = ["10.0.0.1", "10.0.0.2"].map(|address| address.parse::<IpAddr>().ok());
        for name in ["page", "nobody"] {
            let mut denied = Vec::new();
            for _ in 0..10 {
                denied.push(access.by_credentials(Some(&format!("{name}.guess")), here).await.err());
            }
            assert!(matches!(denied.last(), Some(Some(AccessDenied::Failures { .. }))), "{name}: {denied:?}");
        }
        assert_eq!(
            access.by_credentials(Some("page.guess"), there).await,
            Err(AccessDenied::Unknown),
            "another address"
        );
        assert!(access.by_credentials(Some(&tokens[0]), here).await.is_ok(), "a valid token is accepted");
    }

    #[tokio::test]
    async fn a_token_ends_at_its_expiry_or_when_its_line_is_removed() {
        let (tokens, lines) = file(&[("page", Role::Reader), ("other", Role::Reader)]);
        let access = AccessControl::by_tokens(&lines).expect("a file");
        let holder = access.by_credentials(Some(&tokens[0]), None).await.expect("a valid token");
        access.reload(&format!("{lines}\n# nothing new")).expect("a file");
        assert_eq!(access.by_credentials(Some(&tokens[0]), None).await.as_ref(), Ok(&holder), "the same token");
        assert!(access.reload("nonsense").is_err());
        assert!(access.by_credentials(Some(&tokens[0]), None).await.is_ok(), "a malformed file changes nothing");
        let rotated = lines.replace("page", "former");
        let (ended, _) = tokio::join!(access.until_invalid(&holder), async { access.reload(&rotated) });
        assert_eq!(ended, AccessDenied::Unknown);
        assert_eq!(access.by_credentials(Some(&tokens[0]), None).await, Err(AccessDenied::Unknown));

        let soon = Utc::now() + Duration::from_millis(300);
        // Lines are written with whole seconds; this expiry is more precise.
        let short = new_token("short", Role::Reader, None).expect("a token");
        access.reload(&format!("{} expires={}", short.line, soon.to_rfc3339())).expect("a file");
        let holder = access.by_credentials(Some(&short.token), None).await.expect("not expired yet");
        assert_eq!(access.until_invalid(&holder).await, AccessDenied::Expired);
        assert_eq!(access.by_credentials(Some(&short.token), None).await, Err(AccessDenied::Expired));
    }

    #[tokio::test]
    async fn argon2_hashes_of_earlier_versions_are_accepted() {
        use argon2::PasswordHasher;
        let params = argon2::Params::new(64, 1, 1, None).expect("parameters");
        let hasher = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
        let hash = hasher.hash_password_with_salt(b"old.secret", b"somesaltsomesalt").expect("a hash").to_string();
        let line = format!("old writer {hash}");
        assert!(line.starts_with(OLD), "{line}");
        let access = AccessControl::within(&line, 1).expect("a file");
        for expected in [Ok(Role::Writer), Ok(Role::Writer), Ok(Role::Writer)] {
            assert_eq!(
                access.by_credentials(Some("old.secret"), None).await.map(|holder| holder.role),
                expected,
                "cached"
            );
        }
        let mut denied = Vec::new();
        for _ in 0..6 {
            denied.push(access.by_credentials(Some("old.guess"), None).await.err());
        }
        assert!(matches!(denied.last(), Some(Some(AccessDenied::Failures { .. }))), "{denied:?}");
    }
}
