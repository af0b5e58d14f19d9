//! The whole log as JSON Lines, for copying it to other systems: `GET /log.jsonl`.
//!
//! Returns the events after `?after=` up to the end of the log at the time of the request; with `?kinds=` only events
//! of these kinds. A line is an event as written by `export --format jsonl`, plus its `cursor`. The last line is
//! `{"end": cursor}`. If it is missing, the response was cut off; a new request with the last cursor received continues
//! without gaps or duplicates.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::RawQuery;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::api::streams::connection_slots::Slot;
use crate::api::streams::position::parse_cursor;
use crate::api::telemetry::request_id::RequestId;
use crate::api::transport::http_response::text_response;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_service::read_routing::ReadRouter;
use faultline_service::scans::log_scan::LogScan;
use faultline_store::error::StoreError;
use faultline_store::lanes::Cursor;
use faultline_store::log::log::Log;
use faultline_store::log::stored_event::StoredEvent;

const KIND: &str = "application/x-ndjson; charset=utf-8";
/// Header that asks reverse proxies not to buffer the response.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// Number of pages read ahead while one is being sent.
const AHEAD: usize = 1;
/// Approximate size of a line without its event body, in bytes.
const LINE_BYTES: usize = 400;

/// Streams the lines. The connection slot is released when they end.
pub async fn serve(log: &Log, reads: &ReadRouter, RawQuery(query): RawQuery, slot: Slot) -> Response {
    let (after, kinds) = match parse_query(query.as_deref()) {
        Ok(parsed) => parsed,
        Err(reason) => return text_response(StatusCode::BAD_REQUEST, &reason),
    };
    match open(log, reads, after, kinds).await {
        Ok(scan) => {
            let lines = stream::unfold(pages(scan), |mut pages| async { Some((pages.recv().await?, pages)) });
            let leave = slot.draining();
            // The connection slot lives as long as the stream.
            let lines = lines.take_until(Box::pin(leave)).map(move |page| {
                let _taken = &slot;
                Ok::<Bytes, Infallible>(written(page))
            });
            let headers = [(CONTENT_TYPE, KIND), (CACHE_CONTROL, "no-store"), (BUFFERING, "no")];
            (headers.map(|(name, value)| (name, HeaderValue::from_static(value))), Body::from_stream(lines))
                .into_response()
        }
        Err(StoreError::Ahead { .. }) => {
            text_response(StatusCode::BAD_REQUEST, "this cursor is ahead of the log: it belongs to another log")
        }
        Err(fault) => {
            tracing::warn!(%fault, "cannot stream the log");
            text_response(StatusCode::SERVICE_UNAVAILABLE, "the log cannot be read at the moment; try again")
        }
    }
}

/// Parses the start position and the requested kinds.
fn parse_query(query: Option<&str>) -> Result<(Cursor, Option<Vec<String>>), String> {
    let (mut after, mut kinds) = (Cursor::default(), None);
    for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("after", value)) => after = parse_cursor(value)?,
            Some(("kinds", value)) => kinds = Some(value.split(',').map(known).collect::<Result<_, _>>()?),
            _ => return Err("unknown parameter; use ?after=CURSOR and/or ?kinds=KIND,KIND".to_owned()),
        }
    }
    Ok((after, kinds))
}

fn known(kind: &str) -> Result<String, String> {
    Event::find_kind(kind).map(|kind| kind.name.to_owned()).map_err(|unknown| unknown.to_string())
}

/// Opens the log on a replica if one has caught up with the latest writes seen here. A cursor may still be ahead of the
/// replica; the primary is used then.
async fn open(log: &Log, reads: &ReadRouter, after: Cursor, kinds: Option<Vec<String>>) -> Result<LogScan, StoreError> {
    let near = reads.now().await.service.log();
    match LogScan::open(near, after.clone(), kinds.clone()).await {
        Err(_) if reads.has_replica() => LogScan::open(log, after, kinds).await,
        opened => opened,
    }
}

/// Result of one read of the log.
enum Page {
    Events(Vec<(Cursor, StoredEvent)>),
    End(Cursor),
    Fault,
}

/// Reads in a separate task, so that the next page is ready when the current one has been sent.
fn pages(mut scan: LogScan) -> mpsc::Receiver<Page> {
    let (sender, pages) = mpsc::channel(AHEAD);
    let reading = async move {
        loop {
            let page = match scan.next().await {
                Ok(Some(events)) => Page::Events(events),
                Ok(None) => Page::End(scan.position().clone()),
                Err(fault) => {
                    tracing::warn!(%fault, "the stream of log lines ended early");
                    Page::Fault
                }
            };
            let more = matches!(page, Page::Events(_));
            // Sending fails if the client has disconnected.
            if sender.send(page).await.is_err() || !more {
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
            let bytes = events.iter().map(|(_, event)| event.stored.body.len() + LINE_BYTES).sum();
            let mut text = Vec::with_capacity(bytes);
            for (cursor, event) in &events {
                push(&mut text, &Line::of(cursor, event));
            }
            text.into()
        }
        Page::End(end) => one(&End { end: end.to_string() }),
        Page::Fault => one(&Failed { error: "the log cannot be read at the moment" }),
    }
}

fn one(line: &impl Serialize) -> Bytes {
    let mut text = Vec::new();
    push(&mut text, line);
    text.into()
}

fn push(text: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *text, line).expect("a line has string keys, and writing to memory cannot fail");
    text.push(b'\n');
}

/// An event: the fields of [`faultline_core::export::jsonl::Line`], and its cursor.
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
    /// Event body; null if it is missing.
    body: Option<&'a RawValue>,
    /// Reason why the body is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
    cursor: String,
}

impl Line<'_> {
    fn of<'a>(cursor: &Cursor, event: &'a StoredEvent) -> Line<'a> {
        let body: Option<&RawValue> = serde_json::from_slice(&event.stored.body).ok().filter(|_| !event.erased);
        let why = if event.erased { "ERASED" } else { "DAMAGED" };
        Line {
            debate_id: event.debate,
            version: event.version,
            id: event.id,
            kind: &event.stored.kind,
            schema: event.stored.schema,
            at: event.at,
            caused_by: event.caused_by,
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
