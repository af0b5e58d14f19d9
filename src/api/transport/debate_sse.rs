//! A debate's events as Server-Sent Events, for clients without GraphQL.
//!
//! `GET /debates/{id}/events` sends the history and then new events as they are appended. The `id:` of each event is
//! its version, so a browser that reconnects resumes through `Last-Event-ID`; `?after=` does the same for other
//! clients. The response ends after the debate's last event, and a client that reconnects then gets 204. An erased
//! debate is answered with 410; a client that is reading when the debate is erased gets an event `erased`, and the
//! response ends. With `?format=legacy` events have the names of the predecessor systems, for clients that know only
//! those.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use async_graphql::futures_util::stream;
use async_graphql::futures_util::stream::{Stream, StreamExt};
use axum::extract::{Path, RawQuery};
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::api::error::ERASED;
use crate::api::streams::connection_slots::Slot;
use crate::api::streams::position::parse_version;
use crate::api::transport::http_response::text_response;
use crate::service::event_feeds::{EventFeeds, Feed, SubscribeError};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire;
use faultline_core::export::legacy::legacy::LegacyTranslator;
use faultline_store::error::StoreError;

/// Interval of keep-alive comments on an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Delay after which a disconnected browser reconnects.
const RETRY: Duration = Duration::from_secs(1);
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Header that asks reverse proxies not to buffer the response.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Streams the debate's events. The connection slot is released when the stream ends.
pub async fn serve(
    feeds: &EventFeeds,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: &HeaderMap,
    slot: Slot,
) -> Response {
    match parse_request(&id, query.as_deref(), headers) {
        Ok(request) => stream_feed(feeds, request, slot).await,
        Err(reason) => text_response(StatusCode::BAD_REQUEST, &reason),
    }
}

/// Streams the events of a debate from its beginning, with the names of the predecessor systems if `legacy`.
pub async fn serve_from_beginning(feeds: &EventFeeds, debate: DebateId, legacy: bool, slot: Slot) -> Response {
    stream_feed(feeds, FeedRequest { debate, after: 0, legacy }, slot).await
}

async fn stream_feed(feeds: &EventFeeds, request: FeedRequest, slot: Slot) -> Response {
    match open(feeds, &request).await {
        Ok(feed) if feed.is_over() => StatusCode::NO_CONTENT.into_response(),
        Ok(feed) => {
            let leave = slot.draining();
            let events = EventStream {
                feed,
                request,
                legacy: LegacyTranslator::default(),
                waiting: VecDeque::new(),
                _slot: slot,
            };
            let stream = Sse::new(events.encoded().take_until(Box::pin(leave)))
                .keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
            let headers = [(CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
            (headers.map(|(name, value)| (name, HeaderValue::from_static(value))), stream).into_response()
        }
        Err(SubscribeError::Fault(fault @ StoreError::Erased { .. })) => {
            text_response(StatusCode::GONE, &fault.to_string())
        }
        Err(SubscribeError::Fault(fault @ (StoreError::Damaged { .. } | StoreError::KeyMissing { .. }))) => {
            tracing::error!(%fault, "a debate cannot be read: its log is damaged");
            text_response(StatusCode::INTERNAL_SERVER_ERROR, &fault.to_string())
        }
        Err(SubscribeError::Fault(fault)) => {
            tracing::warn!(%fault, "cannot stream a debate's events");
            text_response(StatusCode::SERVICE_UNAVAILABLE, "the events cannot be read at the moment; try again")
        }
        Err(reason) => {
            let missing = matches!(reason, SubscribeError::Missing(_));
            let status = if missing { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
            text_response(status, &reason.to_string())
        }
    }
}

/// Parsed request.
#[derive(Clone, Debug)]
struct FeedRequest {
    debate: DebateId,
    /// Version after which to start.
    after: i64,
    /// True if events have the legacy names.
    legacy: bool,
}

/// Opens the feed at the requested position. The legacy format depends on earlier events, so its feed starts at the
/// beginning, and events before the requested position are not sent again.
async fn open(feeds: &EventFeeds, request: &FeedRequest) -> Result<Feed, SubscribeError> {
    let feed = feeds.debate(request.debate, request.after, None).await?;
    if request.legacy && !feed.is_over() { feeds.debate(request.debate, 0, None).await } else { Ok(feed) }
}

/// Parses the debate id and the position. `Last-Event-ID` takes precedence over `?after=`.
fn parse_request(id: &str, query: Option<&str>, headers: &HeaderMap) -> Result<FeedRequest, String> {
    let debate = id.parse::<DebateId>().map_err(|error| error.to_string())?;
    let mut request = FeedRequest { debate, after: 0, legacy: false };
    for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("after", value)) => request.after = parse_version(value)?,
            Some(("format", "legacy")) => request.legacy = true,
            _ => return Err("unknown parameter; use ?after=VERSION and/or ?format=legacy".to_owned()),
        }
    }
    if let Some(last) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) {
        request.after = parse_version(last.to_str().unwrap_or("an id that is not ASCII"))?;
    }
    Ok(request)
}

/// Events of a debate, encoded for one client.
struct EventStream {
    feed: Feed,
    request: FeedRequest,
    legacy: LegacyTranslator,
    /// Events still to be sent: one event can become several in the legacy format.
    waiting: VecDeque<Event>,
    _slot: Slot,
}

impl EventStream {
    fn encoded(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, |mut events| async move { events.next().await.map(|event| (Ok(event), events)) })
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            match self.feed.next().await? {
                Ok(recorded) if self.request.legacy => self.queue_legacy(&recorded),
                Ok(recorded) => return Some(event(&recorded)),
                Err(fault @ StoreError::Erased { .. }) => {
                    let data = json!({ "code": ERASED, "message": fault.to_string() });
                    return Some(Event::default().event("erased").data(data.to_string()));
                }
                Err(fault) => {
                    tracing::warn!(%fault, "a stream of events ended early");
                    return Some(Event::default().comment("the events cannot be read at the moment"));
                }
            }
        }
    }

    /// Only the last of several legacy events gets the version as its id: a client that is cut off before it receives
    /// all of them again.
    fn queue_legacy(&mut self, recorded: &Recorded) {
        let values = self.legacy.translate(recorded);
        if recorded.version <= self.request.after {
            return;
        }
        let last = values.len().saturating_sub(1);
        let events = values.iter().enumerate().map(|(at, value)| {
            let name = value.get("type").and_then(Value::as_str).unwrap_or_default();
            let event = Event::default().event(name).retry(RETRY).data(value.to_string());
            if at == last { event.id(recorded.version.to_string()) } else { event }
        });
        self.waiting.extend(events);
    }
}

fn event(recorded: &Recorded) -> Event {
    let json = wire::to_event_json(recorded);
    let data = serde_json::to_string(&json).expect("an event has only string keys and finite numbers");
    Event::default().id(recorded.version.to_string()).event(&json.kind).retry(RETRY).data(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_is_parsed() {
        const ID: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
        fn check(id: &str, query: Option<&str>, last: &str, expected: Result<i64, &str>) {
            let mut headers = HeaderMap::new();
            headers.insert(LAST_EVENT_ID, HeaderValue::from_str(last).expect("a header"));
            let got = parse_request(id, query, &headers).map(|request| request.after);
            assert_eq!(got.as_ref().copied().map_err(String::as_str), expected, "{id} {query:?} {last}");
        }
        check(ID, None, "", Ok(0));
        check(ID, Some("after=7"), "", Ok(7));
        check(ID, Some("after=7"), "9", Ok(9));
        check(ID, Some("after=-7"), "", Ok(-7));
        check(ID, Some("after=x"), "", Err("\"x\" is not a version"));
        check(ID, Some("before=3"), "", Err("unknown parameter; use ?after=VERSION and/or ?format=legacy"));
        check(ID, Some("format=legacy&after=3"), "", Ok(3));
        check(ID, Some("format=new"), "", Err("unknown parameter; use ?after=VERSION and/or ?format=legacy"));
        check(ID, None, "99999999999999999999", Err("\"99999999999999999999\" is not a version"));
        assert!(parse_request("../x", None, &HeaderMap::new()).is_err());
    }
}
