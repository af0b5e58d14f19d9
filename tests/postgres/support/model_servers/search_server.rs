//! Server that answers like a web search, with the responses that a test sets, and clients of it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use faultline_providers::search::searxng::{Searxng, SearxngConfig};
use faultline_providers::search::tavily::{Tavily, TavilyConfig};
use faultline_providers::settings::{ApiKey, CallTimeouts};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Key of the searches.
pub const SEARCH_KEY: &str = "tvly-test-0123456789";

/// Response of the server; the last one answers every further call.
#[derive(Clone)]
pub struct SearchResponse {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
    after: Duration,
    /// Pause between repetitions of the body, which then never ends.
    again: Option<Duration>,
}

impl SearchResponse {
    /// Response with this status and body.
    pub fn of(status: u16, body: impl Into<Bytes>) -> Self {
        SearchResponse { status, headers: Vec::new(), body: body.into(), after: Duration::ZERO, again: None }
    }

    /// Response with these results.
    pub fn results(results: Value) -> Self {
        let body = json!({ "query": "a claim", "answers": [], "response_time": 0.5, "results": results });
        SearchResponse::of(200, body.to_string())
    }

    /// Response that is a Tavily error.
    pub fn error(status: u16, message: &str) -> Self {
        SearchResponse::of(status, json!({ "detail": { "error": message } }).to_string())
    }

    /// Response that begins after a time.
    pub fn after(self, after: Duration) -> Self {
        SearchResponse { after, ..self }
    }

    /// Response that repeats its body for ever, with this pause in between.
    pub fn endless(self, pause: Duration) -> Self {
        SearchResponse { again: Some(pause), ..self }
    }

    /// Response with another header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Call as the server received it.
#[derive(Clone)]
pub struct SearchCall {
    pub method: Method,
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: Value,
}

/// The running server.
#[derive(Clone)]
pub struct SearchServer {
    pub base: String,
    responses: Arc<Vec<SearchResponse>>,
    calls: Arc<Mutex<Vec<SearchCall>>>,
}

impl SearchServer {
    /// Starts a server with these responses.
    pub async fn start(responses: impl IntoIterator<Item = SearchResponse>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let responses = Arc::new(responses.into_iter().collect());
        let server = SearchServer { base, responses, calls: Arc::default() };
        let router = Router::new().fallback(respond).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    /// Calls so far.
    pub fn calls(&self) -> Vec<SearchCall> {
        self.calls.lock().unwrap().clone()
    }

    /// Search by Tavily at this server.
    pub fn tavily(&self) -> Tavily {
        self.tavily_within(search_timeouts())
    }

    /// Search by Tavily at this server, with these timeouts.
    pub fn tavily_within(&self, timeouts: CallTimeouts) -> Tavily {
        Tavily::new(TavilyConfig { base: self.base.clone(), key: ApiKey::new(SEARCH_KEY), timeouts }).unwrap()
    }

    /// Search by `SearXNG` at this server.
    pub fn searxng(&self) -> Searxng {
        self.searxng_within(search_timeouts())
    }

    /// Search by `SearXNG` at this server, with these timeouts.
    pub fn searxng_within(&self, timeouts: CallTimeouts) -> Searxng {
        Searxng::new(SearxngConfig { base: self.base.clone(), timeouts }).unwrap()
    }
}

/// Timeouts with a short backoff.
pub fn search_timeouts() -> CallTimeouts {
    CallTimeouts { call: Duration::from_secs(5), connect: Duration::from_secs(2), backoff: Duration::from_millis(5) }
}

async fn respond(
    State(server): State<SearchServer>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let (path, query) = (uri.path().to_owned(), uri.query().unwrap_or_default().to_owned());
    let number = {
        let mut calls = server.calls.lock().unwrap();
        calls.push(SearchCall { method, path, query, headers, body });
        calls.len()
    };
    let answer = server.responses.get(number - 1).or(server.responses.last()).unwrap().clone();
    tokio::time::sleep(answer.after).await;
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    let body = match answer.again {
        None => Body::from(answer.body),
        Some(pause) => Body::from_stream(futures_util::stream::unfold(answer.body, move |body| async move {
            tokio::time::sleep(pause).await;
            Some((Ok::<_, Infallible>(body.clone()), body))
        })),
    };
    response.body(body).unwrap()
}

/// Address that nothing may connect to, with the number of connections that came.
pub struct Untouched {
    pub base: String,
    connections: Arc<AtomicUsize>,
}

impl Untouched {
    /// Listens on a free port of this machine.
    pub async fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Untouched { base, connections }
    }

    /// Number of connections so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}
