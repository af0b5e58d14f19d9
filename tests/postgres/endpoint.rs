//! A server that speaks the embeddings of `OpenAI`, on a real socket, with the faults that a test wants of it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// How a call is answered.
#[derive(Clone)]
pub enum Answer {
    /// As it should be.
    Well,
    /// With this status, this header and this body.
    Told(u16, Option<(&'static str, &'static str)>, String),
    /// With what the right answer is made into.
    Spoilt(fn(&mut Value)),
    /// Never.
    Silence,
}

/// A call as the server saw it.
#[derive(Clone)]
pub struct Call {
    /// Where to.
    pub path: String,
    /// The header `authorization`.
    pub authorization: Option<String>,
    /// The body.
    pub body: Value,
}

/// The server.
#[derive(Clone)]
pub struct Endpoint {
    /// `http://127.0.0.1:40123`.
    pub base: String,
    width: usize,
    answers: Arc<Vec<Answer>>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Endpoint {
    /// Starts it: the n-th answer is for the n-th call, and the last one for every further call.
    pub async fn start(width: usize, answers: impl IntoIterator<Item = Answer>) -> Endpoint {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let endpoint =
            Endpoint { base, width, answers: Arc::new(answers.into_iter().collect()), calls: Arc::default() };
        let router = Router::new().fallback(respond).with_state(endpoint.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        endpoint
    }

    /// What was asked so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("calls").clone()
    }

    /// How many texts each call held.
    pub fn n_texts(&self) -> Vec<usize> {
        let n_texts = |it: &Call| it.body["input"].as_array().map_or(0, Vec::len);
        self.calls().iter().map(n_texts).collect()
    }
}

/// The vector that the server gives a text: not of length 1.
pub fn vector(text: &str, width: usize) -> Vec<f64> {
    let mut vector = vec![0.0; width];
    for (at, byte) in text.bytes().enumerate() {
        vector[(at * 31 + usize::from(byte)) % width] += 1.0;
    }
    vector
}

async fn respond(State(endpoint): State<Endpoint>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let authorization = headers.get("authorization").map(|it| it.to_str().expect("text").to_owned());
    let number = {
        let mut calls = endpoint.calls.lock().expect("calls");
        calls.push(Call { path: uri.path().to_owned(), authorization, body: body.clone() });
        calls.len()
    };
    let width = body["dimensions"].as_u64().map_or(endpoint.width, |it| it as usize);
    let texts = body["input"].as_array().expect("texts");
    let entry = |(index, text): (usize, &Value)| {
        let embedding = vector(text.as_str().expect("a text"), width);
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    };
    let mut right =
        json!({ "object": "list", "data": texts.iter().enumerate().map(entry).collect::<Vec<_>>(), "model": "m" });
    let answer = endpoint.answers.get(number - 1).or(endpoint.answers.last()).unwrap_or(&Answer::Well).clone();
    let (status, header, body) = match answer {
        Answer::Well => (200, None, right.to_string()),
        Answer::Told(status, header, body) => (status, header, body),
        Answer::Spoilt(spoil) => {
            spoil(&mut right);
            (200, None, right.to_string())
        }
        Answer::Silence => std::future::pending().await,
    };
    let mut response = Response::builder().status(status);
    if let Some((name, value)) = header {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).expect("a response")
}
