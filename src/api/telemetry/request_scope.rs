//! Scope of a request: its id, and its share of the compute pool.

use axum::extract::Request;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::api::telemetry::request_id::{REQUEST_ID, RequestId};
use faultline_service::compute::ComputeShare;

/// Status codes of requests that are refused before their body is read.
const UNREAD: [StatusCode; 6] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
];

/// Middleware that gives the request an id, for its response, errors and log lines.
pub async fn assign_request_id(request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let (named, has_body) = (id.header(), request.method() == Method::POST);
    let mut response = ComputeShare::default().scope(id.scope(next.run(request))).await;
    let status = response.status();
    let headers = response.headers_mut();
    headers.extend(named.map(|value| (REQUEST_ID, value)));
    // Closes the connection because the request body is unread. Without this header a client would send its next
    // request behind that body.
    if has_body && UNREAD.contains(&status) {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
