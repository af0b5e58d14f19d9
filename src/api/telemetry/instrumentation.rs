//! Metrics and traces of requests: HTTP by route, GraphQL by operation.
//!
//! Labels have few values, whatever clients send: a route is one of the router's, an operation is a field of the
//! schema. A request with a `traceparent` header continues the caller's trace.

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

use crate::api::telemetry::request_id::RequestId;

/// Middleware that counts a request, measures the time until its response starts, and traces it.
pub async fn trace_request(request: Request, next: Next) -> Response {
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

/// Returns the span for an executed operation.
pub fn executing(kind: &'static str, operation: &str) -> Span {
    info_span!(
        "graphql",
        otel.name = format!("{kind} {operation}"),
        graphql.operation.type = kind,
        graphql.operation.name = operation,
    )
}

/// Records the duration of an operation. An operation that the schema refused is labelled `none`.
pub fn executed_in(kind: &'static str, operation: &str, took: Duration, refused: bool) {
    let operation = if refused { "none" } else { operation }.to_owned();
    histogram!("faultline_graphql_request_duration_seconds", "kind" => kind, "operation" => operation).record(took);
}

/// Makes the caller's trace the parent of the span.
fn adopt(span: &Span, headers: &HeaderMap) {
    if headers.contains_key("traceparent") {
        let parent = global::get_text_map_propagator(|propagator| propagator.extract(&HeaderExtractor(headers)));
        // Fails only if no exporter is configured, and then there is no trace to continue.
        let _unsent = span.set_parent(parent);
    }
}

/// Returns the method as a label; unknown methods become `OTHER`, because clients may send any word.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}
