//! GraphQL over a WebSocket: `graphql-transport-ws`, one task a socket.
//!
//! Operations are polled in turn, so that a stream that has much to say starves nobody else. Nothing is buffered: while
//! a client does not read, its streams are not polled, and they read the log no further. Whoever neither reads nor
//! answers pings for a while is gone, and everything it asked for with it.

use std::collections::HashMap;
use std::time::Duration;

use async_graphql::{Executor, Request, Response, ServerError};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::stream::{AbortHandle, BoxStream, SelectAll, SplitSink, abortable, once};
use futures_util::{SinkExt, StreamExt};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::api::frames::{Answer, Close, PROTOCOL, Said, read};
use crate::api::guard::Guarded;
use crate::api::tokens::{Access, Holder};

/// How long a client may take to say hello.
const INIT_WITHIN: Duration = Duration::from_secs(10);
/// How often a client is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(15);
/// How long a client may be silent, pings unanswered too.
const SILENCE: Duration = Duration::from_secs(50);
/// How long a client may take to read one message.
const SEND_WITHIN: Duration = Duration::from_secs(30);
/// How long a client is waited for after it was told that the socket is closed.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// The most operations under way on one socket.
pub const MAX_OPERATIONS: usize = 64;

/// Serves one client until it goes or has to: as what its upgrade showed it to be, else as what its hello does.
pub async fn serve(socket: WebSocket, api: Guarded<impl Executor>, access: Access, holder: Option<Holder>) {
    let spoken = socket.protocol().is_some_and(|it| it == PROTOCOL);
    let (sink, mut frames) = socket.split();
    let (running, streams) = (HashMap::new(), SelectAll::new());
    let mut line = Line { api, access, holder, sink, greeted: false, running, streams };
    let ended = if spoken { line.talk(&mut frames).await } else { Err(End::Close(Close::Protocol)) };
    line.streams.clear();
    if let Err(End::Close(close)) = ended {
        let frame = CloseFrame { code: close.code(), reason: close.to_string().into() };
        let _ = line.send(Message::Close(Some(frame))).await;
    }
    // A socket dropped with something unread in it is reset, and the client would never learn why.
    let _ = timeout(CLOSE_WITHIN, async { while let Some(Ok(_)) = frames.next().await {} }).await;
}

/// How a conversation ends.
enum End {
    /// The client is gone.
    Gone,
    /// The client has to go.
    Close(Close),
}

impl From<Close> for End {
    fn from(close: Close) -> End {
        End::Close(close)
    }
}

/// What an operation has to tell its client.
enum Told {
    Response(String, Box<Response>),
    Over(String),
}

/// An operation under way.
struct Running {
    abort: AbortHandle,
    /// Whether anything was told of it.
    begun: bool,
}

struct Line<E> {
    api: Guarded<E>,
    access: Access,
    holder: Option<Holder>,
    sink: SplitSink<WebSocket, Message>,
    greeted: bool,
    running: HashMap<String, Running>,
    streams: SelectAll<BoxStream<'static, Told>>,
}

impl<E: Executor> Line<E> {
    async fn talk(
        &mut self,
        frames: &mut (impl StreamExt<Item = Result<Message, axum::Error>> + Unpin),
    ) -> Result<(), End> {
        let mut hello = std::pin::pin!(sleep(INIT_WITHIN));
        let mut beat = interval(PING_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                frame = frames.next() => {
                    heard = Instant::now();
                    match frame {
                        Some(Ok(Message::Text(text))) => self.hear(&text).await?,
                        Some(Ok(Message::Binary(_))) => return Err(Close::Invalid("messages are text").into()),
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(End::Gone),
                    }
                }
                Some(told) = self.streams.next() => self.tell(told).await?,
                _ = beat.tick() => {
                    if heard.elapsed() > SILENCE {
                        return Err(End::Gone);
                    }
                    self.send(Message::Ping(Vec::new().into())).await?;
                }
                () = &mut hello, if !self.greeted => return Err(Close::InitTimeout.into()),
            }
        }
    }

    async fn hear(&mut self, text: &str) -> Result<(), End> {
        match read(text)? {
            Said::Init(_) if self.greeted => Err(Close::InitTwice.into()),
            Said::Init(told) => {
                let holder = match self.holder {
                    Some(holder) => holder,
                    None => self.access.by_credentials(told.as_deref()).await.map_err(Close::Forbidden)?,
                };
                self.api = self.api.clone().for_holder(holder);
                self.greeted = true;
                self.say(&Answer::ConnectionAck).await
            }
            Said::Ping => self.say(&Answer::Pong).await,
            Said::Pong => Ok(()),
            Said::Subscribe(..) if !self.greeted => Err(Close::Unauthorized.into()),
            Said::Subscribe(id, _) if self.running.contains_key(&id) => Err(Close::Duplicate.into()),
            Said::Subscribe(id, _) if self.running.len() >= MAX_OPERATIONS => {
                let mut error =
                    ServerError::new(format!("at most {MAX_OPERATIONS} operations at once on a socket"), None);
                error.extensions.get_or_insert_default().set("code", "LIMIT");
                self.say(&Answer::Error { id: &id, payload: &[error] }).await
            }
            Said::Subscribe(id, request) => {
                self.begin(id, *request);
                Ok(())
            }
            Said::Complete(id) => {
                if let Some(running) = self.running.remove(&id) {
                    running.abort.abort();
                }
                Ok(())
            }
        }
    }

    fn begin(&mut self, id: String, request: Request) {
        let (own, last) = (id.clone(), id.clone());
        let responses = self.api.execute_stream(request, None).map(move |it| Told::Response(own.clone(), Box::new(it)));
        let (stream, abort) = abortable(responses.chain(once(async move { Told::Over(last) })));
        self.streams.push(stream.boxed());
        self.running.insert(id, Running { abort, begun: false });
    }

    async fn tell(&mut self, told: Told) -> Result<(), End> {
        match told {
            Told::Response(id, response) => {
                // What was completed meanwhile is not told of any more.
                let Some(running) = self.running.get_mut(&id) else { return Ok(()) };
                let refused = !running.begun && response.data == async_graphql::Value::Null && response.is_err();
                if !refused {
                    running.begun = true;
                    return self.say(&Answer::Next { id: &id, payload: &response }).await;
                }
                running.abort.abort();
                self.running.remove(&id);
                self.say(&Answer::Error { id: &id, payload: &response.errors }).await
            }
            Told::Over(id) => {
                self.running.remove(&id);
                self.say(&Answer::Complete { id: &id }).await
            }
        }
    }

    async fn say(&mut self, answer: &Answer<'_>) -> Result<(), End> {
        let text = serde_json::to_string(answer).map_err(|_| End::Gone)?;
        self.send(Message::text(text)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(SEND_WITHIN, self.sink.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
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

    /// Says these things to a server of its own, and tells what it heard until `n` messages have come or the socket is
    /// closed.
    async fn talk(protocol: &'static str, say: &[String], n: usize) -> Vec<String> {
        let api = Schema::new(Query, EmptyMutation, Streams);
        let sdl = api.sdl();
        let api = Guarded::new(api, &sdl);
        let serve = async move |upgrade: WebSocketUpgrade| {
            upgrade.protocols([PROTOCOL]).on_upgrade(|it| serve(it, api, Access::default(), None))
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
        let mut heard = Vec::new();
        while heard.len() < n {
            match timeout(Duration::from_secs(5), socket.next()).await.expect("an answer in time") {
                Some(Ok(tungstenite::Message::Text(text))) => heard.push(text.to_string()),
                Some(Ok(tungstenite::Message::Close(frame))) => {
                    heard.push(frame.map_or_else(String::new, |it| u16::from(it.code).to_string()));
                    break;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
        }
        server.abort();
        heard
    }

    fn subscribe(id: &str, query: &str) -> String {
        format!(r#"{{"type":"subscribe","id":"{id}","payload":{{"query":"{query}"}}}}"#)
    }

    async fn check(protocol: &'static str, say: &[&str], expected: &[&str]) {
        let say: Vec<String> = say.iter().map(|it| (*it).to_owned()).collect();
        let heard = talk(protocol, &say, expected.len()).await;
        let alike =
            heard.len() == expected.len() && heard.iter().zip(expected).all(|(it, begin)| it.starts_with(begin));
        assert!(alike, "{say:?}\n{heard:?}\n{expected:?}");
    }

    const HELLO: &str = r#"{"type":"connection_init"}"#;
    const ACK: &str = r#"{"type":"connection_ack"}"#;

    #[tokio::test]
    async fn operations_are_answered() {
        let query = subscribe("q", "{ one }");
        let one = [r#"{"type":"next","id":"q","payload":{"data":{"one":1}}}"#, r#"{"type":"complete","id":"q"}"#];
        check(PROTOCOL, &[HELLO, &query], &[ACK, one[0], one[1]]).await;
        check(PROTOCOL, &[r#"{"type":"ping"}"#, HELLO], &[r#"{"type":"pong"}"#, ACK]).await;
        let [first, second] =
            [1, 2].map(|it| format!(r#"{{"type":"next","id":"s","payload":{{"data":{{"count":{it}}}}}}}"#));
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
    async fn what_is_against_the_protocol_closes() {
        let (query, silent) = (subscribe("q", "{ one }"), subscribe("s", "subscription { silence }"));
        check("", &[HELLO], &["4406"]).await;
        check(PROTOCOL, &["{"], &["4400"]).await;
        check(PROTOCOL, &[&query], &["4401"]).await;
        check(PROTOCOL, &[HELLO, HELLO], &[ACK, "4429"]).await;
        check(PROTOCOL, &[HELLO, &silent, &silent], &[ACK, "4409"]).await;
        let many = (0..=MAX_OPERATIONS).map(|it| subscribe(&it.to_string(), "subscription { silence }"));
        let say: Vec<String> = [HELLO.to_owned()].into_iter().chain(many).collect();
        let heard = talk(PROTOCOL, &say, 2).await;
        assert!(heard[1].contains(r#""code":"LIMIT""#), "{heard:?}");
    }
}
