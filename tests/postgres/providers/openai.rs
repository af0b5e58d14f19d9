//! The `OpenAI` provider: its requests, the meaning of its replies, and its fallbacks.

use faultline_core::events::receipt::{FailureKind, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::DIVIDER;
use faultline_providers::openai::{OpenAi, TokenLimit};
use faultline_providers::ports::{ChoosableModels, Model};
use faultline_providers::settings::ApiKey;
use serde_json::{Value, json};

use crate::support::model_servers::provider_server::{
    KEY, Reply, Server, USAGE, ask, completion, openai, openai_config,
};

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
async fn openai_answers_with_the_model_of_the_speaker() {
    let server = Server::start([Reply::ok()]).await;
    let mut config = openai_config(&server.base);
    config.models.deep.effort = Some("high".into());
    let provider = OpenAi::new(config).unwrap();
    assert_eq!(provider.choosable(), ChoosableModels::Any);
    provider.complete(&EffectAttempt { model: Some("ada-model".into()), ..ask() }).await.unwrap();
    let body = &server.bodies()[0];
    assert_eq!((&body["model"], &body["reasoning_effort"]), (&json!("ada-model"), &json!("high")));
}

#[tokio::test]
async fn openai_penalizes_repetition_after_a_reply_that_repeated_words() {
    let refused = Reply::error(400, "invalid_request_error", "Unsupported parameter: frequency_penalty");
    let server = Server::start([Reply::ok(), Reply::ok(), refused, Reply::ok(), Reply::ok()]).await;
    let provider = openai(&server);
    let again = EffectAttempt { is_after_repetition: true, ..ask() };
    for ask in [&ask(), &again, &again, &again] {
        provider.complete(ask).await.unwrap();
    }
    let sent: Vec<Value> = server.bodies().into_iter().map(|body| body["frequency_penalty"].clone()).collect();
    let (none, penalty) = (Value::Null, json!(0.5));
    assert_eq!(sent, [none.clone(), penalty.clone(), penalty, none.clone(), none], "a refusal is remembered");
}

#[tokio::test]
async fn openai_gets_the_shared_part_first() {
    let server = Server::start([Reply::ok()]).await;
    let mut ask = ask();
    ask.prompt.text = format!("The talk.{DIVIDER}It is your turn.");
    openai(&server).complete(&ask).await.unwrap();
    assert_eq!(server.bodies()[0]["messages"][1]["content"], "The talk.\n\nIt is your turn.");
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
    let Usage { input_tokens, output_tokens, estimated, .. } = answer.usage;
    assert!(estimated && input_tokens > 0 && output_tokens == 1, "the server reports no usage: {:?}", answer.usage);
    assert_eq!(answer.request_id, None);
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
