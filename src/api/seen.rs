//! What a client has seen, carried from one process to another in a header.
//!
//! A process knows what it showed itself; of what another one showed the same client it may hear too late. So every answer
//! says how far it was, and a client that sends that back with its next request is not shown less, whoever answers. Only
//! where a replica is read: the primary shows everything anyway.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::desk::reads::Reads;
use crate::store::replica::Reached;

/// The header, of requests and of answers.
pub const HEADER: &str = "faultline-seen";

tokio::task_local! {
    static SEEN: Option<Reached>;
}

/// How far the client of the request that is being answered has seen; nothing where it does not say.
pub fn seen() -> Option<Reached> {
    SEEN.try_with(|it| *it).ok().flatten()
}

/// Takes note of what a client says that it has seen, and says in the answer what it has seen now.
pub async fn carry(State(reads): State<Reads>, request: Request, next: Next) -> Response {
    if !reads.has_replica() {
        return next.run(request).await;
    }
    let read = |it: &HeaderValue| it.to_str().ok().and_then(|it| it.parse().ok());
    let seen = match request.headers().get(HEADER).map(read) {
        Some(None) => {
            let reason = format!("{HEADER} has to be as an answer had it, unchanged; or leave it out\n");
            return (StatusCode::BAD_REQUEST, reason).into_response();
        }
        said => said.flatten(),
    };
    let mut response = SEEN.scope(seen, next.run(request)).await;
    if let Some(Ok(now)) = reads.shown().map(|it| HeaderValue::from_str(&it.to_string())) {
        response.headers_mut().insert(HEADER, now);
    }
    response
}
