//! What the HTTP providers share: the client, and the calls that one question takes.
//!
//! | what happens | what follows |
//! |--------------|--------------|
//! | 408, 409, 429, 500 and above; no connection; a response that breaks off | up to [`MAX_RETRIES`] more calls, then `Unavailable` |
//! | any status with a code that says the money or the quota is spent | no retry, `Hopeless` |
//! | a status with a code that says the prompt was filtered | no retry, `Declined` |
//! | any other status | no retry, `Hopeless` |
//! | a wait of more than [`MAX_WAIT`] is asked for | no retry, `Unavailable` |
//! | no whole response within `Patience::call` | no retry, `TimedOut` |
//! | a body too long, not UTF-8, or not the JSON expected | no retry, `Unavailable` |
//!
//! A header `x-should-retry` overrides the classes, except for what is spent. A wait that the provider asks for is the
//! least that is waited. Redirects are not followed: a key belongs to the host that it was given for. A body that is
//! not a reply of the model is never `Unreadable`, or the model would be told of it as of its own mistake.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use reqwest::header::HeaderMap;
use reqwest::{Client, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::events::receipt::{Answer, Failure, FailureKind, Usage};
use crate::kernel::effect::Ask;
use crate::providers::settings::{ConfigError, Patience, Secret, TierModels};

/// How often a question is sent again because the transport or the server failed.
pub const MAX_RETRIES: u32 = 2;
/// The longest wait that is sat out inside a call; a provider that asks for more is `Unavailable`.
pub const MAX_WAIT: Duration = Duration::from_secs(60);
/// The longest wait that is chosen where the provider asks for none.
pub const MAX_BACKOFF: Duration = Duration::from_secs(8);
/// The longest response body that is read, in bytes.
pub const MAX_BODY_BYTES: usize = 4 << 20;
/// How many characters of a response a failure quotes at the most.
pub const MAX_QUOTED_CHARS: usize = 200;

/// Parts of error codes that say that no call will succeed before somebody pays.
const SPENT: &[&str] = &[
    "insufficient_quota", "insufficient_credit", "insufficient_balance", "insufficient_funds", "spend_limit", "billing",
];
/// Parts of error codes that say that the prompt itself was refused.
const FILTERED: &[&str] = &["content_filter", "content_policy", "responsible_ai"];

/// The base URL of a provider, checked.
pub(super) fn base_url(provider: &'static str, base: &str) -> Result<Url, ConfigError> {
    let unusable = |why: String| ConfigError::Base { provider, why };
    let url = Url::parse(base.trim()).map_err(|why| unusable(why.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable(format!("it begins with `{}:`, not with `http:` or `https:`", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable("it holds a user or a password; give the API key instead".into()));
    }
    Ok(url)
}

/// One endpoint, and all that a call to it needs.
#[derive(Debug)]
pub(super) struct Wire {
    provider: &'static str,
    client: Client,
    url: Url,
    key: Option<Secret>,
    patience: Patience,
}

impl Wire {
    /// A client for one endpoint. Servers on this machine are called directly, others by the proxy of the environment.
    pub(super) fn new(
        provider: &'static str,
        url: Url,
        headers: HeaderMap,
        key: Option<Secret>,
        patience: Patience,
        models: &TierModels,
    ) -> Result<Self, ConfigError> {
        for (tier, model) in [("deep", &models.deep), ("quick", &models.quick)] {
            if model.name.trim().is_empty() {
                return Err(ConfigError::NoModel { provider, tier });
            }
        }
        let mut builder = Client::builder()
            .user_agent(concat!("faultline/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(patience.connect)
            .default_headers(headers);
        let host = url.host_str().unwrap_or_default();
        if host == "localhost" || host == "[::1]" || host.starts_with("127.") {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|why| ConfigError::Client { provider, why })?;
        Ok(Wire { provider, client, url, key, patience })
    }

    /// The host that is called, for people.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The calls for one question, none made yet.
    pub(super) fn calls<'a>(&'a self, ask: &'a Ask) -> Calls<'a> {
        Calls { wire: self, ask, tries: 0, retries: 0, started: Instant::now() }
    }

    async fn call<T: DeserializeOwned>(&self, body: &Value) -> Result<Reply<T>, Setback> {
        let sent = self.client.post(self.url.clone()).timeout(self.patience.call).json(body).send().await;
        let response = sent.map_err(|error| self.broken(error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let read = self.read(response).await;
        if !status.is_success() {
            let body = read.unwrap_or_else(|setback| setback.message);
            return Err(refused(status, &headers, &self.scrub(&body)));
        }
        let text = read?;
        let body = serde_json::from_str(&text).map_err(|error| {
            let (body, error) = (quote(&self.scrub(&text)), cut(&self.scrub(&error.to_string())));
            Setback::new(FailureKind::Unavailable, format!("answered with a body that cannot be used, {body}: {error}"))
        })?;
        Ok(Reply { body, request_id: request_id(&headers) })
    }

    async fn read(&self, mut response: Response) -> Result<String, Setback> {
        let unusable = |what: String| Setback::new(FailureKind::Unavailable, format!("answered with a body {what}"));
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            if bytes.len() + chunk.len() > MAX_BODY_BYTES {
                return Err(unusable(format!("of more than {MAX_BODY_BYTES} bytes, which is the most that is read")));
            }
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes).map_err(|error| {
            let lossy = String::from_utf8_lossy(error.as_bytes());
            unusable(format!("that is not UTF-8: {}", quote(&self.scrub(&lossy))))
        })
    }

    /// No whole response came.
    fn broken(&self, error: reqwest::Error) -> Setback {
        if error.is_timeout() && !error.is_connect() {
            let seconds = self.patience.call.as_secs_f64();
            return Setback::new(FailureKind::TimedOut, format!("did not answer within {seconds} s"));
        }
        let what = if error.is_connect() { "could not be reached" } else { "broke off" };
        let error = error.without_url();
        let causes = std::iter::successors(error.source(), |it| it.source());
        let why = causes.fold(error.to_string(), |why, cause| format!("{why}: {cause}"));
        let message = format!("{what}: {}", cut(&self.scrub(&why)));
        Setback { again: true, ..Setback::new(FailureKind::Unavailable, message) }
    }

    fn scrub(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }
}

/// A response of the shape expected.
pub(super) struct Reply<T> {
    /// Its body.
    pub(super) body: T,
    /// The provider's name for the request, from the headers.
    pub(super) request_id: Option<String>,
}

/// Why a call brought no reply.
pub(super) struct Setback {
    kind: FailureKind,
    /// What the provider did, as a predicate: "answered 500".
    message: String,
    /// The status and the body of a refusal, in lower case.
    refusal: Option<(StatusCode, String)>,
    again: bool,
    wait: Option<Duration>,
}

impl Setback {
    fn new(kind: FailureKind, message: String) -> Self {
        Setback { kind, message, refusal: None, again: false, wait: None }
    }

    /// Whether the server understood the request but for a part that goes by one of these names.
    pub(super) fn refuses(&self, names: &[&str]) -> bool {
        self.refusal.as_ref().is_some_and(|(status, body)| {
            matches!(status.as_u16(), 400 | 422) && names.iter().any(|it| body.contains(it))
        })
    }
}

/// The calls that one question takes.
pub(super) struct Calls<'a> {
    wire: &'a Wire,
    ask: &'a Ask,
    tries: u32,
    retries: u32,
    started: Instant,
}

impl Calls<'_> {
    /// Makes a call, and makes it again where that is worth it. Retries are counted over the whole question.
    pub(super) async fn post<T: DeserializeOwned>(&mut self, body: &Value) -> Result<Reply<T>, Setback> {
        loop {
            self.tries += 1;
            let setback = match self.wire.call(body).await {
                Ok(reply) => return Ok(reply),
                Err(setback) => setback,
            };
            if !setback.again || self.retries == MAX_RETRIES || setback.wait.is_some_and(|it| it > MAX_WAIT) {
                return Err(setback);
            }
            let wait = pause(self.ask, self.retries, self.wire.patience.backoff, setback.wait);
            let (provider, millis) = (self.wire.provider, wait.as_millis());
            tracing::debug!(provider, key = %self.ask.key, millis, "{}; calling again", setback.message);
            tokio::time::sleep(wait).await;
            self.retries += 1;
        }
    }

    /// The failure that a setback comes to.
    pub(super) fn failure(&self, setback: Setback) -> Failure {
        let mut message = format!("{} {}", self.wire.provider, setback.message);
        if let Some(wait) = setback.wait {
            message = format!("{message}; it asks to wait {} s", wait.as_secs_f64().ceil());
            if wait > MAX_WAIT {
                message = format!("{message}, and at most {} s are waited inside a call", MAX_WAIT.as_secs());
            }
        }
        if self.tries > 1 {
            message = format!("{message}; it was called {} times", self.tries);
        }
        Failure::new(setback.kind, message)
    }

    /// The answer that a reply comes to.
    pub(super) fn answer(&self, model: &str, text: String, usage: Usage, request_id: Option<String>) -> Answer {
        Answer {
            by: format!("{}/{model}", self.wire.provider),
            text,
            usage,
            millis: u32::try_from(self.started.elapsed().as_millis()).unwrap_or(u32::MAX),
            request_id,
            tries: self.tries,
            grounds: Vec::new(),
        }
    }
}

/// How long to wait before a retry: the backoff less up to a quarter, and never less than the provider asks for. The
/// share hangs on the question, so that those who were refused together do not come back together.
fn pause(ask: &Ask, retries: u32, backoff: Duration, asked_for: Option<Duration>) -> Duration {
    let seed = format!("{}/{}/{}/{retries}", ask.prompt.task.seed, ask.key, ask.attempt);
    let share = f64::from(Sha256::digest(seed)[0]) / 255.0;
    let backoff = backoff.saturating_mul(1 << retries.min(16)).min(MAX_BACKOFF);
    let spread = backoff.mul_f64(0.25 * share);
    (backoff - spread).max(asked_for.map_or(Duration::ZERO, |it| it + spread))
}

/// A response that is not a success.
fn refused(status: StatusCode, headers: &HeaderMap, body: &str) -> Setback {
    let (codes, said) = explained(body);
    let has = |parts: &[&str]| codes.iter().any(|code| parts.iter().any(|part| code.contains(part)));
    let spent = has(SPENT);
    let again = !spent
        && match header(headers, "x-should-retry") {
            Some("true") => true,
            Some("false") => false,
            _ => is_passing(status),
        };
    let kind = match () {
        () if spent => FailureKind::Hopeless,
        () if again || is_passing(status) => FailureKind::Unavailable,
        () if has(FILTERED) => FailureKind::Declined,
        () => FailureKind::Hopeless,
    };
    let codes = if codes.is_empty() { String::new() } else { format!(" ({})", cut(&codes.join(", "))) };
    let request = request_id(headers).map(|it| format!("; request {}", cut(&it))).unwrap_or_default();
    let message = format!("answered {}{codes}: {}{request}", status.as_u16(), quote(&said));
    let refusal = Some((status, body.to_lowercase()));
    Setback { kind, message, refusal, again, wait: wait_asked_for(headers, Utc::now()) }
}

/// Whether a later call may well succeed.
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429) || status.is_server_error()
}

/// The codes of an error body, and what it says in words; a body of an unknown shape speaks for itself.
fn explained(body: &str) -> (Vec<String>, String) {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let at = |path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let mut codes = Vec::new();
    for code in ["/error/type", "/error/code", "/error/details/error_code"].into_iter().filter_map(at) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let said = ["/error/message", "/error", "/message", "/detail"].into_iter().find_map(at);
    (codes, said.unwrap_or_else(|| body.to_owned()))
}

/// How long the provider asks to wait: in milliseconds, in seconds, or until a date by its own clock.
fn wait_asked_for(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let number = |name| header(headers, name).and_then(|it| it.trim().parse::<f64>().ok());
    if let Some(millis) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(millis / 1_000.0).ok();
    }
    if let Some(seconds) = number("retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name| header(headers, name).and_then(|it| DateTime::parse_from_rfc2822(it).ok());
    let until = date("retry-after")?.with_timezone(&Utc);
    let from = date("date").map_or(now, |it| it.with_timezone(&Utc));
    Some((until - from).to_std().unwrap_or_default())
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    header(headers, "request-id").or_else(|| header(headers, "x-request-id")).map(str::to_owned)
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A text of others for a failure: in quotation marks, and cut.
pub(super) fn quote(text: &str) -> String {
    if text.trim().is_empty() { "nothing".into() } else { format!("\"{}\"", cut(text)) }
}

/// A text on one line, of at most [`MAX_QUOTED_CHARS`] characters.
fn cut(text: &str) -> String {
    let words = text.split(|it: char| it.is_whitespace() || it.is_control()).filter(|it| !it.is_empty());
    let line = words.take(MAX_QUOTED_CHARS).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_QUOTED_CHARS {
        return line;
    }
    line.chars().take(MAX_QUOTED_CHARS - 3).chain("...".chars()).collect()
}
