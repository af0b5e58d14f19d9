//! Imports of debates: a file is recorded completely and once, or not at all; exports import without changes.

use std::fs;

use faultline_core::events::event::Recorded;
use faultline_core::export::jsonl::{ExportedEvent, jsonl};
use faultline_core::imports::import::{Imported, read};
use faultline_core::kernel::engine::RefusalKind;
use faultline_service::catalog::Catalog;
use faultline_service::error::ServiceError;
use faultline_service::service::DebateService;
use faultline_store::erasure::restore::RestoreOutcome;
use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::database::{Database, migrated_database};
use crate::support::environment::fixture_path;
use crate::support::log_reads::read_all_events;
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

const IMPORT: &str = "mutation ($document: JSON!) { importDebate(input: { document: $document }) {
    debate { id topic engine status version turnCount regime { kind } }
} }";

fn legacy_fixture(name: &str) -> String {
    fixture_path(&format!("legacy/{name}")).display().to_string()
}

fn read_fixture(name: &str) -> Imported {
    read(&fs::read(legacy_fixture(name)).expect("a fixture")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn fixture_names() -> Vec<String> {
    let entries = fs::read_dir(fixture_path("legacy")).expect("fixtures");
    let mut names: Vec<String> =
        entries.map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "README.md");
    names.sort();
    names
}

async fn debate_service(database: &Database) -> DebateService {
    DebateService::new(database.log().await, Catalog::default().into())
}

async fn n_events(database: &Database) -> i64 {
    sqlx::query_scalar("select count(*) from events").fetch_one(&database.pool).await.expect("count")
}

fn refusal_of(error: &ServiceError) -> (RefusalKind, String) {
    match error {
        ServiceError::Refused(refusal) => (refusal.kind, refusal.reason.clone()),
        ServiceError::Moved { .. } | ServiceError::Fault(_) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fixture_is_imported_once() {
    let database = migrated_database().await;
    let local_service = debate_service(&database).await;
    for name in fixture_names() {
        let imported = read_fixture(&name);
        assert_eq!(local_service.import(&imported).await.expect("recorded"), RestoreOutcome::Recorded, "{name}");
        assert_eq!(
            local_service.import(&imported).await.expect("there"),
            RestoreOutcome::AlreadyPresent { n_newer: 0 },
            "{name}"
        );
        let stored = read_all_events(local_service.log(), imported.debate).await;
        let actual = |events: &[faultline_core::events::event::Recorded]| {
            events.iter().map(|event| (event.id, event.version, event.event.clone())).collect::<Vec<_>>()
        };
        assert_eq!(actual(&stored), actual(&imported.events), "{name}");
        if imported.timed {
            assert_eq!(jsonl(&stored), jsonl(&imported.events), "{name}");
        } else {
            assert!(stored.iter().all(|event| event.at == stored[0].at && event.at.timestamp() > 0), "{name}");
        }
        assert_eq!(local_service.log().verify(imported.debate).await.expect("the log").breaks, [], "{name}");
    }
    for lane in 0..faultline_store::lanes::LANES {
        assert_eq!(local_service.log().verify_lane(lane).await.expect("the lane"), []);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_imports_record_a_file_once() {
    let database = migrated_database().await;
    let imported = read_fixture("dialogue-3p.events.jsonl");
    let (one, other) =
        (debate_service(&database).await, DebateService::new(database.second_log().await, Catalog::default().into()));
    let both = tokio::join!(one.import(&imported), other.import(&imported), one.import(&imported));
    let became = [both.0, both.1, both.2].map(|outcome| outcome.expect("recorded or there"));
    assert_eq!(became.iter().filter(|outcome| **outcome == RestoreOutcome::Recorded).count(), 1, "{became:?}");
    assert_eq!(n_events(&database).await, imported.events.len() as i64);
}

/// Returns events as earlier versions exported them: without hashes.
fn unhashed(events: &[Recorded]) -> String {
    let line = |recorded| serde_json::to_string(&ExportedEvent::of(recorded)).expect("JSON") + "\n";
    events.iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_different_debate_with_the_same_id_is_refused() {
    let database = migrated_database().await;
    let local_service = debate_service(&database).await;
    let whole = read_fixture("v2-2p-6.events.jsonl");
    local_service.import(&whole).await.expect("recorded");
    let n = n_events(&database).await;
    let text = unhashed(&whole.events).replace("Alma Voss summary", "Alma Voss sums up");
    let changed = read(text.as_bytes()).expect("an export");
    let (kind, reason) = refusal_of(&local_service.import(&changed).await.expect_err("another debate"));
    assert_eq!(kind, RefusalKind::Conflict);
    assert!(reason.contains("differs from version 34 on"), "{reason}");
    let later = unhashed(&whole.events).replace("2026-11-21T", "2026-11-22T");
    let (_, reason) =
        refusal_of(&local_service.import(&read(later.as_bytes()).expect("an export")).await.expect_err("later"));
    assert!(reason.contains("differs from version 1 on"), "{reason}");
    assert_eq!(n_events(&database).await, n);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_imported_export_is_exported_byte_for_byte() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let origin = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 2 }))).await;
    let events = server.wait_for_end(origin).await;
    let fork = "mutation ($id: ID!) {
        forkDebate(input: { debateId: $id, at: 6, options: { rounds: 1 } }) { debate { id } }
    }";
    let forked = server.client.data(fork, json!({ "id": origin })).await["forkDebate"]["debate"]["id"].clone();
    let forked = forked.as_str().expect("an id").parse().expect("a debate's id");
    let fork_events = server.wait_for_end(forked).await;
    server.stop().await;

    let elsewhere = migrated_database().await;
    let local_service = debate_service(&elsewhere).await;
    let (text, fork_text) = (jsonl(&events), jsonl(&fork_events));
    let (debate, fork) = (read(text.as_bytes()).expect("an export"), read(fork_text.as_bytes()).expect("an export"));
    assert_eq!((debate.debate, fork.debate), (origin, forked));
    let (kind, reason) = refusal_of(&local_service.import(&fork).await.expect_err("without its origin"));
    assert_eq!((kind, reason.contains("import that debate first")), (RefusalKind::Conflict, true), "{reason}");
    assert_eq!(n_events(&elsewhere).await, 0);
    assert_eq!(local_service.import(&debate).await.expect("recorded"), RestoreOutcome::Recorded);
    assert_eq!(local_service.import(&fork).await.expect("recorded"), RestoreOutcome::Recorded);
    assert_eq!(local_service.import(&fork).await.expect("there"), RestoreOutcome::AlreadyPresent { n_newer: 0 });
    for (id, wanted) in [(origin, &text), (forked, &fork_text)] {
        assert_eq!(jsonl(&read_all_events(local_service.log(), id).await), *wanted);
        assert_eq!(local_service.log().verify(id).await.expect("the log").breaks, []);
    }
    // The imported debate has ended and takes no commands.
    let again =
        local_service.command(origin, faultline_core::kernel::command::Command::Pause).await.expect_err("it is over");
    assert_eq!(refusal_of(&again).0, RefusalKind::Conflict);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_reports_on_each_file() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let (blitz, dialogue) = (legacy_fixture("blitz-2p.events.jsonl"), legacy_fixture("v2-2p-30.events.jsonl"));
    let nowhere = home.environment(&database.options, &scripted_replies(0)).into_iter().map(|(name, value)| {
        (name, if name == "DATABASE_URL" { "postgres://nobody@127.0.0.1:1/none".to_owned() } else { value })
    });
    let output = run_command(&nowhere.collect::<Vec<_>>(), &["import", &blitz, "--dry-run", "--json"]).await;
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let blind: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(blind[0]["became"], "valid; not compared with the database, which cannot be opened (dry run)");
    let dry = run_json_command(&variables, &["import", &blitz, "--dry-run", "--json"]).await;
    assert_eq!(dry[0][0]["became"], "would be recorded (dry run)");
    let first = run_json_command(&variables, &["import", &blitz, &dialogue, "--json"]).await;
    let second = run_json_command(&variables, &["import", &blitz, &dialogue, "--json"]).await;
    for n in [0, 1] {
        assert_eq!((&first[0][n]["became"], first[0][n]["error"].is_null()), (&json!("recorded"), true));
        assert_eq!(second[0][n]["became"], "already imported; nothing changed");
        assert_eq!(first[0][n]["report"], second[0][n]["report"]);
    }
    assert_eq!(dry[0][0]["report"], first[0][0]["report"]);
    let foretold = run_json_command(&variables, &["import", &blitz, "--dry-run", "--json"]).await;
    assert_eq!(foretold[0][0]["became"], "already imported; nothing changed");
    assert_eq!(first[0][0]["report"]["regime"]["kind"], "polarized");

    let broken = home.file(&json!({ "nothing": 1 }));
    let output = run_command(&variables, &["import", &broken, &blitz, "/nowhere.json"]).await;
    assert_eq!((output.code, output.stderr.lines().count()), (Some(1), 1), "{}", output.stderr);
    assert!(output.stderr.starts_with("faultline: 2 of 3 files could not be imported"), "{}", output.stderr);
    for wanted in ["already imported", "the keys nothing", "cannot be read", "the file states convergence", "polarized"]
    {
        assert!(output.stdout.contains(wanted), "{wanted}: {}", output.stdout);
    }
    let id = first[0][1]["report"]["debate"].as_str().expect("an id").to_owned();
    let shown = run_command(&variables, &["show", &id]).await;
    assert!(shown.code == Some(0) && shown.stdout.contains("Is Bitcoin a store of value?"), "{}", shown.stdout);
    let listed = run_json_command(&variables, &["list", "--json"]).await;
    assert_eq!(listed[0].as_array().map(Vec::len), Some(2));
    let replayed = run_command(&variables, &["replay", &id, "--speed", "max"]).await;
    assert_eq!((replayed.code, replayed.stderr.as_str()), (Some(0), ""));
    assert!(replayed.stdout.contains("Alma Voss opening."), "{}", replayed.stdout);
    for (arguments, code) in [
        (&["import"][..], 2),
        (&["replay", &id, "--speed", "-1"], 2),
        (&["replay", "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b"], 1),
    ] {
        assert_eq!(run_command(&variables, arguments).await.code, Some(code), "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edited_export_is_refused_or_taken_as_reported() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let imported = run_json_command(&variables, &["import", &legacy_fixture("v2-2p-30.events.jsonl"), "--json"]).await;
    let id = imported[0][0]["report"]["debate"].as_str().expect("an id").to_owned();
    let export = run_command(&variables, &["export", &id, "--format", "jsonl"]).await.stdout;
    let edited = home.path("edited.jsonl");
    std::fs::write(&edited, export.replacen("Bitcoin", "Litecoin", 1)).expect("a file");

    for arguments in [&["import", &edited][..], &["import", &edited, "--dry-run"]] {
        let refused = run_command(&variables, arguments).await;
        assert_eq!(refused.code, Some(1), "{}", refused.stdout);
        assert!(
            refused.stdout.contains("its hash does not match") && refused.stdout.contains("--edited"),
            "{refused:?}"
        );
    }
    let taken = run_json_command(&variables, &["import", &edited, "--edited", "--json"]).await;
    let report = &taken[0][0]["report"];
    assert_eq!(taken[0][0]["became"], "recorded");
    assert_ne!(report["debate"], id.as_str(), "an edited debate is another debate");
    assert!(report["notes"][0].as_str().is_some_and(|note| note.starts_with("taken as reported")), "{report}");
    let again = run_json_command(&variables, &["import", &edited, "--edited", "--dry-run", "--json"]).await;
    assert_eq!(again[0][0]["became"], "already imported; nothing changed");
    let verified = run_json_command(&variables, &["verify", "--json"]).await;
    assert_eq!(json!([verified[0]["debates"], verified[0]["faults"]]), json!([2, []]));
}

/// Checks that a debate's stream in the legacy format can be imported, and resumed from any event.
async fn assert_legacy_stream(service: &ServiceProcess, debate: &str) {
    let path = format!("/debates/{debate}/events?format=legacy");
    let whole = service.client.http.get(service.client.url(&path)).send().await.expect("a stream");
    let whole = whole.text().await.expect("a stream that ends");
    let lines: Vec<&str> = whole.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let back = read(lines.join("\n").as_bytes()).expect("the legacy format");
    assert_eq!((back.report.shape.engine(), back.report.counts.synthesised), ("graph", 6));
    let versions: Vec<&str> = whole.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert!(versions.len() > 10 && versions.len() < lines.len(), "one event may be several in the legacy format");
    let after = versions[versions.len() - 3];
    let rest = service.client.http.get(service.client.url(&path)).header("last-event-id", after).send().await;
    let rest = rest.expect("a stream").text().await.expect("a stream that ends");
    assert!(whole.ends_with(&rest) && rest.matches("id: ").count() == 2, "{rest}");
    let odd = service.client.url(&format!("/debates/{debate}/events?format=odd"));
    assert_eq!(service.client.http.get(odd).send().await.expect("a response").status().as_u16(), 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mutation_imports_like_the_command() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let service = ServiceProcess::start(&home.environment(&database.options, &scripted_replies(0))).await;
    let text = fs::read_to_string(legacy_fixture("graph-3p.events.jsonl")).expect("a fixture");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let wanted = read_fixture("graph-3p.events.jsonl").debate.to_string();
    for document in [json!(lines), json!(text)] {
        let data = service.client.data(IMPORT, json!({ "document": document })).await;
        let debate = &data["importDebate"]["debate"];
        assert_eq!(
            json!([debate["id"], debate["engine"], debate["status"], debate["turnCount"], debate["regime"]["kind"]]),
            json!([wanted, "graph", "CONCLUDED", 9, "UNDETERMINED"])
        );
    }
    let result: Value =
        serde_json::from_str(&fs::read_to_string(legacy_fixture("v1-o2.result.json")).expect("a fixture"))
            .expect("JSON");
    let data = service.client.data(IMPORT, json!({ "document": result })).await;
    assert_eq!(data["importDebate"]["debate"]["engine"], "v1");
    for (document, code) in [
        (json!({ "nothing": 1 }), "INVALID"),
        (json!("{"), "INVALID"),
        (json!(7), "INVALID"),
        (json!([{ "type": "engine_start", "topic": "t".repeat(2_001), "personaIds": ["A", "B"] }]), "LIMIT"),
    ] {
        assert_eq!(service.client.error_code(IMPORT, json!({ "document": document })).await, code);
    }
    assert_legacy_stream(&service, &wanted).await;
    // Imported debates appear in the list.
    poll_until("the list catches up", async || {
        let data = service.client.data("{ debates(first: 9) { edges { node { id } } } }", json!({})).await;
        (data["debates"]["edges"].as_array().map(Vec::len) == Some(2)).then_some(())
    })
    .await;
}
