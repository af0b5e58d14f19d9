//! HTTP routes: GraphQL over HTTP, WebSocket and event streams, the `GraphiQL` page, plain event endpoints, and probes.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, FromRequestParts, Path, RawQuery, Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use crate::api::admission::origin::{Origins, check_origin};
use crate::api::admission::persisted::AllowList;
use crate::api::admission::tokens::{AccessControl, AccessDenied, Holder};
use crate::api::execution::admission::AdmissionExecutor;
use crate::api::execution::replica_executor::ReplicaExecutor;
use crate::api::execution::session_consistency::middleware;
use crate::api::schema::schema::{Api, field_types};
use crate::api::streams::connection_slots::{Slot, Slots};
use crate::api::streams::hub::{Caller, Hub};
use crate::api::telemetry::instrumentation::trace_request;
use crate::api::telemetry::request_id::RequestId;
use crate::api::telemetry::request_scope::assign_request_id;
use crate::api::transport::debate_export;
use crate::api::transport::debate_export::ExportBudget;
use crate::api::transport::debate_sse;
use crate::api::transport::graphiql;
use crate::api::transport::http;
use crate::api::transport::http_response::{denied, text_response, throttled};
use crate::api::transport::log_jsonl;
use crate::api::transport::readiness::Readiness;
use crate::api::transport::receive_meter::ReceiveMeter;
use crate::api::transport::single_connection;
use crate::api::transport::single_connection::Reservations;
use crate::api::transport::socket;
use crate::api::transport::socket::ConnectionContext;
use crate::api::transport::sse;
use crate::api::transport::start_sse;
use crate::api::transport::start_sse::{Start, StartRoute};
use crate::api::transport::studio;
use crate::api::transport::table_export;
use crate::api::transport::table_export::TableSlots;
use crate::api::transport::web_libraries::FetchedLibraries;
use crate::api::transport::ws_messages::PROTOCOL;
use crate::limits::ApiLimits;
use crate::proxies::TrustedProxies;
use faultline_service::compute::ComputeShare;
use faultline_service::drafts::draft_feed::DebateFeeds;
use faultline_service::read_routing::ReadRouter;
use faultline_service::service::DebateService;
use faultline_store::log::log::Log;

/// Read buffer of a WebSocket, in bytes. It is small, because every idle socket keeps one.
const READ_BYTES: usize = 1_024;
/// Write buffer of a WebSocket, in bytes.
const WRITE_BYTES: usize = 16 * 1024;

/// Readiness probe: checks whether debates can be opened and read.
pub type ReadinessProbe = Arc<dyn Fn() -> BoxFuture<'static, Readiness> + Send + Sync>;

/// Liveness probe: returns the reason why the service is permanently broken; `None` if it is not.
pub type LivenessProbe = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Renders the metrics in the Prometheus text format; `None` if metrics are disabled.
pub type MetricsRenderer = Arc<dyn Fn() -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// State shared by all routes.
struct AppState {
    api: AdmissionExecutor<ReplicaExecutor<Api>>,
    probes: Probes,
    access: AccessControl,
    proxies: Arc<TrustedProxies>,
    hub: Hub<ReplicaExecutor<Api>>,
    reservations: Reservations,
    service: DebateService,
    log: Log,
    reads: ReadRouter,
    slots: Slots,
    /// Permits for sockets whose client has not sent `connection_init`.
    hello: Arc<Semaphore>,
    tables: TableSlots,
    feeds: DebateFeeds,
}

impl AppState {
    /// Returns the client's address, as far as the trusted proxies reveal it.
    fn client_address(&self, from: SocketAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let values = |name| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect::<Vec<_>>();
        Some(self.proxies.client_address(from.ip(), &values("x-forwarded-for"), &values("forwarded")))
    }
}

/// Request of an authenticated client, without its body.
struct Client {
    state: Arc<AppState>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
}

impl FromRequestParts<Arc<AppState>> for Client {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Client, Response> {
        let extracted = <(Extension<Holder>, ConnectInfo<SocketAddr>)>::from_request_parts(parts, state);
        let (Extension(holder), ConnectInfo(from)) = extracted.await.map_err(IntoResponse::into_response)?;
        let (headers, uri) = (parts.headers.clone(), parts.uri.clone());
        let caller = Caller { holder, address: state.client_address(from, &headers) };
        Ok(Client { state: Arc::clone(state), caller, headers, uri })
    }
}

#[expect(clippy::result_large_err, reason = "the error is the response to the request")]
impl Client {
    /// Returns the executor for this caller.
    fn api(&self) -> AdmissionExecutor<ReplicaExecutor<Api>> {
        let Caller { holder, address } = self.caller.clone();
        self.state.api.clone().for_holder(holder).for_address(address)
    }

    /// Takes one operation from the caller's rate limit buckets, for routes that do not pass admission control. Returns
    /// the response if a bucket is empty.
    fn charge(&self) -> Result<(), Response> {
        self.api().charge().map_err(|reason| throttled(&reason))
    }

    /// Charges the caller for one operation, and takes a connection slot.
    fn slot(&self, transport: &'static str) -> Result<Slot, Response> {
        self.charge()?;
        self.state.slots.take(transport).ok_or_else(|| full(&self.state.slots))
    }
}

/// Access control, limits and connection slots of the routes.
#[derive(Clone)]
pub struct RouterConfig {
    /// Allowed origins of web pages.
    pub origins: Origins,
    /// Token check.
    pub access: AccessControl,
    /// Limits on requests.
    pub limits: Arc<ApiLimits>,
    /// Allow-list of operations for readers and writers, if there is one.
    pub allowed: Option<AllowList>,
    /// Proxies trusted to report client addresses.
    pub proxies: TrustedProxies,
    /// Slots for sockets and event streams.
    pub slots: Slots,
    /// Libraries of the `GraphiQL` page.
    pub graphiql: FetchedLibraries,
    /// Library of the studio.
    pub preact: FetchedLibraries,
}

/// The schema, and its variant that reports costs.
pub struct Schemas {
    /// Schema for normal requests.
    pub api: ReplicaExecutor<Api>,
    /// Schema that reports the cost of a request.
    pub costing: ReplicaExecutor<Api>,
}

/// Callbacks for monitoring.
pub struct Probes {
    /// Callback for `/healthz`.
    pub broken: LivenessProbe,
    /// Callback for `/readyz`.
    pub ready: ReadinessProbe,
    /// Callback for `/metrics`.
    pub counted: MetricsRenderer,
}

/// Builds the router of the service.
pub fn router(
    schemas: Schemas,
    feeds: DebateFeeds,
    service: DebateService,
    probes: Probes,
    config: RouterConfig,
) -> Router {
    let RouterConfig { origins, access, limits, allowed, proxies, slots, graphiql: libraries, preact } = config;
    let reads = schemas.api.reads().clone();
    let hello = Arc::new(Semaphore::new(limits.hello_sockets));
    let api = AdmissionExecutor::within(limits, schemas.api, field_types(), allowed).with_costing(schemas.costing);
    let hub = Hub::new(api.clone());
    let (reservations, proxies) = (Reservations::default(), Arc::new(proxies));
    let state = Arc::new(AppState {
        tables: TableSlots::new(api.limits().tables),
        api,
        log: service.log().clone(),
        service,
        reads: reads.clone(),
        probes,
        access,
        proxies,
        hub,
        reservations,
        slots,
        hello,
        feeds,
    });
    Router::new()
        .route("/graphql", get(graphql_get).post(graphql_post))
        .route_layer(from_fn_with_state(reads, middleware))
        .route(
            "/graphql/stream",
            get(graphql_stream_get).post(graphql_stream_post).put(graphql_stream_put).delete(graphql_stream_delete),
        )
        .route("/debates", post(debates_post))
        .route("/api/debate", post(earlier_graph_post))
        .route("/api/debate-v2", post(earlier_dialogue_post))
        .route("/debates/{id}/events", get(debate_events))
        .route("/debates/{id}/export", get(debate_export))
        .route("/log.jsonl", get(log_jsonl))
        .route("/tables/{file}", get(table_export))
        .route_layer(from_fn_with_state(state.clone(), authenticate))
        .route("/graphql/ws", get(graphql_ws))
        .route("/graphiql", get(|| async { graphiql::page() }))
        .route(
            "/graphiql/{*name}",
            get(|Path(name): Path<String>| async move { graphiql::asset(&libraries, &name).await }),
        )
        .merge(studio::routes(&preact))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(Arc::new(origins), check_origin))
        .route("/healthz", get(healthz))
        .layer(from_fn(trace_request))
        .layer(from_fn(assign_request_id))
        .with_state(state)
}

async fn graphql_post(client: Client, body: Body) -> Response {
    http::post(&client.api(), &client.headers, body).await
}

async fn graphql_get(client: Client) -> Response {
    http::get(&client.api(), Some(&client.state.log), &client.headers, &client.uri).await
}

/// Upgrades to a WebSocket. Browsers cannot send a token with an upgrade, so it may come in `connection_init`. A token
/// that is sent with the upgrade must be valid.
async fn graphql_ws(
    State(state): State<Arc<AppState>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Extension(meter): Extension<Arc<ReceiveMeter>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let address = state.client_address(from, &headers);
    let holder = match state.access.by_headers(&headers, address).await {
        Ok(holder) => Some(holder),
        Err(AccessDenied::Missing) => None,
        Err(why) => return denied(why),
    };
    let Some(slot) = state.slots.take("websocket") else { return full(&state.slots) };
    let Ok(hello) = Arc::clone(&state.hello).try_acquire_owned() else { return full(&state.slots) };
    let limits = state.api.limits();
    meter.start(limits.hello_bytes);
    let connection = ConnectionContext {
        hello: Some(hello),
        meter,
        longest: limits.body_bytes,
        pings: limits.pings,
        holder,
        address,
        access: state.access.clone(),
        operations: state.slots.limits().operations,
        slot,
    };
    let (id, longest) = (RequestId::current(), limits.body_bytes);
    let hub = state.hub.clone();
    let upgrade = upgrade.protocols([PROTOCOL]).read_buffer_size(READ_BYTES).write_buffer_size(WRITE_BYTES);
    upgrade.max_message_size(longest).max_frame_size(longest).on_upgrade(async move |socket| {
        // Boxed: moving the future into both branches below would double its size for the life of the socket.
        let served = Box::pin(socket::serve(socket, hub, connection));
        let served = ComputeShare::default().scope(served);
        match id {
            Some(id) => id.scope(served).await,
            None => served.await,
        }
    })
}

async fn graphql_stream_post(client: Client, body: Body) -> Response {
    let Client { state, caller, headers, uri } = client;
    if let Some(token) = single_connection::token(&headers, &uri) {
        let operations = state.slots.limits().operations;
        return single_connection::post(&state.reservations, &state.hub, (caller, &token), &headers, body, operations)
            .await;
    }
    let Some(slot) = state.slots.take("stream") else { return full(&state.slots) };
    sse::post(&state.hub, caller, &headers, body, slot).await
}

/// Reserves a stream. A reservation is charged like an operation, so that a client that executes nothing cannot take
/// all of them.
async fn graphql_stream_put(client: Client) -> Result<Response, Response> {
    client.charge()?;
    let Client { state, caller, .. } = client;
    Ok(single_connection::put(&state.reservations, caller.holder, state.slots.limits().operations))
}

async fn graphql_stream_delete(client: Client) -> Response {
    let Client { state, caller, headers, uri } = client;
    let token = single_connection::token(&headers, &uri).unwrap_or_default();
    single_connection::delete(&state.reservations, caller.holder, &token, &uri)
}

async fn graphql_stream_get(client: Client) -> Response {
    let Client { state, caller, headers, uri } = client;
    let Some(slot) = state.slots.take("stream") else { return full(&state.slots) };
    if let Some(token) = single_connection::token(&headers, &uri) {
        return single_connection::get(&state.reservations, caller.holder, &token, &headers, slot);
    }
    sse::get(&state.hub, caller, &headers, &uri, slot)
}

async fn debate_events(client: Client, path: Path<String>, query: RawQuery) -> Result<Response, Response> {
    let slot = client.slot("events")?;
    let views = &client.state.reads.now().await.views;
    Ok(debate_sse::serve(&client.state.feeds, views, path, query, &client.headers, slot).await)
}

async fn debate_export(client: Client, path: Path<String>, query: RawQuery) -> Result<Response, Response> {
    let slot = client.slot("export")?;
    let api = client.api();
    let budget = ExportBudget { folds: api.fold_budget(), seconds: api.limits().seconds };
    Ok(debate_export::serve(client.state.reads.now().await, path, query, budget, slot).await)
}

async fn debates_post(client: Client, query: RawQuery, body: Body) -> Result<Response, Response> {
    start(client, query, StartRoute::Debates, body).await
}

async fn earlier_graph_post(client: Client, query: RawQuery, body: Body) -> Result<Response, Response> {
    start(client, query, StartRoute::EarlierGraph, body).await
}

async fn earlier_dialogue_post(client: Client, query: RawQuery, body: Body) -> Result<Response, Response> {
    start(client, query, StartRoute::EarlierDialogue, body).await
}

/// Starts a debate for callers who may change debates, and streams its events.
async fn start(client: Client, RawQuery(query): RawQuery, route: StartRoute, body: Body) -> Result<Response, Response> {
    client.charge()?;
    let api = client.api();
    let actor = match api.may_change() {
        Ok(actor) => actor,
        Err(reason) => return Err(text_response(StatusCode::FORBIDDEN, &reason.message)),
    };
    let state = &client.state;
    let Some(slot) = state.slots.take("events") else { return Err(full(&state.slots)) };
    let service = state.service.acting_as(&actor);
    let start = Start { route, query: query.as_deref(), headers: &client.headers, body };
    Ok(start_sse::serve(&service, &state.feeds, api.limits(), start, slot).await)
}

async fn log_jsonl(client: Client, query: RawQuery) -> Result<Response, Response> {
    let slot = client.slot("lines")?;
    let state = &client.state;
    Ok(log_jsonl::serve(&state.log, &state.reads, query, slot).await)
}

async fn table_export(client: Client, path: Path<String>) -> Result<Response, Response> {
    let slot = client.slot("table")?;
    let state = &client.state;
    Ok(table_export::serve(state.reads.now().await, path, &client.uri, &state.tables, slot).await)
}

fn full(slots: &Slots) -> Response {
    let most = slots.limits().connections;
    let reason = format!("no free connection slot: at most {most} sockets and streams, and none during shutdown\n");
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], reason).into_response()
}

/// Liveness probe: 503 if the process manages an embedded database that does not start.
async fn healthz(State(state): State<Arc<AppState>>) -> Response {
    match (state.probes.broken)() {
        None => "ok\n".into_response(),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("no database: {reason}\n")).into_response(),
    }
}

/// Readiness probe: reports whether debates can be opened and read.
async fn readyz(State(state): State<Arc<AppState>>) -> Response {
    (state.probes.ready)().await.into_response()
}

/// Returns the metrics in the Prometheus text format.
async fn metrics(
    State(state): State<Arc<AppState>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if let Err(why) = state.access.by_headers(&headers, state.client_address(from, &headers)).await {
        return denied(why);
    }
    const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";
    match (state.probes.counted)().await {
        Some(text) => ([(CONTENT_TYPE, KIND)], text).into_response(),
        None => (StatusCode::SERVICE_UNAVAILABLE, "metrics are disabled\n").into_response(),
    }
}

/// Middleware that authenticates the caller, if tokens are configured, and passes the token's holder on. A stream ends
/// when the token that opened it ends.
async fn authenticate(
    State(state): State<Arc<AppState>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = state.client_address(from, request.headers());
    match state.access.by_headers(request.headers(), address).await {
        Ok(holder) => {
            request.extensions_mut().insert(holder.clone());
            let response = next.run(request).await;
            if holder.token.is_none() || !is_stream(response.headers()) {
                return response;
            }
            let (head, body) = response.into_parts();
            let access = state.access.clone();
            let ended = Box::pin(async move { access.until_invalid(&holder).await });
            Response::from_parts(head, Body::from_stream(body.into_data_stream().take_until(ended)))
        }
        Err(why) => denied(why),
    }
}

/// Returns true if the response is an open-ended stream.
fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ["text/event-stream", "application/x-ndjson", "application/jsonl"].iter().any(|prefix| kind.starts_with(prefix))
}
