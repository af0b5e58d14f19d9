//! The doors: GraphQL over HTTP and WebSocket, its page, and whether the service is well.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, Path, RawQuery, Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use crate::api::answer::{denied, throttled};
use crate::api::feed;
use crate::api::frames::PROTOCOL;
use crate::api::graphiql;
use crate::api::guard::Guarded;
use crate::api::http;
use crate::api::log_lines;
use crate::api::observe::requested;
use crate::api::origin::{Origins, guard_origin};
use crate::api::persisted::Allowed;
use crate::api::readiness::Readiness;
use crate::api::reading::Reading;
use crate::api::receive_meter::ReceiveMeter;
use crate::api::request_id::{REQUEST_ID, RequestId};
use crate::api::schema::{Api, sdl};
use crate::api::seen::carry;
use crate::api::socket::{self, Guest};
use crate::api::streams::hub::{Hub, Visitor};
use crate::api::streams::seats::Seats;
use crate::api::streams::single::{self, Reservations};
use crate::api::streams::sse;
use crate::api::tokens::{Access, Denied, Holder};
use crate::desk::compute::ComputeShare;
use crate::desk::feeds::Feeds;
use crate::desk::reads::Reads;
use crate::limits::Limits;
use crate::proxies::Proxies;
use crate::store::log::Log;

/// With these a request is refused before its body was read.
const UNREAD: [StatusCode; 6] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
];
/// What is read of a socket at once, in bytes: an idle one holds no more.
const READ_BYTES: usize = 1_024;
/// What is written to a socket at once where there is much to say, in bytes.
const WRITE_BYTES: usize = 16 * 1024;

/// Asked whether debates can be opened and read, and what stands in the way if they cannot.
pub type Ready = Arc<dyn Fn() -> BoxFuture<'static, Readiness> + Send + Sync>;

/// Asked why the service cannot do anything and may not become able to by itself; `None` where it can.
pub type Broken = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Asked for what was counted, as Prometheus reads it; `None` where nothing is counted.
pub type Counted = Arc<dyn Fn() -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// What every door needs; shared, for each request goes through several.
struct House {
    api: Guarded<Reading<Api>>,
    probes: Probes,
    access: Access,
    proxies: Arc<Proxies>,
    hub: Hub<Reading<Api>>,
    reservations: Reservations,
    log: Log,
    reads: Reads,
    seats: Seats,
    /// For sockets whose client has not said hello.
    hello: Arc<Semaphore>,
    feeds: Feeds,
}

impl House {
    /// From where a request comes, as far as that can be known.
    fn caller(&self, from: SocketAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let told = |name| headers.get_all(name).iter().map(|it| it.to_str().unwrap_or("?")).collect::<Vec<_>>();
        Some(self.proxies.caller(from.ip(), &told("x-forwarded-for"), &told("forwarded")))
    }

    /// Takes one operation from the buckets of whoever asks, where nothing behind does so; where they are empty, what is
    /// answered.
    fn charge(&self, holder: &Holder, from: SocketAddr, headers: &HeaderMap) -> Option<Response> {
        let payer = self.api.clone().for_holder(holder.clone()).for_address(self.caller(from, headers));
        payer.charge().err().map(|why| throttled(&why))
    }
}

/// Who may come in, from where, and what they may ask for.
#[derive(Clone, Debug)]
pub struct Entrance {
    /// From where browsers may speak.
    pub origins: Origins,
    /// Who may do what.
    pub access: Access,
    /// How much of it.
    pub limits: Arc<Limits>,
    /// The only operations that readers and writers may ask for, where there is a list.
    pub allowed: Option<Allowed>,
    /// Who is believed about from where a request comes.
    pub proxies: Proxies,
    /// Where sockets and event streams sit.
    pub seats: Seats,
}

/// The schema, and the same that tells what a request costs.
pub struct Schemas {
    /// The schema.
    pub api: Reading<Api>,
    /// The other.
    pub costing: Reading<Api>,
}

/// What monitors ask.
pub struct Probes {
    /// For `/healthz`.
    pub broken: Broken,
    /// For `/readyz`.
    pub ready: Ready,
    /// For `/metrics`.
    pub counted: Counted,
}

/// The doors of the service.
pub fn router(schemas: Schemas, feeds: Feeds, log: Log, probes: Probes, entrance: Entrance) -> Router {
    let Entrance { origins, access, limits, allowed, proxies, seats } = entrance;
    let reads = schemas.api.reads().clone();
    let hello = Arc::new(Semaphore::new(limits.hello_sockets));
    let api = Guarded::within(limits, schemas.api, &sdl(), allowed).with_costing(schemas.costing);
    let hub = Hub::new(api.clone());
    let (reservations, proxies) = (Reservations::default(), Arc::new(proxies));
    let house = Arc::new(House {
        api,
        log,
        reads: reads.clone(),
        probes,
        access,
        proxies,
        hub,
        reservations,
        seats,
        hello,
        feeds,
    });
    Router::new()
        .route("/graphql", get(graphql_get).post(graphql_post))
        .route_layer(from_fn_with_state(reads, carry))
        .route(
            "/graphql/stream",
            get(graphql_stream_get).post(graphql_stream_post).put(graphql_stream_put).delete(graphql_stream_delete),
        )
        .route("/debates/{id}/events", get(debate_events))
        .route("/log.jsonl", get(log_jsonl))
        .route_layer(from_fn_with_state(house.clone(), guard_access))
        .route("/", get(|| async { Redirect::temporary("/graphiql") }))
        .route("/graphql/ws", get(graphql_ws))
        .route("/graphiql", get(|| async { graphiql::page() }))
        .route("/graphiql/{*name}", get(|Path(name): Path<String>| async move { graphiql::asset(&name) }))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(Arc::new(origins), guard_origin))
        .route("/healthz", get(healthz))
        .layer(from_fn(requested))
        .layer(from_fn(name_request))
        .with_state(house)
}

async fn graphql_post(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let caller = house.caller(from, &headers);
    http::post(&house.api.clone().for_holder(holder).for_address(caller), &headers, body).await
}

async fn graphql_get(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let caller = house.caller(from, &headers);
    let api = house.api.clone().for_holder(holder).for_address(caller);
    http::get(&api, Some(&house.log), &headers, &uri).await
}

/// Browsers cannot send a token with an upgrade: they say it in their hello. One that is sent has to be good.
async fn graphql_ws(
    State(house): State<Arc<House>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Extension(meter): Extension<Arc<ReceiveMeter>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let address = house.caller(from, &headers);
    let holder = match house.access.by_headers(&headers, address).await {
        Ok(holder) => Some(holder),
        Err(Denied::Missing) => None,
        Err(why) => return denied(why),
    };
    let Some(seat) = house.seats.take("websocket") else { return full(&house.seats) };
    let Ok(hello) = Arc::clone(&house.hello).try_acquire_owned() else { return full(&house.seats) };
    let limits = house.api.limits();
    meter.start(limits.hello_bytes);
    let guest = Guest {
        hello: Some(hello),
        meter,
        longest: limits.body_bytes,
        pings: limits.pings,
        holder,
        address,
        access: house.access.clone(),
        operations: house.seats.places().operations,
        seat,
    };
    let (id, longest) = (RequestId::current(), limits.body_bytes);
    let hub = house.hub.clone();
    let upgrade = upgrade.protocols([PROTOCOL]).read_buffer_size(READ_BYTES).write_buffer_size(WRITE_BYTES);
    upgrade.max_message_size(longest).max_frame_size(longest).on_upgrade(async move |socket| {
        // In a place of its own: moved into each of the two it would take its room twice, as long as the socket lives.
        let served = Box::pin(socket::serve(socket, hub, guest));
        let served = ComputeShare::default().scope(served);
        match id {
            Some(id) => id.scope(served).await,
            None => served.await,
        }
    })
}

async fn graphql_stream_post(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    uri: Uri,
    body: Body,
) -> Response {
    let visitor = Visitor { holder, address: house.caller(from, &headers) };
    if let Some(token) = single::token(&headers, &uri) {
        let operations = house.seats.places().operations;
        return single::post(&house.reservations, &house.hub, (visitor, &token), &headers, body, operations).await;
    }
    let Some(seat) = house.seats.take("stream") else { return full(&house.seats) };
    sse::post(&house.hub, visitor, &headers, body, seat).await
}

/// Reserving costs as much as asking: else whoever asks for nothing could take all there are.
async fn graphql_stream_put(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if let Some(refused) = house.charge(&holder, from, &headers) {
        return refused;
    }
    single::put(&house.reservations, holder, house.seats.places().operations)
}

async fn graphql_stream_delete(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let token = single::token(&headers, &uri).unwrap_or_default();
    single::delete(&house.reservations, holder, &token, &uri)
}

async fn graphql_stream_get(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let Some(seat) = house.seats.take("stream") else { return full(&house.seats) };
    if let Some(token) = single::token(&headers, &uri) {
        return single::get(&house.reservations, holder, &token, &headers, seat);
    }
    let visitor = Visitor { holder, address: house.caller(from, &headers) };
    sse::get(&house.hub, visitor, &headers, &uri, seat)
}

async fn debate_events(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    path: Path<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refused) = house.charge(&holder, from, &headers) {
        return refused;
    }
    let Some(seat) = house.seats.take("events") else { return full(&house.seats) };
    feed::serve(&house.feeds, path, query, &headers, seat).await
}

async fn log_jsonl(
    State(house): State<Arc<House>>,
    Extension(holder): Extension<Holder>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    query: RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refused) = house.charge(&holder, from, &headers) {
        return refused;
    }
    let Some(seat) = house.seats.take("lines") else { return full(&house.seats) };
    log_lines::serve(&house.log, &house.reads, query, seat).await
}

fn full(seats: &Seats) -> Response {
    let most = seats.places().connections;
    let reason = format!("at most {most} sockets and streams at once, and none while the service stops\n");
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], reason).into_response()
}

/// Whether the process is any good: 503 while it keeps a private database that does not start.
async fn healthz(State(house): State<Arc<House>>) -> Response {
    match (house.probes.broken)() {
        None => "ok\n".into_response(),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("no database: {reason}\n")).into_response(),
    }
}

/// Whether debates can be opened and read; else why not.
async fn readyz(State(house): State<Arc<House>>) -> Response {
    (house.probes.ready)().await.into_response()
}

/// What was counted, as Prometheus reads it.
async fn metrics(
    State(house): State<Arc<House>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if let Err(why) = house.access.by_headers(&headers, house.caller(from, &headers)).await {
        return denied(why);
    }
    const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";
    match (house.probes.counted)().await {
        Some(told) => ([(CONTENT_TYPE, KIND)], told).into_response(),
        None => (StatusCode::SERVICE_UNAVAILABLE, "nothing is counted here\n").into_response(),
    }
}

/// Lets in whoever shows a token, where tokens are asked for, and says further in what it allows. A stream ends with the token
/// that opened it.
async fn guard_access(
    State(house): State<Arc<House>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = house.caller(from, request.headers());
    match house.access.by_headers(request.headers(), address).await {
        Ok(holder) => {
            request.extensions_mut().insert(holder.clone());
            let response = next.run(request).await;
            if holder.token.is_none() || !is_stream(response.headers()) {
                return response;
            }
            let (head, body) = response.into_parts();
            let access = house.access.clone();
            let ended = Box::pin(async move { access.ended(&holder).await });
            Response::from_parts(head, Body::from_stream(body.into_data_stream().take_until(ended)))
        }
        Err(why) => denied(why),
    }
}

/// True for a response that goes on for as long as its client wants.
fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    ["text/event-stream", "application/x-ndjson", "application/jsonl"].iter().any(|it| kind.starts_with(it))
}

/// Gives a request its name, under which its errors and the lines of the log stand.
async fn name_request(request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let (named, has_body) = (id.header(), request.method() == Method::POST);
    let mut response = ComputeShare::default().scope(id.scope(next.run(request))).await;
    let status = response.status();
    let headers = response.headers_mut();
    headers.extend(named.map(|it| (REQUEST_ID, it)));
    // The connection ends behind what lies unread on it: a client that is not told puts its next request there, in vain.
    if has_body && UNREAD.contains(&status) {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
