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
//! | no complete response within `CallTimeouts::call`, earlier calls and waits included | no retry, `TimedOut` |
//! | body too long, not UTF-8, or not the expected JSON | no retry, `Unavailable` |
//! | a stream that ends early or reports an error | as for a response that is cut off, or by its error code |
//!
//! A provider may bill a call that broke off or timed out. Its tokens are counted as far as the provider reported them,
//! and estimated (and marked as estimated) where it did not; they are added to the usage of the question.
//!
//! A header `x-should-retry` overrides these rules, except for exhausted credit or quota. A wait that the provider
//! requests is the minimum wait. Redirects are not followed, because a key belongs to the host that it was configured
//! for. A body that is not a model reply is never `Unreadable`: that kind would be reported back to the model as its
//! own mistake.

use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::call_error::{CallError, PartialReply, estimated_tokens, granted_tokens, quote, request_id, scrubbed};
use crate::pacing::{CallPermit, CallQueues, ProviderLimits};
use crate::ports::DraftSink;
use crate::prices::Prices;
use crate::reply_stream::ReplyStream;
use crate::settings::{ApiKey, CallTimeouts, ConfigError, TierModel};
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
    /// Method of all requests: POST with a JSON body, or GET, where the fields of the body are the query.
    method: Method,
    url: Url,
    key: Option<ApiKey>,
    timeouts: CallTimeouts,
    queues: CallQueues,
}

impl Wire {
    /// Creates a client for one endpoint. `models` pairs the purpose of each model with its name. Calls to this machine
    /// bypass the proxy that the environment configures, and each has a connection of its own: it costs nothing there, and
    /// the servers of local models close connections without announcing it, even while the next call is being sent.
    pub(super) fn new(
        provider: &'static str,
        url: Url,
        headers: HeaderMap,
        key: Option<ApiKey>,
        timeouts: CallTimeouts,
        models: &[(&'static str, &str)],
    ) -> Result<Self, ConfigError> {
        if let Some((tier, _)) = models.iter().find(|(_, name)| name.trim().is_empty()) {
            return Err(ConfigError::NoModel { provider, tier });
        }
        let mut builder = Client::builder()
            .user_agent(concat!("faultline/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(timeouts.connect)
            .default_headers(headers);
        let host = url.host_str().unwrap_or_default();
        if host == "localhost" || host == "[::1]" || host.starts_with("127.") {
            builder = builder.no_proxy().pool_max_idle_per_host(0);
        }
        let client = builder.build().map_err(|why| ConfigError::Client { provider, why })?;
        let queues = CallQueues::new(&ProviderLimits::default());
        Ok(Wire { provider, client, method: Method::POST, url, key, timeouts, queues })
    }

    /// Returns the endpoint with queues that apply these limits.
    pub(super) fn within(self, limits: &ProviderLimits) -> Self {
        Wire { queues: CallQueues::new(limits), ..self }
    }

    /// Returns the endpoint with requests by GET. Their body is an object of scalars, sent as the query.
    pub(super) fn with_queries(self) -> Self {
        Wire { method: Method::GET, ..self }
    }

    /// Origin of the endpoint (scheme, host and port), for people.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Starts the sequence of calls for one question to a model; sends nothing yet.
    pub(super) fn calls<'a>(&'a self, ask: &EffectAttempt, model: &'a TierModel, prices: &'a Prices) -> Calls<'a> {
        Calls { bill: Some((model, prices)), ..self.calls_about(ask.key.to_string(), seed(ask)) }
    }

    /// Starts the sequence of calls for something else than a question. `what` names it in traces; `seed` determines
    /// the jitter of its waits.
    pub(super) fn calls_about(&self, what: String, seed: String) -> Calls<'_> {
        Calls {
            wire: self,
            what,
            seed,
            bill: None,
            tries: 0,
            retries: 0,
            refused: None,
            broken: PartialReply::default(),
            started: Instant::now(),
            queued: Duration::ZERO,
            reserved: 0,
        }
    }

    /// Sends a request; returns the response if its status is a success.
    pub(super) async fn send(&self, body: &Value, within: Duration) -> Result<Response, CallError> {
        let request = self.client.request(self.method.clone(), self.url.clone()).timeout(within);
        let request = if self.method == Method::GET { request.query(body) } else { request.json(&InOrder(body)) };
        let response = request.send().await.map_err(|error| {
            let may_be_billed = error.is_timeout() && !error.is_connect();
            let error = self.broken(error);
            if may_be_billed { error.after(PartialReply::estimated(body, "")) } else { error }
        })?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        let body = self.read(response).await.unwrap_or_else(|error| error.message);
        Err(CallError::refused(status, &headers, &body, self.key.as_ref()))
    }

    /// Reads a response that is one JSON value.
    pub(super) async fn read_json<T: DeserializeOwned>(
        &self,
        response: Response,
        request: &Value,
    ) -> Result<HttpReply<T>, CallError> {
        let request_id = request_id(response.headers(), self.key.as_ref());
        let text = self.read(response).await.map_err(|error| error.after(PartialReply::estimated(request, "")))?;
        let body = self.parsed(&text).map_err(|error| {
            let what = if error.is_data() { "not the expected JSON" } else { "not JSON" };
            unusable(&format!("that is {what} (line {}, column {})", error.line(), error.column()), self.quote(&text))
        })?;
        Ok(HttpReply { body, request_id })
    }

    /// Returns the key, to remove it from what the server sends.
    pub(super) fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// Parses a JSON body. Its contents are recorded permanently, so the key is removed from every string in it,
    /// regardless of how the server escapes it.
    pub(super) fn parsed<T: DeserializeOwned>(&self, text: &str) -> Result<T, serde_json::Error> {
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

    pub(super) fn broken(&self, error: reqwest::Error) -> CallError {
        CallError::broken(error, self.timeouts.call, self.key.as_ref())
    }

    pub(super) fn quote(&self, text: &str) -> String {
        quote(&scrubbed(text, self.key.as_ref()))
    }
}

/// Error for a response that is neither a usable reply nor a refusal.
pub(super) fn unusable(what: &str, quoted: String) -> CallError {
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
    /// Model that is asked, and the prices by which its tokens are billed.
    bill: Option<(&'a TierModel, &'a Prices)>,
    tries: u32,
    retries: u32,
    /// Message of the server's refusal of a part of the request that was then left out.
    refused: Option<String>,
    /// Text of the last reply that broke off, and the tokens of all that did.
    broken: PartialReply,
    started: Instant,
    /// Time spent in the queue of the provider.
    queued: Duration,
    /// Tokens that the calls reserved.
    reserved: u64,
}

impl Calls<'_> {
    /// Sends a request and retries it if that can help. Retries are counted over the whole question.
    pub(super) async fn send<T: DeserializeOwned>(&mut self, body: &Value) -> Result<HttpReply<T>, CallError> {
        loop {
            let permit = self.admit(body).await;
            let called = async {
                let response = self.wire.send(body, self.left()).await?;
                self.wire.read_json(response, body).await
            };
            let error = match called.await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            drop(permit);
            let wait = self.wait_before_retry(error)?;
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends a request like [`Calls::send`] and hands the text of the reply on as it arrives. A server may answer with
    /// the whole reply all the same.
    pub(super) async fn stream<S: ReplyStream>(
        &mut self,
        body: &Value,
        drafts: &dyn DraftSink,
    ) -> Result<HttpReply<S::Body>, CallError> {
        loop {
            let permit = self.admit(body).await;
            let error = match self.wire.stream::<S>(body, self.left(), drafts).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            drop(permit);
            let reason = error.message.clone();
            let wait = self.wait_before_retry(error)?;
            drafts.discard(&reason);
            tokio::time::sleep(wait).await;
        }
    }

    /// Waits until the limits of the provider and the model allow the next call, and counts it.
    async fn admit(&mut self, body: &Value) -> [Option<CallPermit>; 2] {
        let (tokens, since) = (estimated_tokens(&body.to_string()) + granted_tokens(body), Instant::now());
        let permit = self.wire.queues.admit(self.model(), tokens).await;
        self.queued += since.elapsed();
        self.reserved += tokens;
        self.tries += 1;
        permit
    }

    /// Replaces the tokens that the calls reserved by those of an answer or a failure; none if nothing was generated.
    pub(super) async fn settle(&self, outcome: &Result<ProviderAnswer, Failure>) {
        let answer = outcome.as_ref().map_or_else(|failure| failure.answer.as_deref(), Some);
        let usage = answer.map(|answer| answer.usage).unwrap_or_default();
        self.wire.queues.settle(self.model(), self.reserved, &usage).await;
    }

    /// Name of the model that is asked.
    fn model(&self) -> Option<&str> {
        self.bill.map(|(model, _)| model.name.as_str())
    }

    /// Time of the question so far, without that in the queue.
    fn elapsed(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.queued)
    }

    /// Time that is left for the question.
    fn left(&self) -> Duration {
        self.wire.timeouts.call.saturating_sub(self.elapsed())
    }

    /// Counts the tokens of a failed call; returns the wait before the next one.
    ///
    /// # Errors
    /// The call's error if no other call can help, or none is left.
    fn wait_before_retry(&mut self, mut error: CallError) -> Result<Duration, CallError> {
        if let Some(partial) = error.partial.take() {
            self.broken.add(*partial);
        }
        if !error.again || self.retries == MAX_RETRIES || error.wait.is_some_and(|wait| wait > MAX_WAIT) {
            return Err(error);
        }
        let wait = pause(&self.seed, self.retries, self.wire.timeouts.backoff, error.wait);
        if wait >= self.left() {
            return Err(error);
        }
        let (provider, millis) = (self.wire.provider, wait.as_millis());
        tracing::debug!(provider, key = %self.what, millis, "{}; retrying", error.message);
        self.retries += 1;
        Ok(wait)
    }

    /// Records the server's refusal of a part of the request that is now left out, to report it if the next call fails
    /// too.
    pub(super) fn leave_out(&mut self, error: CallError) {
        tracing::debug!(provider = self.wire.provider, key = %self.what, "{}; omitting that part", error.message);
        self.refused.get_or_insert(error.message);
    }

    /// Converts a call error to the failure of the question. That of a question to a model has the tokens of all calls that
    /// broke off.
    pub(super) fn failure(&self, error: CallError) -> Failure {
        let mut message = format!("{} {}", self.wire.provider, error.message);
        if let Some(wait) = error.wait.filter(|_| error.again) {
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
        let answer = self.bill.filter(|_| self.broken.usage.tokens() > 0).map(|(model, _)| {
            let model = model.called(self.broken.model.clone());
            Box::new(self.answer(&model, self.broken.text.clone(), Usage::default(), None))
        });
        Failure { answer, ..Failure::new(error.kind, message) }
    }

    /// Builds the answer of a question from a reply. Adds the tokens of calls that broke off, and the cost.
    pub(super) fn answer(&self, model: &str, text: String, usage: Usage, request_id: Option<String>) -> ProviderAnswer {
        let mut usage = usage.plus(&self.broken.usage);
        if let Some((asked, prices)) = self.bill {
            let cost = prices.cost_of_either(&usage, model, &asked.name);
            (usage.cost_micros, usage.unpriced) = (cost.unwrap_or(0), cost.is_none());
        }
        ProviderAnswer {
            by: format!("{}/{model}", self.wire.provider),
            text,
            usage,
            millis: u32::try_from(self.elapsed().as_millis()).unwrap_or(u32::MAX),
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
        EffectAttempt {
            key,
            attempt,
            tier: Tier::Quick,
            model: None,
            is_after_repetition: false,
            prompt,
            grounds: Vec::new(),
            search: None,
            auditor: None,
        }
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
