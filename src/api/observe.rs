//! What is asked, measured and traced: requests over HTTP by route, GraphQL by operation.
//!
//! Labels are of few values, whatever strangers ask for: a route is one of ours, an operation is a field of the schema. A
//! caller that is traced itself says so in `traceparent`, and what happens here is then part of its trace.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use metrics::{counter, histogram};
use opentelemetry::global;
use opentelemetry_http::HeaderExtractor;
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::api::request_id::RequestId;

/// Counts a request, says how long its answer took to begin, and traces it.
pub async fn requested(request: Request, next: Next) -> Response {
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let span = info_span!(
        "http",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        request.id = RequestId::current().as_ref().map(RequestId::as_str),
    );
    adopt(&span, request.headers());
    let began = Instant::now();
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.set_status(opentelemetry::trace::Status::error(status.canonical_reason().unwrap_or_default()));
    }
    let status = status.as_u16().to_string();
    counter!("faultline_http_requests_total", "method" => method, "route" => route.clone(), "status" => status)
        .increment(1);
    histogram!("faultline_http_request_duration_seconds", "method" => method, "route" => route).record(began.elapsed());
    response
}

/// The span of an operation that is executed.
pub fn executing(kind: &'static str, operation: &str) -> Span {
    info_span!(
        "graphql",
        otel.name = format!("{kind} {operation}"),
        graphql.operation.type = kind,
        graphql.operation.name = operation,
    )
}

/// How long an operation took. What the schema refused has no name of ours.
pub fn executed_in(kind: &'static str, operation: &str, took: Duration, refused: bool) {
    let operation = if refused { "none" } else { operation }.to_owned();
    histogram!("faultline_graphql_request_duration_seconds", "kind" => kind, "operation" => operation).record(took);
}

/// A caller's trace goes on here.
fn adopt(span: &Span, headers: &HeaderMap) {
    if headers.contains_key("traceparent") {
        let parent = global::get_text_map_propagator(|it| it.extract(&HeaderExtractor(headers)));
        // Where nothing is sent out there is no trace to be part of.
        let _unsent = span.set_parent(parent);
    }
}

/// Methods that are served; strangers may send any word.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}
