//! The HTTP providers, against a server run by the test, and the scripted provider.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer};
use faultline_providers::anthropic::{Anthropic, AnthropicConfig};
use faultline_providers::http::{MAX_BODY_BYTES, MAX_RETRIES};
use faultline_providers::openai::{OpenAi, OpenAiConfig};
use faultline_providers::ports::Model;
use faultline_providers::settings::{ApiKey, CallTimeouts, ConfigError};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::support::model_servers::provider_server::{
    KEY, Reply, Server, anthropic, anthropic_config, ask, message, openai, openai_config, timeouts,
};

const ALL: usize = 1 + MAX_RETRIES as usize;

/// Returns the result and the number of calls of each HTTP provider for the same replies.
async fn both(replies: &[Reply]) -> [(Result<ProviderAnswer, Failure>, usize); 2] {
    let servers = [Server::start(replies.to_vec()).await, Server::start(replies.to_vec()).await];
    let (anthropic, openai, ask) = (anthropic(&servers[0]), openai(&servers[1]), ask());
    let (first, second) = tokio::join!(anthropic.complete(&ask), openai.complete(&ask));
    [(first, servers[0].calls().len()), (second, servers[1].calls().len())]
}

async fn both_answer(replies: &[Reply], calls: usize) {
    for (outcome, called) in both(replies).await {
        let answer = outcome.expect("an answer");
        assert_eq!((answer.tries as usize, called, answer.text.as_str()), (calls, calls, "{}"));
    }
}

/// Checks that both providers fail alike after `calls` calls, with a short message that contains `saying`.
async fn both_fail(replies: &[Reply], kind: FailureKind, calls: usize, saying: &str) {
    for (outcome, called) in both(replies).await {
        let failure = outcome.expect_err("a failure");
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

/// Servers of local models close a connection after a reply, without announcing it. A call that is sent at once must not
/// find the closed one.
#[tokio::test]
async fn a_server_that_closes_connections_after_a_reply_is_called_anew() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let n_connections = Arc::new(Mutex::new(0));
    let counted = n_connections.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            *counted.lock().unwrap() += 1;
            let body = message("end_turn", "{}").to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
            let mut asked = [0; 64 << 10];
            // The whole request: what is left unread would reset the connection.
            while let Ok(Ok(1..)) = timeout(Duration::from_millis(20), socket.read(&mut asked)).await {}
            let _ = socket.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    let provider = Anthropic::new(anthropic_config(&base)).unwrap();
    for _ in 0..20 {
        assert_eq!(provider.complete(&ask()).await.expect("an answer").tries, 1);
    }
    assert_eq!(*n_connections.lock().unwrap(), 20);
}

#[tokio::test]
async fn a_timeout_is_not_retried() {
    let server = Server::start([Reply { after: Duration::from_secs(60), ..Reply::ok() }]).await;
    let timeouts = CallTimeouts { call: Duration::from_millis(200), ..timeouts() };
    let config = AnthropicConfig { timeouts: timeouts.clone(), ..anthropic_config(&server.base) };
    let timed_out = |failure: Failure, message: &str| {
        let answer = failure.answer.expect("the tokens of the call");
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::TimedOut, message));
        assert!(answer.usage.estimated && answer.usage.input_tokens > 0, "{:?}", answer.usage);
    };
    timed_out(
        Anthropic::new(config).unwrap().complete(&ask()).await.unwrap_err(),
        "anthropic did not answer within 0.2 s",
    );
    let config = OpenAiConfig { timeouts, ..openai_config(&server.base) };
    timed_out(OpenAi::new(config).unwrap().complete(&ask()).await.unwrap_err(), "openai did not answer within 0.2 s");
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
