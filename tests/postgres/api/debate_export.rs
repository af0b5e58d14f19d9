//! Export of a debate over HTTP: every format, at any version, for readers.

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use faultline_core::events::dispute::Side;
use faultline_core::export::registry::EXPORTERS;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::erasure::erasure::ErasureOrder;
use reqwest::Response;

use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::run_command;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::{poll_until, with_timeout};

async fn ask(server: &TestServer, path: &str, token: Option<&str>) -> Response {
    let request = server.client.http.get(server.client.url(path));
    let request = token.into_iter().fold(request, |request, token| request.bearer_auth(token));
    with_timeout("a response", request.send()).await.expect("a response")
}

async fn refused(server: &TestServer, path: &str) -> (u16, String) {
    let response = ask(server, path, None).await;
    (response.status().as_u16(), with_timeout("the text", response.text()).await.expect("text").trim_end().to_owned())
}

/// Appends a debate of two speakers with `n_disputes` disputes.
async fn debate(server: &TestServer, n_disputes: usize) -> DebateBuilder {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let own = builder.add_argument("ada", "<b>Yes</b>", "Crews are rested.");
    let theirs = builder.add_argument("ben", "No", "Fuel is dear:\n\u{2028}\"so\" it is.");
    builder.add_mutual_attack("ben", theirs, own);
    for n in 0..n_disputes {
        builder.raise_dispute(&format!("Is winter {n} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        if n % 100 == 99 {
            builder.append_new(&server.log).await;
        }
    }
    builder.append_new(&server.log).await;
    builder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_is_exported_as_on_the_command_line_at_any_version() {
    let server = TestServer::start(&scripted_replies(0)).await;
    // More events than one page of a scan.
    let debate = debate(&server, 400).await;
    let events = server.log.read(debate.id, 0, 10_000).await.expect("the log");
    assert!(events.len() > 1_000, "several pages: {}", events.len());
    for exporter in EXPORTERS {
        for at in [None, Some(6)] {
            let last = at.unwrap_or(events.len() as i64);
            let address = format!("/debates/{}/export?format={}", debate.id, exporter.name);
            let address = at.map_or(address.clone(), |at| format!("{address}&at={at}"));
            let response = ask(&server, &address, None).await;
            assert_eq!(response.status().as_u16(), 200, "{address}");
            let header = |name: &str| response.headers()[name].to_str().expect("a header").to_owned();
            assert_eq!(header("content-type"), exporter.media_type);
            let name = format!("inline; filename=\"debate-{}-v{last}.{}\"", debate.id, exporter.name);
            assert_eq!(header("content-disposition"), name);
            assert_eq!(header("x-content-type-options"), "nosniff");
            assert_eq!(header("cache-control"), "no-store");
            let policy = header("content-security-policy");
            assert!(policy.starts_with("default-src 'none';") && policy.ends_with("; sandbox"), "{policy}");
            let text = with_timeout("the text", response.text()).await.expect("text");
            let part = &events[..last as usize];
            assert_eq!(text, (exporter.write)(&DebateReadModel::of(part), part), "{address}");
        }
    }
    let (id, end) = (debate.id.to_string(), &debate.id.to_string()[28..]);
    let printed = run_command(&server.environment(), &["export", &id, "--format", "md", "--at", "6"]).await.stdout;
    let by_part = ask(&server, &format!("/debates/{id}/export?format=markdown&at=6"), None).await.text().await;
    assert_eq!(by_part.expect("text").trim_end(), printed.trim_end());
    let beyond = run_command(&server.environment(), &["export", &id, "--format", "md", "--at", "99999"]).await;
    assert!(beyond.code == Some(1) && beyond.stderr.contains("it has no version 99999"), "{beyond:?}");
    // Once the debate is listed: its verdict, of 400 disputes, takes a while without optimization.
    poll_until(&format!("a part of the id is enough: {end}"), async || {
        let short = ask(&server, &format!("/debates/{end}/export?format=tgf"), None).await;
        (short.status().as_u16() == 200).then_some(())
    })
    .await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unusable_requests_are_refused_with_the_reason() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debate = debate(&server, 1).await;
    let (id, last) = (debate.id, server.log.head(debate.id).await.expect("the head"));
    let path = |query: &str| format!("/debates/{id}/export{query}");
    let names: Vec<&str> = EXPORTERS.iter().map(|exporter| exporter.name).collect();
    let available = format!("available: {}", names.join(", "));
    for (query, expected) in [
        ("", format!("the parameter `format` is missing; {available}")),
        ("?format=pdf", format!("unknown format \"pdf\"; {available}")),
        ("?format=html&at=soon", "`at` (\"soon\") is not a version".to_owned()),
        ("?format=html&at=0", "a version must be 1 or more; version 1 is the opening of the debate".to_owned()),
        ("?format=html&at=99", format!("debate {id} is at version {last}; it has no version 99")),
        ("?format=jsonl&at=99", format!("debate {id} is at version {last}; it has no version 99")),
        ("?page=2", "unknown parameter; use ?format=NAME and, if needed, &at=VERSION".to_owned()),
    ] {
        assert_eq!(refused(&server, &path(query)).await, (400, expected), "{query}");
    }
    let nobody = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b";
    let missing = (404, format!("there is no debate {nobody}"));
    assert_eq!(refused(&server, &format!("/debates/{nobody}/export?format=svg")).await, missing);
    assert_eq!(refused(&server, "/debates/nobody/export?format=svg").await.0, 400);
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    server.log.erase(id, &order).await.expect("erased");
    for format in ["html", "jsonl"] {
        let (status, text) = refused(&server, &path(&format!("?format={format}"))).await;
        assert!(status == 410 && text.contains("erased"), "{status} {text}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_requires_the_token_of_a_reader() {
    let reader = new_token("page", Role::Reader, None).expect("a token");
    let access = AccessControl::by_tokens(&format!("{}\n", reader.line)).expect("a file");
    let server = TestServer::start_with_access(&scripted_replies(0), access).await;
    let debate = debate(&server, 1).await;
    let path = format!("/debates/{}/export?format=jsonl", debate.id);
    for (token, status) in [(None, 401), (Some("page.guess"), 401), (Some(reader.token.as_str()), 200)] {
        assert_eq!(ask(&server, &path, token).await.status().as_u16(), status, "{token:?}");
    }
    server.stop().await;
}
