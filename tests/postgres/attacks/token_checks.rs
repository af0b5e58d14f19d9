//! Tokens: guesses lock nobody out, tokens expire and are replaced at run time, and actions record the name of the
//! token.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::Utc;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::client::{Client, start_debate_input};
use crate::support::database::{Database, migrated_database};
use crate::support::process_stats::cpu_ticks;
use crate::support::service_process::{ServiceProcess, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

/// Number of concurrent wrong guesses.
const N_GUESSES: usize = 400;
/// Maximum time of a token's first use meanwhile; it used to be refused after five seconds.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Service with a token file; commands find its database and its file by `environment`.
struct TokenService {
    service: ServiceProcess,
    variables: Vec<(&'static str, String)>,
    tokens: PathBuf,
    log: PathBuf,
    database: Database,
    _home: TestHome,
}

impl TokenService {
    async fn start(roles: &[(&str, &str)]) -> (TokenService, Vec<String>) {
        let (database, home) = (migrated_database().await, TestHome::new());
        let mut variables = home.environment(&database.options, &scripted_replies(400));
        variables.push(("FAULTLINE_TOKENS", home.path("tokens")));
        let mut tokens = Vec::new();
        for (name, role) in roles {
            tokens.push(token(&variables, &[name, "--role", role]).await);
        }
        let (file, log) = (PathBuf::from(home.path("tokens")), PathBuf::from(home.path("log")));
        let service = ServiceProcess::start_logging(&variables, &log).await;
        (TokenService { service, variables, tokens: file, log, database, _home: home }, tokens)
    }
}

/// Creates a token and appends its line to the file.
async fn token(variables: &[(&'static str, String)], arguments: &[&str]) -> String {
    let arguments: Vec<&str> = ["token"].into_iter().chain(arguments.iter().copied()).chain(["--append"]).collect();
    let made = run_command(variables, &arguments).await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    made.stdout.trim().to_owned()
}

async fn status(client: &Client, token: &str) -> u16 {
    let request =
        client.http.post(client.url("/graphql")).bearer_auth(token).json(&json!({ "query": "{ __typename }" }));
    with_timeout("an answer", request.send()).await.expect("an answer").status().as_u16()
}

async fn ask(client: &Client, token: &str, query: &str, variables: Value) -> Value {
    let request = client.http.post(client.url("/graphql")).bearer_auth(token);
    let request = request.json(&json!({ "query": query, "variables": variables }));
    with_timeout("an answer", request.send()).await.expect("an answer").json().await.expect("JSON")
}

/// Waits until the file is reloaded and accepts a token; polls slowly, so that it does not look like guessing.
async fn wait_until_accepted(client: &Client, token: &str) {
    poll_until("the file is reloaded", async || {
        sleep(Duration::from_millis(400)).await;
        (status(client, token).await == 200).then_some(())
    })
    .await;
}

/// Removes the line of a token from the file.
fn remove(file: &Path, name: &str) {
    let lines = std::fs::read_to_string(file).expect("the file");
    let left: Vec<&str> = lines.lines().filter(|line| !line.starts_with(&format!("{name} "))).collect();
    std::fs::write(file, left.join("\n") + "\n").expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_of_a_known_name_lock_no_honest_token_out() {
    let (server, tokens) = TokenService::start(&[("page", "reader"), ("other", "reader")]).await;
    let client = &server.service.client;
    let before = cpu_ticks(server.service.pid());
    let guess = |n: usize| {
        let name = if n % 4 == 3 { "nobody" } else { "page" };
        let client = Client { address: client.address.clone(), http: client.http.clone() };
        tokio::spawn(async move { status(&client, &format!("{name}.guess{n:059}")).await })
    };
    let guesses = join_all((0..N_GUESSES).map(guess));
    let honest = async {
        let mut answers = Vec::new();
        for token in &tokens {
            answers.push(timeout(TIMEOUT, status(client, token)).await);
        }
        answers
    };
    let (guesses, honest) = tokio::join!(guesses, honest);
    let guesses: Vec<u16> = guesses.into_iter().map(|guess| guess.expect("no panic")).collect();
    let of = |code: u16| guesses.iter().filter(|guess| **guess == code).count();
    println!("{} x 401, {} x 429, {} ticks of a processor", of(401), of(429), cpu_ticks(server.service.pid()) - before);
    assert_eq!(honest, [Ok(200), Ok(200)], "honest tokens, each used for the first time");
    assert_eq!(of(401) + of(429), N_GUESSES, "{guesses:?}");
    assert!(of(429) > N_GUESSES / 2, "failures are limited per address");
    server.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_replaced_and_expire_while_the_service_runs() {
    let (server, tokens) = TokenService::start(&[("page", "reader"), ("former", "reader")]).await;
    let client = &server.service.client;
    assert_eq!(status(client, &tokens[1]).await, 200);

    let mut socket = WebSocketClient::connect(client).await;
    socket.send(&json!({ "type": "connection_init", "payload": { "token": tokens[1] } })).await;
    assert_eq!(socket.receive().await.expect("an answer")["type"], "connection_ack");
    let subscription = json!({ "query": "subscription { log { version } }" });
    let events =
        client.http.post(client.url("/graphql/stream")).bearer_auth(&tokens[1]).header("accept", "text/event-stream");
    let events = with_timeout("a stream", events.json(&subscription).send()).await.expect("a stream");
    assert_eq!(events.status().as_u16(), 200);

    remove(&server.tokens, "former");
    let added = token(&server.variables, &["added", "--role", "reader"]).await;
    wait_until_accepted(client, &added).await;
    assert_eq!((status(client, &tokens[0]).await, status(client, &tokens[1]).await), (200, 401));
    let (_, code) = with_timeout("the socket closes", socket.receive_until_close()).await;
    assert_eq!(code, Some(4403), "connections with a removed token are closed");
    with_timeout("the stream ends", events.bytes()).await.expect("an end");

    // An invalid file changes nothing: the former tokens stay valid.
    std::fs::write(&server.tokens, "page reader nonsense\n").expect("written");
    poll_until("the error is logged", async || {
        std::fs::read_to_string(&server.log).ok()?.contains("keeping the old ones").then_some(())
    })
    .await;
    assert_eq!(status(client, &added).await, 200);

    // A token expires at the second in its line.
    std::fs::write(&server.tokens, "").expect("written");
    let end = (Utc::now() + Duration::from_secs(4)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let short = token(&server.variables, &["short", "--role", "reader", "--expires", &end]).await;
    wait_until_accepted(client, &short).await;
    let mut socket = WebSocketClient::connect(client).await;
    socket.send(&json!({ "type": "connection_init", "payload": { "token": short } })).await;
    assert_eq!(socket.receive().await.expect("an answer")["type"], "connection_ack");
    let (_, code) = with_timeout("the socket closes", socket.receive_until_close()).await;
    assert_eq!((code, status(client, &short).await), (Some(4403), 401));
    let listed = run_command(&server.variables, &["token", "--list"]).await.stdout;
    assert!(listed.starts_with("short ") && listed.contains("reader   expired "), "{listed}");
    server.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn administrative_actions_record_the_name_of_the_token() {
    let (server, tokens) = TokenService::start(&[("keeper", "admin")]).await;
    let (client, keeper) = (&server.service.client, &tokens[0]);
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    let started =
        ask(client, keeper, start, json!({ "input": start_debate_input("graph", json!({ "rounds": 1 })) })).await;
    let debate = started["data"]["startDebate"]["debate"]["id"].as_str().expect("a debate").to_owned();
    let cancel = "mutation ($id: ID!) {
        cancelDebate(input: { debateId: $id, reason: \"enough\" }) { debate { status } }
    }";
    let cancelled = ask(client, keeper, cancel, json!({ "id": debate })).await;
    assert_eq!(cancelled["data"]["cancelDebate"]["debate"]["status"], "CANCELLED", "{cancelled}");
    let actors: Vec<String> = sqlx::query_scalar(
        "select distinct actor from events where kind in ('debate_opened', 'debate_cancelled') and actor is not null",
    )
    .fetch_all(&server.database.pool)
    .await
    .expect("actors");
    assert_eq!(actors, ["keeper"]);

    let erase = "mutation ($id: ID!) {
        eraseDebate(input: { debateId: $id, reason: \"asked for\" }) { erasures { requestedBy } }
    }";
    let erased = ask(client, keeper, erase, json!({ "id": debate })).await;
    assert_eq!(erased["data"]["eraseDebate"]["erasures"][0]["requestedBy"], "keeper", "{erased}");
    let log = std::fs::read_to_string(&server.log).expect("the log of the process");
    for act in ["cancel", "erase"] {
        let audited = log.lines().any(|line| {
            line.contains("administrative act")
                && line.contains("keeper")
                && line.contains(act)
                && line.contains(&debate)
        });
        assert!(audited, "{act}: {log}");
    }
    server.service.kill().await;
}
