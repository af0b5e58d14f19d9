//! Ingest on demand: a corpus that was never ingested is ingested by the first search for it.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::support::database::migrated_database;
use crate::support::environment::project_path;
use crate::support::service_process::run_command;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;

/// Creates a corpus of one document by one of the personas.
fn corpus(home: &TestHome) -> PathBuf {
    let (corpus, name) = (PathBuf::from(home.path("corpus")), "evidence-to-scrutiny.md");
    let folder = corpus.join("edda-tolvane");
    fs::create_dir(&folder).expect("a folder");
    fs::copy(project_path("corpus/edda-tolvane").join(name), folder.join(name)).expect("a document");
    corpus
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_line_search_ingests_a_missing_corpus_and_reports_it_once() {
    let (database, home) = (migrated_database().await, TestHome::new());
    corpus(&home);
    let variables = home.environment(&database.options, &scripted_replies(0));
    let search = ["corpus", "search", "the Kettle", "--persona", "edda-tolvane", "--json"];
    for (said, wanted) in [("the writings of edda-tolvane were not in the library", true), ("ingested", false)] {
        let output = run_command(&variables, &search).await;
        assert_eq!((output.code, output.stderr.contains(said)), (Some(0), wanted), "{output:?}");
        assert!(output.stdout.contains("evidence-to-scrutiny"), "{output:?}");
    }
    // A persona without a corpus is not looked for again and again.
    let output = run_command(&variables, &["corpus", "search", "the Kettle", "--persona", "gus-ormerand"]).await;
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");
    assert!(output.stdout.contains("The library is empty"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_search_ingests_a_missing_corpus() {
    const PASSAGES: &str =
        "query ($persona: ID) { passages(search: \"the Kettle\", personaId: $persona) { document } }";
    let home = TestHome::new();
    let server = TestServer::start_with_corpus(&scripted_replies(0), &corpus(&home)).await;
    let none = server.client.data(PASSAGES, json!({ "persona": "gus-ormerand" })).await;
    assert_eq!(none, json!({ "passages": [] }));
    for persona in [json!("edda-tolvane"), json!(null)] {
        let found = server.client.data(PASSAGES, json!({ "persona": persona })).await;
        assert_eq!(found["passages"][0]["document"], "evidence-to-scrutiny", "{found}");
    }
    server.stop().await;
}
