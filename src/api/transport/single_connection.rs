//! GraphQL over Server-Sent Events, single connection mode: many operations on one stream. It is for browsers with
//! HTTP/1.1, which open at most six connections to a service.
//!
//! | request | effect | response |
//! |---|---|---|
//! | `PUT` | reserves a stream | 201 with its token |
//! | `GET` with the token | opens the stream, with keep-alive comments | 200; 404; 409 if it is open already |
//! | `POST` with the token | starts the operation `extensions.operationId` | 202; 404; 409 if the id is in use |
//! | `DELETE` with the token and `?operationId=` | stops an operation | 200; 404 |
//!
//! Responses arrive on the stream: `next` with `{"id", "payload"}`, `complete` with `{"id"}`. The token is sent in the
//! header `x-graphql-event-stream-token`, or as `token` in the query string. A reservation belongs to one process:
//! behind a load balancer, all its requests have to reach the same process. Streams are not resumed here: pass the last
//! version or cursor as `after`.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_graphql::Executor;
use async_graphql::futures_util::stream::{self, AbortHandle, BoxStream, SelectAll, StreamExt, abortable, once};
use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Interval;
use uuid::Uuid;

use crate::api::admission::tokens::Holder;
use crate::api::streams::connection_slots::Slot;
use crate::api::streams::hub::{Caller, Hub};
use crate::api::streams::rendered::RenderedResponse;
use crate::api::transport::http::whole;
use crate::api::transport::http_response::text_response;
use crate::api::transport::request::from_value;
use crate::api::transport::sse::{SHUTDOWN_NOTICE, accepts_events, events, heartbeat, is_json};
use crate::api::transport::ws_messages::MAX_ID_BYTES;
use faultline_service::read_ahead::ConnectionReads;

/// Time after which a reservation expires if the stream is not opened.
const RESERVED_FOR: Duration = Duration::from_secs(30);
/// Maximum number of streams that are reserved and not opened.
const MAX_RESERVED: usize = 1_000;
const TOKEN: HeaderName = HeaderName::from_static("x-graphql-event-stream-token");

/// Operation id, chosen by the client.
type Id = Arc<str>;
/// Next response of an operation; `None` if it is complete.
type OperationResponse = (Id, Option<RenderedResponse>);

/// Reserved and open streams. Clones share them.
#[derive(Clone, Default)]
pub struct Reservations {
    rooms: Arc<Mutex<HashMap<String, Arc<ReservedStream>>>>,
}

/// One stream.
struct ReservedStream {
    holder: Holder,
    since: Instant,
    begun: mpsc::Sender<BoxStream<'static, OperationResponse>>,
    /// Database reads that the stream may have in progress.
    reads: ConnectionReads,
    state: Mutex<State>,
}

struct State {
    /// Taken when the stream is opened.
    listener: Option<mpsc::Receiver<BoxStream<'static, OperationResponse>>>,
    running: HashMap<Id, Running>,
}

struct Running {
    abort: AbortHandle,
    /// True for an operation with a single response.
    once: bool,
}

impl Reservations {
    /// Reserves a stream for this number of concurrent operations; `None` if too many streams are reserved and not
    /// opened.
    fn reserve(&self, holder: Holder, operations: usize) -> Option<String> {
        let mut rooms = lock(&self.rooms);
        let is_waiting = |room: &ReservedStream| lock(&room.state).listener.is_some();
        rooms.retain(|_, room| !is_waiting(room) || room.since.elapsed() < RESERVED_FOR);
        if rooms.values().filter(|room| is_waiting(room)).count() >= MAX_RESERVED {
            return None;
        }
        let (begun, listener) = mpsc::channel(operations.max(1));
        let state = Mutex::new(State { listener: Some(listener), running: HashMap::new() });
        let token = Uuid::new_v4().simple().to_string();
        rooms.insert(
            token.clone(),
            Arc::new(ReservedStream { holder, since: Instant::now(), begun, reads: ConnectionReads::default(), state }),
        );
        Some(token)
    }

    /// Returns the stream with this token, if the same holder reserved it.
    fn room(&self, holder: Holder, token: &str) -> Option<Arc<ReservedStream>> {
        lock(&self.rooms).get(token).filter(|room| room.holder == holder).cloned()
    }
}

impl ReservedStream {
    /// Returns true if an operation with a single response is running.
    fn has_question(&self) -> bool {
        lock(&self.state).running.values().any(|operation| operation.once)
    }
}

/// Returns the stream token of a request, which selects the single connection mode.
pub fn token(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let header = headers.get(TOKEN).and_then(|value| value.to_str().ok()).map(str::to_owned);
    header.or_else(|| parameter(uri, "token"))
}

/// Handles a PUT request.
pub fn put(reservations: &Reservations, holder: Holder, operations: usize) -> Response {
    match reservations.reserve(holder, operations) {
        Some(token) => (StatusCode::CREATED, token).into_response(),
        None => text_response(StatusCode::SERVICE_UNAVAILABLE, "too many reserved streams are not opened; retry later"),
    }
}

/// Handles a GET request.
pub fn get(reservations: &Reservations, holder: Holder, token: &str, headers: &HeaderMap, slot: Slot) -> Response {
    if !accepts_events(headers) {
        return text_response(StatusCode::NOT_ACCEPTABLE, "accept text/event-stream");
    }
    let Some(room) = reservations.room(holder, token) else { return unknown() };
    let Some(begun) = lock(&room.state).listener.take() else {
        return text_response(StatusCode::CONFLICT, "the stream is already open");
    };
    let responses = CombinedStream {
        begun,
        streams: SelectAll::new(),
        beat: heartbeat(),
        leave: Box::pin(slot.draining()),
        leaving: false,
        over: false,
        open: Open { room, token: token.to_owned(), reservations: reservations.clone() },
        _slot: slot,
    };
    let chunks = stream::unfold(responses, |mut responses| async move {
        responses.next().await.map(|text| (Ok::<_, Infallible>(text), responses))
    });
    events(Body::from_stream(chunks))
}

/// Handles a POST request.
pub async fn post(
    reservations: &Reservations,
    hub: &Hub<impl Executor>,
    (caller, token): (Caller, &str),
    headers: &HeaderMap,
    body: Body,
    operations: usize,
) -> Response {
    if !is_json(headers) {
        return text_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported content type; send application/json");
    }
    let Some(room) = reservations.room(caller.holder.clone(), token) else { return unknown() };
    let body = match whole(headers, body, hub.limits()).await {
        Ok(body) => body,
        Err((status, reason)) => return text_response(status, &reason),
    };
    let read = serde_json::from_slice(&body).map_err(|error| format!("the request body is not valid JSON: {error}"));
    let named = read.and_then(|value: Value| Ok((named(&value["extensions"]["operationId"])?, from_value(value)?)));
    let (id, request) = match named {
        Ok(it) => it,
        Err(reason) => return text_response(StatusCode::BAD_REQUEST, &reason),
    };
    let mut state = lock(&room.state);
    if state.running.contains_key(&id) {
        return text_response(StatusCode::CONFLICT, "an operation with this id is already running");
    }
    if state.running.len() >= operations {
        return many(operations);
    }
    let opened =
        hub.admit(caller, request).map_or_else(|refused| refused, |admitted| hub.open(admitted, None, &room.reads));
    let (own, last) = (Arc::clone(&id), Arc::clone(&id));
    let responses = opened.stream.map(move |response| (Arc::clone(&own), Some(response)));
    let (responses, abort) = abortable(responses.chain(once(async move { (last, None) })));
    // Operations that were stopped before the stream was opened may still be queued.
    match room.begun.try_send(responses.boxed()) {
        Ok(()) => {}
        Err(TrySendError::Full(_)) => return many(operations),
        Err(TrySendError::Closed(_)) => return unknown(),
    }
    state.running.insert(id, Running { abort, once: opened.once });
    StatusCode::ACCEPTED.into_response()
}

/// Handles a DELETE request.
pub fn delete(reservations: &Reservations, holder: Holder, token: &str, uri: &Uri) -> Response {
    let Some(room) = reservations.room(holder, token) else { return unknown() };
    let Some(id) = parameter(uri, "operationId") else {
        return text_response(StatusCode::BAD_REQUEST, "the query parameter `operationId` is missing");
    };
    if let Some(running) = lock(&room.state).running.remove(id.as_str()) {
        running.abort.abort();
    }
    StatusCode::OK.into_response()
}

/// Open stream; it is removed when its reader disconnects.
struct Open {
    room: Arc<ReservedStream>,
    token: String,
    reservations: Reservations,
}

impl Drop for Open {
    fn drop(&mut self) {
        lock(&self.reservations.rooms).remove(&self.token);
    }
}

/// Responses of all operations of one client, in turn, as encoded events with keep-alive comments.
struct CombinedStream {
    begun: mpsc::Receiver<BoxStream<'static, OperationResponse>>,
    streams: SelectAll<BoxStream<'static, OperationResponse>>,
    beat: Interval,
    leave: Pin<Box<dyn Future<Output = ()> + Send>>,
    leaving: bool,
    over: bool,
    open: Open,
    _slot: Slot,
}

impl CombinedStream {
    async fn next(&mut self) -> Option<Bytes> {
        while !self.over {
            // On shutdown, running queries are answered first.
            if self.leaving && !self.open.room.has_question() {
                self.over = true;
                return Some(Bytes::from_static(SHUTDOWN_NOTICE.as_bytes()));
            }
            tokio::select! {
                biased;
                () = &mut self.leave, if !self.leaving => self.leaving = true,
                Some(stream) = self.begun.recv() => self.streams.push(stream),
                Some((id, response)) = self.streams.next() => {
                    if let Some(event) = self.event(&id, response) {
                        return Some(event);
                    }
                }
                _ = self.beat.tick() => return Some(Bytes::from_static(b":\n\n")),
            }
        }
        None
    }

    /// Encodes a response as an event; `None` if the operation was stopped meanwhile.
    fn event(&self, id: &Id, response: Option<RenderedResponse>) -> Option<Bytes> {
        let mut state = lock(&self.open.room.state);
        let name = Value::from(&**id);
        let event = match response {
            Some(response) if state.running.contains_key(id) => {
                format!("event: next\ndata: {{\"id\":{name},\"payload\":{}}}\n\n", response.body)
            }
            None if state.running.remove(id).is_some() => {
                format!("event: complete\ndata: {}\n\n", json!({ "id": name }))
            }
            _ => return None,
        };
        Some(Bytes::from(event))
    }
}

fn named(id: &Value) -> Result<Id, String> {
    match id {
        Value::String(id) if !id.is_empty() && id.len() <= MAX_ID_BYTES => Ok(id.as_str().into()),
        _ => Err(format!("`extensions.operationId` must be a string of 1 to {MAX_ID_BYTES} bytes")),
    }
}

fn parameter(uri: &Uri, name: &str) -> Option<String> {
    let Query(mut parameters) = Query::<BTreeMap<String, String>>::try_from_uri(uri).ok()?;
    parameters.remove(name)
}

fn unknown() -> Response {
    text_response(StatusCode::NOT_FOUND, "unknown stream token; reserve a stream with PUT")
}

fn many(operations: usize) -> Response {
    text_response(
        StatusCode::TOO_MANY_REQUESTS,
        &format!("too many operations; at most {operations} may run on one stream"),
    )
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
