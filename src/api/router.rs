//! The doors: GraphQL over HTTP and WebSocket, its page, and whether the service is well.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE,
    CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::future::BoxFuture;
use metrics::gauge;
use tokio::sync::Semaphore;

use crate::api::feed;
use crate::api::frames::PROTOCOL;
use crate::api::graphiql;
use crate::api::guard::Guarded;
use crate::api::http;
use crate::api::origin::Origins;
use crate::api::reading::Reading;
use crate::api::schema::{Api, sdl};
use crate::api::seen::carry;
use crate::api::socket;
use crate::api::tokens::{Access, Denied, Role};
use crate::desk::desk::Desk;
use crate::store::fault::Fault;
use crate::store::tail::Tail;

/// The longest WebSocket message, in bytes.
const MAX_MESSAGE_BYTES: usize = http::MAX_BODY_BYTES;
/// The most sockets and event streams at once.
const MAX_SOCKETS: usize = 1_000;

/// Asked whether debates can be opened and read: what to say if so, else why not.
pub type Ready = Arc<dyn Fn() -> BoxFuture<'static, Result<String, Fault>> + Send + Sync>;

/// Asked for what was counted, as Prometheus reads it; `None` where nothing is counted.
pub type Counted = Arc<dyn Fn() -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// What every door needs.
#[derive(Clone)]
struct House {
    api: Guarded<Reading<Api>>,
    ready: Ready,
    counted: Counted,
    origins: Arc<Origins>,
    access: Access,
    sockets: Arc<Semaphore>,
    desk: Desk,
    tail: Tail,
}

/// Who may come in, and from where.
#[derive(Clone, Debug, Default)]
pub struct Entrance {
    /// From where browsers may speak.
    pub origins: Origins,
    /// Who may do what.
    pub access: Access,
}

/// The doors of the service.
pub fn router(api: Reading<Api>, desk: Desk, tail: Tail, ready: Ready, counted: Counted, entrance: Entrance) -> Router {
    let Entrance { origins, access } = entrance;
    let sockets = Arc::new(Semaphore::new(MAX_SOCKETS));
    let reads = api.reads().clone();
    let api = Guarded::new(api, &sdl());
    let house = House { api, ready, counted, origins: Arc::new(origins), access, sockets, desk, tail };
    Router::new()
        .route("/graphql", get(graphql_get).post(graphql_post))
        .route_layer(from_fn_with_state(reads, carry))
        .route("/debates/{id}/events", get(debate_events))
        .route_layer(from_fn_with_state(house.clone(), guard_access))
        .route("/", get(|| async { Redirect::temporary("/graphiql") }))
        .route("/graphql/ws", get(graphql_ws))
        .route("/graphiql", get(|| async { graphiql::page() }))
        .route("/graphiql/{*name}", get(|Path(name): Path<String>| async move { graphiql::asset(&name) }))
        .layer(from_fn_with_state(house.clone(), guard_origin))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(DefaultBodyLimit::max(http::MAX_BODY_BYTES))
        .with_state(house)
}

async fn graphql_post(
    State(house): State<House>,
    Extension(role): Extension<Role>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    http::post(&house.api.for_role(role), &headers, &body).await
}

async fn graphql_get(
    State(house): State<House>,
    Extension(role): Extension<Role>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    http::get(&house.api.for_role(role), &headers, &uri).await
}

/// Browsers cannot send a token with an upgrade: they say it in their hello. One that is sent has to be good.
async fn graphql_ws(State(house): State<House>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    let role = match house.access.by_headers(&headers).await {
        Ok(role) => Some(role),
        Err(Denied::Missing) => None,
        Err(denied) => return http::denied(denied),
    };
    let Ok(seat) = house.sockets.try_acquire_owned() else { return full() };
    upgrade.protocols([PROTOCOL]).read_buffer_size(4_096).max_message_size(MAX_MESSAGE_BYTES).on_upgrade(
        async move |socket| {
            gauge!("faultline_sockets").increment(1);
            socket::serve(socket, house.api, house.access, role).await;
            gauge!("faultline_sockets").decrement(1);
            drop(seat);
        },
    )
}

async fn debate_events(
    State(house): State<House>,
    path: Path<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Response {
    let Ok(seat) = Arc::clone(&house.sockets).try_acquire_owned() else { return full() };
    feed::serve(&house.desk, &house.tail, path, query, &headers, seat).await
}

fn full() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("at most {MAX_SOCKETS} sockets and streams at once\n")).into_response()
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

/// What was counted, as Prometheus reads it.
async fn metrics(State(house): State<House>, headers: HeaderMap) -> Response {
    if let Err(denied) = house.access.by_headers(&headers).await {
        return http::denied(denied);
    }
    const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";
    match (house.counted)().await {
        Some(told) => ([(CONTENT_TYPE, KIND)], told).into_response(),
        None => (StatusCode::SERVICE_UNAVAILABLE, "nothing is counted here\n").into_response(),
    }
}

/// Lets in whoever shows a token, where tokens are asked for, and says further in what it allows.
async fn guard_access(State(house): State<House>, mut request: Request, next: Next) -> Response {
    match house.access.by_headers(request.headers()).await {
        Ok(role) => {
            request.extensions_mut().insert(role);
            next.run(request).await
        }
        Err(denied) => http::denied(denied),
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
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = listed {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("authorization, content-type"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    response
}
