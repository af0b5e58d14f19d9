//! Observability of a running service: metrics, the dashboard that queries them, and spans sent to a collector.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Told;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::client::start_debate_input;
use crate::support::database::{Database, migrated_database};
use crate::support::environment::project_path;
use crate::support::phase_events::new_debate_id;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

type Variables = Vec<(&'static str, String)>;

/// Starts a service with additional environment variables, in a process of its own.
async fn service(more: &[(&'static str, &str)]) -> (Database, TestHome, ServiceProcess) {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables: Variables = home.environment(&database.options, &scripted_replies(0));
    variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let service = ServiceProcess::start(&variables).await;
    (database, home, service)
}

/// Exercises the service so that every metric has a value.
async fn exercise(service: &ServiceProcess) {
    let client = &service.client;
    let debate_id = client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await;
    let mut socket = WebSocketClient::open(client).await;
    socket.subscribe_to_debate(debate_id, 0).await;
    while socket.next_event().await.is_some() {}
    client.query("{ nothingOfTheKind }", json!({})).await;
    client.query("{ engines(", json!({})).await;
    let append =
        "mutation ($id: ID!) { appendEvents(input: { debateId: $id, expectedVersion: 0, events: [] }) { version } }";
    client.query(append, json!({ "id": new_debate_id() })).await;
}

/// Scrapes `/metrics`. Returns the declared names of metrics, and each label with its values.
async fn scrape(service: &ServiceProcess) -> (BTreeSet<String>, BTreeMap<String, BTreeSet<String>>) {
    let text = service.client.http.get(service.client.url("/metrics")).send().await.expect("an answer");
    let text = text.text().await.expect("text");
    let (mut names, mut labels) = (BTreeSet::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for line in text.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(declared) => drop(names.insert(declared.split(' ').next().unwrap_or_default().to_owned())),
            None if line.starts_with('#') => {}
            None => {
                let inner =
                    line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')).map_or("", |(labels, _)| labels);
                for (label, value) in inner.split("\",").filter_map(|pair| pair.split_once("=\"")) {
                    labels.entry(label.to_owned()).or_default().insert(value.trim_end_matches('"').to_owned());
                }
            }
        }
    }
    (names, labels)
}

/// Returns the words of a text that may be names of metrics.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let named = words.filter(|word| word.starts_with("faultline_") || word.starts_with("process_"));
    let declared = |name: &str| {
        ["_bucket", "_sum", "_count"].iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(name)).to_owned()
    };
    named.map(declared).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exported_metrics_match_the_documentation_and_the_dashboard() {
    let (_database, _home, service) = service(&[]).await;
    exercise(&service).await;
    let dashboard = fs::read_to_string(project_path("dashboards/faultline.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&dashboard).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let drawn: Vec<&str> = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().expect("targets"))
        .map(|target| target["expr"].as_str().expect("a query"))
        .collect();
    assert!(drawn.len() > 20, "{} queries", drawn.len());
    let page = fs::read_to_string(project_path("docs/observability.md")).expect("the page");
    let documented = metrics_in(&page);
    let (always, _sometimes) =
        page.split_once("### Only where it happens").expect("the section on conditional metrics");
    let wanted: BTreeSet<String> = drawn.iter().flat_map(|query| metrics_in(query)).chain(metrics_in(always)).collect();
    let (names, labels) = poll_until("every documented metric is exported", async || {
        let (names, labels) = scrape(&service).await;
        wanted.is_subset(&names).then_some((names, labels))
    })
    .await;
    assert!(
        drawn.iter().all(|query| !metrics_in(query).is_empty()),
        "a dashboard query uses none of the service's metrics"
    );
    let own: BTreeSet<String> = names.into_iter().filter(|name| name.starts_with("faultline_")).collect();
    let untold: Vec<&String> = own.difference(&documented).collect();
    assert_eq!(untold, Vec::<&String>::new(), "exported and not documented");

    // Labels that queries group by are exported; `job` and `instance` are added by Prometheus.
    for query in &drawn {
        for group in query.split("by (").skip(1) {
            let group = group.split(')').next().unwrap_or_default();
            for label in group.split(", ").filter(|label| !["job", "instance"].contains(label)) {
                assert!(labels.contains_key(label), "{query}: no metric has the label {label}");
            }
        }
    }
    let operations = &labels["operation"];
    assert!(operations.contains("startDebate") && operations.contains("none"), "{operations:?}");
    assert!(!operations.contains("nothingOfTheKind"), "a name chosen by a client became a label value");
}

/// Starts a collector. Returns its address, and the path, content type and body of each request posted to it.
async fn start_collector() -> (String, Arc<Mutex<Vec<(String, String, Bytes)>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let hearing = Arc::clone(&heard);
    let hear = move |uri: Uri, headers: HeaderMap, body: Bytes| async move {
        let kind = headers["content-type"].to_str().expect("a kind").to_owned();
        hearing.lock().expect("nobody panicked").push((uri.path().to_owned(), kind, body));
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(hear)).await.expect("serve") });
    (address, heard)
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == name)?.value.as_ref()?.value.as_ref()?;
    Some(match found {
        Told::StringValue(it) => it.clone(),
        Told::IntValue(it) => it.to_string(),
        other => format!("{other:?}"),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_reach_a_collector_as_part_of_the_callers_trace() {
    let (address, heard) = start_collector().await;
    let (_database, _home, service) = service(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &address),
        ("OTEL_SERVICE_NAME", "faultline-under-test"),
        ("FAULTLINE_LOG", "error"),
    ])
    .await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let request = service.client.http.post(service.client.url("/graphql"));
    let request = request.header("traceparent", format!("00-{trace}-b7ad6b7169203331-01"));
    let request = request.header("x-request-id", "edge-7").json(&json!({ "query": "{ engines { name } }" }));
    assert_eq!(request.send().await.expect("an answer").status(), 200);
    let debate_id = service.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let mut socket = WebSocketClient::open(&service.client).await;
    socket.subscribe_to_debate(debate_id, 0).await;
    while socket.next_event().await.is_some() {}
    service.signal(Signal::TERM);
    assert!(service.wait().await.success());

    let heard = heard.lock().expect("nobody panicked").clone();
    assert!(!heard.is_empty(), "no span arrived, not even at shutdown");
    let mut spans: Vec<Span> = Vec::new();
    for (path, kind, body) in heard {
        assert_eq!((path.as_str(), kind.as_str()), ("/v1/traces", "application/x-protobuf"));
        let batch = ExportTraceServiceRequest::decode(body).expect("OTLP");
        for resource in batch.resource_spans {
            let actual = resource.resource.expect("a resource").attributes;
            let service = actual
                .iter()
                .find(|attribute| attribute.key == "service.name")
                .and_then(|attribute| attribute.value.clone());
            assert_eq!(
                service.and_then(|value| value.value),
                Some(Told::StringValue("faultline-under-test".to_owned()))
            );
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let posts = named("POST /graphql");
    let ours = posts.iter().find(|post| hex(&post.trace_id) == trace).expect("the caller's trace");
    assert_eq!(hex(&ours.parent_span_id), "b7ad6b7169203331");
    assert_eq!(attribute(ours, "http.response.status_code").as_deref(), Some("200"));
    assert_eq!(attribute(ours, "request.id").as_deref(), Some("edge-7"));
    let query = named("query engines");
    assert_eq!((hex(&query[0].trace_id).as_str(), &query[0].parent_span_id), (trace, &ours.span_id));
    assert_eq!(named("mutation startDebate").len(), 1);
    assert!(!named("append to the log").is_empty());
    let asked: Vec<_> = spans.iter().filter(|span| span.name.starts_with("ask scripted to ")).collect();
    assert!(!asked.is_empty() && asked.iter().all(|span| attribute(span, "outcome").as_deref() == Some("answered")));
    let said =
        spans.iter().flat_map(|span| &span.attributes).map(|attribute| format!("{attribute:?}")).collect::<String>();
    assert!(!said.contains("private cars"), "a span contains the topic of the debate");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_collector_loses_only_spans() {
    let (_database, _home, service) = service(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")]).await;
    for _ in 0..20 {
        assert!(service.client.data("{ engines { name } }", json!({})).await["engines"].is_array());
    }
    service.signal(Signal::TERM);
    assert!(service.wait().await.success());
}
