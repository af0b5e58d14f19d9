//! A library whose corpora are on several servers gives the same answers as one on a single server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use faultline_core::events::ids::PersonaId;
use faultline_ingest::corpus::{Folders, ingest};
use faultline_ingest::reembed::reembed;
use faultline_providers::hashing::{Hashing, NAME};
use faultline_providers::ports::Embedder;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::library::documents::{DocumentName, DocumentPage, PassagePage};
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::library::reading::Holdings;
use faultline_store::library::recall::{CorpusScope, FoundPassage, LibrarySearch};
use faultline_store::open::Store;
use faultline_store::shard::ShardAddress;
use faultline_store::stored_embedder::StoredEmbedder;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::faults::database_proxy::through_proxy;
use crate::scale::shards::{Servers, count};
use crate::support::database::migrated_database;
use crate::support::environment::project_path;
use crate::support::service_process::{ServiceProcess, command, run_command, run_json_command};
use crate::support::test_home::{TestHome, database_url};
use crate::support::test_library::{NamedEmbedder, WIDTH, document, empty_persona, persona_id, vector_towards};
use crate::support::waiting::poll_until;

/// Longer than a process takes to learn of a move.
const GRACE: Duration = Duration::from_secs(5);

/// Ingests the shipped corpora.
async fn fill(library: &Library) {
    let (personas, corpus) = (project_path("personas"), project_path("corpus"));
    ingest(library, &Hashing, &Folders { personas, corpus, only: None }, &|_| {}).await.expect("ingest");
    library.maintain().await.expect("maintain");
}

async fn search(library: &Library, by: &StoredEmbedder, whose: CorpusScope<'_>, text: &str) -> Vec<FoundPassage> {
    let vector = Hashing.embed(&[text.to_owned()]).await.expect("a vector").remove(0);
    library.search(by, LibrarySearch { whose, text, vector: &vector, limit: 20 }).await.expect("search")
}

/// Every way in which a library is read.
async fn answers(library: &Library) -> Vec<String> {
    let by = library.embedder_in_use().await.expect("look").expect("an embedder");
    let owners: Vec<PersonaId> =
        library.holdings().await.expect("holdings").into_iter().map(|holding| holding.persona).collect();
    let (first, last) = (owners[0].clone(), owners[owners.len() - 1].clone());
    let mut answers = Vec::new();
    let mut chunks: Vec<Uuid> = Vec::new();
    for text in ["the bridge", "kitten red book", "\"who pays\" -harbour", "", "is a city better without cars?"] {
        for whose in [CorpusScope::All, CorpusScope::Of(&owners[..1]), CorpusScope::Of(&[first.clone(), last.clone()])]
        {
            let found = search(library, &by, whose, text).await;
            chunks.extend(found.iter().map(|hit| hit.passage.chunk));
            answers.push(format!("{found:?}"));
        }
    }
    chunks.sort_unstable();
    chunks.dedup();
    let mut cited = library.cited(&chunks).await.expect("cited");
    cited.sort_by_key(|passage| passage.chunk);
    let mut neighbors = library.neighbors(&chunks).await.expect("neighbors");
    neighbors.sort_by_key(|it| it.chunk);
    let mut named = library.passage_documents(&chunks).await.expect("documents");
    named.sort();
    assert_eq!((cited.len(), neighbors.len(), named.len()), (chunks.len(), chunks.len(), chunks.len()));
    let mut wanted: Vec<DocumentName> =
        named.iter().map(|(_, owner, name)| DocumentName { owner: owner.clone(), name: name.clone() }).collect();
    wanted.dedup();
    let mut documents = library.named_documents(&wanted).await.expect("documents");
    documents.sort_by(|a, b| a.name.cmp(&b.name));
    answers.extend([format!("{cited:?}"), format!("{neighbors:?}"), format!("{named:?}"), format!("{documents:?}")]);
    let page = |of: &PersonaId| DocumentPage { of: of.clone(), from: None, forward: true, size: 2 };
    let pages = library.document_pages(&owners.iter().map(page).collect::<Vec<_>>()).await.expect("pages");
    let page = |of: &DocumentName| PassagePage { of: of.clone(), from: None, forward: false, size: 2 };
    let passages = library.passage_pages(&wanted.iter().map(page).collect::<Vec<_>>()).await.expect("pages");
    let counts = library.count_documents(&owners).await.expect("counts");
    answers.extend([format!("{pages:?}"), format!("{passages:?}"), format!("{counts:?}")]);
    for owner in [&first, &last] {
        answers.push(format!("{:?}", library.writings(owner, 5_000).await.expect("writings")));
        answers.push(format!("{:?}", library.sentences(&by, owner).await.expect("sentences")));
        answers.push(format!("{:?}", library.documents(owner).await.expect("documents")));
    }
    let without_shard = |holding: Holdings| Holdings { shard: String::new(), ..holding };
    let holdings = library.holdings().await.expect("holdings").into_iter().map(without_shard);
    answers.push(format!("{:?}", holdings.collect::<Vec<_>>()));
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corpora_on_three_servers_give_the_answers_of_one() {
    let single = migrated_database().await;
    let of_one = Library::new(single.pool.clone());
    fill(&of_one).await;
    let servers = Servers::create(&["b", "c"]).await;
    let store = servers.open().await;
    let library = &store.library;
    fill(library).await;
    let owners: Vec<PersonaId> =
        library.holdings().await.expect("holdings").into_iter().map(|holding| holding.persona).collect();
    let wanted = answers(&of_one).await;
    assert_eq!(answers(library).await, wanted, "all corpora at home");
    for (n, owner) in (0..).zip(&owners) {
        let Some(shard) = [Some("b"), Some("c"), None][n % 3] else { continue };
        let moved = library.move_corpus(owner, shard, Duration::ZERO, |_, _| ()).await.expect("moved");
        assert!(moved.is_some_and(|moved| moved.from == "home" && moved.n_passages > 0), "{owner}");
        assert!(library.move_corpus(owner, shard, GRACE, |_, _| ()).await.expect("there").is_none());
    }
    for database in servers.shards.iter().map(|(_, database)| database).chain([&servers.home]) {
        let share = count(database, "select count(distinct persona) from chunks").await;
        assert!((3..=6).contains(&share), "{share}");
        assert_eq!(
            count(database, "select count(distinct persona) from shelves").await,
            share,
            "counts are those of the passages"
        );
    }
    assert_eq!(answers(library).await, wanted, "corpora on three servers");
    let other = servers.open().await;
    assert_eq!(answers(&other.library).await, wanted, "as another process finds them");
    other.close().await;
    // One that joins is put where the fewest passages are, and one that leaves takes everything along.
    library.upsert_persona(&empty_persona("newcomer"), &[]).await.expect("a persona");
    let placed = sqlx::query_scalar("select shard from corpus_owners where id = 'newcomer'");
    let placed: String = placed.fetch_one(&servers.home.pool).await.expect("a shard");
    let mut amounts = Vec::new();
    for (name, database) in [("home", &servers.home), ("b", &servers.shards[0].1), ("c", &servers.shards[1].1)] {
        amounts.push((count(database, "select count(*) from chunks").await, name));
    }
    assert_eq!(Some(placed.as_str()), amounts.iter().min().map(|(_, name)| *name), "{amounts:?}");
    assert!(!library.remove_shared_corpus(&owners[0]).await.expect("looked"), "it is a persona");
    assert!(library.count_documents(&owners[..1]).await.expect("counted")[0] > 0, "and keeps its documents");
    for owner in &owners {
        library.remove_persona(owner).await.expect("removed");
        library.remove_shared_corpus(owner).await.expect("removed");
    }
    for database in servers.shards.iter().map(|(_, database)| database).chain([&servers.home]) {
        assert_eq!(count(database, "select count(*) from chunks").await, 0);
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corpus_is_moved_while_it_is_searched_and_written() {
    let servers = Servers::create(&["b"]).await;
    let (mover, other) = (servers.open().await, servers.open().await);
    let by = mover.library.embedder("test:1", WIDTH, false).await.expect("an embedder");
    for of in ["ada", "bo"] {
        mover.library.upsert_persona(&empty_persona(of), &[]).await.expect("a persona");
    }
    mover.library.put(&by, &document("ada", "tide", &[("The tide turns at noon.", 1)])).await.expect("stored");
    mover.library.put(&by, &document("bo", "toll", &[("The toll was raised.", 2)])).await.expect("stored");
    let (ada, is_over) = (persona_id("ada"), AtomicBool::new(false));
    let moving = async {
        for shard in ["b", "home", "b"] {
            mover.library.move_corpus(&ada, shard, GRACE, |_, _| ()).await.expect("moved");
        }
        is_over.store(true, Ordering::Release);
    };
    let searching = async {
        let mut n_searches = 0;
        while !is_over.load(Ordering::Acquire) {
            for whose in [CorpusScope::All, CorpusScope::Of(std::slice::from_ref(&ada))] {
                let search = LibrarySearch { whose, text: "tide", vector: &vector_towards(1), limit: 50 };
                let found = other.library.search(&by, search).await.expect("search");
                assert_eq!(found[0].passage.text, "The tide turns at noon.");
                let mut chunks: Vec<Uuid> = found.iter().map(|hit| hit.passage.chunk).collect();
                chunks.sort_unstable();
                chunks.dedup();
                assert_eq!(chunks.len(), found.len(), "a passage is found once");
            }
            n_searches += 1;
        }
        n_searches
    };
    let writing = async {
        let (mut stored, mut refused) = (Vec::new(), 0);
        for n in 3.. {
            if is_over.load(Ordering::Acquire) {
                break;
            }
            let name = format!("letter-{n}");
            match other.library.put(&by, &document("ada", &name, &[(name.as_str(), n % WIDTH)])).await {
                Ok(_) => stored.push(name),
                Err(LibraryError::BeingMoved { .. }) => refused += 1,
                Err(fault) => panic!("{fault}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        (stored, refused)
    };
    let ((), n_searches, (mut stored, _)) = tokio::join!(moving, searching, writing);
    assert!(n_searches > 10 && stored.len() > 10, "{n_searches} searches, {} documents", stored.len());
    stored.push("tide".to_owned());
    stored.sort();
    let mut names: Vec<String> =
        other.library.documents(&ada).await.expect("documents").into_iter().map(|document| document.name).collect();
    names.sort();
    assert_eq!(names, stored, "nothing is lost");
    assert_eq!(count(&servers.home, "select count(*) from chunks where persona = 'ada'").await, 0);
    assert_eq!(count(&servers.shards[0].1, "select count(*) from chunks").await, stored.len() as i64);
    for store in [mover, other] {
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_moves_are_undone_or_completed() {
    let (servers, home) = (Servers::create(&["b"]).await, TestHome::new());
    let store = servers.open().await;
    let (library, ada) = (&store.library, persona_id("ada"));
    let by = library.embedder("test:1", WIDTH, false).await.expect("an embedder");
    library.upsert_persona(&empty_persona("ada"), &[]).await.expect("a persona");
    library.put(&by, &document("ada", "tide", &[("The tide turns at noon.", 1)])).await.expect("stored");
    let shard = &servers.shards[0].1;
    let passages = async || {
        let of = "select count(*) from chunks";
        (count(&servers.home, of).await, count(shard, of).await)
    };

    // Killed after it had closed the corpus and before it changed the placement.
    servers.home.run("update corpus_owners set is_closed = true").await;
    shard.run("insert into corpus_owners (id, is_closed) values ('ada', true)").await;
    library.put(&by, &document("ada", "toll", &[("The toll was raised.", 2)])).await.expect("open again");
    assert_eq!(passages().await, (2, 0));

    // Killed while it waits to delete the former copy.
    let variables = servers.environment(&home);
    let mut moving = command(&variables, &["corpus", "move", "ada", "--to", "b", "--grace-seconds", "600"])
        .spawn()
        .expect("a process");
    let is_placed = "select count(*) from corpus_owners where shard = 'b'";
    poll_until("the corpus is on b", async || (count(&servers.home, is_placed).await == 1).then_some(())).await;
    assert!(
        matches!(library.move_corpus(&ada, "home", GRACE, |_, _| ()).await, Err(LibraryError::BeingMoved { .. })),
        "while it waits"
    );
    moving.kill().await.expect("killed");
    assert_eq!(passages().await, (2, 2));
    let is_released = async || library.move_corpus(&ada, "b", GRACE, |_, _| ()).await.is_ok().then_some(());
    poll_until("the lock ends with the process", is_released).await;
    assert_eq!(passages().await, (0, 2), "the next look deletes the former copy");
    library.put(&by, &document("ada", "rope", &[("A rope holds.", 3)])).await.expect("open");

    // The same, found by maintenance, when the placement had changed and the corpus was not open yet.
    servers
        .home
        .run(
            "insert into documents select 'ada', 'old', title, source, dated, kind, hash, stored_at, flags \
        from (values ('t', 's', date '2020-01-01', 'k', decode(repeat('00', 32), 'hex'), now(), '{}'::text[])) \
        as row (title, source, dated, kind, hash, stored_at, flags)",
        )
        .await;
    shard.run("update corpus_owners set is_closed = true").await;
    library.maintain().await.expect("maintain");
    assert_eq!(count(&servers.home, "select count(*) from documents").await, 0);
    assert_eq!(count(shard, "select count(*) from corpus_owners where not is_closed").await, 1);
    assert_eq!(passages().await, (0, 3));
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_embedder_is_replaced_and_a_persona_erased_on_all_servers() {
    let servers = Servers::create(&["b"]).await;
    let store = servers.open().await;
    let library = &store.library;
    let by = library.embedder(NAME, Hashing.width(), true).await.expect("an embedder");
    for (of, direction) in [("ada", 1), ("bo", 2)] {
        library.upsert_persona(&empty_persona(of), &[]).await.expect("a persona");
        library.put(&by, &document(of, "one", &[("The tide turns.", direction)])).await.expect("stored");
    }
    library.move_corpus(&persona_id("ada"), "b", Duration::ZERO, |_, _| ()).await.expect("moved");
    let shard = &servers.shards[0].1;
    let replaced = reembed(library, &NamedEmbedder::new("renamed"), &|_| {}).await.expect("embedded again");
    assert_eq!((replaced.n_embedded, replaced.n_forgotten), (2, 2));
    for database in [&servers.home, shard] {
        let by_new =
            "select count(*) from chunk_vectors join embedders on id = embedder where name = 'renamed' and in_use";
        assert_eq!(count(database, by_new).await, 1);
        assert_eq!(count(database, "select count(*) from chunk_vectors").await, 1);
        assert_eq!(count(database, "select count(*) from embedders").await, 1);
    }
    let old = library.put(&by, &document("ada", "two", &[("Late.", 3)])).await;
    assert!(matches!(old, Err(LibraryError::OtherEmbedder { .. })), "{old:?}");

    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "to see it".to_owned() };
    store.log.erase_persona(&persona_id("ada"), &order).await.expect("erased");
    for table in ["corpus_owners", "documents", "chunks", "sentences", "chunk_vectors", "sentence_vectors"] {
        assert_eq!(count(shard, &format!("select count(*) from {table}")).await, 0, "{table}");
    }
    library.maintain().await.expect("maintain");
    assert_eq!(count(shard, "select count(*) from word_counts").await, 0, "no word of it is left");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corpora_on_other_servers_are_searched_while_one_is_away() {
    let servers = Servers::create(&["b", "c"]).await;
    let (far, proxy) = through_proxy(&servers.shards[1].1.options).await;
    let address = |name: &str, url| ShardAddress { name: name.to_owned(), url };
    let shards = vec![address("b", database_url(&servers.shards[0].1.options)), address("c", database_url(&far))];
    let settings = ConnectionSettings { shards, ..ConnectionSettings::default() };
    let store = Store::open(servers.home.options.clone(), &settings).await.expect("a store");
    let library = &store.library;
    let by = library.embedder(NAME, Hashing.width(), true).await.expect("an embedder");
    for (of, shard, direction) in [("ada", "b", 1), ("bo", "c", 2)] {
        library.upsert_persona(&empty_persona(of), &[]).await.expect("a persona");
        library.put(&by, &document(of, "one", &[("The tide turns.", direction)])).await.expect("stored");
        library.move_corpus(&persona_id(of), shard, Duration::ZERO, |_, _| ()).await.expect("moved");
    }
    library.maintain().await.expect("maintain");
    proxy.disconnect_all().await;
    let (ada, bo) = ([persona_id("ada")], [persona_id("bo")]);
    assert_eq!(search(library, &by, CorpusScope::Of(&ada), "tide").await.len(), 1);
    let vector = vector_towards(1);
    for whose in [CorpusScope::Of(&bo), CorpusScope::All] {
        let search = LibrarySearch { whose, text: "tide", vector: &vector, limit: 5 };
        assert!(matches!(library.search(&by, search).await, Err(LibraryError::Fault(_))), "{whose:?}");
    }
    proxy.away.store(false, Ordering::SeqCst);
    assert_eq!(search(library, &by, CorpusScope::All, "tide").await.len(), 2);
    store.close().await;
}

const SEARCH: &str =
    "query ($search: String!) { passages(search: $search, first: 10) { chunkId personaId text score } }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_moves_corpora_while_a_service_searches_them() {
    let (servers, home) = (Servers::create(&["b"]).await, TestHome::new());
    let store = servers.open().await;
    fill(&store.library).await;
    // With the same documents, which the service does not ingest again.
    let corpus = ("FAULTLINE_CORPUS", project_path("corpus").display().to_string());
    let variables = [servers.environment(&home), vec![corpus]].concat();
    let service = ServiceProcess::start(&variables).await;
    let ask = async || service.client.data(SEARCH, json!({ "search": "the bridge" })).await["passages"].take();
    let before = ask().await;
    assert_eq!(before.as_array().map(Vec::len), Some(10));
    let moved = run_json_command(&variables, &["corpus", "move", "--all", "--to", "b", "--json"]).await;
    assert!(moved.len() > 10 && moved.iter().all(|line| line["from"] == json!("home")), "{moved:?}");
    assert_eq!(ask().await, before);
    assert_eq!(count(&servers.home, "select count(*) from chunks").await, 0);
    let listed: Value = run_json_command(&variables, &["corpus", "stats", "--json"]).await.remove(0);
    assert_eq!(listed["personas"][0]["shard"], json!("b"));
    assert!(listed["passages"].as_i64() > Some(500), "{listed}");
    for (arguments, reason) in [
        (["corpus", "move", "edda-tolvane", "--to", "z"], "unknown shard \"z\"; available: home, b"),
        (["corpus", "move", "nobody", "--to", "b"], "no persona or shared corpus nobody"),
    ] {
        let output = run_command(&variables, &arguments).await;
        assert!(output.code == Some(1) && output.stderr.contains(reason), "{output:?}");
    }
    // Without the setting, nobody mistakes the library for an empty one.
    let alone = home.environment(&servers.home.options, &json!({}));
    let output = run_command(&alone, &["corpus", "stats"]).await;
    assert!(output.code != Some(0) && output.stderr.contains("FAULTLINE_SHARDS does not name"), "{output:?}");
    service.kill().await;
    store.close().await;
}
