//! Test clients: GraphQL over HTTP and WebSocket, and the program as a process.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use futures_util::{SinkExt, StreamExt};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use uuid::Uuid;

use crate::support::database::project_path;

/// Personas that debate in most tests.
pub const SPEAKERS: [&str; 2] = ["edda-tolvane", "gus-ormerand"];

/// Awaits a future; panics after 180 seconds, so that a test fails instead of hanging.
pub async fn with_timeout<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(180), future).await.unwrap_or_else(|_| panic!("{what}: not within 180 s"))
}

/// Polls every 5 ms until `look` returns a value, for conditions that nothing announces.
pub async fn poll_until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    with_timeout(what, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Connection URL in the form of `DATABASE_URL`.
pub fn database_url(options: &PgConnectOptions) -> String {
    options.to_url_lossy().to_string()
}

/// Answers of the scripted provider for both engines, each given after `after_millis`.
pub fn scripted_replies(after_millis: u64) -> Value {
    let mut script = Map::new();
    for name in ["dialectic", "graph"] {
        let text = fs::read_to_string(project_path(&format!("tests/fixtures/scripts/{name}.json"))).expect("a script");
        let Value::Object(lists) = serde_json::from_str(&text).expect("JSON") else {
            panic!("{name} is not an object")
        };
        for (key, list) in lists {
            let entries = list.as_array().expect("a list").iter();
            let later = |reply: &Value| json!({ "$after_millis": after_millis, "$reply": reply });
            script.insert(key, entries.map(later).collect());
        }
    }
    Value::Object(script)
}

/// Temporary folder of one test with the files that the service reads, deleted on drop.
pub struct TestHome {
    directory: TempDir,
    n_files: AtomicU32,
}

impl TestHome {
    /// Creates a folder with an empty corpus.
    pub fn new() -> TestHome {
        let directory = tempfile::tempdir().expect("a folder");
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).expect("make the folder readable");
        fs::create_dir(directory.path().join("corpus")).expect("a folder");
        TestHome { directory, n_files: AtomicU32::new(0) }
    }

    /// Path of a file in the folder.
    pub fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// Writes `content` to a new file and returns its path.
    pub fn file(&self, content: &Value) -> String {
        let path = self.path(&format!("{}.json", self.n_files.fetch_add(1, Ordering::Relaxed)));
        fs::write(&path, content.to_string()).expect("write a file");
        path
    }

    /// Environment of a test's service: the shipped personas without their documents.
    pub fn environment(&self, database: &PgConnectOptions, script: &Value) -> Vec<(&'static str, String)> {
        vec![
            ("DATABASE_URL", database_url(database)),
            ("FAULTLINE_HOME", self.path("home")),
            ("FAULTLINE_PERSONAS", project_path("personas").display().to_string()),
            ("FAULTLINE_CORPUS", self.path("corpus")),
            ("FAULTLINE_EMBEDDER", "hashing".to_owned()),
            ("FAULTLINE_SCRIPT", self.file(script)),
        ]
    }
}

/// HTTP client of a service.
#[derive(Clone)]
pub struct Client {
    /// Address of the service, such as `127.0.0.1:40123`.
    pub address: String,
    /// Underlying HTTP client, for requests that the methods here do not cover.
    pub http: reqwest::Client,
}

/// Input of `startDebate` with this engine and these options; everything else is the same in every test.
pub fn start_debate_input(engine: &str, options: Value) -> Value {
    let mut asked = json!({ "passages": 0 });
    for (name, value) in options.as_object().into_iter().flatten() {
        asked[name.as_str()] = value.clone();
    }
    json!({
        "topic": "Should the city close its centre to private cars?",
        "engine": engine,
        "personas": SPEAKERS,
        "provider": "scripted",
        "seed": 7,
        "options": asked,
        "id": Uuid::now_v7(),
    })
}

impl Client {
    /// A client of the service at an address.
    pub fn new(address: &str) -> Client {
        let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build().expect("a client");
        Client { address: address.to_owned(), http }
    }

    /// URL of a path of the service.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a GraphQL request and returns the whole response.
    ///
    /// # Errors
    /// [`reqwest::Error`] if there is no response, or if it is not JSON.
    pub async fn try_query(&self, query: &str, variables: Value) -> Result<Value, reqwest::Error> {
        let body = json!({ "query": query, "variables": variables });
        self.http.post(self.url("/graphql")).json(&body).send().await?.json().await
    }

    /// Sends a GraphQL request and returns the whole response; panics if there is none.
    pub async fn query(&self, query: &str, variables: Value) -> Value {
        self.try_query(query, variables).await.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Sends a GraphQL request and returns its data; panics if the response has errors.
    pub async fn data(&self, query: &str, variables: Value) -> Value {
        let mut response = self.query(query, variables).await;
        assert!(response.get("errors").is_none(), "{query}: {response}");
        response["data"].take()
    }

    /// Sends a GraphQL request that must fail and returns the code of its first error.
    pub async fn error_code(&self, query: &str, variables: Value) -> String {
        let response = self.query(query, variables).await;
        let code = &response["errors"][0]["extensions"]["code"];
        code.as_str().unwrap_or_else(|| panic!("not refused, or without a code: {query}: {response}")).to_owned()
    }

    /// Starts a debate and returns its id.
    pub async fn start(&self, input: &Value) -> DebateId {
        const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { id } }";
        let data = self.data(START, json!({ "input": input })).await;
        data["startDebate"]["id"].as_str().expect("an id").parse().expect("a debate's id")
    }
}

/// WebSocket client of the `graphql-transport-ws` protocol.
pub struct WebSocketClient(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl WebSocketClient {
    /// Connects without sending `connection_init`.
    pub async fn connect(client: &Client) -> WebSocketClient {
        let mut request = format!("ws://{}/graphql/ws", client.address).into_client_request().expect("a request");
        request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a header"));
        let (socket, response) = with_timeout("connect", connect_async(request)).await.expect("a socket");
        assert_eq!(response.headers()["sec-websocket-protocol"], "graphql-transport-ws");
        WebSocketClient(socket)
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
                Some(Ok(Message::Close(frame))) => return (heard, frame.map(|it| it.code.into())),
                Some(Err(_)) | None => return (heard, None),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Subscribes to the events of a debate after a version.
    pub async fn subscribe_to_debate(&mut self, debate: DebateId, after: i64) {
        let query = "subscription ($id: ID!, $after: Int!) {
            debateEvents(debateId: $id, after: $after) { id version kind body }
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

/// Process that runs `faultline serve`, killed on drop.
pub struct ServiceProcess {
    /// Client of the service.
    pub client: Client,
    child: Child,
}

/// Path of the binary under test: this build, or the one in `FAULTLINE_ATTACKED` to see how the tests fail there.
pub fn binary_under_test() -> OsString {
    std::env::var_os("FAULTLINE_ATTACKED").unwrap_or_else(|| env!("CARGO_BIN_EXE_faultline").into())
}

/// Command that runs the program with only these variables and `PATH` in its environment.
pub fn command(variables: &[(&'static str, String)], arguments: &[&str]) -> Command {
    command_at(&binary_under_test(), variables, arguments)
}

/// [`command`] with the binary at a path.
pub fn command_at(path: &OsStr, variables: &[(&'static str, String)], arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .args(arguments)
        .env_clear()
        .env("PATH", path)
        .envs(variables.iter().map(|(name, value)| (name, OsStr::new(value))));
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

impl ServiceProcess {
    /// Starts a process without waiting for it.
    pub fn spawn(variables: &[(&'static str, String)]) -> Child {
        let mut command = command(variables, &["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).spawn().expect("start the service")
    }

    /// Starts a process and waits until it serves.
    pub async fn start(variables: &[(&'static str, String)]) -> ServiceProcess {
        ServiceProcess::wait_for_address(ServiceProcess::spawn(variables)).await
    }

    /// Starts a process that writes its log into a file, and waits until it serves.
    pub async fn start_logging(variables: &[(&'static str, String)], log: &std::path::Path) -> ServiceProcess {
        ServiceProcess::start_binary(&binary_under_test(), variables, log).await
    }

    /// [`Self::start_logging`] with the binary at a path.
    pub async fn start_binary(
        path: &OsStr,
        variables: &[(&'static str, String)],
        log: &std::path::Path,
    ) -> ServiceProcess {
        let mut command = command_at(path, variables, &["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(fs::File::create(log).expect("a file"));
        ServiceProcess::wait_for_address(command.spawn().expect("start the service")).await
    }

    async fn wait_for_address(mut child: Child) -> ServiceProcess {
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let first = with_timeout("the service starts", lines.next_line()).await.expect("read").expect("a line");
        let address = first.strip_prefix("serving on http://").unwrap_or_else(|| panic!("no address: {first}"));
        let client = Client::new(address);
        // Discard the rest, so that the process never blocks on a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        ServiceProcess { client, child }
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Kills the process and waits for its end.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("kill");
    }

    /// Sends the process a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|it| Pid::from_raw(it.cast_signed())).expect("it runs");
        kill_process(pid, signal).expect("a signal");
    }

    /// Waits for the end of the process and returns its status.
    pub async fn wait(mut self) -> ExitStatus {
        with_timeout("the service ends", self.child.wait()).await.expect("wait")
    }
}

/// Exit code and output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    /// Exit code; `None` if a signal ended the command.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a command to its end.
pub async fn run_command(variables: &[(&'static str, String)], arguments: &[&str]) -> CommandOutput {
    let output = with_timeout(&format!("{arguments:?}"), command(variables, arguments).output()).await.expect("run");
    CommandOutput {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs a command that must succeed; returns the JSON values that it prints, one per line.
pub async fn run_json_command(variables: &[(&'static str, String)], arguments: &[&str]) -> Vec<Value> {
    let output = run_command(variables, arguments).await;
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{arguments:?}: {}", output.stdout);
    output
        .stdout
        .lines()
        .map(|it| serde_json::from_str(it).unwrap_or_else(|why| panic!("{arguments:?}: {why}: {it}")))
        .collect()
}

/// Reads all events of a debate.
pub async fn read_all_events(log: &Log, debate: DebateId) -> Vec<Recorded> {
    log.read(debate, 0, faultline_store::log::log::PAGE).await.expect("read")
}

/// Waits for an event of a debate that satisfies `is_such`; returns all events up to it.
pub async fn wait_for_event(
    log: &Log,
    tail: &Tail,
    debate: DebateId,
    is_such: impl Fn(&Event) -> bool,
) -> Vec<Recorded> {
    let mut follower = Follower::of_debate(log, tail, debate, 0);
    let mut events = Vec::new();
    with_timeout(&format!("debate {debate}"), async {
        loop {
            for recorded in follower.next().await.expect("read") {
                let found = is_such(&recorded.event);
                events.push(recorded);
                if found {
                    return;
                }
            }
        }
    })
    .await;
    events
}

/// Waits until a debate has ended; returns all its events.
pub async fn wait_for_end(log: &Log, tail: &Tail, debate: DebateId) -> Vec<Recorded> {
    wait_for_event(log, tail, debate, |it| matches!(it, Event::DebateConcluded(_) | Event::DebateAborted(_))).await
}

/// Path of a file in `tests/fixtures`.
pub fn fixture_path(name: &str) -> PathBuf {
    project_path(&format!("tests/fixtures/{name}"))
}
