//! GraphQL over WebSocket with the `graphql-transport-ws` protocol; one task per socket.
//!
//! Operations are polled in turn, so a stream with many events does not starve the others. Nothing is queued here:
//! while a client does not read, its streams are not polled, and their events stay in the shared ring buffers. A client
//! that neither reads nor answers pings for too long gets the position of each of its streams, and is disconnected.

use std::collections::HashMap;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use async_graphql::{Executor, Request};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::future::BoxFuture;
use futures_util::stream::{AbortHandle, BoxStream, SelectAll, abortable, once};
use futures_util::{FutureExt, SinkExt, StreamExt};
use metrics::counter;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::api::admission::tokens::{AccessControl, AccessDenied, Holder};
use crate::api::streams::connection_slots::Slot;
use crate::api::streams::hub::{Caller, Hub};
use crate::api::streams::position::Position;
use crate::api::streams::rendered::RenderedResponse;
use crate::api::transport::receive_meter::ReceiveMeter;
use crate::api::transport::ws_messages::{
    ClientMessage, CloseCode, PROTOCOL, ServerMessage, beginning, error, next, read,
};
use faultline_service::read_ahead::ConnectionReads;

/// Time within which a client has to send `connection_init`.
const INIT_WITHIN: Duration = Duration::from_secs(10);
/// Interval between pings.
const PING_EVERY: Duration = Duration::from_secs(8);
/// Time a client may be silent, without answering pings. A client that stops reading is disconnected after at most this
/// plus one ping interval.
const SILENCE: Duration = Duration::from_secs(20);
/// Time a client may take to accept one message.
const SEND_WITHIN: Duration = Duration::from_secs(20);
/// Time to wait for the client after the close frame has been sent.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// Time that a client that was too slow may take to receive the last messages.
const RECEIVE_WITHIN: Duration = Duration::from_secs(8);
/// Maximum number of messages that are written with one flush.
const MAX_BATCH: usize = 64;

/// Context of one connection: the caller, and the limits.
pub struct ConnectionContext {
    /// Token check.
    pub access: AccessControl,
    /// Holder of the token in the upgrade request, if it had one.
    pub holder: Option<Holder>,
    /// Address of the client.
    pub address: Option<IpAddr>,
    /// Maximum number of running operations.
    pub operations: usize,
    /// Connection slot; it signals when the connection has to end.
    pub slot: Slot,
    /// Permit for sockets that have not sent `connection_init`; released when it arrives.
    pub hello: Option<OwnedSemaphorePermit>,
    /// Counts received bytes.
    pub meter: Arc<ReceiveMeter>,
    /// Maximum length of a message after `connection_init`, in bytes.
    pub longest: usize,
    /// Maximum number of client pings between two pings of the service.
    pub pings: usize,
}

/// Serves one client until it disconnects or has to be closed. The caller is the holder of the token in the upgrade
/// request, or else of that in `connection_init`.
pub fn serve<E: Executor>(
    socket: WebSocket,
    hub: Hub<E>,
    connection: ConnectionContext,
) -> impl Future<Output = ()> + Send + use<E> {
    let (running, streams) = (HashMap::new(), SelectAll::new());
    // Created outside the async block and moved once: an async function stores its arguments in addition to the values
    // created from them.
    let reads = ConnectionReads::default();
    let mut line = Line {
        hub,
        connection,
        socket,
        caller: None,
        ended: None,
        leaving: false,
        running,
        streams,
        reads,
        n_pings: 0,
    };
    async move {
        let spoken = line.socket.protocol().is_some_and(|protocol| protocol == PROTOCOL);
        let ended = if spoken { line.talk().await } else { Err(End::Close(CloseCode::Protocol)) };
        line.streams.clear();
        // After a flood of pings, messages are not drained, because they would be answered.
        let drains = !matches!(ended, Err(End::Close(CloseCode::Flood)));
        if let Err(End::Close(close)) = ended {
            counter!("faultline_connections_closed_total", "reason" => close.name()).increment(1);
            let limit = if close == CloseCode::TooSlow { RECEIVE_WITHIN } else { CLOSE_WITHIN };
            let _ = timeout(limit, Box::pin(line.close(close))).await;
        }
        // Dropping a socket with unread data resets the connection, and the client would never receive the reason.
        if drains {
            let _ = timeout(CLOSE_WITHIN, async { while let Some(Ok(_)) = line.socket.next().await {} }).await;
        }
    }
}

/// Reason why a connection ends.
enum End {
    /// The client disconnected.
    Gone,
    /// The service closes the connection.
    Close(CloseCode),
}

impl From<CloseCode> for End {
    fn from(close: CloseCode) -> End {
        End::Close(close)
    }
}

/// Operation id, chosen by the client.
type Id = Arc<str>;

/// Next response of an operation; `None` if it is complete.
type OperationResponse = (Id, Option<RenderedResponse>);

/// Running operation.
struct Running {
    abort: AbortHandle,
    /// Beginning of its `next` messages.
    beginning: Box<str>,
    /// True if a response has been sent.
    begun: bool,
    /// True for an operation with a single response.
    once: bool,
    /// Position that the client has received.
    position: Position,
}

struct Line<E> {
    hub: Hub<E>,
    connection: ConnectionContext,
    socket: WebSocket,
    /// Caller; `None` before `connection_init`.
    caller: Option<Caller>,
    /// Completes when the client's token becomes invalid.
    ended: Option<BoxFuture<'static, AccessDenied>>,
    /// True if the connection has to end when the last query is answered.
    leaving: bool,
    running: HashMap<Id, Running>,
    streams: SelectAll<BoxStream<'static, OperationResponse>>,
    /// Database reads that the connection may have in progress.
    reads: ConnectionReads,
    /// Number of client pings since the last ping of the service.
    n_pings: usize,
}

impl<E: Executor> Line<E> {
    async fn talk(&mut self) -> Result<(), End> {
        let mut hello = std::pin::pin!(sleep(INIT_WITHIN));
        let mut leave = std::pin::pin!(self.connection.slot.draining());
        let mut beat = interval(PING_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_frame = Instant::now();
        loop {
            if self.leaving && !self.running.values().any(|operation| operation.once) {
                return Err(CloseCode::GoingAway.into());
            }
            // Client messages come first: the client may have answered a ping while a message was being sent.
            tokio::select! {
                biased;
                () = &mut leave, if !self.leaving => self.leaving = true,
                why = until_ended(&mut self.ended) => return Err(CloseCode::Forbidden(why).into()),
                frame = self.socket.next() => {
                    last_frame = Instant::now();
                    match &frame {
                        Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
                            self.connection.meter.control_frame(payload.len());
                        }
                        _ => self.connection.meter.whole_message(),
                    }
                    match frame {
                        // Rare and large: boxed, so that the future takes no space while no message is handled.
                        Some(Ok(Message::Text(text))) => Box::pin(self.handle_message(&text)).await?,
                        Some(Ok(Message::Binary(_))) => return Err(CloseCode::Invalid("messages must be text").into()),
                        Some(Ok(Message::Ping(_))) => self.count_ping()?,
                        Some(Ok(Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(End::Gone),
                    }
                }
                _ = beat.tick() => {
                    self.n_pings = 0;
                    if last_frame.elapsed() > SILENCE {
                        return Err(CloseCode::TooSlow.into());
                    }
                    self.send(Message::Ping(Vec::new().into())).await?;
                }
                Some(response) = self.streams.next() => self.send_ready(response).await?,
                () = &mut hello, if self.caller.is_none() => return Err(CloseCode::InitTimeout.into()),
            }
        }
    }

    async fn handle_message(&mut self, text: &str) -> Result<(), End> {
        match read(text)? {
            ClientMessage::Init(_) if self.caller.is_some() => Err(CloseCode::InitTwice.into()),
            ClientMessage::Init(credentials) => {
                let shown = self.connection.holder.take();
                let ConnectionContext { access, address, .. } = &self.connection;
                let holder = match shown {
                    Some(holder) => holder,
                    None => {
                        access.by_credentials(credentials.as_deref(), *address).await.map_err(CloseCode::Forbidden)?
                    }
                };
                if holder.token.is_some() {
                    let (access, holder) = (access.clone(), holder.clone());
                    self.ended = Some(Box::pin(async move { access.until_invalid(&holder).await }));
                }
                self.caller = Some(Caller { holder, address: self.connection.address });
                self.connection.hello = None;
                self.connection.meter.start(self.connection.longest);
                self.send_message(&ServerMessage::ConnectionAck).await
            }
            ClientMessage::Ping => {
                self.count_ping()?;
                self.send_message(&ServerMessage::Pong).await
            }
            ClientMessage::Pong => Ok(()),
            ClientMessage::Subscribe(id, request) => {
                let caller = self.caller.clone().ok_or(CloseCode::Unauthorized)?;
                self.begin(id.into(), caller, *request).await
            }
            ClientMessage::Complete(id) => {
                if let Some(running) = self.running.remove(id.as_str()) {
                    running.abort.abort();
                }
                Ok(())
            }
        }
    }

    /// Counts a client ping. Each ping is answered into a buffer that a client that does not read never empties.
    fn count_ping(&mut self) -> Result<(), End> {
        self.n_pings += 1;
        if self.n_pings > self.connection.pings { Err(CloseCode::Flood.into()) } else { Ok(()) }
    }

    async fn begin(&mut self, id: Id, caller: Caller, request: Request) -> Result<(), End> {
        if self.running.contains_key(&id) {
            return Err(CloseCode::Duplicate.into());
        }
        let most = self.connection.operations;
        if self.running.len() >= most {
            let reason = format!("too many operations: at most {most} may run on one socket");
            let actual = self.running.len() + 1;
            let limit = json!({ "code": "LIMIT", "limit": "socket_operations", "max": most, "actual": actual });
            return self.refuse(&id, &json!({ "message": reason, "extensions": limit })).await;
        }
        // The client is about to be asked to disconnect, and will send the operation again elsewhere.
        if self.leaving {
            return Ok(());
        }
        let opened = self
            .hub
            .admit(caller, request)
            .map_or_else(|refused| refused, |admitted| self.hub.open(admitted, None, &self.reads));
        let (own, last) = (Arc::clone(&id), Arc::clone(&id));
        let responses = opened.stream.map(move |response| (Arc::clone(&own), Some(response)));
        let (stream, abort) = abortable(responses.chain(once(async move { (last, None) })));
        self.streams.push(stream.boxed());
        let beginning = beginning(&id);
        self.running
            .insert(id, Running { abort, beginning, begun: false, once: opened.once, position: Position::Nowhere });
        Ok(())
    }

    /// Sends a response and those that are ready already, up to one batch, with one flush.
    async fn send_ready(&mut self, first: OperationResponse) -> Result<(), End> {
        let mut next = Some(first);
        for n in 1.. {
            let Some(response) = next else { break };
            self.send_response(response).await?;
            next = if n < MAX_BATCH { self.streams.next().now_or_never().flatten() } else { None };
        }
        within(self.socket.flush()).await
    }

    /// Sends a response of an operation, unless the operation was completed meanwhile.
    async fn send_response(&mut self, (id, response): OperationResponse) -> Result<(), End> {
        let Some(running) = self.running.get_mut(&id) else { return Ok(()) };
        match response {
            Some(RenderedResponse { refused: Some(errors), .. }) if !running.begun => {
                running.abort.abort();
                self.running.remove(&id);
                within(self.socket.feed(Message::text(error(&id, &errors)))).await
            }
            Some(response) => {
                within(self.socket.feed(Message::text(next(&running.beginning, &response.body)))).await?;
                // Updated only after the message is sent: a position that is too far ahead would make the client miss
                // an event.
                running.begun = true;
                running.position = response.position;
                Ok(())
            }
            None => {
                self.running.remove(&id);
                let complete = serde_json::to_string(&ServerMessage::Complete { id: &id }).map_err(|_| End::Gone)?;
                within(self.socket.feed(Message::text(complete))).await
            }
        }
    }

    /// Sends the close frame. A client that was too slow first gets the position of each stream.
    async fn close(&mut self, close: CloseCode) -> Result<(), End> {
        if close == CloseCode::TooSlow {
            let streams: Vec<(Id, Position)> =
                self.running.drain().map(|(id, operation)| (id, operation.position)).collect();
            for (id, position) in streams {
                let after = Some(position.to_string()).filter(|position| !position.is_empty());
                let extensions = json!({ "code": "LAGGED", "after": after });
                self.refuse(&id, &json!({ "message": close.to_string(), "extensions": extensions })).await?;
            }
        }
        let frame = CloseFrame { code: close.code(), reason: close.to_string().into() };
        self.send(Message::Close(Some(frame))).await
    }

    async fn refuse(&mut self, id: &str, why: &serde_json::Value) -> Result<(), End> {
        self.send(Message::text(error(id, &json!([why]).to_string()))).await
    }

    async fn send_message(&mut self, answer: &ServerMessage<'_>) -> Result<(), End> {
        let text = serde_json::to_string(answer).map_err(|_| End::Gone)?;
        self.send(Message::text(text)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        within(self.socket.send(message)).await
    }
}

/// Waits until the client's token becomes invalid; forever if it has none.
async fn until_ended(ended: &mut Option<BoxFuture<'static, AccessDenied>>) -> AccessDenied {
    match ended {
        Some(ended) => ended.await,
        None => std::future::pending().await,
    }
}

/// Waits until a message is sent, within [`SEND_WITHIN`]. The first poll usually succeeds, and then no timer is
/// created.
async fn within(sent: impl Future<Output = Result<(), axum::Error>>) -> Result<(), End> {
    let mut sent = std::pin::pin!(sent);
    let at_once = poll_fn(|context| Poll::Ready(sent.as_mut().poll(context))).await;
    let sent = match at_once {
        Poll::Ready(sent) => Ok(sent),
        Poll::Pending => timeout(SEND_WITHIN, sent).await,
    };
    match sent {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(End::Gone),
        Err(_) => Err(CloseCode::TooSlow.into()),
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::futures_util::{Stream, stream};
    use async_graphql::{EmptyMutation, Object, Schema, Subscription};
    use axum::extract::ws::WebSocketUpgrade;
    use axum::{Router, routing::get};
    use tokio_tungstenite::tungstenite::{self, client::IntoClientRequest};

    use super::*;
    use crate::api::execution::admission::AdmissionExecutor;
    use crate::api::execution::response_order::FieldTypes;
    use crate::api::streams::connection_slots::{SlotLimits, Slots};
    use crate::api::transport::receive_meter::ReceiveBudget;

    const MAX_OPERATIONS: usize = 64;

    struct Query;

    #[Object]
    impl Query {
        async fn one(&self) -> i32 {
            1
        }
    }

    struct Streams;

    #[Subscription]
    impl Streams {
        async fn count(&self, to: i32) -> impl Stream<Item = i32> {
            stream::iter(1..=to)
        }

        async fn silence(&self) -> impl Stream<Item = i32> {
            stream::pending()
        }

        async fn nothing(&self) -> async_graphql::Result<stream::Pending<i32>> {
            Err("there is nothing".into())
        }
    }

    /// Sends these messages to a server of its own, and returns what it receives until `n` messages have arrived or the
    /// socket is closed.
    async fn talk(protocol: &'static str, say: &[String], n: usize) -> Vec<String> {
        let api = Schema::new(Query, EmptyMutation, Streams);
        let field_types = Arc::new(FieldTypes::new(&api.sdl()));
        let hub = Hub::new(AdmissionExecutor::new(api, field_types));
        let slots = Slots::new(SlotLimits::default());
        let serve = async move |upgrade: WebSocketUpgrade| {
            let slot = slots.take("test").expect("a free slot");
            let connection = ConnectionContext {
                access: AccessControl::default(),
                holder: None,
                address: None,
                operations: MAX_OPERATIONS,
                slot,
                hello: None,
                meter: ReceiveMeter::new(&ReceiveBudget::new(1 << 20)),
                longest: 1 << 18,
                pings: 100,
            };
            upgrade.protocols([PROTOCOL]).on_upgrade(|socket| serve(socket, hub, connection))
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = tokio::spawn(async move { axum::serve(listener, Router::new().route("/", get(serve))).await });
        let stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
        let mut request = format!("ws://{address}/").into_client_request().expect("a request");
        if !protocol.is_empty() {
            request.headers_mut().insert("sec-websocket-protocol", protocol.parse().expect("a header"));
        }
        let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.expect("a socket");
        for it in say {
            socket.send(tungstenite::Message::text(it.as_str())).await.expect("sent");
        }
        let mut received = Vec::new();
        while received.len() < n {
            match timeout(Duration::from_secs(5), socket.next()).await.expect("a message in time") {
                Some(Ok(tungstenite::Message::Text(text))) => received.push(text.to_string()),
                Some(Ok(tungstenite::Message::Close(frame))) => {
                    received.push(frame.map_or_else(String::new, |frame| u16::from(frame.code).to_string()));
                    break;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
        }
        server.abort();
        received
    }

    fn subscribe(id: &str, query: &str) -> String {
        format!(r#"{{"type":"subscribe","id":"{id}","payload":{{"query":"{query}"}}}}"#)
    }

    async fn check(protocol: &'static str, say: &[&str], expected: &[&str]) {
        let say: Vec<String> = say.iter().map(|message| (*message).to_owned()).collect();
        let received = talk(protocol, &say, expected.len()).await;
        let alike = received.len() == expected.len()
            && received.iter().zip(expected).all(|(message, begin)| message.starts_with(begin));
        assert!(alike, "{say:?}\n{received:?}\n{expected:?}");
    }

    const HELLO: &str = r#"{"type":"connection_init"}"#;
    const ACK: &str = r#"{"type":"connection_ack"}"#;

    #[tokio::test]
    async fn operations_get_their_responses() {
        let query = subscribe("q", "{ one }");
        let one = [r#"{"type":"next","id":"q","payload":{"data":{"one":1}}}"#, r#"{"type":"complete","id":"q"}"#];
        check(PROTOCOL, &[HELLO, &query], &[ACK, one[0], one[1]]).await;
        check(PROTOCOL, &[r#"{"type":"ping"}"#, HELLO], &[r#"{"type":"pong"}"#, ACK]).await;
        let [first, second] =
            [1, 2].map(|number| format!(r#"{{"type":"next","id":"s","payload":{{"data":{{"count":{number}}}}}}}"#));
        let count = subscribe("s", "subscription { count(to: 2) }");
        check(PROTOCOL, &[HELLO, &count], &[ACK, &first, &second, r#"{"type":"complete","id":"s"}"#]).await;
        let refused = r#"{"type":"error","id":"e","payload":[{"message":""#;
        for wrong in ["{ two }", "{ one(", "subscription { nothing }", "subscription { count(to: 1) silence }"] {
            check(PROTOCOL, &[HELLO, &subscribe("e", wrong)], &[ACK, refused]).await;
        }
        let silent = subscribe("s", "subscription { silence }");
        let stop = r#"{"type":"complete","id":"s"}"#;
        check(PROTOCOL, &[HELLO, &silent, stop, stop, &silent, stop, &query], &[ACK, one[0], one[1]]).await;
    }

    #[tokio::test]
    async fn protocol_violations_close_the_socket() {
        let (query, silent) = (subscribe("q", "{ one }"), subscribe("s", "subscription { silence }"));
        check("", &[HELLO], &["4406"]).await;
        check(PROTOCOL, &["{"], &["4400"]).await;
        check(PROTOCOL, &[&query], &["4401"]).await;
        check(PROTOCOL, &[HELLO, HELLO], &[ACK, "4429"]).await;
        check(PROTOCOL, &[HELLO, &silent, &silent], &[ACK, "4409"]).await;
        let many = (0..=MAX_OPERATIONS).map(|index| subscribe(&index.to_string(), "subscription { silence }"));
        let say: Vec<String> = [HELLO.to_owned()].into_iter().chain(many).collect();
        let received = talk(PROTOCOL, &say, 2).await;
        assert!(received[1].contains(r#""code":"LIMIT""#), "{received:?}");
    }
}
