//! The Anthropic provider: its requests, and the meaning of its replies.

use faultline_core::events::receipt::{FailureKind, Tier, Usage};
use faultline_core::kernel::prompt::DIVIDER;
use faultline_providers::anthropic::{Anthropic, AnthropicConfig};
use faultline_providers::ports::Model;
use faultline_providers::prices::Prices;
use serde_json::json;

use crate::support::model_servers::provider_server::{
    KEY, Reply, Server, USAGE, anthropic, anthropic_config, ask, message,
};

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

    let usage = Usage { cost_micros: 12 + 103 + 125 + 350, unpriced: false, ..USAGE };
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
async fn anthropic_caches_the_part_that_all_speakers_share() {
    let server = Server::start([Reply::ok()]).await;
    let mut ask = ask();
    ask.prompt.text = format!("The talk.{DIVIDER}It is your turn.");
    anthropic(&server).complete(&ask).await.unwrap();
    let cache = json!({ "type": "ephemeral" });
    let expected = json!([
        { "type": "text", "text": "The talk.", "cache_control": cache },
        { "type": "text", "text": "It is your turn." },
    ]);
    assert_eq!(server.bodies()[0]["messages"][0]["content"], expected);
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
