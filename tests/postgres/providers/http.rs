//! The HTTP providers, against a server run by the test, and the scripted provider.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use faultline_core::events::receipt::{EffectKey, Failure, FailureKind, ProviderAnswer, Tier, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::Prompt;
use faultline_core::kernel::task::{Task, TaskKind};
use faultline_providers::anthropic::{Anthropic, AnthropicConfig};
use faultline_providers::http::{MAX_BODY_BYTES, MAX_RETRIES};
use faultline_providers::openai::{OpenAi, OpenAiConfig, TokenLimit};
use faultline_providers::ports::Model;
use faultline_providers::prices::Prices;
use faultline_providers::scripted::Scripted;
use faultline_providers::settings::{ApiKey, CallTimeouts, ConfigError};

const KEY: &str = "sk-test-0123456789";
const ALL: usize = 1 + MAX_RETRIES as usize;

// The server.

/// Response of the test server: the n-th response answers the n-th call, and the last one every further call.
#[derive(Clone)]
struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    /// Body of the response. `None` is a model's reply in the wire format of the provider that calls.
    body: Option<Vec<u8>>,
    after: Duration,
    is_cut: bool,
}

impl Reply {
    fn of(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Reply { status, headers: Vec::new(), body: Some(body.into()), after: Duration::ZERO, is_cut: false }
    }

    fn ok() -> Self {
        Reply { body: None, ..Reply::of(200, "") }
    }

    fn json(status: u16, body: &Value) -> Self {
        Reply::of(status, body.to_string())
    }

    /// Builds an error response that both providers can parse.
    fn error(status: u16, code: &str, message: &str) -> Self {
        Reply::json(status, &json!({ "type": "error", "error": { "type": code, "message": message } }))
    }

    fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Call as the server received it.
#[derive(Clone)]
struct Call {
    path: String,
    headers: HeaderMap,
    body: Value,
}

impl Call {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|it| it.to_str().unwrap())
    }
}

#[derive(Clone)]
struct Server {
    base: String,
    replies: Arc<Vec<Reply>>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Server {
    async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = Server { base, replies: Arc::new(replies.into_iter().collect()), calls: Arc::default() };
        let router = Router::new().fallback(respond).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    fn bodies(&self) -> Vec<Value> {
        self.calls().into_iter().map(|it| it.body).collect()
    }
}

async fn respond(State(server): State<Server>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path().to_owned();
    let body = serde_json::from_slice(&body).unwrap();
    let number = {
        let mut calls = server.calls.lock().unwrap();
        calls.push(Call { path: path.clone(), headers, body });
        calls.len()
    };
    let reply = server.replies.get(number - 1).or(server.replies.last()).unwrap().clone();
    tokio::time::sleep(reply.after).await;
    let is_anthropic = path.ends_with("/messages");
    let ok = || {
        if is_anthropic { message("end_turn", "{}") } else { completion("stop", json!("{}")) }
    };
    let bytes = reply.body.unwrap_or_else(|| ok().to_string().into_bytes());
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    let body = if reply.is_cut {
        let half = Bytes::copy_from_slice(&bytes[..bytes.len() / 2]);
        Body::from_stream(futures_util::stream::iter([Ok(half), Err(io::Error::other("cut"))]))
    } else {
        Body::from(bytes)
    };
    response.body(body).unwrap()
}

fn message(stop_reason: &str, text: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "deep-model-20261101",
        "content": [{ "type": "thinking", "thinking": "hm", "signature": "x" }, { "type": "text", "text": text }],
        "stop_reason": stop_reason, "stop_sequence": null, "stop_details": null,
        "usage": {
            "input_tokens": 12, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1024,
            "output_tokens": 70, "output_tokens_details": { "thinking_tokens": 60 },
        },
    })
}

fn completion(finish_reason: &str, content: Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "deep-model-20261101",
        "choices": [{
            "index": 0, "finish_reason": finish_reason, "logprobs": null,
            "message": { "role": "assistant", "content": content, "refusal": null },
        }],
        "usage": {
            "prompt_tokens": 1136, "completion_tokens": 70, "total_tokens": 1206,
            "prompt_tokens_details": { "cached_tokens": 1024, "cache_write_tokens": 100 },
            "completion_tokens_details": { "reasoning_tokens": 60 },
        },
    })
}

const USAGE: Usage =
    Usage { input_tokens: 12, cache_read_tokens: 1024, cache_write_tokens: 100, output_tokens: 70, cost_micros: 0 };

// The request.

fn ask() -> EffectAttempt {
    let task = Task {
        topic: "The topic".into(),
        seed: 7,
        speaker: None,
        participants: Vec::new(),
        work: TaskKind::OpenWithArguments,
    };
    let prompt = Prompt {
        system: "You are Ada.".into(),
        text: "Is it so?".into(),
        schema: json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
        schema_name: "opening",
        max_tokens: 300,
        task,
    };
    let key = EffectKey { purpose: "open".into(), subject: "ada".into(), ordinal: 0 };
    EffectAttempt { key, attempt: 1, tier: Tier::Deep, prompt, grounds: Vec::new() }
}

fn patience() -> CallTimeouts {
    CallTimeouts { call: Duration::from_secs(5), connect: Duration::from_secs(2), backoff: Duration::from_millis(5) }
}

fn anthropic_config(base: &str) -> AnthropicConfig {
    let config = AnthropicConfig::new(ApiKey::new(KEY), "deep-model", "quick-model");
    AnthropicConfig { base: base.into(), patience: patience(), ..config }
}

fn openai_config(base: &str) -> OpenAiConfig {
    let config = OpenAiConfig::new(base, "deep-model", "quick-model");
    OpenAiConfig { key: Some(ApiKey::new(KEY)), patience: patience(), ..config }
}

fn anthropic(server: &Server) -> Anthropic {
    Anthropic::new(anthropic_config(&server.base)).unwrap()
}

fn openai(server: &Server) -> OpenAi {
    OpenAi::new(openai_config(&server.base)).unwrap()
}

/// Returns the result and the number of calls of each HTTP provider for the same replies.
async fn both(replies: &[Reply]) -> [(Result<ProviderAnswer, Failure>, usize); 2] {
    let servers = [Server::start(replies.to_vec()).await, Server::start(replies.to_vec()).await];
    let (anthropic, openai, ask) = (anthropic(&servers[0]), openai(&servers[1]), ask());
    let (first, second) = tokio::join!(anthropic.complete(&ask), openai.complete(&ask));
    [(first, servers[0].calls().len()), (second, servers[1].calls().len())]
}

async fn both_answer(replies: &[Reply], calls: usize) {
    for (outcome, called) in both(replies).await {
        let answer = outcome.unwrap();
        assert_eq!((answer.tries as usize, called, answer.text.as_str()), (calls, calls, "{}"));
    }
}

/// Checks that both providers fail alike after `calls` calls, with a short message that contains `saying`.
async fn both_fail(replies: &[Reply], kind: FailureKind, calls: usize, saying: &str) {
    for (outcome, called) in both(replies).await {
        let failure = outcome.unwrap_err();
        assert_eq!((failure.kind, called), (kind, calls), "{failure}");
        assert!(failure.message.contains(saying), "{failure}");
        assert!(failure.message.chars().count() < 420, "{failure}");
    }
}

// Behaviour common to both providers.

#[tokio::test]
async fn transient_failures_are_retried() {
    let overloaded = Reply::error(529, "overloaded_error", "Overloaded");
    both_answer(&[overloaded.clone(), overloaded, Reply::ok()], 3).await;
    for status in [408, 409, 500, 503] {
        both_answer(&[Reply::of(status, ""), Reply::ok()], 2).await;
    }
    both_answer(&[Reply::of(400, "").header("x-should-retry", "true"), Reply::ok()], 2).await;
    both_answer(&[Reply { is_cut: true, ..Reply::ok() }, Reply::ok()], 2).await;
}

#[tokio::test]
async fn a_requested_wait_is_respected_up_to_a_limit() {
    let limited = Reply::error(429, "rate_limit_error", "slow down");
    let started = Instant::now();
    both_answer(&[limited.clone().header("retry-after", "1"), Reply::ok()], 2).await;
    assert!(started.elapsed() >= Duration::from_secs(1));
    both_answer(&[limited.clone().header("retry-after-ms", "20"), Reply::ok()], 2).await;

    let started = Instant::now();
    let long = limited.header("retry-after", "90");
    both_fail(&[long], FailureKind::Unavailable, 1, "requested a wait of 90 s, more than the 60 s").await;
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn persistent_failures_end_after_a_bounded_number_of_calls() {
    let broken = Reply::error(500, "api_error", "Internal server error");
    both_fail(&[broken], FailureKind::Unavailable, ALL, "answered 500 (api_error): \"Internal server error\"").await;
    both_fail(&[Reply::of(503, "<html>busy")], FailureKind::Unavailable, ALL, "\"<html>busy\"").await;
    both_fail(&[Reply { is_cut: true, ..Reply::ok() }], FailureKind::Unavailable, ALL, "broke off").await;
    let firm = Reply::of(503, "no").header("x-should-retry", "false");
    both_fail(&[firm], FailureKind::Unavailable, 1, "answered 503").await;
}

#[tokio::test]
async fn permanent_failures_are_not_retried() {
    let spent = json!({ "error": {
        "type": "rate_limit_error", "message": "limit reached", "details": { "error_code": "enforced_spend_limit_reached" },
    } });
    let hopeless = [
        (Reply::error(429, "insufficient_quota", "You exceeded your current quota"), "current quota"),
        (Reply::json(429, &spent).header("x-should-retry", "true"), "enforced_spend_limit_reached"),
        (Reply::error(401, "authentication_error", "invalid x-api-key"), "answered 401"),
        (Reply::error(402, "billing_error", "pay"), "answered 402"),
        (Reply::error(403, "permission_error", "no"), "answered 403"),
        (Reply::error(404, "not_found_error", "model: deep-model"), "model: deep-model"),
        (Reply::error(413, "request_too_large", "too large"), "answered 413"),
        (Reply::of(404, "404 page not found").header("request-id", "req_9"), "request req_9"),
    ];
    for (reply, saying) in hopeless {
        both_fail(&[reply], FailureKind::Hopeless, 1, saying).await;
    }
    let filtered = json!({ "error": { "code": "content_filter", "message": "The prompt was filtered" } });
    both_fail(&[Reply::json(400, &filtered)], FailureKind::Declined, 1, "The prompt was filtered").await;
}

#[tokio::test]
async fn malformed_responses_are_reported_and_not_blamed_on_the_model() {
    let html = format!("<!DOCTYPE html>\n<html>{}</html>", "<p>welcome</p>\n".repeat(500));
    let cases = [
        (Reply::of(200, "{\"id\": \"msg_1\", "), "that is not JSON (line 1, column 16): \"{\"id\": \"msg_1\",\""),
        (Reply::of(200, html), "\"<!DOCTYPE html> <html><p>welcome</p>"),
        (Reply::of(200, ""), "that is not JSON (line 1, column 0): nothing"),
        (Reply::of(200, b"\"\xff\xfe\"".to_vec()), "that is not UTF-8"),
        (Reply::of(200, "{\"content\": 1, \"choices\": 1}"), "that is not the expected JSON"),
        (Reply::of(200, vec![b'x'; 10 << 20]), "of more than 4194304 bytes (the limit): \"xxx"),
    ];
    for (reply, saying) in cases {
        both_fail(&[reply], FailureKind::Unavailable, 1, saying).await;
    }
    both_fail(&[Reply::of(400, vec![b'x'; 10 << 20])], FailureKind::Hopeless, 1, "answered 400").await;
}

#[tokio::test]
async fn a_long_body_is_read_up_to_the_limit() {
    let envelope = message("end_turn", "").to_string().len();
    let fitting = message("end_turn", &"x".repeat(MAX_BODY_BYTES - envelope)).to_string();
    assert_eq!(fitting.len(), MAX_BODY_BYTES);
    let server = Server::start([Reply::of(200, fitting)]).await;
    anthropic(&server).complete(&ask()).await.unwrap();
}

#[tokio::test]
async fn an_unreachable_server_is_reported_after_all_retries() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let providers: [Box<dyn Model>; 2] = [
        Box::new(Anthropic::new(anthropic_config(&base)).unwrap()),
        Box::new(OpenAi::new(openai_config(&base)).unwrap()),
    ];
    for provider in providers {
        let failure = provider.complete(&ask()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unavailable);
        assert!(failure.message.contains("could not be reached"), "{failure}");
        assert!(failure.message.contains("Connection refused"), "{failure}");
        assert!(failure.message.ends_with(&format!("gave up after {ALL} calls")), "{failure}");
    }
}

#[tokio::test]
async fn a_timeout_is_not_retried() {
    let server = Server::start([Reply { after: Duration::from_secs(60), ..Reply::ok() }]).await;
    let patience = CallTimeouts { call: Duration::from_millis(200), ..patience() };
    let config = AnthropicConfig { patience: patience.clone(), ..anthropic_config(&server.base) };
    let failure = Anthropic::new(config).unwrap().complete(&ask()).await.unwrap_err();
    assert_eq!(failure, Failure::new(FailureKind::TimedOut, "anthropic did not answer within 0.2 s"));
    let config = OpenAiConfig { patience, ..openai_config(&server.base) };
    let failure = OpenAi::new(config).unwrap().complete(&ask()).await.unwrap_err();
    assert_eq!(failure, Failure::new(FailureKind::TimedOut, "openai did not answer within 0.2 s"));
    assert_eq!(server.calls().len(), 2);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start([Reply::ok()]).await;
    let moved = Reply::of(307, "moved").header("location", &format!("{}/v1/messages", elsewhere.base));
    both_fail(&[moved], FailureKind::Hopeless, 1, "answered 307").await;
    assert!(elsewhere.calls().is_empty());
}

#[tokio::test]
async fn the_key_is_redacted_in_errors_logs_and_debug_output() {
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);
    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    // With a single dispatcher, a test that runs beside this one could cache the call sites as disabled.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let guard = tracing::subscriber::set_default(subscriber);

    let telltale = [
        Reply::error(500, "api_error", &format!("failed for x-api-key: {KEY}, authorization: Bearer {KEY}")),
        Reply::error(401, &format!("bad_{KEY}"), &format!("Incorrect API key provided: {KEY}")),
    ];
    for (outcome, _) in both(&telltale).await {
        let failure = outcome.unwrap_err();
        assert!(failure.message.contains("Incorrect API key provided: [redacted]"), "{failure}");
        assert!(!failure.message.contains(KEY), "{failure}");
    }
    both_fail(&[Reply::of(200, KEY)], FailureKind::Unavailable, 1, "[redacted]").await;
    drop(guard);
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("retrying") && !logged.contains(KEY), "{logged}");

    let server = Server::start([Reply::ok()]).await;
    let (anthropic_config, openai_config) = (anthropic_config(&server.base), openai_config(&server.base));
    let shown = format!("{anthropic_config:?} {openai_config:?} {:?} {:?}", anthropic(&server), openai(&server));
    assert!(shown.contains("[redacted]") && !shown.contains(KEY), "{shown}");
}

#[test]
fn invalid_settings_are_refused_with_a_reason() {
    let actual = |config| Anthropic::new(config).unwrap_err().to_string();
    let config = || anthropic_config("http://127.0.0.1:1");
    let key = AnthropicConfig { key: ApiKey::new(" \n"), ..config() };
    assert_eq!(actual(key), "the provider anthropic needs an API key, and none is configured");
    let split = AnthropicConfig { key: ApiKey::new("sk-test\nsecond"), ..config() };
    assert_eq!(
        actual(split),
        "the API key of the provider anthropic contains characters that are not allowed in an HTTP header"
    );
    let version = AnthropicConfig { version: "\u{1}".into(), ..config() };
    assert!(actual(version).starts_with("the version of the provider anthropic"));
    let mut nameless = config();
    nameless.models.quick.name = " ".into();
    assert!(matches!(Anthropic::new(nameless), Err(ConfigError::NoModel { tier: "quick", .. })));

    for (base, why) in [
        ("", "relative URL without a base"),
        ("127.0.0.1:11434/v1", "relative URL without a base"),
        ("localhost:11434", "it begins with `localhost:`"),
        ("ftp://127.0.0.1", "it begins with `ftp:`"),
        ("http://user:hunter2@127.0.0.1", "it contains a user name or a password"),
    ] {
        let error = OpenAi::new(openai_config(base)).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("hunter2"), "{error}");
    }
}

// Anthropic.

#[tokio::test]
async fn anthropic_sends_the_prompt_and_returns_the_reply() {
    let reply = Reply::json(200, &message("end_turn", "{\"a\":1}")).header("request-id", "req_1");
    let server = Server::start([reply]).await;
    let prices =
        Prices::parse("[deep-model]\ninput=1_000_000\ncache_read=100_000\ncache_write=1_250_000\noutput=5_000_000");
    let config = AnthropicConfig { prices: prices.unwrap(), ..anthropic_config(&server.base) };
    let provider = Anthropic::new(config).unwrap();
    let answer = provider.complete(&ask()).await.unwrap();

    let usage = Usage { cost_micros: 12 + 103 + 125 + 350, ..USAGE };
    assert_eq!((answer.by.as_str(), answer.text.as_str()), ("anthropic/deep-model-20261101", "{\"a\":1}"));
    assert_eq!((answer.usage, answer.request_id.as_deref(), answer.tries), (usage, Some("req_1"), 1));
    let call = &server.calls()[0];
    assert_eq!(call.path, "/v1/messages");
    assert_eq!((call.header("x-api-key"), call.header("anthropic-version")), (Some(KEY), Some("2023-06-01")));
    let expected = json!({
        "model": "deep-model",
        "max_tokens": 8_300,
        "system": [{ "type": "text", "text": "You are Ada.", "cache_control": { "type": "ephemeral" } }],
        "messages": [{ "role": "user", "content": "Is it so?" }],
        "output_config": { "format": { "type": "json_schema", "schema": ask().prompt.schema } },
    });
    assert_eq!(call.body, expected);
    assert_eq!(provider.name(), "anthropic");
    assert_eq!(provider.about(), format!("deep-model (deep) and quick-model (quick) at {}", server.base));
}

#[tokio::test]
async fn anthropic_requests_follow_the_settings() {
    let server = Server::start([Reply::ok()]).await;
    let mut config = anthropic_config(&format!("{}/v1/", server.base));
    config.version = "2026-10-21".into();
    config.schema_in_prompt = true;
    config.models.quick.effort = Some("low".into());
    config.models.quick.thinking_tokens = 0;
    let mut ask = ask();
    ask.tier = Tier::Quick;
    ask.prompt.system = String::new();
    Anthropic::new(config).unwrap().complete(&ask).await.unwrap();
    let call = &server.calls()[0];
    assert_eq!((call.path.as_str(), call.header("anthropic-version")), ("/v1/messages", Some("2026-10-21")));
    assert_eq!((&call.body["model"], &call.body["max_tokens"]), (&json!("quick-model"), &json!(300)));
    assert_eq!(call.body["output_config"]["effort"], "low");
    assert_eq!(call.body["output_config"]["format"]["type"], "json_schema");
    assert!(call.body["messages"][0]["content"].as_str().unwrap().contains("JSON Schema"));
    assert_eq!(call.body.get("system"), None);
}

#[tokio::test]
async fn anthropic_stop_reasons_map_to_failure_kinds() {
    let refusal = {
        let mut body = message("refusal", "");
        body["stop_details"] = json!({ "type": "refusal", "category": "cyber", "explanation": null });
        body
    };
    let cases = [
        (
            message("max_tokens", "{\"a"),
            FailureKind::Truncated,
            "cut off (max_tokens) after 70 tokens, 60 of them for thinking",
        ),
        (message("model_context_window_exceeded", "{"), FailureKind::Truncated, "model_context_window_exceeded"),
        (refusal, FailureKind::Declined, "refused, saying \"cyber\""),
        (message("refusal", "no"), FailureKind::Declined, "refused, saying nothing"),
        (message("tool_use", "{"), FailureKind::Unreadable, "stopped for \"tool_use\""),
        (message("end_turn", " \n"), FailureKind::Unreadable, "empty reply"),
    ];
    for (body, kind, saying) in cases {
        let server = Server::start([Reply::json(200, &body).header("request-id", "req_1")]).await;
        let failure = anthropic(&server).complete(&ask()).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{failure}");
        assert!(failure.message.contains(saying) && failure.message.ends_with("; request req_1"), "{failure}");
        assert_eq!(server.calls().len(), 1);
    }
}

#[tokio::test]
async fn anthropic_without_structured_output_gets_the_schema_beside_the_prompt() {
    let refused = Reply::error(400, "invalid_request_error", "output_config.format: not supported by this model");
    let server = Server::start([refused, Reply::ok()]).await;
    let provider = anthropic(&server);
    assert_eq!(provider.complete(&ask()).await.unwrap().tries, 2);
    assert_eq!(provider.complete(&ask()).await.unwrap().tries, 1, "the refusal is remembered");
    for body in &server.bodies()[1..] {
        assert_eq!(body.get("output_config"), None);
        let text = body["messages"][0]["content"].as_str().unwrap();
        assert!(text.starts_with("Is it so?") && text.ends_with(&ask().prompt.schema.to_string()), "{text}");
    }
}

// OpenAI and compatible services.

#[tokio::test]
async fn openai_sends_the_prompt_and_returns_the_reply() {
    let reply = Reply::json(200, &completion("stop", json!("{\"a\":1}"))).header("x-request-id", "req_1");
    let server = Server::start([reply]).await;
    let provider = openai(&server);
    let answer = provider.complete(&ask()).await.unwrap();
    assert_eq!((answer.by.as_str(), answer.text.as_str()), ("openai/deep-model-20261101", "{\"a\":1}"));
    assert_eq!((answer.usage, answer.request_id.as_deref(), answer.tries), (USAGE, Some("req_1"), 1));
    let call = &server.calls()[0];
    assert_eq!(call.path, "/v1/chat/completions");
    assert_eq!(call.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let expected = json!({
        "model": "deep-model",
        "max_completion_tokens": 300,
        "messages": [{ "role": "system", "content": "You are Ada." }, { "role": "user", "content": "Is it so?" }],
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "opening", "strict": true, "schema": ask().prompt.schema },
        },
    });
    assert_eq!(call.body, expected);
    assert_eq!(provider.name(), "openai");
}

#[tokio::test]
async fn openai_requests_follow_the_settings() {
    let server = Server::start([Reply::json(200, &json!({
        "model": "/srv/model.gguf",
            "choices": [{ "message": { "content": [{ "type": "text", "text": "{" }, { "type": "text", "text": "}" }] } }],
    }))])
    .await;
    let mut config = openai_config(&format!("{}/openai/v4/", server.base));
    config.key = Some(ApiKey::new(""));
    config.limit = TokenLimit::MaxTokens;
    config.schema_in_prompt = true;
    config.models.deep.effort = Some("high".into());
    config.models.deep.thinking_tokens = 1_000;
    let answer = OpenAi::new(config).unwrap().complete(&ask()).await.unwrap();
    assert_eq!((answer.by.as_str(), answer.text.as_str()), ("openai/deep-model", "{}"));
    assert_eq!((answer.usage, answer.request_id), (Usage::default(), None));
    let call = &server.calls()[0];
    assert_eq!((call.path.as_str(), call.header("authorization")), ("/openai/v4/chat/completions", None));
    assert_eq!((&call.body["max_tokens"], &call.body["reasoning_effort"]), (&json!(1_300), &json!("high")));
    assert!(call.body["messages"][1]["content"].as_str().unwrap().contains("JSON Schema"));
    assert!(call.body.get("response_format").is_some());
}

#[tokio::test]
async fn openai_finish_reasons_map_to_failure_kinds() {
    let refusal = {
        let mut body = completion("stop", Value::Null);
        body["choices"][0]["message"]["refusal"] = json!("I can't help with that.");
        body
    };
    let cases = [
        (
            completion("length", json!("{\"a")),
            FailureKind::Truncated,
            "cut off (length) after 70 tokens, 60 of them for thinking",
        ),
        (refusal, FailureKind::Declined, "refused, saying \"I can't help with that.\""),
        (completion("content_filter", Value::Null), FailureKind::Declined, "stopped for \"content_filter\""),
        (completion("tool_calls", Value::Null), FailureKind::Unreadable, "stopped for \"tool_calls\""),
        (completion("error", json!("{")), FailureKind::Unavailable, "stopped for \"error\""),
        (completion("stop", json!("")), FailureKind::Unreadable, "empty reply"),
        (json!({ "error": { "message": "no capacity", "code": 502 } }), FailureKind::Unavailable, "no capacity"),
        (json!({ "choices": [] }), FailureKind::Unavailable, "sent no reply"),
    ];
    for (body, kind, saying) in cases {
        let server = Server::start([Reply::json(200, &body)]).await;
        let failure = openai(&server).complete(&ask()).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{failure}");
        assert!(failure.message.contains(saying), "{failure}");
        assert_eq!(server.calls().len(), 1);
    }
}

#[tokio::test]
async fn openai_without_response_format_gets_the_schema_beside_the_prompt() {
    let refused = Reply::error(400, "invalid_request_error", "This response_format type is unavailable now");
    let server = Server::start([refused, Reply::ok()]).await;
    let provider = openai(&server);
    assert_eq!(provider.complete(&ask()).await.unwrap().tries, 2);
    assert_eq!(provider.complete(&ask()).await.unwrap().tries, 1, "the refusal is remembered");
    let bodies = server.bodies();
    assert!(bodies[0].get("response_format").is_some());
    for body in &bodies[1..] {
        assert_eq!(body.get("response_format"), None);
        let text = body["messages"][1]["content"].as_str().unwrap();
        assert!(text.starts_with("Is it so?") && text.ends_with(&ask().prompt.schema.to_string()), "{text}");
    }
    let mut other = ask();
    other.prompt.schema_name = "attack";
    provider.complete(&other).await.unwrap();
    assert!(server.bodies()[3].get("response_format").is_some(), "another schema may be accepted");
}

#[tokio::test]
async fn openai_tries_the_other_name_of_the_token_limit_once() {
    let message = "Unsupported parameter: 'max_completion_tokens' is not supported with this model.";
    let refused = Reply::error(400, "unsupported_parameter", message);
    let server = Server::start([refused.clone(), Reply::ok()]).await;
    let provider = openai(&server);
    assert_eq!(provider.complete(&ask()).await.unwrap().tries, 2);
    assert_eq!(provider.complete(&ask()).await.unwrap().tries, 1, "the refusal is remembered");
    for body in &server.bodies()[1..] {
        assert_eq!((body.get("max_completion_tokens"), &body["max_tokens"]), (None, &json!(300)));
    }

    let server = Server::start([refused]).await;
    let failure = openai(&server).complete(&ask()).await.unwrap_err();
    assert_eq!((failure.kind, server.calls().len()), (FailureKind::Hopeless, 2));
    assert!(failure.message.contains("to the complete request it answered 400"), "{failure}");
}

#[tokio::test]
async fn openai_fallbacks_combine_with_retries() {
    let server = Server::start([
        Reply::of(422, r#"{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"]}]}"#),
        Reply::of(503, "busy"),
        Reply::error(400, "invalid_request_error", "Failed to initialize samplers: failed to parse grammar"),
        Reply::of(503, "busy"),
        Reply::ok(),
    ])
    .await;
    let answer = openai(&server).complete(&ask()).await.unwrap();
    assert_eq!(answer.tries, 5, "two refusals, two retries, and the reply");
    let last = &server.bodies()[4];
    assert_eq!((last.get("response_format"), &last["max_tokens"]), (None, &json!(300)));
}

#[tokio::test]
async fn openai_detects_an_ignored_token_limit() {
    let mut endless = completion("stop", json!("{}"));
    endless["usage"]["completion_tokens"] = json!(10_011);
    let server = Server::start([Reply::json(200, &endless), Reply::ok()]).await;
    let provider = openai(&server);
    provider.complete(&ask()).await.unwrap();
    provider.complete(&ask()).await.unwrap();
    assert_eq!(server.bodies()[1]["max_tokens"], 300);
}

// The scripted provider.

async fn scripted(script: &Value, attempt: u32) -> Result<ProviderAnswer, Failure> {
    let ask = EffectAttempt { attempt, ..ask() };
    Scripted::parse(&script.to_string()).unwrap().complete(&ask).await
}

#[tokio::test]
async fn script_keys_match_from_exact_to_general() {
    let text = async |script: Value, attempt| scripted(&script, attempt).await.unwrap().text;
    let all = json!({ "open/ada/0": [1, { "b": [2] }], "open/*": ["three"], "*": [4] });
    assert_eq!(text(all.clone(), 1).await, "1");
    assert_eq!(text(all.clone(), 2).await, "{\"b\":[2]}");
    assert_eq!(text(all, 7).await, "{\"b\":[2]}", "the last entry repeats");
    assert_eq!(text(json!({ "open/bob/0": [1], "open/*": ["three"], "*": [4] }), 1).await, "\"three\"");
    assert_eq!(text(json!({ "attack/*": [1], "*": [4] }), 1).await, "4");
    let failure = scripted(&json!({ "attack/*": [1] }), 1).await.unwrap_err();
    assert_eq!(failure, Failure::new(FailureKind::Hopeless, "the script has no entry under open/ada/0, open/* or *"));
}

#[tokio::test]
async fn a_script_can_return_any_text_fail_or_wait() {
    let answer = scripted(&json!({ "*": [{ "$text": "not even\nJSON {" }] }), 1).await.unwrap();
    assert_eq!((answer.by.as_str(), answer.text.as_str(), answer.tries), ("scripted", "not even\nJSON {", 1));
    assert_eq!(answer.usage, Usage { input_tokens: 6, output_tokens: 4, ..Usage::default() });
    let kinds = [
        ("unavailable", FailureKind::Unavailable),
        ("timed_out", FailureKind::TimedOut),
        ("hopeless", FailureKind::Hopeless),
        ("declined", FailureKind::Declined),
        ("truncated", FailureKind::Truncated),
        ("unreadable", FailureKind::Unreadable),
    ];
    for (name, kind) in kinds {
        let failure = scripted(&json!({ "*": [{ "$fail": name, "message": "down" }] }), 1).await.unwrap_err();
        assert_eq!(failure, Failure::new(kind, "down"));
    }
    let slow = json!({ "*": [{ "$after_millis": 50, "$reply": { "$fail": "declined" } }, { "$after_millis": 30, "$reply": 5 }] });
    let started = Instant::now();
    assert_eq!(scripted(&slow, 1).await.unwrap_err().kind, FailureKind::Declined);
    assert!(started.elapsed() >= Duration::from_millis(50));
    let answer = scripted(&slow, 2).await.unwrap();
    assert!((answer.text.as_str(), answer.millis >= 30) == ("5", true), "{answer:?}");
}

#[test]
fn an_invalid_script_is_refused_with_the_place() {
    let cases = [
        ("{", "not a JSON object of lists: EOF"),
        ("[]", "expected an object of lists"),
        (r#"{"*": 1}"#, "expected a sequence"),
        (r#"{"*": [1], "*": [2]}"#, "contains the key \"*\" twice"),
        (r#"{"*": []}"#, "no entry under \"*\""),
        (r#"{"open": [1]}"#, "the script's key \"open\" matches no question"),
        (r#"{"open/ada/*": [1]}"#, "matches no question"),
        (r#"{"open/ada/x": [1]}"#, "matches no question"),
        (r#"{"/*": [1]}"#, "matches no question"),
        (
            r#"{"a/b/0": [1, {"$text": 1}]}"#,
            "entry 2 under \"a/b/0\" of the script is invalid: `$text` is not a string",
        ),
        (r#"{"*": [{"$txt": "a"}]}"#, "unknown directive `$txt`"),
        (r#"{"*": [{"$fail": "broken"}]}"#, "`$fail` is not a kind of failure: unknown variant `broken`"),
        (r#"{"*": [{"$fail": "declined", "mesage": "a"}]}"#, "unexpected field `mesage`"),
        (r#"{"*": [{"$after_millis": 5}]}"#, "`$reply` is missing"),
        (r#"{"*": [{"$reply": 5}]}"#, "`$after_millis` is missing"),
        (r#"{"*": [{"$after_millis": 1e9, "$reply": 5}]}"#, "`$after_millis` must be a whole number up to 600000"),
    ];
    for (script, saying) in cases {
        let error = Scripted::parse(script).unwrap_err().to_string();
        assert!(error.contains(saying), "{error}");
    }
    assert_eq!(Scripted::parse(r#"{"a/b/c/0": [1], "a/*": [2]}"#).unwrap().about(), "answers from a script of 2 keys");
}
