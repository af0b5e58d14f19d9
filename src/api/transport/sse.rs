//! GraphQL over Server-Sent Events, distinct connections mode: one operation per response.
//!
//! | event | data | id |
//! |---|---|---|
//! | `next` | a response | the position after it, if the stream has positions: `Last-Event-ID` resumes there |
//! | `complete` | nothing | |
//!
//! The operation is sent by `POST` with a JSON body, or by `GET` in the query string. An operation that is refused is
//! answered with one `next` that contains the errors. Comments keep an idle stream alive; a comment before the end
//! asks the client to reconnect, because the service is shutting down.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use async_graphql::Executor;
use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::api::streams::connection_slots::Slot;
use crate::api::streams::hub::{Admitted, Caller, Hub, RunningOperation};
use crate::api::streams::rendered::RenderedResponse;
use crate::api::transport::http::whole;
use crate::api::transport::http_response::text_response;
use crate::api::transport::request::{from_parameters, from_value};
use faultline_service::read_ahead::ConnectionReads;

/// Interval of keep-alive comments on an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(12);
/// Last text of a stream that the service ends.
pub const SHUTDOWN_NOTICE: &str = "retry: 1000\n: the service is shutting down; reconnect\n\n";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Header that asks reverse proxies not to buffer the response.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Handles a POST request.
pub async fn post(hub: &Hub<impl Executor>, visitor: Caller, headers: &HeaderMap, body: Body, slot: Slot) -> Response {
    if !is_json(headers) {
        return text_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported content type; send application/json");
    }
    let body = match whole(headers, body, hub.limits()).await {
        Ok(body) => body,
        Err((status, reason)) => return text_response(status, &reason),
    };
    let read = serde_json::from_slice(&body).map_err(|error| format!("the request body is not valid JSON: {error}"));
    match read.and_then(from_value) {
        Ok(request) => answer(hub, hub.admit(visitor, request), headers, slot),
        Err(reason) => text_response(StatusCode::BAD_REQUEST, &reason),
    }
}

/// Handles a GET request, which must be a query or subscription.
pub fn get(hub: &Hub<impl Executor>, visitor: Caller, headers: &HeaderMap, uri: &Uri, slot: Slot) -> Response {
    let Ok(Query(parameters)) = Query::<BTreeMap<String, String>>::try_from_uri(uri) else {
        return text_response(StatusCode::BAD_REQUEST, "the URL's query string is malformed");
    };
    let request = match from_parameters(parameters) {
        Ok(request) => request,
        Err(reason) => return text_response(StatusCode::BAD_REQUEST, &reason),
    };
    let admitted = hub.admit(visitor, request);
    if admitted.as_ref().is_ok_and(Admitted::is_mutation) {
        let mut refused = text_response(StatusCode::METHOD_NOT_ALLOWED, "mutations may not be sent by GET; use POST");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    answer(hub, admitted, headers, slot)
}

fn answer<E: Executor>(
    hub: &Hub<E>,
    admitted: Result<Admitted<E>, RunningOperation>,
    headers: &HeaderMap,
    slot: Slot,
) -> Response {
    if !accepts_events(headers) {
        return text_response(StatusCode::NOT_ACCEPTABLE, "accept text/event-stream");
    }
    let last = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok()).filter(|id| !id.is_empty());
    let opened =
        admitted.map_or_else(|refused| refused, |admitted| hub.open(admitted, last, &ConnectionReads::default()));
    // On shutdown, a running query is answered first.
    let leave: Leave = if opened.once { Box::pin(std::future::pending()) } else { Box::pin(slot.draining()) };
    let responses = ResponseStream { responses: opened.stream, beat: heartbeat(), leave, over: false, _slot: slot };
    let chunks = stream::unfold(responses, |mut responses| async move {
        responses.next().await.map(|text| (Ok::<_, Infallible>(text), responses))
    });
    events(Body::from_stream(chunks))
}

/// Builds a response that is a stream of events.
pub fn events(body: Body) -> Response {
    let headers = [(CONTENT_TYPE, "text/event-stream; charset=utf-8"), (CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
    (headers.map(|(name, value)| (name, HeaderValue::from_static(value))), body).into_response()
}

/// Returns the timer for keep-alive comments. It fires at once, so that the client sees that the stream is open.
pub fn heartbeat() -> Interval {
    let mut beat = interval(KEEP_ALIVE);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

/// Returns true if the content type is JSON. As for other requests, the types that browsers send cross-origin without a
/// preflight request are not accepted.
pub fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    essence(kind).eq_ignore_ascii_case("application/json")
}

type Leave = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Responses of one operation as encoded events, with keep-alive comments.
struct ResponseStream {
    responses: BoxStream<'static, RenderedResponse>,
    beat: Interval,
    leave: Leave,
    over: bool,
    _slot: Slot,
}

impl ResponseStream {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        tokio::select! {
            biased;
            () = &mut self.leave => {
                self.over = true;
                Some(Bytes::from_static(SHUTDOWN_NOTICE.as_bytes()))
            }
            response = self.responses.next() => Some(match response {
                Some(response) => next(&response),
                None => {
                    self.over = true;
                    Bytes::from_static(b"event: complete\ndata: \n\n")
                }
            }),
            _ = self.beat.tick() => Some(Bytes::from_static(b":\n\n")),
        }
    }
}

/// Encodes a response as an event. Its JSON contains no line breaks.
fn next(response: &RenderedResponse) -> Bytes {
    let position = response.position.to_string();
    let id = if position.is_empty() { String::new() } else { format!("id: {position}\n") };
    Bytes::from(format!("event: next\n{id}data: {}\n\n", response.body))
}

/// Returns true if the client accepts an event stream.
pub fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted =
        headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let takes =
        |kind: &str| ["text/event-stream", "text/*", "*/*"].iter().any(|own| essence(kind).eq_ignore_ascii_case(own));
    !headers.contains_key(ACCEPT) || accepted.into_iter().any(takes)
}

/// Returns a media type without its parameters.
fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}
