//! GraphQL over Server-Sent Events: one operation a response, in the mode of distinct connections.
//!
//! | event | data | id |
//! |---|---|---|
//! | `next` | a response | the place it leaves its reader at, where the stream has places: `Last-Event-ID` goes on from there |
//! | `complete` | nothing | |
//!
//! `POST` with a JSON body, or `GET` with the same in the query string. What cannot be executed is answered with one `next`
//! that holds the errors. A comment now and then shows that the stream is there; one before the end says that the service
//! stops, and that the client shall come back.

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

use crate::api::http::whole;
use crate::api::request::{from_parameters, from_value};
use crate::api::streams::hub::{Admitted, Hub, Opened, Visitor};
use crate::api::streams::seats::Seat;
use crate::api::streams::told::Told;
use crate::desk::read_ahead::ConnectionReads;

/// How often a quiet stream says that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(12);
/// The end of a stream that the service cuts.
pub const COME_BACK: &str = "retry: 1000\n: the service stops; come back\n\n";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Asks proxies not to hold events back.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Answers a POST.
pub async fn post(hub: &Hub<impl Executor>, visitor: Visitor, headers: &HeaderMap, body: Body, seat: Seat) -> Response {
    if !is_json(headers) {
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json");
    }
    let body = match whole(headers, body, hub.limits()).await {
        Ok(body) => body,
        Err((status, reason)) => return plain(status, &reason),
    };
    let read = serde_json::from_slice(&body).map_err(|error| format!("the request is no JSON: {error}"));
    match read.and_then(from_value) {
        Ok(request) => answer(hub, hub.admit(visitor, request), headers, seat),
        Err(reason) => plain(StatusCode::BAD_REQUEST, &reason),
    }
}

/// Answers a GET: queries and subscriptions only.
pub fn get(hub: &Hub<impl Executor>, visitor: Visitor, headers: &HeaderMap, uri: &Uri, seat: Seat) -> Response {
    let Ok(Query(parameters)) = Query::<BTreeMap<String, String>>::try_from_uri(uri) else {
        return plain(StatusCode::BAD_REQUEST, "the query string cannot be read");
    };
    let request = match from_parameters(parameters) {
        Ok(request) => request,
        Err(reason) => return plain(StatusCode::BAD_REQUEST, &reason),
    };
    let admitted = hub.admit(visitor, request);
    if admitted.as_ref().is_ok_and(Admitted::changes) {
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "nothing is changed by GET; send this by POST");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    answer(hub, admitted, headers, seat)
}

fn answer<E: Executor>(
    hub: &Hub<E>,
    admitted: Result<Admitted<E>, Opened>,
    headers: &HeaderMap,
    seat: Seat,
) -> Response {
    if !accepts_events(headers) {
        return plain(StatusCode::NOT_ACCEPTABLE, "accept text/event-stream");
    }
    let last = headers.get(LAST_EVENT_ID).and_then(|it| it.to_str().ok()).filter(|it| !it.is_empty());
    let opened = admitted.map_or_else(|refused| refused, |it| hub.open(it, last, &ConnectionReads::default()));
    // A query that is under way when the service stops is answered first.
    let leave: Leave = if opened.once { Box::pin(std::future::pending()) } else { Box::pin(seat.time_to_leave()) };
    let teller = Teller { told: opened.stream, beat: heartbeat(), leave, over: false, _seat: seat };
    let told =
        stream::unfold(teller, |mut it| async move { it.next().await.map(|text| (Ok::<_, Infallible>(text), it)) });
    events(Body::from_stream(told))
}

/// An answer that is a stream of events.
pub fn events(body: Body) -> Response {
    let headers = [(CONTENT_TYPE, "text/event-stream; charset=utf-8"), (CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
    (headers.map(|(name, it)| (name, HeaderValue::from_static(it))), body).into_response()
}

/// When a quiet stream says that it is there: at once, so the client sees that it is heard, and now and then.
pub fn heartbeat() -> Interval {
    let mut beat = interval(KEEP_ALIVE);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

/// Whether what is sent is JSON. As with other requests: what a browser sends to strangers without asking first changes
/// nothing here.
pub fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    essence(kind).eq_ignore_ascii_case("application/json")
}

type Leave = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Tells one operation's responses to one client.
struct Teller {
    told: BoxStream<'static, Told>,
    beat: Interval,
    leave: Leave,
    over: bool,
    _seat: Seat,
}

impl Teller {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        tokio::select! {
            biased;
            () = &mut self.leave => {
                self.over = true;
                Some(Bytes::from_static(COME_BACK.as_bytes()))
            }
            told = self.told.next() => Some(match told {
                Some(told) => next(&told),
                None => {
                    self.over = true;
                    Bytes::from_static(b"event: complete\ndata: \n\n")
                }
            }),
            _ = self.beat.tick() => Some(Bytes::from_static(b":\n\n")),
        }
    }
}

/// A response as an event. JSON as it is written here has no line breaks.
fn next(told: &Told) -> Bytes {
    let place = told.place.to_string();
    let id = if place.is_empty() { String::new() } else { format!("id: {place}\n") };
    Bytes::from(format!("event: next\n{id}data: {}\n\n", told.body))
}

/// Whether the client takes a stream of events.
pub fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(','));
    let takes =
        |it: &str| ["text/event-stream", "text/*", "*/*"].iter().any(|own| essence(it).eq_ignore_ascii_case(own));
    !headers.contains_key(ACCEPT) || accepted.into_iter().any(takes)
}

/// A media type without its parameters.
fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

/// A refusal in a line.
pub fn plain(status: StatusCode, reason: &str) -> Response {
    (status, format!("{reason}\n")).into_response()
}
