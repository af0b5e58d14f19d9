//! Replacement of the embedder in use: under concurrent readers, across kills, and never partially.

use std::sync::{Arc, Mutex};

use faultline::app::corpus_service::CorpusService;
use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::effect::{PassageQuery, PassageScope};
use faultline_ingest::reembed::{EMBEDDED_AT_ONCE, ReembedProgress, reembed};
use faultline_providers::embeddings::{Embeddings, EmbeddingsConfig, MAX_TEXTS};
use faultline_providers::hashing::{Hashing, NAME};
use faultline_providers::ports::{Corpora, Embedder, Recall};
use faultline_providers::settings::CallTimeouts;
use faultline_store::library::document_writes::chunk_id;
use faultline_store::library::new_document::{Embedded, NewChunk, NewDocument};
use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection};

use crate::support::model_servers::embeddings_server::{EmbeddingsServer, ScriptedAnswer};
use crate::support::service_process::{command, run_command, run_json_command};
use crate::support::test_home::TestHome;
use crate::support::test_library::{TestLibrary, empty_library, empty_persona, persona_id};
use crate::support::waiting::poll_until;

/// Number of passages: more than two batches.
const PASSAGES: usize = 150;

fn text(n: usize) -> String {
    format!("Crate {n} stands in row {}.", n % 7)
}

/// Creates a library whose passages were embedded by `Hashing`.
async fn stocked(n: usize) -> TestLibrary {
    let library = empty_library().await;
    let by = library.embedder(NAME, Hashing.width(), true).await.expect("an embedder");
    for of in ["edda-tolvane", "gus-ormerand"] {
        library.upsert_persona(&empty_persona(of), &[]).await.expect("a persona");
    }
    let texts: Vec<String> = (0..n).map(text).collect();
    let vectors = Hashing.embed(&texts).await.expect("vectors");
    let persona: PersonaId = persona_id("edda-tolvane");
    let chunks = texts.into_iter().zip(vectors).map(|(text, vector)| NewChunk {
        id: chunk_id(&persona, "crates", 0, &text),
        embedded: Some(Embedded { sentences: vec![(text.clone(), vector.clone())], vector }),
        text,
    });
    let document = NewDocument {
        chunks: chunks.collect(),
        name: "crates".to_owned(),
        title: "Crates".to_owned(),
        source: "a yard".to_owned(),
        date: "2025-02-20".parse().expect("a date"),
        kind: "list".to_owned(),
        hash: [7; 32],
        persona,
    };
    library.put(&by, &document).await.expect("store");
    library
}

fn variables(
    library: &TestLibrary,
    home: &TestHome,
    endpoint: Option<&EmbeddingsServer>,
) -> Vec<(&'static str, String)> {
    let mut variables = home.environment(library.options(), &json!({}));
    if let Some(endpoint) = endpoint {
        variables.push(("FAULTLINE_EMBEDDER", "openai:m".to_owned()));
        variables.push(("FAULTLINE_EMBEDDINGS_URL", endpoint.base.clone()));
        variables.push(("FAULTLINE_EMBEDDINGS_WIDTH", "1000".to_owned()));
    }
    variables
}

async fn in_use(library: &TestLibrary) -> (String, usize) {
    let by = library.embedder_in_use().await.expect("look").expect("an embedder");
    (by.name, by.width)
}

async fn remote(endpoint: &EmbeddingsServer, width: usize) -> Arc<Embeddings> {
    let (base, timeouts) = (endpoint.base.clone(), CallTimeouts::default());
    let config = EmbeddingsConfig { base, key: None, model: "m".to_owned(), width: Some(width), timeouts };
    Arc::new(Embeddings::open(config).await.expect("an embedder"))
}

fn query(text: &str) -> PassageQuery {
    PassageQuery { scope: PassageScope::Writings(persona_id("edda-tolvane")), text: text.to_owned(), passages: 3 }
}

#[tokio::test]
async fn a_killed_reembedding_continues_where_it_stopped() {
    let (library, home) = (stocked(PASSAGES).await, TestHome::new());
    // The first batch is stored; in the second, the server stops answering and the program is killed.
    let calls_a_batch = (EMBEDDED_AT_ONCE as usize).div_ceil(MAX_TEXTS);
    let answers = [vec![ScriptedAnswer::Correct; calls_a_batch + 1], vec![ScriptedAnswer::Never]].concat();
    let silent = EmbeddingsServer::start(1_000, answers).await;
    let mut child = command(&variables(&library, &home, Some(&silent)), &["corpus", "reembed"]).spawn().expect("spawn");
    poll_until("the server was called and does not answer", async || {
        (silent.calls().len() > calls_a_batch + 1).then_some(())
    })
    .await;
    child.kill().await.expect("kill -9");

    assert_eq!(in_use(&library).await, (NAME.to_owned(), 384), "the old embedder is still in use");
    let librarian =
        CorpusService::new((*library).clone(), Arc::new(Hashing), home.path("p").into(), home.path("c").into());
    assert_eq!(librarian.recall(&query("crate 17")).await.unwrap().len(), 3);

    let sound = EmbeddingsServer::start(1_000, [ScriptedAnswer::Correct]).await;
    let actual = run_json_command(&variables(&library, &home, Some(&sound)), &["corpus", "reembed", "--json"]).await;
    let left = PASSAGES - EMBEDDED_AT_ONCE as usize;
    let wanted = json!({
        "embedder": "openai:m:1000", "width": 1000, "before": NAME, "passagesEmbedded": left, "passagesForgotten": PASSAGES,
    });
    assert_eq!((actual, sound.n_texts().iter().sum::<usize>()), (vec![wanted], left));
    assert_eq!(in_use(&library).await, ("openai:m:1000".to_owned(), 1_000));
    assert_eq!(vectors_by(&library).await, [("openai:m:1000".to_owned(), PASSAGES as i64, PASSAGES as i64)]);

    // A second run has nothing left to do.
    let actual = run_json_command(&variables(&library, &home, Some(&sound)), &["corpus", "reembed", "--json"]).await;
    assert_eq!((&actual[0]["passagesEmbedded"], &actual[0]["passagesForgotten"]), (&json!(0), &json!(0)));
}

/// Returns the number of vectors of passages and of sentences by each known embedder.
async fn vectors_by(library: &TestLibrary) -> Vec<(String, i64, i64)> {
    let sql = "
        select
            name,
            (select count(*) from chunk_vectors where embedder = embedders.id),
            (select count(*) from sentence_vectors where embedder = embedders.id)
        from embedders
        order by name";
    let mut connection = PgConnection::connect_with(library.options()).await.expect("connect");
    sqlx::query_as(sql).fetch_all(&mut connection).await.expect("count")
}

#[tokio::test]
async fn a_reembedding_succeeds_even_if_the_maintenance_after_it_fails() {
    let (library, home) = (stocked(3).await, TestHome::new());
    let endpoint = EmbeddingsServer::start(1_000, [ScriptedAnswer::Correct]).await;
    let variables = variables(&library, &home, Some(&endpoint));
    let mut connection = PgConnection::connect_with(library.options()).await.expect("connect");
    connection.execute("alter table word_counts rename to mislaid").await.expect("rename");

    let output = run_command(&variables, &["corpus", "reembed"]).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.starts_with("3 passages re-embedded by openai:m:1000, width 1000"), "{output:?}");
    assert!(output.stdout.contains("warning: counts and indexes could not be updated"), "{output:?}");
    assert_eq!(in_use(&library).await, ("openai:m:1000".to_owned(), 1_000));
    let actual = run_json_command(&variables, &["corpus", "reembed", "--json"]).await;
    assert!(actual[0]["untended"].as_str().is_some_and(|text| text.contains("count the library")), "{actual:?}");

    connection.execute("alter table mislaid rename to word_counts").await.expect("rename");
    let actual = run_json_command(&variables, &["corpus", "reembed", "--json"]).await;
    assert_eq!(actual[0].get("untended"), None, "{actual:?}");
}

#[tokio::test]
async fn an_embedder_other_than_the_one_in_use_is_refused_by_every_command() {
    let (library, home) = (stocked(3).await, TestHome::new());
    let endpoint = EmbeddingsServer::start(1_000, [ScriptedAnswer::Correct]).await;
    let variables = variables(&library, &home, Some(&endpoint));
    let debate = ["debate", "Should it?", "--personas", "edda-tolvane,gus-ormerand", "--provider", "scripted"];
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &debate, &["doctor"]] {
        let output = run_command(&variables, arguments).await;
        let said = if arguments[0] == "doctor" { &output.stdout } else { &output.stderr };
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(said.contains("openai:m:1000") && said.contains("`faultline corpus reembed`"), "{output:?}");
    }
    assert_eq!(vectors_by(&library).await, [(NAME.to_owned(), 3, 3)], "no vectors were mixed");

    let output = run_command(&variables, &["corpus", "reembed"]).await;
    assert!(output.stdout.starts_with("3 passages re-embedded by openai:m:1000, width 1000"), "{output:?}");
    let actual = run_json_command(&variables, &["doctor", "--json"]).await;
    let of = |what: &str| {
        actual[0].as_array().unwrap().iter().find(|check| check["what"] == what).cloned().unwrap_or_default()
    };
    assert_eq!(of("embedder"), json!({ "what": "embedder", "well": true, "told": "openai:m:1000, width 1000; works" }));
    assert!(of("library")["told"].as_str().unwrap().ends_with("embedded by openai:m:1000 (width 1000)"));
}

#[tokio::test]
async fn doctor_reports_a_failing_embedding_endpoint() {
    let (library, home) = (stocked(0).await, TestHome::new());
    let endpoint = EmbeddingsServer::start(8, [ScriptedAnswer::Fixed(401, None, "no".to_owned())]).await;
    let mut variables = variables(&library, &home, Some(&endpoint));
    variables.push(("FAULTLINE_EMBEDDINGS_KEY", "sk-test-0123456789".to_owned()));
    let output = run_command(&variables, &["doctor"]).await;
    assert!(
        output.code == Some(1) && output.stdout.contains("openai:m:1000 cannot embed: openai embeddings answered 401")
    );
    assert!(!format!("{output:?}").contains("sk-test"), "{output:?}");
    variables.retain(|(name, _)| !name.starts_with("FAULTLINE_EMBEDDINGS"));
    let output = run_command(&variables, &["doctor"]).await;
    assert!(output.stdout.contains("set FAULTLINE_EMBEDDINGS_URL or FAULTLINE_EMBEDDINGS_KEY"), "{output:?}");
}

#[tokio::test]
async fn a_service_with_a_replaced_embedder_searches_by_words_only() {
    let library = stocked(20).await;
    let home = TestHome::new();
    let librarian =
        CorpusService::new((*library).clone(), Arc::new(Hashing), home.path("p").into(), home.path("c").into());
    let by_vector = librarian.recall(&query("zzz")).await.unwrap();
    assert_eq!(by_vector.len(), 3, "the vector search has neighbours for any words");

    let endpoint = EmbeddingsServer::start(1_000, [ScriptedAnswer::Correct]).await;
    let actual = Mutex::new(Vec::new());
    reembed(&library, &*remote(&endpoint, 1_000).await, &|progress| actual.lock().unwrap().push(progress))
        .await
        .unwrap();
    let wanted = [
        ReembedProgress::Found { n_passages: 20 },
        ReembedProgress::Embedded { n_passages: 20 },
        ReembedProgress::Switched { n_passages: 20 },
        ReembedProgress::Forgotten { n_passages: 20 },
    ];
    assert_eq!(*actual.lock().unwrap(), wanted);

    assert!(librarian.recall(&query("zzz")).await.unwrap().is_empty(), "no such word");
    assert_eq!(librarian.recall(&query("\"crate 17\"")).await.unwrap()[0].text, text(17));
    let sentences = librarian.sentences(&persona_id("edda-tolvane")).await.unwrap();
    assert_eq!((sentences.len(), &sentences[4].text), (20, &text(4)));
    let other = CorpusService::new((*library).clone(), Arc::new(Hashing), home.path("p").into(), home.path("c").into());
    let unread = other.sentences(&persona_id("edda-tolvane")).await.unwrap();
    assert_eq!(unread, sentences, "also those that were not read before");
    // The switch back works while a service runs that noticed neither switch.
    reembed(&library, &Hashing, &|_| {}).await.unwrap();
    assert_eq!(librarian.recall(&query("zzz")).await.unwrap(), by_vector);
}

#[tokio::test]
async fn a_failing_embedder_leaves_the_search_by_words() {
    let library = stocked(20).await;
    let sound = EmbeddingsServer::start(100, [ScriptedAnswer::Correct]).await;
    reembed(&library, &*remote(&sound, 100).await, &|_| {}).await.unwrap();
    let refusing = EmbeddingsServer::start(100, [ScriptedAnswer::Fixed(401, None, "no".to_owned())]).await;
    let home = TestHome::new();
    let embedder = remote(&refusing, 100).await;
    let librarian = CorpusService::new((*library).clone(), embedder, home.path("p").into(), home.path("c").into());
    assert_eq!(librarian.recall(&query("\"crate 17\"")).await.unwrap()[0].text, text(17));
}

#[tokio::test]
async fn an_embedder_reinstated_before_its_vectors_are_deleted_keeps_the_rest() {
    let library = stocked(300).await;
    let endpoint = EmbeddingsServer::start(100, [ScriptedAnswer::Correct]).await;
    let embedder = remote(&endpoint, 100).await;
    let newcomer = library.register_embedder(embedder.name(), 100, false).await.unwrap();
    let unseen = library.unembedded(&newcomer, None, 300).await.unwrap();
    let seen: Vec<_> = unseen
        .into_iter()
        .map(|passage| {
            let mut vector = vec![0.0; 100];
            vector[3] = 1.0;
            (passage.clone(), Embedded { sentences: vec![(passage.text, vector.clone())], vector })
        })
        .collect();
    library.put_vectors(&newcomer, &seen).await.unwrap();
    library.activate(&newcomer).await.unwrap();
    assert_eq!(library.count_retired_vectors().await.unwrap(), 300);
    assert_eq!(library.delete_retired_vectors(256).await.unwrap(), 256);
    // Back to the old embedder: only the deleted vectors are computed again.
    let done = reembed(&library, &Hashing, &|_| {}).await.unwrap();
    assert_eq!((done.n_embedded, done.n_forgotten), (256, 300));
    assert_eq!(vectors_by(&library).await, [(NAME.to_owned(), 300, 300)]);
    let refused = library.put_vectors(&newcomer, &seen).await.unwrap_err();
    assert!(refused.to_string().contains("was retired; run `faultline corpus reembed` again"), "{refused}");
}

#[tokio::test]
async fn the_database_refuses_vectors_of_another_width() {
    let library = stocked(1).await;
    let mut connection = PgConnection::connect_with(library.options()).await.unwrap();
    for table in ["chunk_vectors", "sentence_vectors"] {
        connection.execute("begin").await.unwrap();
        let taken: Value = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "with gone as (delete from {table} returning *) select to_json(gone) from gone"
        )))
        .fetch_one(&mut connection)
        .await
        .unwrap();
        let mut row = taken;
        row["vector"] = json!("[1,2,3]");
        let put = format!("insert into {table} select * from jsonb_populate_record(null::{table}, $1)");
        let error = sqlx::query(sqlx::AssertSqlSafe(put)).bind(row).execute(&mut connection).await.unwrap_err();
        assert!(error.to_string().contains("another width than the embedder"), "{error}");
        connection.execute("rollback").await.unwrap();
    }
}
