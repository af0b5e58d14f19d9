//! WebSocket client of the `graphql-transport-ws` protocol.

use faultline_core::events::ids::DebateId;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::client::Client;
use crate::support::waiting::{poll_until, with_timeout};

/// WebSocket client of the `graphql-transport-ws` protocol.
pub struct WebSocketClient(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl WebSocketClient {
    /// Connects without sending `connection_init`.
    pub async fn connect(client: &Client) -> WebSocketClient {
        WebSocketClient::try_connect(client).await.expect("a socket")
    }

    /// Connects as soon as the service has a slot for a socket: it notices closed ones a moment later.
    pub async fn connect_once_free(client: &Client) -> WebSocketClient {
        poll_until("a slot for a socket", async || WebSocketClient::try_connect(client).await.ok()).await
    }

    async fn try_connect(client: &Client) -> Result<WebSocketClient, tokio_tungstenite::tungstenite::Error> {
        let mut request = format!("ws://{}/graphql/ws", client.address).into_client_request().expect("a request");
        request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a header"));
        let (socket, response) = with_timeout("connect", connect_async(request)).await?;
        assert_eq!(response.headers()["sec-websocket-protocol"], "graphql-transport-ws");
        Ok(WebSocketClient(socket))
    }

    /// Connects and exchanges `connection_init` and `connection_ack`.
    pub async fn open(client: &Client) -> WebSocketClient {
        let mut socket = WebSocketClient::connect(client).await;
        socket.send(&json!({ "type": "connection_init" })).await;
        assert_eq!(socket.receive().await.expect("a message")["type"], "connection_ack");
        socket
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).await.expect("send");
    }

    /// Sends a message and ignores errors.
    pub async fn send_unchecked(&mut self, message: Message) {
        let _whatever = self.0.send(message).await;
    }

    /// Receives the next message; `None` if the socket is closed.
    pub async fn receive(&mut self) -> Option<Value> {
        loop {
            match with_timeout("a message", self.0.next()).await {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Sends `subscribe` with this operation id.
    pub async fn subscribe(&mut self, id: &str, query: &str, variables: Value) {
        let payload = json!({ "query": query, "variables": variables });
        self.send(&json!({ "id": id, "type": "subscribe", "payload": payload })).await;
    }

    /// Receives all messages until the socket closes; returns them with the close code, `None` without a close frame.
    pub async fn receive_until_close(&mut self) -> (Vec<Value>, Option<u16>) {
        let mut heard = Vec::new();
        loop {
            match with_timeout("a message", self.0.next()).await {
                Some(Ok(Message::Text(text))) => heard.push(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(frame))) => return (heard, frame.map(|frame| frame.code.into())),
                Some(Err(_)) | None => return (heard, None),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Subscribes to the events of a debate after a version.
    pub async fn subscribe_to_debate(&mut self, debate: DebateId, after: i64) {
        let query = "subscription ($id: ID!, $after: Int!) {
            debateEvents(debateId: $id, after: $after) { id: recordId version kind body }
        }";
        let payload = json!({ "query": query, "variables": { "id": debate, "after": after } });
        self.send(&json!({ "id": "1", "type": "subscribe", "payload": payload })).await;
    }

    /// Receives the next event of the followed debate; `None` if the operation is complete or the socket is closed.
    pub async fn next_event(&mut self) -> Option<Value> {
        loop {
            let mut message = self.receive().await?;
            match message["type"].as_str() {
                Some("next") => {
                    assert!(message["payload"].get("errors").is_none(), "{message}");
                    return Some(message["payload"]["data"]["debateEvents"].take());
                }
                Some("complete") => return None,
                Some("ping") => self.send(&json!({ "type": "pong" })).await,
                _ => panic!("unexpected message: {message}"),
            }
        }
    }
}
