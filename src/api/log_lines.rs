//! The whole log as lines of JSON, for whoever takes it elsewhere: `GET /log.jsonl`.
//!
//! From behind `?after=` to the log's end as it was when it was asked for; only some kinds with `?kinds=`. A line is an event
//! as `export --format jsonl` writes it, and the `cursor` behind it. The last line is `{"end": cursor}`: where it is missing
//! the answer was cut off, and whoever asks again with the last cursor they have misses nothing and gets nothing twice.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::RawQuery;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures_util::StreamExt;
use futures_util::stream;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::api::request_id::RequestId;
use crate::api::streams::seats::Seat;
use crate::desk::reads::Reads;
use crate::desk::whole::Whole;
use crate::events::event::Event;
use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::lanes::{Cursor, NoCursor};
use crate::store::log::Log;

const KIND: &str = "application/x-ndjson; charset=utf-8";
/// Asks proxies not to hold lines back.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// Pages that are read ahead of a client: one is written to it meanwhile.
const AHEAD: usize = 1;
/// Bytes that a line takes beside its body, about.
const LINE_BYTES: usize = 400;

/// Answers with the lines; the seat is given up when they end.
pub async fn serve(log: &Log, reads: &Reads, RawQuery(query): RawQuery, seat: Seat) -> Response {
    let (after, kinds) = match asked(query.as_deref()) {
        Ok(asked) => asked,
        Err(reason) => return plain(StatusCode::BAD_REQUEST, &reason),
    };
    match open(log, reads, after, kinds).await {
        Ok(whole) => {
            let lines = stream::unfold(pages(whole), |mut pages| async { Some((pages.recv().await?, pages)) });
            let leave = seat.time_to_leave();
            // The seat goes with the lines.
            let lines = lines.take_until(Box::pin(leave)).map(move |page| {
                let _taken = &seat;
                Ok::<Bytes, Infallible>(written(page))
            });
            let headers = [(CONTENT_TYPE, KIND), (CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
            (headers.map(|(name, it)| (name, HeaderValue::from_static(it))), Body::from_stream(lines)).into_response()
        }
        Err(Fault::Ahead { .. }) => {
            plain(StatusCode::BAD_REQUEST, "this cursor lies ahead of the log: it is of another one")
        }
        Err(fault) => {
            tracing::warn!(%fault, "the log cannot be told");
            plain(StatusCode::SERVICE_UNAVAILABLE, "the log cannot be read at present")
        }
    }
}

/// Where to begin, and the kinds that are wanted.
fn asked(query: Option<&str>) -> Result<(Cursor, Option<Vec<String>>), String> {
    let (mut after, mut kinds) = (Cursor::default(), None);
    for pair in query.unwrap_or_default().split('&').filter(|it| !it.is_empty()) {
        match pair.split_once('=') {
            Some(("after", value)) => after = value.parse().map_err(|it: NoCursor| it.to_string())?,
            Some(("kinds", value)) => kinds = Some(value.split(',').map(known).collect::<Result<_, _>>()?),
            _ => return Err("say ?after=CURSOR, ?kinds=KIND,KIND, both with & between, or nothing".to_owned()),
        }
    }
    Ok((after, kinds))
}

fn known(kind: &str) -> Result<String, String> {
    match Event::KINDS.contains(&kind) {
        true => Ok(kind.to_owned()),
        false => Err(format!("there is no such kind of event; kinds are {}", Event::KINDS.join(", "))),
    }
}

/// From a replica, where there is one that shows everything up to now; a cursor may still be ahead of it.
async fn open(log: &Log, reads: &Reads, after: Cursor, kinds: Option<Vec<String>>) -> Result<Whole, Fault> {
    let near = reads.now().await.desk.log();
    match Whole::open(near, after.clone(), kinds.clone()).await {
        Err(_) if reads.has_replica() => Whole::open(log, after, kinds).await,
        opened => opened,
    }
}

/// What one read of the log came to.
enum Page {
    Events(Vec<(Cursor, Kept)>),
    End(Cursor),
    Fault,
}

/// Reads in a task of its own, so that the next page is there once this one is written.
fn pages(mut whole: Whole) -> mpsc::Receiver<Page> {
    let (told, pages) = mpsc::channel(AHEAD);
    let reading = async move {
        loop {
            let page = match whole.next().await {
                Ok(Some(events)) => Page::Events(events),
                Ok(None) => Page::End(whole.at().clone()),
                Err(fault) => {
                    tracing::warn!(%fault, "lines of the log end before its end");
                    Page::Fault
                }
            };
            let more = matches!(page, Page::Events(_));
            // Nobody takes it where the client has gone.
            if told.send(page).await.is_err() || !more {
                return;
            }
        }
    };
    match RequestId::current() {
        Some(id) => tokio::spawn(id.scope(reading)),
        None => tokio::spawn(reading),
    };
    pages
}

fn written(page: Page) -> Bytes {
    match page {
        Page::Events(events) => {
            let bytes = events.iter().map(|(_, it)| it.stored.body.len() + LINE_BYTES).sum();
            let mut text = Vec::with_capacity(bytes);
            for (cursor, kept) in &events {
                push(&mut text, &Line::of(cursor, kept));
            }
            text.into()
        }
        Page::End(end) => one(&End { end: end.to_string() }),
        Page::Fault => one(&Failed { error: "the log cannot be read at present" }),
    }
}

fn one(line: &impl Serialize) -> Bytes {
    let mut text = Vec::new();
    push(&mut text, line);
    text.into()
}

fn push(text: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *text, line).expect("a line has string keys, and memory takes it");
    text.push(b'\n');
}

/// An event: the fields of [`crate::export::jsonl::Line`], and where to go on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    debate_id: DebateId,
    version: i64,
    id: Uuid,
    kind: &'a str,
    schema: i16,
    at: DateTime<Utc>,
    caused_by: Option<Uuid>,
    /// Null where it is missing.
    body: Option<&'a RawValue>,
    /// Why the body is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
    cursor: String,
}

impl Line<'_> {
    fn of<'a>(cursor: &Cursor, kept: &'a Kept) -> Line<'a> {
        let body: Option<&RawValue> = serde_json::from_slice(&kept.stored.body).ok().filter(|_| !kept.erased);
        let why = if kept.erased { "ERASED" } else { "DAMAGED" };
        Line {
            debate_id: kept.debate,
            version: kept.version,
            id: kept.id,
            kind: &kept.stored.kind,
            schema: kept.stored.schema,
            at: kept.at,
            caused_by: kept.caused_by,
            body,
            missing: body.is_none().then_some(why),
            cursor: cursor.to_string(),
        }
    }
}

#[derive(Serialize)]
struct End {
    end: String,
}

#[derive(Serialize)]
struct Failed {
    error: &'static str,
}

fn plain(status: StatusCode, text: &str) -> Response {
    (status, format!("{text}\n")).into_response()
}
