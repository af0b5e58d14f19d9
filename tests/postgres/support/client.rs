//! Test clients: GraphQL over HTTP and WebSocket, and the program as a process.

use std::time::Duration;

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};
use uuid::Uuid;

/// Personas that debate in most tests.
pub const SPEAKERS: [&str; 2] = ["edda-tolvane", "gus-ormerand"];

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
        "personaIds": SPEAKERS,
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
        const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
        let data = self.data(START, json!({ "input": input })).await;
        data["startDebate"]["debate"]["id"].as_str().expect("an id").parse().expect("a debate's id")
    }
}
