//! Authentication by tokens: access and roles on every transport.

use faultline::api::admission::token_file::{NewToken, new_token};
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::client::{Client, start_debate_input};
use crate::support::service_process::run_command;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;

/// Creates tokens for a reader, a writer and an admin, and the access rules that admit them.
fn tokens() -> (NewToken, NewToken, String, AccessControl) {
    let made = |name: &str, role: Role| new_token(name, role, None).expect("a token");
    let (reader, writer, admin) =
        (made("page", Role::Reader), made("engine", Role::Writer), made("keeper", Role::Admin));
    let file = format!("{}\n{}\n{}\n", reader.line, writer.line, admin.line);
    (reader, writer, admin.token, AccessControl::by_tokens(&file).expect("a file"))
}

const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";

/// Returns status and body of a GraphQL request.
async fn ask(client: &Client, token: Option<&str>, query: &str, variables: Value) -> (u16, Value) {
    let request = client.http.post(client.url("/graphql")).json(&json!({ "query": query, "variables": variables }));
    let request = request.header("accept", "application/graphql-response+json");
    let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
    let response = with_timeout("a response", request.send()).await.expect("a response");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

async fn get(client: &Client, token: Option<&str>, path: &str) -> u16 {
    let request =
        token.into_iter().fold(client.http.get(client.url(path)), |request, token| request.bearer_auth(token));
    with_timeout("a response", request.send()).await.expect("a response").status().as_u16()
}

/// Opens a socket with this `connection_init` payload. Returns the type of the first message, or the close code.
async fn greet(client: &Client, header: Option<&str>, hello: Value) -> String {
    let address = client.url("/graphql/ws").replace("http://", "ws://");
    let mut request = address.into_client_request().expect("a request");
    let headers = request.headers_mut();
    headers.insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a header"));
    if let Some(token) = header {
        headers.insert("authorization", format!("Bearer {token}").parse().expect("a header"));
    }
    let (mut socket, _) = match tokio_tungstenite::connect_async(request).await {
        Ok(opened) => opened,
        Err(error) => return error.to_string(),
    };
    socket.send(Message::text(hello.to_string())).await.expect("sent");
    loop {
        return match with_timeout("an answer", socket.next()).await {
            Some(Ok(Message::Ping(_))) => continue,
            Some(Ok(Message::Text(text))) => {
                let heard: Value = serde_json::from_str(&text).expect("JSON");
                heard["type"].as_str().unwrap_or_default().to_owned()
            }
            Some(Ok(Message::Close(Some(frame)))) => u16::from(frame.code).to_string(),
            other => format!("{other:?}"),
        };
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_grants_its_role_on_every_transport() {
    let (reader, writer, keeper, access) = tokens();
    let server = TestServer::start_with_access(&scripted_replies(0), access).await;
    let client = &server.client;
    let (page, engine) = (Some(reader.token.as_str()), Some(writer.token.as_str()));
    let asked = json!({ "input": start_debate_input("graph", json!({ "rounds": 1 })) });

    for token in [None, Some("page.guess"), Some("")] {
        let (status, actual) = ask(client, token, "{ engines { name } }", json!({})).await;
        assert_eq!((status, &actual["errors"][0]["extensions"]["code"]), (401, &json!("UNAUTHENTICATED")), "{token:?}");
    }
    assert_eq!(ask(client, page, "{ engines { name } }", json!({})).await.0, 200);
    let (status, actual) = ask(client, page, START, asked.clone()).await;
    assert_eq!((status, &actual["errors"][0]["extensions"]["code"]), (403, &json!("FORBIDDEN")), "{actual}");
    let rebuild = "mutation { rebuildProjection(input: { name: \"debates\" }) { projection { name } } }";
    let (_, actual) = ask(client, engine, rebuild, json!({})).await;
    assert_eq!(
        actual["errors"][0]["extensions"]["code"], "FORBIDDEN",
        "a writer may not administer the service: {actual}"
    );
    for (token, name, role) in
        [(page, "page", "READER"), (engine, "engine", "WRITER"), (Some(keeper.as_str()), "keeper", "ADMIN")]
    {
        let (_, actual) = ask(client, token, "{ viewer { role tokenName } }", json!({})).await;
        assert_eq!(actual["data"]["viewer"], json!({ "role": role, "tokenName": name }));
    }
    let nobody = "019f0000-0000-7000-8000-000000000000";
    let erase = format!(
        "mutation {{ eraseDebate(input: {{ debateId: \"{nobody}\", reason: \"asked for\" }}) {{ erasures {{ erasedAt }} }} }}"
    );
    for (token, request, code) in [
        (engine, erase.as_str(), "FORBIDDEN"),
        (engine, "{ erasures { reason } }", "FORBIDDEN"),
        (Some(&keeper), &erase, "NOT_FOUND"),
    ] {
        let (_, actual) = ask(client, token, request, json!({})).await;
        assert_eq!(actual["errors"][0]["extensions"]["code"], code, "{request}: {actual}");
    }
    let (status, actual) = ask(client, Some(&keeper), rebuild, json!({})).await;
    assert_eq!((status, &actual["errors"]), (200, &Value::Null), "{actual}");
    let (status, actual) = ask(client, engine, START, asked).await;
    assert_eq!(status, 200, "{actual}");
    let debate = actual["data"]["startDebate"]["debate"]["id"].as_str().expect("a debate").to_owned();

    let events = format!("/debates/{debate}/events");
    for (path, without, with) in [
        (events.as_str(), 401, 200),
        ("/log.jsonl", 401, 200),
        ("/metrics", 401, 200),
        ("/healthz", 200, 200),
        ("/graphiql", 200, 200),
    ] {
        assert_eq!((get(client, None, path).await, get(client, page, path).await), (without, with), "{path}");
    }

    let hello = |payload: Value| json!({ "type": "connection_init", "payload": payload });
    for (header, payload, expected) in [
        (None, json!({}), "4403"),
        (None, json!({ "token": "page.guess" }), "4403"),
        (None, json!({ "token": reader.token }), "connection_ack"),
        (None, json!({ "authorization": format!("Bearer {}", reader.token) }), "connection_ack"),
        (page, json!({}), "connection_ack"),
        (Some("page.guess"), json!({ "token": reader.token }), "HTTP error: 401 Unauthorized"),
    ] {
        let actual = greet(client, header, hello(payload.clone())).await;
        assert_eq!(actual, expected, "{header:?} {payload}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_token_files_are_refused_and_tokens_can_be_created() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut variables = server.environment();
    let file = std::env::temp_dir().join(format!("tokens-{}", uuid::Uuid::new_v4()));
    variables.push(("FAULTLINE_TOKENS", file.display().to_string()));
    let made = run_command(&variables, &["token", "page", "--role", "reader", "--append"]).await;
    let lines = std::fs::read_to_string(&file).expect("the file");
    let token = made.stdout.trim();
    assert!(token.starts_with("page.") && !lines.contains(token), "{token} {lines}");
    let again = run_command(&variables, &["token", "page", "--role", "reader", "--append"]).await;
    assert!(again.code == Some(1) && again.stderr.contains("the name page is used twice"), "{again:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), lines, "nothing was appended");
    let access = AccessControl::by_tokens(&lines).expect("a file");
    assert_eq!(access.by_credentials(Some(token), None).await.map(|caller| caller.role), Ok(Role::Reader));
    std::fs::write(&file, "page reader secret\n").expect("written");
    let refused = run_command(&variables, &["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(refused.stderr.contains("FAULTLINE_TOKENS") && refused.stderr.contains("line 1"), "{}", refused.stderr);
    std::fs::remove_file(&file).expect("removed");
    let open = run_command(&server.environment(), &["serve", "--listen", "0.0.0.0:0"]).await;
    assert!(open.stderr.contains("FAULTLINE_TOKENS"), "{}", open.stderr);
    server.stop().await;
}
