//! Client of an embeddings endpoint, tested with a local server.

use std::time::Duration;

use faultline_core::events::receipt::FailureKind;
use faultline_providers::embeddings::{Embeddings, EmbeddingsConfig, EmbeddingsError, MAX_TEXT_BYTES, MAX_TEXTS};
use faultline_providers::http::MAX_RETRIES;
use faultline_providers::ports::Embedder;
use faultline_providers::settings::{ApiKey, CallTimeouts, ConfigError};
use serde_json::json;

use crate::support::model_servers::embeddings_server::{EmbeddingsServer, ScriptedAnswer, vector};

const KEY: &str = "sk-test-0123456789";
const ALL: usize = 1 + MAX_RETRIES as usize;

fn config(endpoint: &EmbeddingsServer, width: Option<usize>) -> EmbeddingsConfig {
    let timeouts = CallTimeouts {
        call: Duration::from_secs(5),
        connect: Duration::from_secs(2),
        backoff: Duration::from_millis(5),
    };
    let (base, key) = (endpoint.base.clone(), Some(ApiKey::new(KEY)));
    EmbeddingsConfig { base, key, model: "m".to_owned(), width, timeouts }
}

/// Opens an embedder of width 8 on a server that gives these answers.
async fn embedder(answers: impl IntoIterator<Item = ScriptedAnswer>) -> (Embeddings, EmbeddingsServer) {
    let endpoint = EmbeddingsServer::start(8, answers).await;
    let embedder = Embeddings::open(config(&endpoint, Some(8))).await.expect("an embedder");
    (embedder, endpoint)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn response(status: u16, body: &str) -> ScriptedAnswer {
    ScriptedAnswer::Fixed(status, None, body.to_owned())
}

#[tokio::test]
async fn vectors_have_length_1_and_the_order_of_the_texts() {
    let (embedder, endpoint) =
        embedder([ScriptedAnswer::Altered(|answer| answer["data"].as_array_mut().unwrap().reverse())]).await;
    assert_eq!((embedder.name(), embedder.width()), ("openai:m:8", 8));
    let given = texts(&["One.", "", "Two words.", " \n", "Dreißig Wörter 🙂"]);
    let vectors = embedder.embed(&given).await.unwrap();
    let mut first_axis = vec![0.0; 8];
    first_axis[0] = 1.0;
    assert_eq!((&vectors[1], &vectors[3]), (&first_axis, &first_axis));
    for at in [0, 2, 4] {
        let (theirs, own) = (vector(&given[at], 8), &vectors[at]);
        let length = own.iter().map(|component| component * component).sum::<f32>().sqrt();
        let dot: f64 = theirs.iter().zip(own).map(|(a, b)| a * f64::from(*b)).sum();
        let cosine = dot / theirs.iter().map(|component| component * component).sum::<f64>().sqrt() / f64::from(length);
        assert!((length - 1.0).abs() < 0.003 && cosine > 0.999_99, "{length} {cosine}");
    }
    let [call] = &endpoint.calls()[..] else { panic!("expected one call") };
    assert_eq!(
        (call.path.as_str(), call.authorization.as_deref()),
        ("/v1/embeddings", Some("Bearer sk-test-0123456789"))
    );
    assert_eq!(
        call.body,
        json!({ "model": "m", "input": ["One.", "Two words.", "Dreißig Wörter 🙂"], "dimensions": 8 })
    );
}

#[tokio::test]
async fn texts_are_sent_in_batches_and_long_texts_are_cut() {
    let (embedder, endpoint) = embedder([ScriptedAnswer::Correct]).await;
    let mut given: Vec<String> = (0..2 * MAX_TEXTS + 1).map(|n| format!("Text {n}.")).collect();
    given[0] = "ß".repeat(MAX_TEXT_BYTES);
    let together = embedder.embed(&given).await.unwrap();
    assert_eq!(endpoint.n_texts(), [MAX_TEXTS, MAX_TEXTS, 1]);
    assert_eq!(endpoint.calls()[0].body["input"][0].as_str().unwrap().len(), MAX_TEXT_BYTES);
    let alone = embedder.embed(&given[9..10]).await.unwrap();
    assert_eq!(alone[0], together[9], "a vector does not depend on the other texts of a call");
    assert!(embedder.embed(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_unconfigured_width_is_determined_once() {
    let endpoint = EmbeddingsServer::start(1_536, [ScriptedAnswer::Correct]).await;
    let base = format!("{}/api/v1/", endpoint.base);
    let embedder = Embeddings::open(EmbeddingsConfig { base, ..config(&endpoint, None) }).await.unwrap();
    assert_eq!((embedder.name(), embedder.width()), ("openai:m:1536", 1_536));
    assert_eq!(embedder.embed(&texts(&["One."])).await.unwrap()[0].len(), 1_536);
    let calls = endpoint.calls();
    assert_eq!((calls.len(), calls[1].path.as_str()), (2, "/api/v1/embeddings"));
    assert!(calls.iter().all(|call| call.body.get("dimensions").is_none()));

    let gone = EmbeddingsServer::start(8, [response(404, "no such model")]).await;
    let error = Embeddings::open(config(&gone, None)).await.unwrap_err();
    assert!(matches!(error, EmbeddingsError::Unasked { .. }), "{error}");
    assert!(error.to_string().contains("answered 404: \"no such model\""), "{error}");
}

#[tokio::test]
async fn a_server_that_refuses_dimensions_must_return_the_configured_width() {
    let refusal = || response(400, "{\"error\":{\"message\":\"model m does not support dimensions\"}}");
    let (embedder, endpoint) = embedder([refusal(), ScriptedAnswer::Correct]).await;
    embedder.embed(&texts(&["One."])).await.unwrap();
    embedder.embed(&texts(&["Two."])).await.unwrap();
    let said: Vec<bool> = endpoint.calls().iter().map(|call| call.body.get("dimensions").is_some()).collect();
    assert_eq!(said, [true, false, false], "the refusal is remembered");

    let endpoint = EmbeddingsServer::start(16, [refusal(), ScriptedAnswer::Correct]).await;
    let embedder = Embeddings::open(config(&endpoint, Some(8))).await.unwrap();
    let failure = embedder.embed(&texts(&["One."])).await.unwrap_err();
    assert_eq!(failure.message, "openai embeddings returned a vector of length 16; expected 8");
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let limited = ScriptedAnswer::Fixed(429, Some(("retry-after-ms", "20")), "slow down".to_owned());
    let (embedder, endpoint) = embedder([limited, response(500, ""), ScriptedAnswer::Correct]).await;
    embedder.embed(&texts(&["One."])).await.unwrap();
    assert_eq!(endpoint.calls().len(), ALL);
}

#[tokio::test]
async fn failures_have_a_kind_and_name_their_cause() {
    let cases: [(ScriptedAnswer, FailureKind, usize, &str); 11] = [
        (response(500, "oh"), FailureKind::Unavailable, ALL, "answered 500: \"oh\"; gave up after 3 calls"),
        (
            response(429, "{\"error\":{\"code\":\"insufficient_quota\"}}"),
            FailureKind::Hopeless,
            1,
            "insufficient_quota",
        ),
        (response(401, &format!("bad key {KEY}")), FailureKind::Hopeless, 1, "answered 401: \"bad key [redacted]\""),
        (response(200, "{\"data\":[{\"embedding\":[NaN]}]}"), FailureKind::Unavailable, 1, "not JSON (line 1"),
        (response(200, "{\"error\":\"no slot\"}"), FailureKind::Unavailable, 1, "sent no vectors, saying"),
        (
            ScriptedAnswer::Altered(|answer| answer["data"][0]["embedding"][3] = json!(null)),
            FailureKind::Unreadable,
            1,
            "invalid vector for text 0",
        ),
        (
            ScriptedAnswer::Altered(|answer| answer["data"][1]["embedding"][3] = json!(1e300)),
            FailureKind::Unavailable,
            1,
            "that is not JSON (line 1",
        ),
        (
            ScriptedAnswer::Altered(|answer| answer["data"][0]["embedding"] = json!([0, 0, 0])),
            FailureKind::Unreadable,
            1,
            "invalid vector for text 0",
        ),
        (
            ScriptedAnswer::Altered(|answer| answer["data"][0]["embedding"] = json!([1])),
            FailureKind::Unreadable,
            1,
            "length 1; expected 8",
        ),
        (
            ScriptedAnswer::Altered(|answer| drop(answer["data"].as_array_mut().unwrap().pop())),
            FailureKind::Unreadable,
            1,
            "returned 1 vectors for 2 texts",
        ),
        (
            ScriptedAnswer::Altered(|answer| answer["data"][1]["index"] = json!(0)),
            FailureKind::Unreadable,
            1,
            "out of range or repeated: 0",
        ),
    ];
    for (answer, kind, n_calls, saying) in cases {
        let (embedder, endpoint) = embedder([answer]).await;
        let failure = embedder.embed(&texts(&["One.", "Two."])).await.unwrap_err();
        assert_eq!((failure.kind, endpoint.calls().len()), (kind, n_calls), "{failure}");
        assert!(failure.message.contains(saying) && !failure.message.contains(KEY), "{failure}");
    }
}

#[tokio::test]
async fn a_call_without_an_answer_times_out() {
    let endpoint = EmbeddingsServer::start(8, [ScriptedAnswer::Never]).await;
    let timeouts = CallTimeouts { call: Duration::from_millis(50), ..CallTimeouts::default() };
    let config = EmbeddingsConfig { timeouts, ..config(&endpoint, Some(8)) };
    let failure = Embeddings::open(config).await.unwrap().embed(&texts(&["One."])).await.unwrap_err();
    assert_eq!((failure.kind, endpoint.calls().len()), (FailureKind::TimedOut, 1), "{failure}");
}

#[tokio::test]
async fn invalid_settings_are_refused_without_a_call() {
    let endpoint = EmbeddingsServer::start(8, [ScriptedAnswer::Correct]).await;
    let sound = || config(&endpoint, Some(8));
    let opened = async |config| match Embeddings::open(config).await {
        Err(EmbeddingsError::Config(error)) => error,
        other => panic!("{other:?}"),
    };
    let nameless = opened(EmbeddingsConfig { model: " ".to_owned(), ..sound() }).await;
    assert!(matches!(nameless, ConfigError::NoModel { tier: "embedding", .. }), "{nameless}");
    let keyed = opened(EmbeddingsConfig { key: Some(ApiKey::new("a\nb")), ..sound() }).await;
    assert!(matches!(keyed, ConfigError::Header { .. }), "{keyed}");
    let hostless = opened(EmbeddingsConfig { base: "ftp://somewhere".to_owned(), ..sound() }).await;
    assert!(matches!(hostless, ConfigError::Base { .. }), "{hostless}");
    assert!(!format!("{:?}", sound()).contains(KEY));
    assert!(endpoint.calls().is_empty());
}
