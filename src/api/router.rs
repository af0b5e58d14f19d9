//! The doors: GraphQL over HTTP and WebSocket, its page, and whether the service is well.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::http::ALL_WEBSOCKET_PROTOCOLS;
use async_graphql_axum::{GraphQLProtocol, GraphQLWebSocket};
use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, RawQuery, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use futures_util::future::BoxFuture;

use crate::api::guard::Guarded;
use crate::api::http;
use crate::api::origin::Origins;
use crate::api::schema::Api;
use crate::store::fault::Fault;

/// The longest WebSocket message, in bytes.
const MAX_MESSAGE_BYTES: usize = http::MAX_BODY_BYTES;
/// How long a socket may stay silent before it is asked whether it lives.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Asked whether debates can be opened and read: what to say if so, else why not.
pub type Ready = Arc<dyn Fn() -> BoxFuture<'static, Result<String, Fault>> + Send + Sync>;

/// What every door needs.
#[derive(Clone)]
struct House {
    api: Guarded<Api>,
    ready: Ready,
    origins: Arc<Origins>,
}

/// The doors of the service.
pub fn router(api: Api, ready: Ready, origins: Origins) -> Router {
    let house = House { api: Guarded(api), ready, origins: Arc::new(origins) };
    Router::new()
        .route("/", get(|| async { Redirect::temporary("/graphiql") }))
        .route("/graphql", get(graphql_get).post(graphql_post))
        .route("/graphql/ws", get(graphql_ws))
        .route("/graphiql", get(|| async { Html(include_str!("graphiql.html")) }))
        .layer(from_fn_with_state(house.clone(), guard_origin))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .layer(DefaultBodyLimit::max(http::MAX_BODY_BYTES))
        .with_state(house)
}

async fn graphql_post(State(house): State<House>, headers: HeaderMap, body: Bytes) -> Response {
    http::post(&house.api, &headers, &body).await
}

async fn graphql_get(State(house): State<House>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    http::get(&house.api, &headers, query.as_deref().unwrap_or_default()).await
}

async fn graphql_ws(State(house): State<House>, protocol: GraphQLProtocol, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .protocols(ALL_WEBSOCKET_PROTOCOLS)
        .read_buffer_size(4_096)
        .max_message_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| {
            GraphQLWebSocket::new(socket, house.api, protocol).keepalive_timeout(KEEPALIVE).serve()
        })
}

/// Whether debates can be opened and read; else why not.
async fn readyz(State(house): State<House>) -> Response {
    match (house.ready)().await {
        Ok(told) => (StatusCode::OK, format!("{told}\n")).into_response(),
        Err(fault) => {
            tracing::warn!(%fault, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the database cannot be used at present\n").into_response()
        }
    }
}

/// Refuses pages of strangers; answers those on the list as browsers want it.
async fn guard_origin(State(house): State<House>, request: Request, next: Next) -> Response {
    if let Some(reason) = house.origins.refuse(request.headers()) {
        return (StatusCode::FORBIDDEN, format!("{reason}\n")).into_response();
    }
    let listed = house.origins.listed(request.headers()).and_then(|it| HeaderValue::from_str(it).ok());
    let preflight = request.method() == Method::OPTIONS;
    let mut response = if preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    if let Some(origin) = listed {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(VARY, HeaderValue::from_static("origin"));
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
    }
    response
}
