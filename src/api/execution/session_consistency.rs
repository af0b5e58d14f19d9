//! Read-your-writes across processes: a header with the log position that a client has seen.
//!
//! A process knows the positions it has shown itself, but may learn too late of those that another process showed the
//! same client. Every response therefore states its position, and a client that sends it with its next request never
//! reads older state, whichever process answers. Needed only with a read replica: the primary always shows everything.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use faultline_service::read_routing::ReadRouter;
use faultline_store::replica::replica_state::ReplicaPosition;

/// Header of requests and responses.
pub const HEADER: &str = "faultline-seen";

tokio::task_local! {
    static SEEN: Option<ReplicaPosition>;
}

/// Returns the position that the client of the current request has seen, if it states one.
pub fn seen() -> Option<ReplicaPosition> {
    SEEN.try_with(|position| *position).ok().flatten()
}

/// Middleware that reads the client's position and adds the new one to the response.
pub async fn middleware(State(reads): State<ReadRouter>, request: Request, next: Next) -> Response {
    if !reads.has_replica() {
        return next.run(request).await;
    }
    let read = |value: &HeaderValue| value.to_str().ok().and_then(|text| text.parse().ok());
    let seen = match request.headers().get(HEADER).map(read) {
        Some(None) => {
            let reason = format!("{HEADER} is malformed: send it unchanged as received, or omit it\n");
            return (StatusCode::BAD_REQUEST, reason).into_response();
        }
        said => said.flatten(),
    };
    let mut response = SEEN.scope(seen, next.run(request)).await;
    if let Some(Ok(now)) = reads.shown_position().map(|position| HeaderValue::from_str(&position.to_string())) {
        response.headers_mut().insert(HEADER, now);
    }
    response
}
