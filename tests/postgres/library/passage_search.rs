//! Passage search as clients use it, and maintenance of the indexes of the library.

use std::path::Path;

use faultline_core::events::ids::PersonaId;
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_ingest::corpus::{Folders, ingest};
use faultline_providers::hashing::Hashing;
use faultline_store::library::document_writes::chunk_id;
use faultline_store::library::new_document::{Embedded, NewChunk, NewDocument};
use faultline_store::library::open::Library;
use faultline_store::library::recall::{
    CorpusScope, LibrarySearch, MAX_SCAN_LIMIT, MAX_WORD_LOOKUP_LIMIT, ONE_WORD_LOOKUP_LIMIT,
};
use faultline_store::stored_embedder::StoredEmbedder;
use serde_json::{Value, json};
use sqlx::Executor;

use crate::support::database::migrated_database;
use crate::support::database_servers::{DATABASE, DatabaseServer};
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;

const WIDTH: usize = 384;

fn id(of: &str) -> PersonaId {
    of.parse().expect("a persona's id")
}

/// Returns a unit vector whose direction depends on `n`.
fn direction(n: usize) -> Vec<f32> {
    let mut state = n as u64 + 1;
    let component = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    std::iter::repeat_with(component).take(WIDTH).collect()
}

/// Builds a document of `n_passages` passages, each with a vector of its own.
fn document(of: &str, n_passages: usize) -> NewDocument {
    let text = |n: usize| format!("Passage {n} of {of} is about matter{n} and nothing else.");
    document_with_texts(of, n_passages, &text)
}

/// Builds the same document with these texts.
fn document_with_texts(of: &str, n_passages: usize, text: &dyn Fn(usize) -> String) -> NewDocument {
    let chunk = |n: usize| {
        let text = text(n);
        let embedded = Embedded { vector: direction(n), sentences: vec![(text.clone(), direction(n))] };
        NewChunk { id: chunk_id(&id(of), "all", 0, &text), text, embedded: Some(embedded) }
    };
    NewDocument {
        persona: id(of),
        name: "all".to_owned(),
        title: "All".to_owned(),
        source: "a drawer".to_owned(),
        date: "2025-02-20".parse().expect("a date"),
        kind: "book".to_owned(),
        hash: [1; 32],
        chunks: (0..n_passages).map(chunk).collect(),
    }
}

async fn put(library: &Library, by: &StoredEmbedder, of: &str, n_passages: usize) {
    enter(library, of).await;
    library.put(by, &document(of, n_passages)).await.expect("store a document");
}

async fn enter(library: &Library, of: &str) {
    let (contract, voice) = (Contract::default(), Voice::default());
    let persona = Persona { id: id(of), name: of.to_owned(), about: String::new(), version: 1, contract, voice };
    library.upsert_persona(&persona, &[]).await.expect("enter a persona");
}

async fn best(library: &Library, by: &StoredEmbedder, whose: CorpusScope<'_>, text: &str, n: usize) -> String {
    let search = LibrarySearch { whose, text, vector: &direction(n), limit: 5 };
    library.recall(by, search).await.expect("search").remove(0).text
}

#[tokio::test]
async fn an_index_is_created_for_many_passages_and_dropped_with_them() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let by = library.embedder("test:1", WIDTH, false).await.unwrap();
    put(&library, &by, "bo", 10).await;
    let tended = library.maintain().await.unwrap();
    assert_eq!((tended.n_shelves, tended.made.len(), tended.already_running), (1, 0, false), "{tended:?}");
    assert!(tended.n_words > 10, "{tended:?}");

    put(&library, &by, "ada", MAX_SCAN_LIMIT as usize + 1).await;
    let (one, other) = tokio::join!(library.maintain(), library.maintain());
    let (one, other) = (one.unwrap(), other.unwrap());
    let made: Vec<&String> = one.made.iter().chain(&other.made).collect();
    assert_eq!(made.len(), 2, "one for all and one for ada: {one:?} {other:?}");
    let again = library.maintain().await.unwrap();
    assert_eq!((again.n_shelves, again.n_words, again.made.len(), again.dropped.len()), (0, 0, 0, 0), "{again:?}");
    let stats = library.stats().await.unwrap();
    assert_eq!(stats.n_passages, MAX_SCAN_LIMIT + 11);
    assert_eq!(stats.indexes.iter().map(|index| index.ready).collect::<Vec<_>>(), [true, true]);

    let (ada, bo) = ([id("ada")], [id("bo")]);
    for whose in [CorpusScope::All, CorpusScope::Of(&ada), CorpusScope::Of(&[id("ada"), id("bo")])] {
        assert!(best(&library, &by, whose, "", 1_234).await.starts_with("Passage 1234 of ada"), "by meaning");
        assert!(best(&library, &by, whose, "matter777", 5).await.starts_with("Passage 777 of ada"), "by a rare word");
    }
    // A persona with few passages is searched exactly, whatever the others wrote.
    assert!(best(&library, &by, CorpusScope::Of(&bo), "", 7).await.starts_with("Passage 7 of bo"));
    let search = LibrarySearch { whose: CorpusScope::Of(&bo), text: "passage", vector: &direction(1_234), limit: 50 };
    assert_eq!(library.recall(&by, search).await.unwrap().len(), 10);

    // An invalid index, left behind by an interrupted build, is rebuilt.
    let name = &stats.indexes[0].name;
    database.run(&format!("update pg_index set indisvalid = false where indexrelid = '{name}'::regclass")).await;
    assert!(best(&library, &by, CorpusScope::All, "", 99).await.starts_with("Passage 99 of"));
    let mended = library.maintain().await.unwrap();
    assert_eq!((mended.dropped, mended.made), (vec![name.clone()], vec![name.clone()]));

    // An index that was built with other parameters is replaced.
    let parameters = async || -> String {
        let sql = "select reloptions::text from pg_class where oid = to_regclass($1)";
        sqlx::query_scalar(sql).bind(name).fetch_one(&database.pool).await.expect("its parameters")
    };
    let wanted = parameters().await;
    database.run(&format!("alter index {name} set (ef_construction = 40)")).await;
    assert_ne!(parameters().await, wanted);
    let searches = async {
        for n in 0..40 {
            assert!(best(&library, &by, CorpusScope::All, "", n).await.starts_with(&format!("Passage {n} of")));
        }
    };
    let (replaced, ()) = tokio::join!(library.maintain(), searches);
    let replaced = replaced.unwrap();
    assert_eq!((replaced.dropped, replaced.made), (vec![], vec![name.clone()]));
    assert_eq!((parameters().await, library.stats().await.unwrap().indexes), (wanted, stats.indexes.clone()));

    // An interrupted replacement leaves an index with another name, which is dropped.
    let former = format!("{name}_former");
    database.run(&format!("alter index {name} rename to {former}")).await;
    let mended = library.maintain().await.unwrap();
    assert_eq!((mended.dropped, mended.made), (vec![former], vec![name.clone()]));

    library.remove_persona(&id("ada")).await.unwrap();
    let tended = library.maintain().await.unwrap();
    assert_eq!((tended.dropped.len(), tended.made.len()), (2, 0), "{tended:?}");
    assert_eq!(library.stats().await.unwrap().indexes, []);
}

/// A container has 64 MB of shared memory by default, of which the processes that build an index together need more.
#[tokio::test]
async fn an_index_is_created_with_little_shared_memory() {
    let home = TestHome::new();
    let mut server = DatabaseServer::primary(&home, "contained").await;
    let Some(_memory) = server.restart_with_shared_memory(32).await else {
        return println!("left out: it takes a user who may mount");
    };
    let pool = server.pool(DATABASE).await;
    let library = Library::new(pool.clone());
    let by = library.embedder("test:1", WIDTH, false).await.unwrap();
    put(&library, &by, "ada", MAX_SCAN_LIMIT as usize + 1).await;
    // So few passages would be indexed by one process.
    server.run(DATABASE, "alter table chunk_vectors set (parallel_workers = 2)").await;
    let together = "create index on chunk_vectors using hnsw ((vector::halfvec(384)) halfvec_cosine_ops)";
    let refused = pool.execute(together).await.expect_err("more memory than there is").to_string();
    assert!(refused.contains("shared memory segment"), "{refused}");
    assert_eq!(library.maintain().await.unwrap().made.len(), 2);
    assert!(library.stats().await.unwrap().indexes.iter().all(|index| index.ready));
    assert!(best(&library, &by, CorpusScope::All, "", 99).await.starts_with("Passage 99 of"));
    pool.close().await;
}

#[tokio::test]
async fn the_settings_of_a_search_are_in_effect_for_it_alone() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let by = library.embedder("test:1", WIDTH, false).await.unwrap();
    put(&library, &by, "ada", MAX_SCAN_LIMIT as usize + 1).await;
    library.maintain().await.unwrap();
    // By default, an index returns at most 40.
    let search = LibrarySearch { whose: CorpusScope::All, text: "", vector: &direction(7), limit: 50 };
    assert_eq!(library.recall(&by, search).await.unwrap().len(), 50);

    // All connections of the pool, so also those of the search, which may still be on their way back to it.
    let mut connections = Vec::new();
    for _ in 0..database.pool.options().get_max_connections() {
        let mut connection = database.pool.acquire().await.unwrap();
        let sql =
            "select current_setting(name, true) from unnest(array['hnsw.ef_search', 'hnsw.iterative_scan']) as name";
        let settings: Vec<Option<String>> = sqlx::query_scalar(sql).fetch_all(&mut *connection).await.unwrap();
        let are_default = settings.iter().flatten().all(|value| ["", "40", "off"].contains(&value.as_str()));
        assert!(are_default, "{settings:?}");
        connections.push(connection);
    }
}

#[tokio::test]
async fn large_searches_look_up_only_the_rarest_words() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let by = library.embedder("test:1", WIDTH, false).await.unwrap();
    enter(&library, "ada").await;
    let (half, one) = (MAX_WORD_LOOKUP_LIMIT as usize / 2, ONE_WORD_LOOKUP_LIMIT as usize);
    // Three words that share no passage; one word just rare enough to be looked up alone, and one just too frequent.
    let text = |n: usize| {
        let rare = ["grain", "ledger", "barrel"][(n / half).min(2)];
        let rare = if n < 3 * half + 1 { rare } else { "" };
        let (quarter, tithe) = (if n < one { "quarter" } else { "" }, if n < one + 1 { "tithe" } else { "" });
        format!("Passage {n}: {rare} {quarter} {tithe}")
    };
    library.put(&by, &document_with_texts("ada", MAX_SCAN_LIMIT as usize + 1, &text)).await.unwrap();
    library.maintain().await.unwrap();
    let vector = direction(2_000);
    let by_words = async |text: &str| -> Vec<String> {
        let search = LibrarySearch { whose: CorpusScope::All, text, vector: &vector, limit: 50 };
        let found = library.search(&by, search).await.unwrap();
        found.into_iter().filter(|hit| hit.why.by_words.is_some()).map(|hit| hit.passage.text).collect()
    };
    let count = |texts: &[String], word: &str| texts.iter().filter(|text| text.contains(word)).count();

    let both = by_words("grain ledger").await;
    assert!(count(&both, "grain") > 0 && count(&both, "ledger") > 0, "together they reach the limit");
    let rarer = by_words("ledger barrel").await;
    assert!(
        count(&rarer, "ledger") > 0 && count(&rarer, "barrel") == 0,
        "together they exceed the limit by one: {rarer:?}"
    );
    assert!(count(&by_words("quarter").await, "quarter") > 0, "a single word at the limit");
    assert!(by_words("tithe").await.is_empty(), "a single word above the limit");
    assert!(count(&by_words("quarter unheard").await, "quarter") > 0, "an unknown word does not count");
}

#[tokio::test]
async fn matched_words_are_reported_with_their_byte_ranges() {
    let database = migrated_database().await;
    let library = Library::new(database.pool.clone());
    let by = library.embedder("test:1", WIDTH, false).await.unwrap();
    put(&library, &by, "ada", 1).await;
    let vector = direction(0);
    let search = LibrarySearch { whose: CorpusScope::All, text: "passages", vector: &vector, limit: 1 };
    let mut passage = library.recall(&by, search).await.unwrap().remove(0);
    passage.text = "Œuvre: ferries <b>ferry</b>, the ferryman's wall. FERRY".to_owned();
    let hits = library.hits("the ferry", &[&passage]).await.unwrap();
    let words: Vec<&str> = hits[&passage.chunk].iter().map(|range| &passage.text[range.clone()]).collect();
    assert_eq!(words, ["ferries", "ferry", "FERRY"]);
    assert!(library.hits("of the", &[&passage]).await.unwrap().is_empty(), "nothing to look for");
    assert!(library.hits("boat \0 ' : & (", &[&passage]).await.unwrap().is_empty(), "nothing hit");
    passage.text = "a \u{1}ferry\u{2}".to_owned();
    assert!(library.hits("ferry", &[&passage]).await.unwrap().is_empty(), "no marker differs from the text");
}

/// Ingests the shipped corpora with the embedder of the test server.
async fn fill(library: &Library) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (personas, corpus) = (root.join("personas"), root.join("corpus"));
    ingest(library, &Hashing, &Folders { personas, corpus, only: None }, &|_| {}).await.expect("ingest");
    library.maintain().await.expect("tend");
}

const SEARCH: &str = "query ($search: String!, $personaId: ID, $first: Int) {
    passages(search: $search, personaId: $personaId, first: $first) {
        chunkId personaId persona { name } document title source date kind ordinal text score duplicateIds
        ranking { meaningRank wordRank cosine sentenceCosine wordShare exactMatch wordMatches { word start end } }
    }
}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_find_passages_with_an_explanation() {
    let server = TestServer::start(&scripted_replies(0)).await;
    fill(&Library::new(server.database.pool.clone())).await;
    let ask = async |variables: Value| server.client.data(SEARCH, variables).await["passages"].take();

    let found = ask(json!({ "search": "kitten red book" })).await;
    let best = &found[0];
    assert_eq!(found.as_array().map(Vec::len), Some(10));
    assert_eq!(json!([best["personaId"], best["document"]]), json!(["edda-tolvane", "parapet-notebook"]));
    assert_eq!(json!([best["date"].is_string(), best["persona"]["name"].is_string()]), json!([true, true]));
    let ranking = &best["ranking"];
    assert_eq!(json!([ranking["wordRank"], ranking["exactMatch"], ranking["wordShare"]]), json!([1, true, 1.0]));
    let matches = ranking["wordMatches"].as_array().expect("matches");
    let words: Vec<&Value> = matches.iter().map(|it| &it["word"]).collect();
    assert!(words.contains(&&json!("kitten")), "{words:?}");
    let text = best["text"].as_str().expect("a text");
    let first = &matches[0];
    let place = |of: &str| first[of].as_u64().expect("a place") as usize;
    assert_eq!(json!(text[place("start")..place("end")]), first["word"]);

    let found = ask(json!({ "search": "the bridge", "personaId": "gus-ormerand", "first": 3 })).await;
    let whose: Vec<&Value> = found.as_array().expect("a list").iter().map(|passage| &passage["personaId"]).collect();
    assert_eq!(json!(whose), json!(["gus-ormerand", "gus-ormerand", "gus-ormerand"]));

    for (variables, code) in [
        (json!({ "search": " " }), "INVALID"),
        (json!({ "search": "x".repeat(1_001) }), "LIMIT"),
        (json!({ "search": "x", "first": 51 }), "LIMIT"),
        (json!({ "search": "x", "first": -1 }), "LIMIT"),
        (json!({ "search": "x", "personaId": "nobody" }), "NOT_FOUND"),
    ] {
        assert_eq!(server.client.error_code(SEARCH, variables.clone()).await, code, "{variables}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_corpus_commands_search_and_count() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let output = run_command(&variables, &["corpus", "search", "the bridge"]).await;
    assert!(output.code == Some(0) && output.stdout.contains("faultline corpus ingest"), "{output:?}");
    fill(&Library::new(database.pool.clone())).await;

    let found = run_json_command(&variables, &["corpus", "search", "kitten red book", "--first", "2", "--json"]).await;
    assert_eq!(json!([found[0][0]["document"], found[0][0]["why"]["byWords"]]), json!(["parapet-notebook", 1]));
    let output = run_command(&variables, &["corpus", "search", "grapnel", "--persona", "hedda-vornish"]).await;
    assert!(output.stdout.contains("grapnel") && output.stdout.contains("by words"), "{output:?}");
    let output = run_command(&variables, &["corpus", "search", "x", "--persona", "nobody"]).await;
    assert!(output.code == Some(1) && output.stderr.contains("unknown persona"), "{output:?}");

    let stats = run_json_command(&variables, &["corpus", "stats", "--json"]).await;
    assert_eq!(json!([stats[0]["documents"], stats[0]["passages"]]), json!([82, 640]));
    assert_eq!(stats[0]["embedders"][0]["passages"], json!(640));
    let output = run_command(&variables, &["corpus", "stats"]).await;
    assert!(output.stdout.contains("82 documents, 640 passages"), "{output:?}");
}
