//! Shared corpora: ingested like the writings of a persona, found by every search, and shown without a persona.

use faultline::app::corpus_service::CorpusService;
use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::effect::{PassageQuery, PassageScope};
use faultline_ingest::corpus::{Folders, ingest};
use faultline_ingest::reembed::reembed;
use faultline_ingest::report::{IngestError, IngestReport, PersonaCounts};
use faultline_providers::hashing::{Hashing, NAME};
use faultline_providers::ports::{Corpora, Embedder, EvidenceSearch, Pending, Recall};
use faultline_store::library::document_writes::DocumentChanges;
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::library::recall::{CorpusScope, LibrarySearch};
use faultline_store::library::shared_corpora::{SharedCorpus, StoredSharedCorpus};
use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::corpus_folders::{CorpusFolders, PERSONA};
use crate::support::database::migrated_database;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_library::{WIDTH, document, empty_library, empty_persona, persona_id};
use crate::support::test_server::TestServer;

const FERRY: &str = "The night ferry sailed on three hundred and forty nights of the year and carried nineteen passengers on an \
                     average night. On the nights on which it did not sail the wind stood above nine, and the last bus \
                     waited for nobody. The survey counted every passenger at both piers.";

const TOLLS: &str = "The tolls of the bridge paid for its paint and for nothing else. In the year of the survey two thirds of \
                     the cars that crossed it came back on the same day, and a third of the lorries never came back, \
                     because their road home leads over the pass.";

const SHARED: &str = "name = \"Harbour survey\"\nabout = \"Counts of passengers and sailings\"\n";

/// Creates folders with a persona without documents, and a shared corpus with one document of two passages.
fn folders() -> CorpusFolders {
    let folders = CorpusFolders::new("ada-quill", PERSONA);
    folders.write("corpus/harbour-survey/shared.toml", SHARED);
    folders.write("corpus/harbour-survey/counts.md", counts(&[FERRY, TOLLS]));
    folders
}

/// Returns a document of the survey.
fn counts(passages: &[&str]) -> String {
    format!(
        "---\ntitle: Counts\nsource: The harbour\ndate: 2025-02-20\nkind: article\n---\n\n{}",
        passages.join("\n\n")
    )
}

async fn run(library: &Library, folders: &Folders) -> IngestReport {
    ingest(library, &Hashing, folders, &|_| {}).await.expect("ingest")
}

fn survey() -> PersonaId {
    persona_id("harbour-survey")
}

/// Numbers of documents read, unchanged and removed, and the changes of passages, of the shared corpus.
fn counted(report: &IngestReport) -> (usize, usize, usize, DocumentChanges) {
    let PersonaCounts { n_read, n_unchanged, n_removed, passages } = report.shared[&survey()];
    (n_read, n_unchanged, n_removed, passages)
}

/// Owners of the passages that a search finds, and whether each is a shared corpus.
async fn owners(library: &Library, whose: CorpusScope<'_>, text: &str) -> Vec<(String, bool)> {
    let by = library.embedder(NAME, WIDTH, true).await.expect("an embedder");
    let vector = Hashing.embed(&[text.to_owned()]).await.expect("a vector").remove(0);
    let found = library.search(&by, LibrarySearch { whose, text, vector: &vector, limit: 5 }).await.expect("a search");
    found.into_iter().map(|hit| (hit.passage.persona.to_string(), hit.passage.is_shared)).collect()
}

#[tokio::test]
async fn a_shared_corpus_is_ingested_updated_and_removed_like_writings() {
    let (library, corpus) = (empty_library().await, folders());
    let report = run(&library, &corpus.folders()).await;
    assert_eq!(counted(&report), (1, 0, 0, DocumentChanges { new: 2, unchanged: 0, removed: 0 }));
    assert_eq!((report.skipped.len(), report.total().passages.new), (0, 2), "{:?}", report.skipped);
    let stored = library.shared_corpus(&survey()).await.expect("read").expect("the corpus");
    let (name, about) = ("Harbour survey".to_owned(), "Counts of passengers and sailings".to_owned());
    let expected = SharedCorpus { id: survey(), name, about };
    assert_eq!(stored, StoredSharedCorpus { corpus: expected, n_documents: 1, n_passages: 2 });
    assert!(library.personas().await.expect("read").iter().all(|stored| stored.persona.id != survey()));
    assert_eq!(
        owners(&library, CorpusScope::All, "passengers of the night ferry").await[0],
        (survey().to_string(), true)
    );
    assert_eq!(owners(&library, CorpusScope::Of(&[survey()]), "tolls").await.len(), 2);
    assert_eq!(owners(&library, CorpusScope::Of(&[persona_id("ada-quill")]), "tolls").await, []);

    let report = run(&library, &corpus.folders()).await;
    assert_eq!(counted(&report), (0, 1, 0, DocumentChanges { new: 0, unchanged: 2, removed: 0 }));

    // Only the shared corpus is read; the persona may be invalid.
    corpus.write("personas/ada-quill.toml", PERSONA.replace("version = 1", "version = 0"));
    corpus.write("corpus/harbour-survey/counts.md", counts(&[TOLLS]));
    corpus.write("corpus/harbour-survey/shared.toml", SHARED.replace("Harbour survey", "Survey"));
    let only = Folders { only: Some(vec![survey()]), ..corpus.folders() };
    let report = run(&library, &only).await;
    assert_eq!(counted(&report), (1, 0, 0, DocumentChanges { new: 0, unchanged: 1, removed: 1 }));
    assert_eq!(library.shared_corpora().await.expect("read")[0].corpus.name, "Survey");
    corpus.write("personas/ada-quill.toml", PERSONA);

    corpus.remove("corpus/harbour-survey/shared.toml");
    let only = Folders { only: Some(vec![persona_id("ada-quill")]), ..corpus.folders() };
    assert!(run(&library, &only).await.removed_shared.is_empty(), "an ingest of some owners removes no others");
    let report = run(&library, &corpus.folders()).await;
    assert_eq!((report.removed_shared, report.removed), (vec![survey()], Vec::new()));
    let why = &report.skipped[0].why;
    assert!(why.starts_with("belongs to no persona and is no shared corpus") && why.contains("shared.toml"), "{why}");
    let holdings = library.holdings().await.expect("read");
    assert_eq!(holdings.iter().map(|holding| holding.n_passages).sum::<i64>(), 0);
    assert_eq!((holdings.len(), library.shared_corpora().await.expect("read").len()), (1, 0));
}

#[tokio::test]
async fn invalid_and_unknown_shared_corpora_are_refused_before_anything_is_written() {
    let (library, corpus) = (empty_library().await, folders());
    corpus.write("corpus/harbour-survey/shared.toml", SHARED.replace("about", "abuot"));
    corpus.write("corpus/ada-quill/shared.toml", SHARED);
    corpus.write("corpus/con/shared.toml", SHARED);
    let error = ingest(&library, &Hashing, &corpus.folders(), &|_| {}).await.unwrap_err();
    assert!(matches!(&error, IngestError::SharedCorpora(faults) if faults.0.len() == 3), "{error}");
    for saying in [
        "ada-quill is the id of a persona (",
        "con is the id of a plain side",
        "harbour-survey/shared.toml:2: unknown field `abuot`, expected `name` or `about`",
    ] {
        assert!(error.to_string().contains(saying), "{error}");
    }
    assert_eq!(library.holdings().await.expect("read"), []);
    let only = Folders { only: Some(vec![persona_id("tides")]), ..corpus.folders() };
    let error = ingest(&library, &Hashing, &only, &|_| {}).await.unwrap_err().to_string();
    assert!(
        error.contains("tides.toml: there is no such persona, and no shared corpus with this id either"),
        "{error}"
    );
}

#[tokio::test]
async fn an_id_that_changes_its_kind_leaves_nothing_of_the_former_behind() {
    let (library, corpus) = (empty_library().await, folders());
    run(&library, &corpus.folders()).await;
    corpus.remove("corpus/harbour-survey/shared.toml");
    corpus.write("personas/harbour-survey.toml", PERSONA);
    corpus.write("corpus/harbour-survey/counts.md", counts(&[FERRY]));
    let only = Folders { only: Some(vec![survey()]), ..corpus.folders() };
    let report = run(&library, &only).await;
    assert_eq!((report.removed_shared, report.personas[&survey()].passages.new), (vec![survey()], 1));
    assert_eq!(owners(&library, CorpusScope::All, "ferry tolls").await, [(survey().to_string(), false)]);

    corpus.remove("personas/harbour-survey.toml");
    corpus.write("corpus/harbour-survey/shared.toml", SHARED);
    let report = run(&library, &corpus.folders()).await;
    assert_eq!((&report.removed, counted(&report).0), (&vec![survey()], 1));
    assert_eq!(owners(&library, CorpusScope::All, "ferry tolls").await, [(survey().to_string(), true)]);
}

#[tokio::test]
async fn the_database_keeps_ids_apart_and_removes_the_documents_of_an_owner() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let by = library.embedder(NAME, WIDTH, true).await.expect("an embedder");
    let shared = |id: &str| SharedCorpus { id: persona_id(id), name: "Survey".to_owned(), about: "Counts".to_owned() };
    assert!(library.upsert_shared_corpus(&shared("tides")).await.expect("stored"));
    assert!(!library.upsert_shared_corpus(&shared("tides")).await.expect("stored"), "nothing has changed");
    // As a process of an earlier version stores personas.
    let sql = "insert into personas (id, name, version, topics, body) values ('bo', 'BO', 1, '{}', '{}')";
    database.run(sql).await;
    library.upsert_persona(&empty_persona("ada"), &[]).await.expect("stored");
    assert!(library.upsert_shared_corpus(&shared("ada")).await.is_err(), "a persona has the id");
    assert!(library.upsert_persona(&empty_persona("tides"), &[]).await.is_err(), "a shared corpus has the id");
    for (at, owner) in ["ada", "bo", "tides"].into_iter().enumerate() {
        library.put(&by, &document(owner, "counts", &[(&format!("The count of {owner}."), at)])).await.expect("stored");
    }
    let refused = library.put(&by, &document("cy", "counts", &[("Nobody counts.", 4)])).await.unwrap_err();
    assert!(matches!(refused, LibraryError::NoPersona { .. }), "{refused}");
    library.maintain().await.expect("maintained");

    database.run("delete from personas where id = 'bo'").await;
    assert!(library.remove_persona(&persona_id("ada")).await.expect("removed"));
    let left: Vec<(String, bool)> = owners(&library, CorpusScope::All, "count").await;
    assert_eq!(left, [("tides".to_owned(), true)]);
    assert!(library.remove_shared_corpus(&persona_id("tides")).await.expect("removed"));
    assert!(!library.remove_shared_corpus(&persona_id("tides")).await.expect("removed"));
    for table in ["corpus_owners", "documents", "chunks", "sentences", "chunk_vectors", "sentence_vectors", "shelves"] {
        let sql = format!("select count(*) from {table}");
        let n: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&database.pool).await.expect("count");
        assert_eq!(n, 0, "{table}");
    }
}

/// The stand-in under another name.
struct Renamed;

impl Embedder for Renamed {
    fn name(&self) -> &str {
        "renamed:1"
    }

    fn width(&self) -> usize {
        Hashing.width()
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> Pending<'a, Vec<Vec<f32>>> {
        Hashing.embed(texts)
    }
}

#[tokio::test]
async fn vectors_of_a_shared_corpus_are_replaced_with_the_embedder() {
    let (library, corpus) = (empty_library().await, folders());
    run(&library, &corpus.folders()).await;
    let done = reembed(&library, &Renamed, &|_| {}).await.expect("embedded again");
    assert_eq!((done.n_embedded, done.n_forgotten), (2, 2));
    let embedders = library.stats().await.expect("statistics").embedders;
    assert_eq!((embedders.len(), embedders[0].name.as_str(), embedders[0].n_passages), (1, "renamed:1", 2));
}

#[tokio::test]
async fn speakers_and_fact_checks_find_the_passages_of_a_shared_corpus() {
    let (library, corpus) = (empty_library().await, folders());
    let Folders { personas, corpus: folder, .. } = corpus.folders();
    let service = CorpusService::new((*library).clone(), std::sync::Arc::new(Hashing), personas, folder);
    // It is ingested on demand.
    let text = "How many passengers did the ferry carry?".to_owned();
    let of_corpus = PassageQuery { scope: PassageScope::Writings(survey()), text, passages: 1 };
    let found = service.recall(&of_corpus).await.expect("passages");
    assert_eq!(found.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>(), [FERRY]);
    assert_eq!(service.sentences(&survey()).await.expect("sentences").len(), 5);
    assert_eq!(service.ingest_missing(&[survey()], &|_| {}).await.expect("ingest"), []);
    for query in [
        PassageQuery::evidence("Most cars come back on the same day.", 1),
        PassageQuery::evidence("Most cars come back on the same day.", 1).without(&persona_id("ada-quill")),
    ] {
        let evidence = service.find(&query).await.expect("evidence");
        assert_eq!((evidence.len(), evidence[0].title.as_str(), evidence[0].text.as_str()), (1, "Counts", TOLLS));
    }
}

/// Environment of commands with the shared corpus in their corpus folder.
fn environment(home: &TestHome, database: &crate::support::database::Database) -> Vec<(&'static str, String)> {
    let folder = std::path::PathBuf::from(home.path("corpus")).join("harbour-survey");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("shared.toml"), SHARED).expect("a file");
    std::fs::write(folder.join("counts.md"), counts(&[FERRY, TOLLS])).expect("a file");
    home.environment(&database.options, &scripted_replies(0))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corpus_commands_accept_a_shared_corpus() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = environment(&home, &database);
    let search = ["corpus", "search", "ferry passengers", "--corpus", "harbour-survey"];
    let output = run_command(&variables, &search).await;
    assert!(output.stderr.contains("the documents of harbour-survey were not in the library"), "{output:?}");
    assert!(output.stdout.contains("harbour-survey (shared corpus) · Counts"), "{output:?}");
    let found = run_json_command(&variables, &["corpus", "search", "ferry passengers", "--json"]).await.remove(0);
    assert_eq!(json!([found[0]["personaId"], found[0]["sharedCorpusId"]]), json!(["harbour-survey", "harbour-survey"]));
    let unknown = run_command(&variables, &["corpus", "search", "ferry", "--corpus", "tides"]).await;
    assert!(unknown.code == Some(1) && unknown.stderr.contains("; shared corpora: harbour-survey"), "{unknown:?}");

    let file = home.path("tides.txt");
    std::fs::write(&file, FERRY.replace("ferry", "tide")).expect("a file");
    let ingested = run_json_command(&variables, &["corpus", "ingest", "--corpus", "harbour-survey", &file, "--json"])
        .await
        .remove(0);
    assert_eq!(
        ingested["sharedCorpora"]["harbour-survey"]["documents"],
        json!({ "read": 1, "unchanged": 1, "removed": 0 })
    );
    assert_eq!(ingested["personas"], json!({}));
    assert_eq!(ingested["sources"][0]["sharedCorpus"], "harbour-survey", "{ingested}");
    let removed =
        run_json_command(&variables, &["corpus", "remove", "--corpus", "harbour-survey", "tides.txt", "--json"]).await;
    assert_eq!(removed[0]["sharedCorpora"]["harbour-survey"]["documents"]["removed"], 1);
    let stats = run_json_command(&variables, &["corpus", "stats", "--json"]).await.remove(0);
    assert_eq!(stats["sharedCorpora"][0]["passages"], 2, "{stats}");
    assert!(stats["personas"].as_array().expect("a list").iter().all(|it| it["id"] != "harbour-survey"), "{stats}");
    let doctor = run_command(&variables, &["doctor"]).await;
    assert!(
        doctor.stdout.contains("1: harbour-survey") && doctor.stdout.contains("1 shared corpus, 2 passages"),
        "{doctor:?}"
    );

    let broken = std::path::PathBuf::from(home.path("corpus")).join("harbour-survey/shared.toml");
    std::fs::write(&broken, "name = \"Harbour\"\n").expect("a file");
    let refused = run_command(&variables, &["corpus", "ingest"]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("shared.toml:1: missing field `about`"), "{refused:?}");
}

const CORPORA: &str = "{ sharedCorpora { id name about documentCount passageCount } }";

const PASSAGES: &str = "query ($corpus: ID, $persona: ID) {
    passages(search: \"night ferry passengers\", sharedCorpusId: $corpus, personaId: $persona, first: 1) {
        chunkId personaId persona { id } sharedCorpus { id name passageCount }
    }
}";

const NODE: &str = "query ($id: ID!) { node(id: $id) {
    __typename
    ... on Passage { personaId persona { id } sharedCorpus { id about } }
    ... on SharedCorpus { name documentCount }
} }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_see_a_shared_corpus_in_place_of_a_persona() {
    let corpus = folders();
    let server = TestServer::start_with_corpus(&scripted_replies(0), &corpus.at("corpus")).await;
    let client = &server.client;
    let listed = |documents: i64, passages: i64| {
        json!({ "sharedCorpora": [{
            "id": "harbour-survey", "name": "Harbour survey", "about": "Counts of passengers and sailings",
            "documentCount": documents, "passageCount": passages,
        }] })
    };
    assert_eq!(client.data(CORPORA, json!({})).await, listed(0, 0));
    let expected = json!({ "id": "harbour-survey", "name": "Harbour survey", "passageCount": 2 });
    let mut chunk = Value::Null;
    // The first search ingests it.
    for corpus in [json!("harbour-survey"), json!(null)] {
        let mut found = client.data(PASSAGES, json!({ "corpus": corpus })).await;
        let hit = found["passages"][0].take();
        assert_eq!(
            json!([hit["personaId"], hit["persona"], hit["sharedCorpus"]]),
            json!(["harbour-survey", null, expected])
        );
        chunk = hit["chunkId"].clone();
    }
    assert_eq!(client.data(CORPORA, json!({})).await, listed(1, 2));
    let cited = client.data(NODE, json!({ "id": chunk })).await;
    let about = "Counts of passengers and sailings";
    assert_eq!(
        cited["node"],
        json!({ "__typename": "Passage", "personaId": "harbour-survey", "persona": null,
            "sharedCorpus": { "id": "harbour-survey", "about": about } })
    );
    let node = client.data(NODE, json!({ "id": "harbour-survey" })).await;
    assert_eq!(node["node"], json!({ "__typename": "SharedCorpus", "name": "Harbour survey", "documentCount": 1 }));
    assert_eq!(client.error_code(PASSAGES, json!({ "corpus": "tides" })).await, "NOT_FOUND");
    let both = json!({ "corpus": "harbour-survey", "persona": "edda-tolvane" });
    assert_eq!(client.error_code(PASSAGES, both).await, "INVALID");
    server.stop().await;
}

const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
const FORK: &str = "mutation ($input: ForkDebateInput!) { forkDebate(input: $input) { debate { id } } }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_with_an_unknown_shared_corpus_are_refused() {
    let corpus = folders();
    let server = TestServer::start_with_corpus(&scripted_replies(0), &corpus.at("corpus")).await;
    let refusal = async |query: &str, input: Value| {
        let response = server.client.query(query, json!({ "input": input })).await;
        response["errors"][0]["message"].as_str().expect("a refusal").to_owned()
    };
    let expected = "unknown shared corpus \"tides\"; available: harbour-survey";
    let input = start_debate_input("dialectic", json!({ "rounds": 1, "shared_corpus": "tides" }));
    assert_eq!(refusal(START, input).await, expected);
    let debate = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    server.wait_for_end(debate).await;
    assert_eq!(refusal(FORK, json!({ "debateId": debate, "options": { "shared_corpus": "tides" } })).await, expected);
    server.stop().await;
}
