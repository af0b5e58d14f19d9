//! The scripted provider: keys, replies, and invalid scripts.

use std::time::{Duration, Instant};

use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_providers::ports::Model;
use faultline_providers::scripted::Scripted;
use serde_json::{Value, json};

use crate::support::model_servers::provider_server::ask;

// The scripted provider.

async fn scripted(script: &Value, attempt: u32) -> Result<ProviderAnswer, Failure> {
    let ask = EffectAttempt { attempt, ..ask() };
    Scripted::parse(&script.to_string()).expect("a valid script").complete(&ask).await
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
        (r#"{"*": [{"$reply": 5}]}"#, "`$after_millis` or `$pace_millis` is missing"),
        (r#"{"*": [{"$after_millis": 1e9, "$reply": 5}]}"#, "`$after_millis` must be a whole number up to 600000"),
    ];
    for (script, saying) in cases {
        let error = Scripted::parse(script).unwrap_err().to_string();
        assert!(error.contains(saying), "{error}");
    }
    assert_eq!(Scripted::parse(r#"{"a/b/c/0": [1], "a/*": [2]}"#).unwrap().about(), "answers from a script of 2 keys");
}
