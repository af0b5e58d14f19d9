//! The service as its clients meet it: GraphQL over a socket, and the program as a process.

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

use crate::support::below_manifest;

/// The two who debate.
pub const SPEAKERS: [&str; 2] = ["edda-tolvane", "gus-ormerand"];

/// Waits for something that must happen, on however slow a machine; a test fails rather than hang.
pub async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(180), future).await.unwrap_or_else(|_| panic!("{what}: not within 180 s"))
}

/// Looks again and again until something is so: for what nobody announces.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    in_time(what, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Where to connect to, as `DATABASE_URL` says it.
pub fn url(options: &PgConnectOptions) -> String {
    options.to_url_lossy().to_string()
}

/// The answers to both engines' questions, each after so many milliseconds.
pub fn script(after_millis: u64) -> Value {
    let mut script = Map::new();
    for name in ["dialectic", "graph"] {
        let text =
            fs::read_to_string(below_manifest(&format!("tests/fixtures/scripts/{name}.json"))).expect("a script");
        let Value::Object(lists) = serde_json::from_str(&text).expect("JSON") else { panic!("{name} is no object") };
        for (key, list) in lists {
            let entries = list.as_array().expect("a list").iter();
            let later = |reply: &Value| json!({ "$after_millis": after_millis, "$reply": reply });
            script.insert(key, entries.map(later).collect());
        }
    }
    Value::Object(script)
}

/// A folder of a test's own, with what the service reads from files; it goes when the test does.
pub struct Home {
    directory: TempDir,
    n_files: AtomicU32,
}

impl Home {
    /// An empty one.
    pub fn new() -> Home {
        let directory = tempfile::tempdir().expect("a folder");
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).expect("let the server in");
        fs::create_dir(directory.path().join("corpus")).expect("a folder");
        Home { directory, n_files: AtomicU32::new(0) }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// A new file that holds this.
    pub fn file(&self, content: &Value) -> String {
        let path = self.path(&format!("{}.json", self.n_files.fetch_add(1, Ordering::Relaxed)));
        fs::write(&path, content.to_string()).expect("write a file");
        path
    }

    /// What every service of a test is told: the personas are the real ones, without what they wrote.
    pub fn variables(&self, database: &PgConnectOptions, script: &Value) -> Vec<(&'static str, String)> {
        vec![
            ("DATABASE_URL", url(database)),
            ("FAULTLINE_HOME", self.path("home")),
            ("FAULTLINE_PERSONAS", below_manifest("personas").display().to_string()),
            ("FAULTLINE_CORPUS", self.path("corpus")),
            ("FAULTLINE_EMBEDDER", "hashing".to_owned()),
            ("FAULTLINE_SCRIPT", self.file(script)),
        ]
    }
}

/// A client of a service.
#[derive(Clone)]
pub struct Client {
    /// `127.0.0.1:40123`.
    pub address: String,
    /// As it is, for requests that no client of good manners makes.
    pub http: reqwest::Client,
}

/// What is to be debated, and how; the rest is as in every test.
pub fn input(engine: &str, options: Value) -> Value {
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

    /// An address of the service.
    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The whole response to a GraphQL request.
    ///
    /// # Errors
    /// Where none came.
    pub async fn try_ask(&self, query: &str, variables: Value) -> Result<Value, reqwest::Error> {
        let body = json!({ "query": query, "variables": variables });
        self.http.post(self.at("/graphql")).json(&body).send().await?.json().await
    }

    /// The whole response to a GraphQL request.
    pub async fn ask(&self, query: &str, variables: Value) -> Value {
        self.try_ask(query, variables).await.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// The data of a response that has no errors.
    pub async fn data(&self, query: &str, variables: Value) -> Value {
        let mut response = self.ask(query, variables).await;
        assert!(response.get("errors").is_none(), "{query}: {response}");
        response["data"].take()
    }

    /// The code of the error that a request is refused with.
    pub async fn code(&self, query: &str, variables: Value) -> String {
        let response = self.ask(query, variables).await;
        let code = &response["errors"][0]["extensions"]["code"];
        code.as_str().unwrap_or_else(|| panic!("not refused, or without a code: {query}: {response}")).to_owned()
    }

    /// Opens a debate.
    pub async fn start(&self, input: &Value) -> DebateId {
        const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { id } }";
        let data = self.data(START, json!({ "input": input })).await;
        data["startDebate"]["id"].as_str().expect("an id").parse().expect("a debate's id")
    }
}

/// A WebSocket that speaks `graphql-transport-ws`.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Connects, and says nothing yet.
    pub async fn connect(client: &Client) -> Socket {
        let mut request = format!("ws://{}/graphql/ws", client.address).into_client_request().expect("a request");
        request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a header"));
        let (socket, response) = in_time("connect", connect_async(request)).await.expect("a socket");
        assert_eq!(response.headers()["sec-websocket-protocol"], "graphql-transport-ws");
        Socket(socket)
    }

    /// Connects and introduces itself.
    pub async fn open(client: &Client) -> Socket {
        let mut socket = Socket::connect(client).await;
        socket.say(&json!({ "type": "connection_init" })).await;
        assert_eq!(socket.hear().await.expect("a word")["type"], "connection_ack");
        socket
    }

    /// Sends a message.
    pub async fn say(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).await.expect("send");
    }

    /// Sends a frame, whatever becomes of it.
    pub async fn throw(&mut self, message: Message) {
        let _whatever = self.0.send(message).await;
    }

    /// The next message; `None` where the socket is closed.
    pub async fn hear(&mut self) -> Option<Value> {
        loop {
            match in_time("a message", self.0.next()).await {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Subscribes under a name.
    pub async fn subscribe(&mut self, id: &str, query: &str, variables: Value) {
        let payload = json!({ "query": query, "variables": variables });
        self.say(&json!({ "id": id, "type": "subscribe", "payload": payload })).await;
    }

    /// Everything that is said until the socket is closed, and with which code; none where it was cut.
    pub async fn farewell(&mut self) -> (Vec<Value>, Option<u16>) {
        let mut heard = Vec::new();
        loop {
            match in_time("a message", self.0.next()).await {
                Some(Ok(Message::Text(text))) => heard.push(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(frame))) => return (heard, frame.map(|it| it.code.into())),
                Some(Err(_)) | None => return (heard, None),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Follows a debate from behind a version.
    pub async fn follow(&mut self, debate: DebateId, after: i64) {
        let query = "subscription ($id: ID!, $after: Int!) {
            debateEvents(debateId: $id, after: $after) { id version kind body }
        }";
        let payload = json!({ "query": query, "variables": { "id": debate, "after": after } });
        self.say(&json!({ "id": "1", "type": "subscribe", "payload": payload })).await;
    }

    /// The next event of what is followed; `None` where it is complete, or the socket was cut.
    pub async fn event(&mut self) -> Option<Value> {
        loop {
            let mut message = self.hear().await?;
            match message["type"].as_str() {
                Some("next") => {
                    assert!(message["payload"].get("errors").is_none(), "{message}");
                    return Some(message["payload"]["data"]["debateEvents"].take());
                }
                Some("complete") => return None,
                Some("ping") => self.say(&json!({ "type": "pong" })).await,
                _ => panic!("not expected: {message}"),
            }
        }
    }
}

/// The program serving, as a process of its own. It is killed when this is dropped.
pub struct Service {
    /// A client of it.
    pub client: Client,
    child: Child,
}

/// The build that is tested as a process: this one, unless `FAULTLINE_ATTACKED` names another to see how tests fail there.
pub fn built() -> OsString {
    std::env::var_os("FAULTLINE_ATTACKED").unwrap_or_else(|| env!("CARGO_BIN_EXE_faultline").into())
}

/// The program, about to run with nothing of this process's environment but these variables.
pub fn program(variables: &[(&'static str, String)], arguments: &[&str]) -> Command {
    program_at(&built(), variables, arguments)
}

/// The same of another build, which lies at a path.
pub fn program_at(path: &OsStr, variables: &[(&'static str, String)], arguments: &[&str]) -> Command {
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

impl Service {
    /// Starts a process, and does not wait for anything.
    pub fn spawn(variables: &[(&'static str, String)]) -> Child {
        let mut command = program(variables, &["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).spawn().expect("start the service")
    }

    /// Starts a process, and waits until it serves.
    pub async fn start(variables: &[(&'static str, String)]) -> Service {
        Service::of(Service::spawn(variables)).await
    }

    /// Starts a process that writes its log into a file, and waits until it serves.
    pub async fn start_logging(variables: &[(&'static str, String)], log: &std::path::Path) -> Service {
        Service::start_other(&built(), variables, log).await
    }

    /// The same of another build, which lies at a path.
    pub async fn start_other(path: &OsStr, variables: &[(&'static str, String)], log: &std::path::Path) -> Service {
        let mut command = program_at(path, variables, &["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(fs::File::create(log).expect("a file"));
        Service::of(command.spawn().expect("start the service")).await
    }

    async fn of(mut child: Child) -> Service {
        let mut lines = BufReader::new(child.stdout.take().expect("it was asked to be a pipe")).lines();
        let first = in_time("the service starts", lines.next_line()).await.expect("read").expect("a line");
        let address = first.strip_prefix("serving on http://").unwrap_or_else(|| panic!("not an address: {first}"));
        let client = Client::new(address);
        // The rest is read and thrown away, so that it never waits for us.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Service { client, child }
    }

    /// Its number among the processes.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Kills it: nothing of it runs any more.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("kill");
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|it| Pid::from_raw(it.cast_signed())).expect("it runs");
        kill_process(pid, signal).expect("a signal");
    }

    /// Waits for its end.
    pub async fn ended(mut self) -> ExitStatus {
        in_time("the service ends", self.child.wait()).await.expect("wait")
    }
}

/// How a command ended, and what it said.
#[derive(Debug)]
pub struct Told {
    /// The exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a command to its end.
pub async fn run(variables: &[(&'static str, String)], arguments: &[&str]) -> Told {
    let output = in_time(&format!("{arguments:?}"), program(variables, arguments).output()).await.expect("run");
    Told {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The JSON values that a command prints, one a line; it must succeed.
pub async fn run_json(variables: &[(&'static str, String)], arguments: &[&str]) -> Vec<Value> {
    let told = run(variables, arguments).await;
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{arguments:?}: {}", told.stdout);
    told.stdout
        .lines()
        .map(|it| serde_json::from_str(it).unwrap_or_else(|why| panic!("{arguments:?}: {why}: {it}")))
        .collect()
}

/// All events of a debate.
pub async fn history(log: &Log, debate: DebateId) -> Vec<Recorded> {
    log.read(debate, 0, faultline_store::log::log::PAGE).await.expect("read")
}

/// Waits until an event of a debate is such; all events up to it.
pub async fn seen(log: &Log, tail: &Tail, debate: DebateId, is_such: impl Fn(&Event) -> bool) -> Vec<Recorded> {
    let mut follower = Follower::of_debate(log, tail, debate, 0);
    let mut events = Vec::new();
    in_time(&format!("debate {debate}"), async {
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

/// Waits until a debate has ended; all its events.
pub async fn ended(log: &Log, tail: &Tail, debate: DebateId) -> Vec<Recorded> {
    seen(log, tail, debate, |it| matches!(it, Event::DebateConcluded(_) | Event::DebateAborted(_))).await
}

/// The path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    below_manifest(&format!("tests/fixtures/{name}"))
}
