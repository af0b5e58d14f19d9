//! A debate in a file format: `GET /debates/{id}/export?format=NAME&at=VERSION`.
//!
//! The formats are those of `faultline export`. A format that renders event by event (`jsonl`) is sent page by page, so
//! its memory does not depend on the debate. Every other format needs the whole debate: its events are charged to the
//! budget of folds, and it is rendered on the compute pool. If a response ends before its last chunk, the debate could
//! not be read to its end.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::time::timeout;

use crate::api::admission::fold_budget::FoldBudget;
use crate::api::error::{ERASED, UNAVAILABLE, from_panic, from_service};
use crate::api::streams::connection_slots::Slot;
use crate::api::transport::debate_path::whole_id;
use crate::api::transport::http_response::text_response;
use faultline_core::events::ids::DebateId;
use faultline_core::export::jsonl::JsonlWriter;
use faultline_core::export::registry::{EXPORTERS, Exporter, find};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::compute::compute;
use faultline_service::error::ServiceError;
use faultline_service::read_routing::ReadServices;
use faultline_service::scans::event_scan::EventScan;

/// Policy for browsers: a report is a page with its own style and pictures. It runs nothing and loads nothing, even if an
/// exporter failed to escape a text.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/// Budget of an export.
pub struct ExportBudget {
    /// Budget for the events of formats that need the whole debate.
    pub folds: FoldBudget,
    /// Maximum time until the response begins, in seconds.
    pub seconds: usize,
}

/// Exports a debate. The connection slot is released when the response was sent.
pub async fn serve(
    reads: &ReadServices,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    budget: ExportBudget,
    slot: Slot,
) -> Response {
    let request = match whole_id(&reads.views, id).await {
        Ok(id) => ExportRequest::parse(&id, query.as_deref()),
        Err(fault) => return refused(fault.into()),
    };
    let request = match request {
        Ok(request) => request,
        Err(reason) => return text_response(StatusCode::BAD_REQUEST, &reason),
    };
    let limit = Duration::from_secs(budget.seconds as u64);
    match timeout(limit, export(reads, &request, &budget.folds, slot)).await {
        Ok(response) => response,
        Err(_) => {
            let reason = format!("the export took longer than {} s and was cancelled (limit seconds)", budget.seconds);
            text_response(StatusCode::SERVICE_UNAVAILABLE, &reason)
        }
    }
}

async fn export(reads: &ReadServices, request: &ExportRequest, folds: &FoldBudget, slot: Slot) -> Response {
    let scan = match EventScan::open(&reads.service, request.debate, request.at).await {
        Ok(scan) => scan,
        Err(error) => return refused(error),
    };
    let version = scan.last();
    let body = match request.exporter.lines {
        Some(lines) => stream_lines(scan, lines(), slot).await,
        None => render(scan, request.exporter, folds).await.map(|text| sent_with_slot(text, slot)),
    };
    let body = match body {
        Ok(body) => body,
        Err(response) => return response,
    };
    let name = format!("inline; filename=\"debate-{}-v{version}.{}\"", request.debate, request.exporter.name);
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(request.exporter.media_type));
    headers.extend(HeaderValue::from_str(&name).ok().map(|name| (CONTENT_DISPOSITION, name)));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Reads the debate and renders it. The events stay charged to the budget until the text is complete.
async fn render(scan: EventScan, exporter: &'static Exporter, folds: &FoldBudget) -> Result<String, Response> {
    folds.charge([scan.last()]).await.map_err(|error| response_of(&error))?;
    let events = scan.collect().await.map_err(refused)?;
    let rendered = compute(move || (exporter.write)(&DebateReadModel::of(&events), &events)).await;
    rendered.map_err(|panic| response_of(&from_panic(&panic)))
}

/// Sends a text. The stream is asked for more when the text was sent, and drops the slot then.
fn sent_with_slot(text: String, slot: Slot) -> Body {
    Body::from_stream(stream::unfold((Some(Bytes::from(text)), slot), async |(text, slot)| {
        text.map(|text| (Ok::<Bytes, io::Error>(text), (None, slot)))
    }))
}

/// Sends the events page by page. The first page is read before the response begins, so that an erased debate is answered
/// as such. A fault after it ends the response with an error, which clients see as incomplete.
async fn stream_lines(mut scan: EventScan, writer: JsonlWriter, slot: Slot) -> Result<Body, Response> {
    let first = scan.next().await.map_err(refused)?;
    let state = (first, scan, writer, slot);
    Ok(Body::from_stream(stream::try_unfold(state, async |(page, mut scan, mut writer, slot)| {
        let Some(events) = page else { return Ok(None) };
        let mut text = String::new();
        events.iter().for_each(|event| writer.push(event, &mut text));
        let next = scan.next().await.map_err(|error| {
            tracing::warn!(%error, "an export ended early");
            io::Error::other(error)
        })?;
        Ok::<_, io::Error>(Some((Bytes::from(text), (next, scan, writer, slot))))
    })))
}

/// Builds the plain-text response to an error of the service.
pub(crate) fn refused(error: ServiceError) -> Response {
    response_of(&from_service(error))
}

/// Builds the plain-text response to an error, with the status of its code.
fn response_of(error: &async_graphql::Error) -> Response {
    let code = error.extensions.as_ref().and_then(|extensions| extensions.get("code"));
    let status = match code {
        Some(async_graphql::Value::String(code)) => match code.as_str() {
            "NOT_FOUND" => StatusCode::NOT_FOUND,
            "INVALID" => StatusCode::BAD_REQUEST,
            ERASED => StatusCode::GONE,
            "CONFLICT" => StatusCode::CONFLICT,
            UNAVAILABLE | "LIMIT" => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut response = text_response(status, &error.message);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Parsed request.
#[derive(Debug)]
struct ExportRequest {
    debate: DebateId,
    exporter: &'static Exporter,
    /// Last version to export; `None` for the latest.
    at: Option<i64>,
}

impl ExportRequest {
    /// Parses the id of the debate and the parameters.
    fn parse(id: &str, query: Option<&str>) -> Result<ExportRequest, String> {
        let debate = id.parse::<DebateId>().map_err(|error| error.to_string())?;
        let (mut exporter, mut at) = (None, None);
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("format", name)) => {
                    exporter = Some(find(name).ok_or_else(|| format!("unknown format {name:?}; {}", formats()))?);
                }
                Some(("at", value)) => {
                    at = Some(value.parse().map_err(|_| format!("`at` ({value:?}) is not a version"))?);
                }
                _ => return Err("unknown parameter; use ?format=NAME and, if needed, &at=VERSION".to_owned()),
            }
        }
        let exporter = exporter.ok_or_else(|| format!("the parameter `format` is missing; {}", formats()))?;
        Ok(ExportRequest { debate, exporter, at })
    }
}

fn formats() -> String {
    let names: Vec<&str> = EXPORTERS.iter().map(|exporter| exporter.name).collect();
    format!("available: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_required_and_other_parameters_are_refused() {
        const ID: &str = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
        let names = "jsonl, json, md, html, txt, dot, svg, mermaid, argdown, aif, apx, tgf, af";
        let check = |id: &str, query: Option<&str>, expected: Result<(&str, Option<i64>), String>| {
            let parsed = ExportRequest::parse(id, query).map(|request| (request.exporter.name, request.at));
            assert_eq!(parsed, expected, "{id} {query:?}");
        };
        check(ID, Some("format=html"), Ok(("html", None)));
        check(ID, Some("at=7&format=markdown"), Ok(("md", Some(7))));
        check(ID, None, Err(format!("the parameter `format` is missing; available: {names}")));
        check(ID, Some("format=pdf"), Err(format!("unknown format \"pdf\"; available: {names}")));
        check(ID, Some("format=html&at=x"), Err("`at` (\"x\") is not a version".to_owned()));
        check(ID, Some("form=html"), Err("unknown parameter; use ?format=NAME and, if needed, &at=VERSION".to_owned()));
        assert!(ExportRequest::parse("../x", Some("format=html")).is_err());
    }
}
