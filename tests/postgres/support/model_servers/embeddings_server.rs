//! Test server for the embeddings API of `OpenAI`, on a real socket, with the faults that a test needs.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Answer to a call.
#[derive(Clone)]
pub enum ScriptedAnswer {
    /// The correct answer.
    Correct,
    /// An answer with this status, header and body.
    Fixed(u16, Option<(&'static str, &'static str)>, String),
    /// The correct answer after this function has changed it.
    Altered(fn(&mut Value)),
    /// No answer.
    Never,
}

/// A call that the server received.
#[derive(Clone)]
pub struct Call {
    /// Path of the request.
    pub path: String,
    /// Value of the header `authorization`.
    pub authorization: Option<String>,
    /// JSON body of the request.
    pub body: Value,
}

/// Handle of the running server.
#[derive(Clone)]
pub struct EmbeddingsServer {
    /// Base URL, such as `http://127.0.0.1:40123`.
    pub base: String,
    width: usize,
    answers: Arc<Vec<ScriptedAnswer>>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl EmbeddingsServer {
    /// Starts the server. The n-th answer is for the n-th call, and the last answer for all further calls.
    pub async fn start(width: usize, answers: impl IntoIterator<Item = ScriptedAnswer>) -> EmbeddingsServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let endpoint =
            EmbeddingsServer { base, width, answers: Arc::new(answers.into_iter().collect()), calls: Arc::default() };
        let router = Router::new().fallback(respond).with_state(endpoint.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        endpoint
    }

    /// Calls received so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("calls").clone()
    }

    /// Number of texts of each call.
    pub fn n_texts(&self) -> Vec<usize> {
        let n_texts = |call: &Call| call.body["input"].as_array().map_or(0, Vec::len);
        self.calls().iter().map(n_texts).collect()
    }
}

/// Vector that the server returns for a text; its length is not 1.
pub fn vector(text: &str, width: usize) -> Vec<f64> {
    let mut vector = vec![0.0; width];
    for (at, byte) in text.bytes().enumerate() {
        vector[(at * 31 + usize::from(byte)) % width] += 1.0;
    }
    vector
}

async fn respond(State(endpoint): State<EmbeddingsServer>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let authorization = headers.get("authorization").map(|value| value.to_str().expect("text").to_owned());
    let number = {
        let mut calls = endpoint.calls.lock().expect("calls");
        calls.push(Call { path: uri.path().to_owned(), authorization, body: body.clone() });
        calls.len()
    };
    let width = body["dimensions"].as_u64().map_or(endpoint.width, |width| width as usize);
    let texts = body["input"].as_array().expect("texts");
    let entry = |(index, text): (usize, &Value)| {
        let embedding = vector(text.as_str().expect("a text"), width);
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    };
    let mut right =
        json!({ "object": "list", "data": texts.iter().enumerate().map(entry).collect::<Vec<_>>(), "model": "m" });
    let answer =
        endpoint.answers.get(number - 1).or(endpoint.answers.last()).unwrap_or(&ScriptedAnswer::Correct).clone();
    let (status, header, body) = match answer {
        ScriptedAnswer::Correct => (200, None, right.to_string()),
        ScriptedAnswer::Fixed(status, header, body) => (status, header, body),
        ScriptedAnswer::Altered(spoil) => {
            spoil(&mut right);
            (200, None, right.to_string())
        }
        ScriptedAnswer::Never => std::future::pending().await,
    };
    let mut response = Response::builder().status(status);
    if let Some((name, value)) = header {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).expect("a response")
}
