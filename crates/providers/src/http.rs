//! Shared parts of the HTTP providers: the client, and the sequence of calls for one question.
//!
//! | event | result |
//! |-------|--------|
//! | 408, 409, 429, 500 and above | up to [`MAX_RETRIES`] more calls, then `Unavailable` |
//! | no connection, or a response that is cut off | the same |
//! | any status with an error code for exhausted credit or quota | no retry, `Hopeless` |
//! | any other status with an error code for a filtered prompt | no retry, `Declined` |
//! | any other status | no retry, `Hopeless` |
//! | the server requests a wait longer than [`MAX_WAIT`] | no retry, `Unavailable` |
//! | no complete response within `CallTimeouts::call` | no retry, `TimedOut` |
//! | body too long, not UTF-8, or not the expected JSON | no retry, `Unavailable` |
//!
//! A header `x-should-retry` overrides these rules, except for exhausted credit or quota. A wait that the provider
//! requests is the minimum wait. Redirects are not followed, because a key belongs to the host that it was configured
//! for. A body that is not a model reply is never `Unreadable`: that kind would be reported back to the model as its
//! own mistake.

use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use reqwest::{Client, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::call_error::{CallError, quote, request_id, scrubbed};
use crate::settings::{ApiKey, CallTimeouts, ConfigError};
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::schema::InOrder;

/// Maximum number of retries of a question after transport or server errors.
pub const MAX_RETRIES: u32 = 2;
/// Longest wait inside a call; if a provider requests more, the call fails as `Unavailable`.
pub const MAX_WAIT: Duration = Duration::from_secs(60);
/// Longest backoff if the provider requests no wait.
pub const MAX_BACKOFF: Duration = Duration::from_secs(8);
/// Maximum size of a response body, in bytes.
pub const MAX_BODY_BYTES: usize = 4 << 20;

/// Parses and validates a provider's base URL.
pub(super) fn base_url(provider: &'static str, base: &str) -> Result<Url, ConfigError> {
    let unusable = |why: String| ConfigError::Base { provider, why };
    let url = Url::parse(base.trim()).map_err(|why| unusable(why.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(unusable(format!("it begins with `{}:`; use `http:` or `https:`", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable("it contains a user name or a password; configure the API key instead".into()));
    }
    Ok(url)
}

/// Appends segments to the path of a URL.
pub(super) fn extended(mut url: Url, segments: &[&str]) -> Url {
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// HTTP endpoint of a provider, with client, key and timeouts.
#[derive(Debug)]
pub(super) struct Wire {
    provider: &'static str,
    client: Client,
    url: Url,
    key: Option<ApiKey>,
    patience: CallTimeouts,
}

impl Wire {
    /// Creates a client for one endpoint. `models` pairs the purpose of each model with its name. Calls to this machine
    /// bypass the proxy that the environment configures.
    pub(super) fn new(
        provider: &'static str,
        url: Url,
        headers: HeaderMap,
        key: Option<ApiKey>,
        patience: CallTimeouts,
        models: &[(&'static str, &str)],
    ) -> Result<Self, ConfigError> {
        if let Some((tier, _)) = models.iter().find(|(_, name)| name.trim().is_empty()) {
            return Err(ConfigError::NoModel { provider, tier });
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

    /// Origin of the endpoint (scheme, host and port), for people.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Starts the sequence of calls for one question; sends nothing yet.
    pub(super) fn calls(&self, ask: &EffectAttempt) -> Calls<'_> {
        self.calls_about(ask.key.to_string(), seed(ask))
    }

    /// Starts the sequence of calls for something else than a question. `what` names it in traces; `seed` determines
    /// the jitter of its waits.
    pub(super) fn calls_about(&self, what: String, seed: String) -> Calls<'_> {
        Calls { wire: self, what, seed, tries: 0, retries: 0, refused: None, started: Instant::now() }
    }

    async fn call<T: DeserializeOwned>(&self, body: &Value) -> Result<HttpReply<T>, CallError> {
        let sent = self.client.post(self.url.clone()).timeout(self.patience.call).json(&InOrder(body)).send().await;
        let response = sent.map_err(|error| self.broken(error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let read = self.read(response).await;
        if !status.is_success() {
            let body = read.unwrap_or_else(|setback| setback.message);
            return Err(CallError::refused(status, &headers, &body, self.key.as_ref()));
        }
        let text = read?;
        let body = self.parsed(&text).map_err(|error| {
            let what = if error.is_data() { "not the expected JSON" } else { "not JSON" };
            unusable(&format!("that is {what} (line {}, column {})", error.line(), error.column()), self.quote(&text))
        })?;
        Ok(HttpReply { body, request_id: request_id(&headers, self.key.as_ref()) })
    }

    /// Parses a JSON body. Its contents are recorded permanently, so the key is removed from every string in it,
    /// regardless of how the server escapes it.
    fn parsed<T: DeserializeOwned>(&self, text: &str) -> Result<T, serde_json::Error> {
        let Some(key) = &self.key else { return serde_json::from_str(text) };
        let mut value: Value = serde_json::from_str(text)?;
        if key.scrub_json(&mut value) { serde_json::from_value(value) } else { serde_json::from_str(text) }
    }

    async fn read(&self, mut response: Response) -> Result<String, CallError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            if bytes.len() + chunk.len() > MAX_BODY_BYTES {
                let what = format!("of more than {MAX_BODY_BYTES} bytes (the limit)");
                return Err(unusable(&what, self.quote(&String::from_utf8_lossy(&bytes))));
            }
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes)
            .map_err(|error| unusable("that is not UTF-8", self.quote(&String::from_utf8_lossy(error.as_bytes()))))
    }

    fn broken(&self, error: reqwest::Error) -> CallError {
        CallError::broken(error, self.patience.call, self.key.as_ref())
    }

    fn quote(&self, text: &str) -> String {
        quote(&scrubbed(text, self.key.as_ref()))
    }
}

/// Error for a response that is neither a usable reply nor a refusal.
fn unusable(what: &str, quoted: String) -> CallError {
    CallError::new(FailureKind::Unavailable, format!("answered with a body {what}: {quoted}"))
}

/// Successfully parsed response.
pub(super) struct HttpReply<T> {
    /// Parsed body.
    pub(super) body: T,
    /// Request id of the provider, from the headers.
    pub(super) request_id: Option<String>,
}

/// Sequence of calls for one question.
pub(super) struct Calls<'a> {
    wire: &'a Wire,
    what: String,
    seed: String,
    tries: u32,
    retries: u32,
    /// Message of the server's refusal of a part of the request that was then left out.
    refused: Option<String>,
    started: Instant,
}

impl Calls<'_> {
    /// Sends a request and retries it if that can help. Retries are counted over the whole question.
    pub(super) async fn post<T: DeserializeOwned>(&mut self, body: &Value) -> Result<HttpReply<T>, CallError> {
        loop {
            self.tries += 1;
            let setback = match self.wire.call(body).await {
                Ok(reply) => return Ok(reply),
                Err(setback) => setback,
            };
            if !setback.again || self.retries == MAX_RETRIES || setback.wait.is_some_and(|wait| wait > MAX_WAIT) {
                return Err(setback);
            }
            let wait = pause(&self.seed, self.retries, self.wire.patience.backoff, setback.wait);
            let (provider, millis) = (self.wire.provider, wait.as_millis());
            tracing::debug!(provider, key = %self.what, millis, "{}; retrying", setback.message);
            tokio::time::sleep(wait).await;
            self.retries += 1;
        }
    }

    /// Records the server's refusal of a part of the request that is now left out, to report it if the next call fails
    /// too.
    pub(super) fn leave_out(&mut self, setback: CallError) {
        tracing::debug!(provider = self.wire.provider, key = %self.what, "{}; omitting that part", setback.message);
        self.refused.get_or_insert(setback.message);
    }

    /// Converts a call error to the failure of the question.
    pub(super) fn failure(&self, setback: CallError) -> Failure {
        let mut message = format!("{} {}", self.wire.provider, setback.message);
        if let Some(wait) = setback.wait.filter(|_| setback.again) {
            message = format!("{message}; it requested a wait of {} s", wait.as_secs_f64().ceil());
            if wait > MAX_WAIT {
                message = format!("{message}, more than the {} s allowed inside a call", MAX_WAIT.as_secs());
            }
        }
        if let Some(refused) = &self.refused {
            message = format!("{message}; to the complete request it {refused}");
        }
        if self.tries > 1 {
            message = format!("{message}; gave up after {} calls", self.tries);
        }
        Failure::new(setback.kind, message)
    }

    /// Builds the answer of a question from a reply.
    pub(super) fn answer(&self, model: &str, text: String, usage: Usage, request_id: Option<String>) -> ProviderAnswer {
        ProviderAnswer {
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

/// Seed for the jitter of a question's waits.
fn seed(ask: &EffectAttempt) -> String {
    format!("{}/{}/{}", ask.prompt.task.seed, ask.key, ask.attempt)
}

/// Computes the wait before a retry: the backoff less up to a quarter, and never less than the provider requests. The
/// jitter depends on the question, so that questions that were refused together do not retry together.
fn pause(seed: &str, retries: u32, backoff: Duration, asked_for: Option<Duration>) -> Duration {
    let share = f64::from(Sha256::digest(format!("{seed}/{retries}"))[0]) / 255.0;
    let backoff = backoff.saturating_mul(1 << retries.min(16)).min(MAX_BACKOFF);
    let spread = backoff.mul_f64(0.25 * share);
    (backoff - spread).max(asked_for.map_or(Duration::ZERO, |wait| wait + spread))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;
    use faultline_core::events::receipt::{EffectKey, Tier};
    use faultline_core::kernel::prompt::Prompt;
    use faultline_core::kernel::task::{Task, TaskKind};

    fn ask(attempt: u32) -> EffectAttempt {
        let (topic, participants, work) = (String::new(), Vec::new(), TaskKind::OpenWithArguments);
        let task = Task { topic, seed: 7, speaker: None, participants, work };
        let (system, text, schema) = (String::new(), String::new(), json!({}));
        let prompt = Prompt { system, text, schema, schema_name: "opening", max_tokens: 1, task };
        let key = EffectKey { purpose: "open".into(), subject: "ada".into(), ordinal: 0 };
        EffectAttempt { key, attempt, tier: Tier::Quick, prompt, grounds: Vec::new(), auditor: None }
    }

    #[test]
    fn pauses_grow_and_are_deterministic_per_question() {
        let pause =
            |attempt, retries, asked_for| pause(&seed(&ask(attempt)), retries, Duration::from_millis(500), asked_for);
        assert_eq!(pause(1, 0, None), pause(1, 0, None));
        assert_ne!(pause(1, 0, None), pause(2, 0, None));
        for attempt in 1..50 {
            for (retries, backoff) in [(0, 500), (1, 1_000), (9, 8_000), (4_000, 8_000)] {
                let millis = pause(attempt, retries, None).as_millis();
                assert!((backoff * 3 / 4..=backoff).contains(&millis), "{millis} of {backoff}");
            }
            let floor = Duration::from_secs(20);
            let wait = pause(attempt, 0, Some(floor));
            assert!(wait >= floor && wait <= floor + Duration::from_millis(125), "{wait:?}");
        }
    }

    #[test]
    fn a_path_is_extended_with_and_without_a_slash_and_keeps_its_query() {
        for (base, url) in [
            ("http://127.0.0.1:1", "http://127.0.0.1:1/a/b"),
            ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/a/b"),
            ("https://[::1]/v1?version=2", "https://[::1]/v1/a/b?version=2"),
        ] {
            let base = base_url("test", base).unwrap();
            assert_eq!(extended(base, &["a", "b"]).as_str(), url);
        }
    }
}
