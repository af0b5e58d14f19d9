//! Ingest on demand: a corpus that was never ingested is ingested by the first search for it.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::client::{Home, run, script};
use crate::house::House;
use crate::support::{below_manifest, fresh};

/// Creates a corpus of one document by one of the personas.
fn corpus(home: &Home) -> PathBuf {
    let (corpus, name) = (PathBuf::from(home.path("corpus")), "evidence-to-scrutiny.md");
    let folder = corpus.join("edda-tolvane");
    fs::create_dir(&folder).expect("a folder");
    fs::copy(below_manifest("corpus/edda-tolvane").join(name), folder.join(name)).expect("a document");
    corpus
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_line_search_ingests_a_missing_corpus_and_reports_it_once() {
    let (database, home) = (fresh().await, Home::new());
    corpus(&home);
    let variables = home.variables(&database.options, &script(0));
    let search = ["corpus", "search", "the Kettle", "--persona", "edda-tolvane", "--json"];
    for (said, wanted) in [("the writings of edda-tolvane were not in the library", true), ("ingested", false)] {
        let told = run(&variables, &search).await;
        assert_eq!((told.code, told.stderr.contains(said)), (Some(0), wanted), "{told:?}");
        assert!(told.stdout.contains("evidence-to-scrutiny"), "{told:?}");
    }
    // A persona without a corpus is not looked for again and again.
    let told = run(&variables, &["corpus", "search", "the Kettle", "--persona", "gus-ormerand"]).await;
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{told:?}");
    assert!(told.stdout.contains("The library is empty"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_search_ingests_a_missing_corpus() {
    const PASSAGES: &str =
        "query ($persona: ID) { passages(search: \"the Kettle\", personaId: $persona) { document } }";
    let home = Home::new();
    let house = House::over(&script(0), &corpus(&home)).await;
    let none = house.client.data(PASSAGES, json!({ "persona": "gus-ormerand" })).await;
    assert_eq!(none, json!({ "passages": [] }));
    for persona in [json!("edda-tolvane"), json!(null)] {
        let found = house.client.data(PASSAGES, json!({ "persona": persona })).await;
        assert_eq!(found["passages"][0]["document"], "evidence-to-scrutiny", "{found}");
    }
    house.close().await;
}
