//! A service with pages, a browser, and a debate that was played without a model.

use faultline::api::admission::tokens::AccessControl;
use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};

use crate::studio::browser::Tab;
use crate::support::client::start_debate_input;
use crate::support::environment::project_path;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

/// Opens a service and a browser; `None` where there is no browser. Scripted replies come after `after_millis`.
pub async fn scene(after_millis: u64) -> Option<(TestServer, Tab)> {
    let access = AccessControl::default();
    let server = TestServer::start_with_pages(&scripted_replies(after_millis), &project_path("corpus"), access).await;
    let Some(tab) = Tab::open(&server.client).await else {
        server.stop().await;
        return None;
    };
    Some((server, tab))
}

/// Plays a debate of two personas from their writings, and returns its id.
pub async fn offline_debate(server: &TestServer) -> DebateId {
    let mut asked = start_debate_input("graph", json!({ "rounds": 2, "passages": 4 }));
    asked["provider"] = json!("offline");
    let debate = server.client.start(&asked).await;
    server.wait_for_end(debate).await;
    debate
}

/// Starts a debate with scripted replies.
pub async fn scripted_debate(server: &TestServer) -> DebateId {
    server.client.start(&start_debate_input("graph", json!({}))).await
}

/// Returns what a query says of a debate.
pub async fn of_debate(server: &TestServer, debate: DebateId, fields: &str) -> Value {
    let query = format!("query ($id: ID!) {{ debate(id: $id) {{ {fields} }} }}");
    server.client.data(&query, json!({ "id": debate })).await["debate"].take()
}

/// Returns a field of each element of a list, as texts.
pub fn each(list: &Value, field: &str) -> Vec<String> {
    let texts = list.as_array().expect("a list").iter().map(|it| it[field].as_str().expect("a text").to_owned());
    texts.collect()
}

/// Closes browser and service.
pub async fn close((server, tab): (TestServer, Tab)) {
    tab.close().await;
    server.stop().await;
}
