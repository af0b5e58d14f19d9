//! Server that answers like a model provider, with the replies that a test sets, and clients of it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use faultline_core::events::receipt::{EffectKey, Tier, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::Prompt;
use faultline_core::kernel::task::{Task, TaskKind};
use faultline_providers::anthropic::{Anthropic, AnthropicConfig};
use faultline_providers::openai::{OpenAi, OpenAiConfig};
use faultline_providers::settings::{ApiKey, CallTimeouts};
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub const KEY: &str = "sk-test-0123456789";

// The server.

/// Response of the test server: the n-th response answers the n-th call, and the last one every further call.
#[derive(Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// Body of the response. `None` is a model's reply in the wire format of the provider that calls.
    pub body: Option<Vec<u8>>,
    pub after: Duration,
    pub is_cut: bool,
}

impl Reply {
    pub fn of(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Reply { status, headers: Vec::new(), body: Some(body.into()), after: Duration::ZERO, is_cut: false }
    }

    pub fn ok() -> Self {
        Reply { body: None, ..Reply::of(200, "") }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Reply::of(status, body.to_string())
    }

    /// Builds an error response that both providers can parse.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Reply::json(status, &json!({ "type": "error", "error": { "type": code, "message": message } }))
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Call as the server received it.
#[derive(Clone)]
pub struct Call {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Call {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|it| it.to_str().unwrap())
    }
}

#[derive(Clone)]
pub struct Server {
    pub base: String,
    pub replies: Arc<Vec<Reply>>,
    pub calls: Arc<Mutex<Vec<Call>>>,
}

impl Server {
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = Server { base, replies: Arc::new(replies.into_iter().collect()), calls: Arc::default() };
        let router = Router::new().fallback(respond).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub fn bodies(&self) -> Vec<Value> {
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

pub fn message(stop_reason: &str, text: &str) -> Value {
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

pub fn completion(finish_reason: &str, content: Value) -> Value {
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

pub const USAGE: Usage = Usage {
    input_tokens: 12,
    cache_read_tokens: 1024,
    cache_write_tokens: 100,
    output_tokens: 70,
    cost_micros: 0,
    estimated: false,
    unpriced: true,
};

// The request.

pub fn ask() -> EffectAttempt {
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
    EffectAttempt {
        key,
        attempt: 1,
        tier: Tier::Deep,
        model: None,
        is_after_repetition: false,
        prompt,
        grounds: Vec::new(),
        search: None,
        auditor: None,
    }
}

pub fn timeouts() -> CallTimeouts {
    CallTimeouts { call: Duration::from_secs(5), connect: Duration::from_secs(2), backoff: Duration::from_millis(5) }
}

pub fn anthropic_config(base: &str) -> AnthropicConfig {
    let config = AnthropicConfig::new(ApiKey::new(KEY), "deep-model", "quick-model");
    AnthropicConfig { base: base.into(), timeouts: timeouts(), ..config }
}

pub fn openai_config(base: &str) -> OpenAiConfig {
    let config = OpenAiConfig::new(base, "deep-model", "quick-model");
    OpenAiConfig { key: Some(ApiKey::new(KEY)), timeouts: timeouts(), ..config }
}

pub fn anthropic(server: &Server) -> Anthropic {
    Anthropic::new(anthropic_config(&server.base)).unwrap()
}

pub fn openai(server: &Server) -> OpenAi {
    OpenAi::new(openai_config(&server.base)).unwrap()
}
