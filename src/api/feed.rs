//! A debate's events as Server-Sent Events, for whoever wants them without GraphQL.
//!
//! `GET /debates/{id}/events` tells the history and goes on live. The `id:` of each event is its version, so a browser
//! that was cut off says by itself in `Last-Event-ID` where to go on; `?after=` says the same. After the debate's last
//! event the response ends, and whoever comes back then is told by 204 that nothing more will come.

use std::convert::Infallible;
use std::time::Duration;

use async_graphql::futures_util::stream::{self, Stream};
use axum::extract::{Path, RawQuery};
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::OwnedSemaphorePermit;

use crate::desk::desk::{Desk, DeskError};
use crate::desk::feed::Feed;
use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire;
use crate::kernel::engine::RefusalKind;
use crate::store::tail::Tail;

/// How often a quiet stream says that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// After how long a browser that was cut off comes back.
const RETRY: Duration = Duration::from_secs(1);
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Asks proxies not to hold events back.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Answers with the debate's events; the seat is given up when the stream ends.
pub async fn serve(
    desk: &Desk,
    tail: &Tail,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: &HeaderMap,
    seat: OwnedSemaphorePermit,
) -> Response {
    let (debate, after) = match asked(&id, query.as_deref(), headers) {
        Ok(asked) => asked,
        Err(reason) => return plain(StatusCode::BAD_REQUEST, &reason),
    };
    match desk.feed(tail, debate, after).await {
        Ok(feed) if feed.is_over() => StatusCode::NO_CONTENT.into_response(),
        Ok(feed) => {
            let stream = Sse::new(events(feed, seat)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
            let headers = [(CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
            (headers.map(|(name, it)| (name, HeaderValue::from_static(it))), stream).into_response()
        }
        Err(DeskError::Refused(refusal)) => {
            let missing = refusal.kind == RefusalKind::NotFound;
            let status = if missing { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
            plain(status, &refusal.reason)
        }
        Err(DeskError::Fault(fault)) => {
            tracing::warn!(%fault, "a debate's events cannot be streamed");
            plain(StatusCode::SERVICE_UNAVAILABLE, "the events cannot be read at present")
        }
    }
}

/// The debate, and the version after which to begin: where the client was cut off, else where it asks to begin.
fn asked(id: &str, query: Option<&str>, headers: &HeaderMap) -> Result<(DebateId, i64), String> {
    let debate = id.parse::<DebateId>().map_err(|it| it.to_string())?;
    let version = |text: &str| {
        text.parse::<i64>().map_err(|_| format!("{:?} is no version", text.chars().take(64).collect::<String>()))
    };
    if let Some(last) = headers.get(LAST_EVENT_ID).filter(|it| !it.is_empty()) {
        return Ok((debate, version(last.to_str().unwrap_or("an id that is no text"))?));
    }
    let mut after = 0;
    for pair in query.unwrap_or_default().split('&').filter(|it| !it.is_empty()) {
        match pair.split_once('=') {
            Some(("after", value)) => after = version(value)?,
            _ => return Err("say ?after=VERSION, or nothing".to_owned()),
        }
    }
    Ok((debate, after))
}

fn events(feed: Feed, seat: OwnedSemaphorePermit) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((feed, seat), |(mut feed, seat)| async move {
        let event = match feed.next().await? {
            Ok(recorded) => told(&recorded),
            Err(fault) => {
                tracing::warn!(%fault, "a stream of events ends before its time");
                Event::default().comment("the events cannot be read at present")
            }
        };
        Some((Ok(event), (feed, seat)))
    })
}

fn told(recorded: &Recorded) -> Event {
    let told = wire::told(recorded);
    let data = serde_json::to_string(&told).expect("an event has string keys and finite numbers only");
    Event::default().id(recorded.version.to_string()).event(&told.kind).retry(RETRY).data(data)
}

fn plain(status: StatusCode, reason: &str) -> Response {
    (status, format!("{reason}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_to_begin_is_read() {
        const ID: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
        fn check(id: &str, query: Option<&str>, last: &str, expected: Result<i64, &str>) {
            let mut headers = HeaderMap::new();
            headers.insert(LAST_EVENT_ID, HeaderValue::from_str(last).expect("a header"));
            let got = asked(id, query, &headers).map(|(_, after)| after);
            assert_eq!(got.as_ref().copied().map_err(String::as_str), expected, "{id} {query:?} {last}");
        }
        check(ID, None, "", Ok(0));
        check(ID, Some("after=7"), "", Ok(7));
        check(ID, Some("after=7"), "9", Ok(9));
        check(ID, Some("after=-7"), "", Ok(-7));
        check(ID, Some("after=x"), "", Err("\"x\" is no version"));
        check(ID, Some("before=3"), "", Err("say ?after=VERSION, or nothing"));
        check(ID, None, "99999999999999999999", Err("\"99999999999999999999\" is no version"));
        assert!(asked("../x", None, &HeaderMap::new()).is_err());
    }
}
