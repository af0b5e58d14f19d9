//! Questions whose vectors are on another server are searched, compared and erased as on one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use faultline_core::events::dispute::Side;
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::Embedder;
use faultline_runtime::projector::Projector;
use faultline_runtime::question_embedder::QuestionEmbedder;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::erasure::erasure::{ErasureOrder, ErasureOutcome};
use faultline_store::open::Store;
use faultline_store::questions::vector_move::{MovedQuestions, QUESTIONS_GRACE};
use faultline_store::shard::ShardAddress;
use faultline_store::stored_embedder::StoredEmbedder;
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery, CruxSort};
use faultline_store::views::debates::PageDirection;
use faultline_store::views::disputes::{DisputePageRequest, DisputeQuery};
use serde_json::json;
use tokio::sync::watch;

use crate::faults::database_proxy::through_proxy;
use crate::scale::shards::{Servers, count};
use crate::support::database::Database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{ServiceProcess, command, run_command, run_json_command};
use crate::support::test_home::{TestHome, database_url};
use crate::support::test_library::NamedEmbedder;
use crate::support::waiting::poll_until;
use crate::views::question_embedding::WRONG_PAIRS;

fn worker(store: &Store, embedder: &Arc<NamedEmbedder>) -> QuestionEmbedder {
    QuestionEmbedder::new(store.views.clone(), store.library.clone(), embedder.clone())
}

fn finder(store: &Store, embedder: &Arc<NamedEmbedder>) -> CrossDebateSearch {
    CrossDebateSearch::new(store.views.clone(), store.library.clone(), Some(embedder.clone() as Arc<dyn Embedder>))
}

async fn in_use(store: &Store) -> StoredEmbedder {
    store.library.embedder_in_use().await.expect("looked").expect("an embedder")
}

/// Moves the vectors without the time that other processes need to learn of it.
async fn move_now(store: &Store, shard: &str) -> Option<MovedQuestions> {
    let by = in_use(store).await;
    store.views.move_questions(shard, Some(&by), Duration::ZERO, |_, _| ()).await.expect("moved")
}

/// Records debates on these questions and waits until they are listed.
async fn debate_on(store: &Store, questions: &[&str]) -> Vec<DebateBuilder> {
    let (stop, stopped) = watch::channel(false);
    let projector = Projector::new(store.log.clone(), store.tail.clone(), store.views.clone());
    let projecting = tokio::spawn(projector.run(stopped));
    let mut debates = Vec::new();
    for question in questions {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        builder.raise_dispute(question, &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(&store.log).await;
        debates.push(builder);
    }
    let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 1, counted: true, brief: true };
    poll_until("the debates are listed", async || {
        let listed = store.views.cruxes(None, &CruxQuery::default(), CruxSort::Newest, &part).await.expect("cruxes");
        (listed.total >= Some(questions.len() as i64)).then_some(())
    })
    .await;
    stop.send_replace(true);
    projecting.await.expect("the task ends without a panic");
    debates
}

/// Adds texts as the projector would.
async fn add_texts(home: &Database, numbers: std::ops::Range<usize>) {
    let sql = format!(
        "insert into questions (hash, text)
        select question_hash(text), text
        from (
            select 'Is case ' || n || ' like case ' || n % 7 || ' of the ferry?' as text
            from generate_series({}, {}) as n
        ) as given
        on conflict (hash) do nothing",
        numbers.start,
        numbers.end - 1
    );
    home.run(&sql).await;
}

/// Every answer that depends on vectors of questions.
async fn answers(store: &Store, embedder: &Arc<NamedEmbedder>) -> Vec<String> {
    let (search, views) = (finder(store, embedder), &store.views);
    let generation = views.generation_to_read().await.expect("served");
    let mut answers = Vec::new();
    for text in ["is the winter rough", "ferry -summer", "", "a crossing in bad weather"] {
        let sought = search.query(text).await.expect("sought");
        let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 10, counted: true, brief: false };
        let found = views.cruxes_found(generation, &CruxQuery::default(), &sought, &part).await.expect("cruxes");
        answers.push(format!("{:?}", (found.rows, found.total)));
        let part = DisputePageRequest { from: None, toward: PageDirection::Older, limit: 2, counted: true };
        let filter = DisputeQuery { is_topic: Some(false), ..DisputeQuery::default() };
        let found = views.disputes(generation, &filter, Some(&sought), &part).await.expect("disputes");
        answers.push(format!("{:?}", (found.rows, found.more, found.total)));
    }
    let recurring = search.recurring(generation, &CruxQuery::default(), 10).await.expect("recurring");
    answers.push(format!("{:?}", (recurring.clusters, recurring.exact)));
    answers
}

const QUESTIONS: &[&str] = &[
    "Is the winter rough?",
    "Is the winter crossing rough?",
    "Is the summer calm for a ferry?",
    "Does the ferry run in bad weather?",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_the_same_wherever_the_vectors_are() {
    let (servers, embedder) = (Servers::create(&["b", "c"]).await, Arc::new(NamedEmbedder::new("knowing")));
    let store = servers.open().await;
    debate_on(&store, QUESTIONS).await;
    let early = worker(&store, &embedder).catch_up().await.expect("caught up");
    let stats = store.views.question_stats().await.expect("counted");
    assert_eq!((early as i64, stats.n_due), (stats.n_vectors, 0));
    assert!(stats.n_pairs > 0, "{stats:?}");
    let wanted = answers(&store, &embedder).await;
    assert!(wanted[0].contains("cosine: Some"), "{}", wanted[0]);
    let other = servers.open().await;
    for (shard, from) in [("b", "home"), ("c", "b"), ("home", "c"), ("b", "home")] {
        let moved = move_now(&store, shard).await;
        assert_eq!(moved, Some(MovedQuestions { from: from.to_owned(), n_vectors: early as u64 }), "{shard}");
        assert_eq!(move_now(&store, shard).await, None, "they are there");
        assert_eq!(answers(&store, &embedder).await, wanted, "on {shard}");
        other.log.shards().reload().await.expect("looked");
        assert_eq!(answers(&other, &embedder).await, wanted, "on {shard}, from another process");
    }
    // Some on each, as in the middle of a move.
    let (home, b) = (&servers.home, &servers.shards[0].1);
    home.run("update question_placement set former = 'b', shard = 'home'").await;
    let half: Vec<i64> =
        sqlx::query_scalar("select question from question_vectors where question % 2 = 0 order by question")
            .fetch_all(&home.pool)
            .await
            .expect("ids");
    assert!(!half.is_empty() && half.len() < early);
    let vectors: Vec<(i64, String)> =
        sqlx::query_as("delete from shard_question_vectors where question = any ($1) returning question, vector::text")
            .bind(&half)
            .fetch_all(&b.pool)
            .await
            .expect("vectors");
    for (question, vector) in vectors {
        home.run(&format!("update question_vectors set vector = '{vector}' where question = {question}")).await;
    }
    store.log.shards().reload().await.expect("looked");
    assert_eq!(answers(&store, &embedder).await, wanted, "on both");
    let turned = move_now(&store, "b").await;
    assert_eq!(turned, Some(MovedQuestions { from: "home".to_owned(), n_vectors: half.len() as u64 }), "turned round");
    assert_eq!(count(b, "select count(*) from shard_question_vectors").await, early as i64);
    assert_eq!(answers(&store, &embedder).await, wanted, "after it was turned round");
    for store in [store, other] {
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vectors_are_moved_while_questions_are_embedded_compared_and_searched() {
    let (servers, embedder) = (Servers::create(&["b"]).await, Arc::new(NamedEmbedder::new("knowing")));
    let (mover, other) = (servers.open().await, servers.open().await);
    debate_on(&mover, QUESTIONS).await;
    worker(&mover, &embedder).catch_up().await.expect("caught up");
    let by = in_use(&mover).await;
    let is_over = AtomicBool::new(false);
    let moving = async {
        for shard in ["b", "home", "b", "home"] {
            let moved = mover.views.move_questions(shard, Some(&by), QUESTIONS_GRACE, |_, _| ()).await.expect("moved");
            assert!(moved.is_some(), "{shard}");
        }
        is_over.store(true, Ordering::Release);
    };
    let embedding = async {
        let workers = [worker(&mover, &embedder), worker(&other, &embedder)];
        let mut n = 0;
        // Fewer than the pairs kept for each, so that all of them are expected.
        while !is_over.load(Ordering::Acquire) {
            if n < 50 {
                add_texts(&servers.home, n..n + 2).await;
                n += 2;
            }
            let (one, two) = tokio::join!(workers[0].catch_up(), workers[1].catch_up());
            one.and(two).expect("caught up");
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        n
    };
    let searching = async {
        let search = finder(&other, &embedder);
        let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 10, counted: false, brief: true };
        let generation = other.views.generation_to_read().await.expect("served");
        let mut n_searches = 0;
        while !is_over.load(Ordering::Acquire) {
            let sought = search.query("is the winter rough").await.expect("sought");
            let found =
                other.views.cruxes_found(generation, &CruxQuery::default(), &sought, &part).await.expect("found");
            let nearest = &found.rows[0].hit;
            assert!(nearest.cosine.is_some_and(|cosine| cosine > 0.5), "{nearest:?}, search {n_searches}");
            n_searches += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        n_searches
    };
    let ((), n_added, n_searches) = tokio::join!(moving, embedding, searching);
    worker(&mover, &embedder).catch_up().await.expect("caught up");
    let stats = mover.views.question_stats().await.expect("counted");
    assert!(n_added == 50 && n_searches > 50, "{n_added} texts, {n_searches} searches");
    assert_eq!((stats.n_questions, stats.n_due), (stats.n_vectors, 0));
    assert_eq!(count(&servers.home, "select count(*) from question_vectors where vector is null").await, 0);
    assert_eq!(count(&servers.shards[0].1, "select count(*) from shard_question_vectors").await, 0);
    assert_eq!(count(&servers.home, WRONG_PAIRS).await, 0);
    assert_eq!(embedder.n_texts() as i64 - n_searches, stats.n_vectors, "nothing was embedded twice");
    for store in [mover, other] {
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vectors_on_a_shard_go_with_their_questions_and_their_embedder() {
    let (servers, embedder) = (Servers::create(&["b"]).await, Arc::new(NamedEmbedder::new("knowing")));
    let store = servers.open().await;
    let debates = debate_on(&store, &QUESTIONS[..3]).await;
    let worker = worker(&store, &embedder);
    let early = worker.catch_up().await.expect("caught up") as i64;
    move_now(&store, "b").await.expect("moved");
    let b = &servers.shards[0].1;
    let vectors = async || count(b, "select count(*) from shard_question_vectors").await;
    assert_eq!(vectors().await, early);
    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "to see it".to_owned() };
    let erased = store.log.erase(debates[0].id, &order).await.expect("erased");
    assert!(matches!(erased, ErasureOutcome::Erased(_)), "{erased:?}");
    let left = store.views.question_stats().await.expect("counted").n_vectors;
    assert!(left < early, "{left} of {early}");
    assert_eq!(vectors().await, left);
    // Stored late, by a process that lost its connections.
    let deleted = count(&servers.home, "select max(question) from deleted_questions").await;
    b.run(&format!(
        "insert into shard_question_vectors (embedder, question, vector)
        select embedder, {deleted}, vector from shard_question_vectors limit 1"
    ))
    .await;
    assert_eq!(vectors().await, left + 1);
    store.views.fill_question_queue(&in_use(&store).await).await.expect("looked");
    assert_eq!(vectors().await, left);
    servers.home.run("update deleted_questions set deleted_at = now() - interval '2 hours'").await;
    store.views.fill_question_queue(&in_use(&store).await).await.expect("looked");
    assert_eq!(count(&servers.home, "select count(*) from deleted_questions").await, 0);

    // One that the shard has lost is embedded again: when all are looked through, and before if it is to be compared.
    let lose = "delete from shard_question_vectors where question = (select min(question) from shard_question_vectors)";
    b.run(lose).await;
    assert_eq!(worker.catch_up().await.expect("caught up"), 0, "not noticed");
    store.views.fill_question_queue(&in_use(&store).await).await.expect("looked");
    assert_eq!(worker.catch_up().await.expect("caught up"), 1);
    assert_eq!((vectors().await, store.views.questions_due().await.expect("counted")), (left, 0));
    b.run(lose).await;
    servers.home.run("update question_vectors set paired = false").await;
    worker.catch_up().await.expect("compared");
    assert_eq!(worker.catch_up().await.expect("caught up"), 1);
    assert_eq!((vectors().await, store.views.questions_due().await.expect("counted")), (left, 0));

    let newcomer = store.library.register_embedder("newcomer", Hashing.width(), false).await.expect("registered");
    store.library.activate(&newcomer).await.expect("in use");
    store.library.delete_retired_vectors(10).await.expect("deleted");
    store.views.fill_question_queue(&newcomer).await.expect("looked");
    assert_eq!(vectors().await, 0);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_are_found_by_words_while_the_shard_is_away() {
    let (servers, embedder) = (Servers::create(&["b"]).await, Arc::new(NamedEmbedder::new("knowing")));
    let (far, proxy) = through_proxy(&servers.shards[0].1.options).await;
    let shards = vec![ShardAddress { name: "b".to_owned(), url: database_url(&far) }];
    let settings = ConnectionSettings { shards, ..ConnectionSettings::default() };
    let store = Store::open(servers.home.options.clone(), &settings).await.expect("a store");
    debate_on(&store, QUESTIONS).await;
    let worker = worker(&store, &embedder);
    worker.catch_up().await.expect("caught up");
    move_now(&store, "b").await.expect("moved");
    let search = finder(&store, &embedder);
    let part = CruxPageRequest { from: None, toward: PageDirection::Older, limit: 10, counted: false, brief: true };
    let generation = store.views.generation_to_read().await.expect("served");
    let cosines = async || {
        let sought = search.query("winter").await.expect("sought");
        let found = store.views.cruxes_found(generation, &CruxQuery::default(), &sought, &part).await.expect("found");
        found
            .rows
            .iter()
            .filter(|row| !row.hit.stems.is_empty())
            .map(|row| row.hit.cosine.is_some())
            .collect::<Vec<_>>()
    };
    assert_eq!(cosines().await, [true, true]);
    proxy.disconnect_all().await;
    assert_eq!(cosines().await, [false, false], "found by words");
    let recurring = search.recurring(generation, &CruxQuery::default(), 10).await.expect("by the pairs at home");
    assert!(!recurring.exact);
    add_texts(&servers.home, 0..3).await;
    worker.catch_up().await.expect_err("nothing can be stored");
    proxy.away.store(false, Ordering::SeqCst);
    let caught_up = async || {
        worker.catch_up().await.ok()?;
        (store.views.questions_due().await.expect("counted") == 0).then_some(())
    };
    poll_until("it is back", caught_up).await;
    assert_eq!(cosines().await, [true, true]);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_moves_vectors_and_completes_a_move_that_was_interrupted() {
    let (servers, home, embedder) =
        (Servers::create(&["b", "c"]).await, TestHome::new(), Arc::new(NamedEmbedder::new("knowing")));
    let store = servers.open().await;
    debate_on(&store, QUESTIONS).await;
    let n_vectors = worker(&store, &embedder).catch_up().await.expect("caught up");
    let variables = servers.environment(&home);
    let shown = run_json_command(&variables, &["questions", "--json"]).await.remove(0);
    assert_eq!(
        (&shown["shard"], &shown["vectors"], &shown["movedFrom"]),
        (&json!("home"), &json!(n_vectors), &json!(null))
    );

    // Killed while it waits for the other processes to learn of the move.
    let mut moving = command(&variables, &["questions", "move", "--to", "b"]).spawn().expect("a process");
    let has_begun = "select count(*) from question_placement where former = 'home'";
    poll_until("the move has begun", async || (count(&servers.home, has_begun).await == 1).then_some(())).await;
    moving.kill().await.expect("killed");
    let output = run_command(&variables, &["questions"]).await;
    assert!(output.stdout.contains("run: faultline questions move --to b"), "{output:?}");
    for (to, reason) in [
        ("c", "Complete that first: faultline questions move --to b"),
        ("z", "unknown shard \"z\"; available: home, b, c"),
    ] {
        let output = run_command(&variables, &["questions", "move", "--to", to]).await;
        assert!(output.code == Some(1) && output.stderr.contains(reason), "{output:?}");
    }
    let service = ServiceProcess::start(&variables).await;
    let moved = run_json_command(&variables, &["questions", "move", "--to", "b", "--json"]).await.remove(0);
    assert_eq!((&moved["from"], &moved["shard"]), (&json!("home"), &json!("b")));
    assert_eq!(count(&servers.shards[0].1, "select count(*) from shard_question_vectors").await, n_vectors as i64);
    let again = run_command(&variables, &["questions", "move", "--to", "b"]).await;
    assert_eq!(again.stdout, "The vectors of questions are on b already.\n");
    service.kill().await;
    // Without the setting, nobody takes them for lost.
    let alone = home.environment(&servers.home.options, &json!({}));
    let output = run_command(&alone, &["questions"]).await;
    assert!(
        output.stderr.contains("vectors of questions are on shard \"b\", which FAULTLINE_SHARDS does not name"),
        "{output:?}"
    );
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_vectors_have_their_index_on_the_shard() {
    let (servers, embedder) = (Servers::create(&["b"]).await, Arc::new(NamedEmbedder::new("knowing")));
    let store = servers.open().await;
    let by = store.library.embedder("knowing", Hashing.width(), false).await.expect("registered");
    // As many as the planner does not rather read all.
    add_texts(&servers.home, 0..8_000).await;
    let vectors = format!(
        "insert into question_vectors (embedder, question, width, vector, paired)
        select {embedder}, id, {width}, vector, true
        from questions
        cross join lateral (
            select array_agg(random() - 0.5)::real[]::halfvec as vector from generate_series(1, {width}) where id > 0
        ) as drawn;
        delete from question_queue",
        embedder = count(&servers.home, "select id::bigint from embedders").await,
        width = by.width,
    );
    servers.home.run(&vectors).await;
    assert!(store.views.maintain_question_index(&by, 1_000).await.expect("built"));
    let moved = move_now(&store, "b").await.expect("moved");
    assert_eq!(moved.n_vectors, 8_000);
    let indexes = "select count(*) from pg_indexes where indexname like 'question_vectors_near_%'";
    assert_eq!(count(&servers.home, indexes).await, 0, "dropped where no vectors are left");
    assert!(store.views.maintain_question_index(&by, 1_000).await.expect("built"));
    let shard = &servers.shards[0].1;
    assert_eq!(count(shard, indexes).await, 1);
    assert!(!store.views.is_pairing_exact(&by).await.expect("looked"));
    add_texts(&servers.home, 8_000..8_010).await;
    assert_eq!(worker(&store, &embedder).catch_up().await.expect("caught up"), 10);
    assert_eq!(store.views.questions_due().await.expect("counted"), 0);
    // Sessions report all of their counts when they end.
    store.close().await;
    let uses = "select coalesce(sum(idx_scan), 0)::bigint from pg_stat_user_indexes
        where indexrelname like 'question_vectors_near_%'";
    poll_until("the index was used", async || (count(shard, uses).await >= 10).then_some(())).await;
}
