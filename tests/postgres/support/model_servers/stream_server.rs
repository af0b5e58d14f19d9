//! Server that streams replies byte by byte as a test sets them, over plain sockets.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline_providers::ports::DraftSink;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Step of a streamed response.
#[derive(Clone)]
pub enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Sends the same bytes until the client closes the connection, with this pause before each.
    Forever(Vec<u8>, Duration),
    /// Closes the connection before the response is complete.
    Cut,
}

/// Response to one call; the last one answers every further call.
#[derive(Clone)]
pub struct Streamed {
    pub status: &'static str,
    pub content_type: &'static str,
    pub steps: Vec<Step>,
}

impl Streamed {
    /// Event stream of these steps.
    pub fn events(steps: impl Into<Vec<Step>>) -> Streamed {
        Streamed { status: "200 OK", content_type: "text/event-stream; charset=utf-8", steps: steps.into() }
    }

    /// Event stream of this text.
    pub fn text(text: &str) -> Streamed {
        Streamed::events([Step::Send(text.as_bytes().to_vec())])
    }

    /// JSON body with this status.
    pub fn json(status: &'static str, body: &Value) -> Streamed {
        Streamed { status, content_type: "application/json", steps: vec![Step::Send(body.to_string().into_bytes())] }
    }
}

/// The server, and the bodies of its calls.
pub struct StreamServer {
    pub base: String,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl StreamServer {
    /// Starts a server with these responses.
    pub async fn start(responses: impl Into<Vec<Streamed>>) -> StreamServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (responses, bodies): (Arc<Vec<Streamed>>, Arc<Mutex<Vec<Value>>>) =
            (Arc::new(responses.into()), Arc::default());
        let received = bodies.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (responses, received) = (responses.clone(), received.clone());
                tokio::spawn(async move {
                    // A client may close the connection at any time.
                    let _closed = respond(socket, &responses, &received).await;
                });
            }
        });
        StreamServer { base, bodies }
    }

    /// Bodies of the calls so far.
    pub fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().expect("the bodies").clone()
    }
}

async fn respond(mut socket: TcpStream, responses: &[Streamed], received: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut request = Vec::new();
    let body = loop {
        let mut piece = [0; 16 * 1_024];
        let read = socket.read(&mut piece).await?;
        request.extend_from_slice(&piece[..read]);
        let head = request.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(body) = head.map(|at| &request[at + 4..]) else { continue };
        if let Ok(body) = serde_json::from_slice::<Value>(body) {
            break body;
        }
    };
    let number = {
        let mut received = received.lock().expect("the bodies");
        received.push(body);
        received.len()
    };
    let response = responses.get(number - 1).or(responses.last()).expect("a response");
    let head = format!(
        "HTTP/1.1 {}\r\ncontent-type: {}\r\nrequest-id: req_{number}\r\ntransfer-encoding: chunked\r\n\r\n",
        response.status, response.content_type
    );
    socket.write_all(head.as_bytes()).await?;
    for step in &response.steps {
        match step {
            Step::Send(bytes) => send(&mut socket, bytes).await?,
            Step::Wait(time) => tokio::time::sleep(*time).await,
            Step::Forever(bytes, pause) => loop {
                tokio::time::sleep(*pause).await;
                send(&mut socket, bytes).await?;
            },
            Step::Cut => return Ok(()),
        }
    }
    socket.write_all(b"0\r\n\r\n").await?;
    socket.shutdown().await
}

async fn send(socket: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    socket.write_all(&chunk).await
}

// What the two services send.

/// Chunks of a chat completion with these pieces, up to its last text.
pub fn chunks(pieces: &[&str]) -> String {
    let chunk =
        |delta: Value| data(&json!({ "model": "deep-model-20261101", "choices": [{ "index": 0, "delta": delta }] }));
    let first = chunk(json!({ "role": "assistant", "content": "" }));
    pieces.iter().fold(first, |stream, piece| stream + &chunk(json!({ "content": piece })))
}

/// End of a chat completion, with its usage.
pub fn completed(finish_reason: &str) -> String {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish_reason }] });
    let usage = json!({
        "choices": [], "usage": {
            "prompt_tokens": 1136, "completion_tokens": 70,
            "prompt_tokens_details": { "cached_tokens": 1024, "cache_write_tokens": 100 },
            "completion_tokens_details": { "reasoning_tokens": 60 },
        },
    });
    format!("{}{}data: [DONE]\n\n", data(&end), data(&usage))
}

/// Events of a message with these pieces, up to its last text.
pub fn message_events(pieces: &[&str]) -> String {
    let start = json!({ "type": "message_start", "message": {
        "id": "msg_1", "model": "deep-model-20261101", "content": [], "stop_reason": null,
        "usage": { "input_tokens": 12, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1024, "output_tokens": 1 },
    } });
    let delta = |delta: Value| event(&json!({ "type": "content_block_delta", "index": 1, "delta": delta }));
    let mut stream = event(&start) + &event(&json!({ "type": "ping" }));
    stream += &event(
        &json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
    );
    stream += &delta(json!({ "type": "thinking_delta", "thinking": "hm" }));
    stream +=
        &event(&json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }));
    pieces.iter().fold(stream, |stream, piece| stream + &delta(json!({ "type": "text_delta", "text": piece })))
}

/// End of a message, with its usage.
pub fn message_end(stop_reason: &str) -> String {
    let end = json!({
        "type": "message_delta", "delta": { "stop_reason": stop_reason, "stop_sequence": null },
        "usage": { "output_tokens": 70, "output_tokens_details": { "thinking_tokens": 60 } },
    });
    event(&json!({ "type": "content_block_stop", "index": 1 }))
        + &event(&end)
        + &event(&json!({ "type": "new_kind_of_event", "x": [] }))
        + &event(&json!({ "type": "message_stop" }))
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn event(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

// What a reader of drafts sees.

/// Sink that remembers what it was handed: pieces, and reasons in brackets.
#[derive(Default)]
pub struct Seen(Mutex<Vec<String>>);

impl Seen {
    pub fn pieces(&self) -> Vec<String> {
        self.0.lock().expect("the pieces").clone()
    }
}

impl DraftSink for Seen {
    fn write(&self, piece: &str) {
        self.0.lock().expect("the pieces").push(piece.to_owned());
    }

    fn discard(&self, reason: &str) {
        self.0.lock().expect("the pieces").push(format!("[{reason}]"));
    }
}
