//! Erasure: erased text is nowhere in the database, and the chains of the log stay intact.

use std::process::Stdio;

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::engine::RefusalKind;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::Embedder;
use faultline_runtime::read_model_cache::{build_rows, fold_stream};
use faultline_service::catalog::Catalog;
use faultline_service::erase::EraseRequest;
use faultline_service::error::ServiceError;
use faultline_service::service::DebateService;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::error::StoreError;
use faultline_store::lanes::Cursor;
use faultline_store::library::open::Library;
use faultline_store::log::append::AppendError;
use faultline_store::log::log::Log;
use faultline_store::log::verify::ChainBreak;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::support::client::start_debate_input;
use crate::support::database::{Database, compressed_views_contain, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::log_reads::read_all_events;
use crate::support::phase_events::{append_phases, new_debate_id, phase_append, phase_of};
use crate::support::service_process::{command, run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_library::{document, empty_persona};
use crate::support::test_server::TestServer;
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

/// A word that occurs nowhere else, also in the forms that an index may store.
const MARK: &str = "quibblewort";

const ERASE: &str = "mutation ($id: ID!, $with: Boolean! = false) {
    eraseDebate(input: { debateId: $id, reason: \"asked for by its author\", withForks: $with }) {
        erasures { debateId requestedBy reason unrecoverable }
    }
}";

/// Tables that contain a word in any column: as text, in JSON, as a lexeme or as bytes.
async fn tables_with_word(database: &Database, word: &str) -> Vec<String> {
    let tables: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'public' order by 1")
            .fetch_all(&database.pool)
            .await
            .expect("list the tables");
    let mut found = Vec::new();
    for table in tables {
        let bytes: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
        let sql = format!("select exists (select from {table} as t where t::text ilike any ($1))");
        let is_there: bool = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(vec![format!("%{word}%"), format!("%{bytes}%")])
            .fetch_one(&database.pool)
            .await
            .expect("search a table");
        if is_there || (table == "views" && compressed_views_contain(&database.pool, word).await) {
            found.push(table);
        }
    }
    found
}

fn erasure_request() -> EraseRequest {
    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "asked for".to_owned() };
    EraseRequest { order, with_forks: false, hide_plain: false }
}

fn debate_service(log: &Log) -> DebateService {
    DebateService::new(log.clone(), Catalog::default().into())
}

fn refusal<T: std::fmt::Debug>(refused: Result<T, ServiceError>) -> (RefusalKind, String) {
    match refused {
        Err(ServiceError::Refused(it)) => (it.kind, it.reason),
        other => panic!("not refused: {other:?}"),
    }
}

/// Builds a debate of two participants whose crux and question contain this word.
fn debate_with_word(word: &str) -> DebateBuilder {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let own = builder.add_argument("ada", &format!("Yes, by the {word}."), &format!("The {word} is rested."));
    let theirs = builder.add_argument("ben", "No.", "The fuel's price doubled.");
    builder.add_mutual_attack("ben", theirs, own);
    let rough = builder.raise_dispute(&format!("Is the {word} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
    builder.discuss_in_room(rough, &format!("Is the {word} rough?"), &["ada", "ben"]);
    builder.add_check(&format!("The {word} is calm."));
    builder.raise_dispute("Is the summer calm?", &[("ada", Side::Yes), ("ben", Side::No)]);
    builder
}

async fn wait_for_list(server: &TestServer, debate: DebateId, version: i64) {
    poll_until("the list catches up", async || {
        let found: Option<i64> =
            sqlx::query_scalar("select version from debates where debate_id = $1 and version >= $2")
                .bind(debate.0)
                .bind(version)
                .fetch_optional(&server.database.pool)
                .await
                .expect("look at the list");
        found
    })
    .await;
}

/// Copies a script with the marked word in place of one of its phrases.
fn marked(script: &Value) -> Value {
    serde_json::from_str(&script.to_string().replace("market square", MARK)).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_debate_is_nowhere_and_everything_else_is_unchanged() {
    let server = TestServer::start(&marked(&scripted_replies(0))).await;
    let mut asked = start_debate_input("dialectic", json!({ "rounds": 2 }));
    asked["topic"] = json!(format!("Should the {MARK} be closed to private cars?"));
    let spoken = server.client.start(&asked).await;
    let n_spoken = server.wait_for_end(spoken).await.len() as i64;
    let (mut running, mut other) = (debate_with_word(MARK), debate_with_word("harbour"));
    let n_running = running.append_new(&server.log).await;
    let n_other = other.append_new(&server.log).await;
    for (debate, version) in [(spoken, n_spoken), (running.id, n_running), (other.id, n_other)] {
        wait_for_list(&server, debate, version).await;
    }
    poll_until("questions have their vectors", async || {
        let due: i64 = sqlx::query_scalar(
            "select count(*) from questions where id not in (select question from question_vectors)",
        )
        .fetch_one(&server.database.pool)
        .await
        .expect("count");
        (due == 0).then_some(())
    })
    .await;
    let before = tables_with_word(&server.database, MARK).await;
    assert_eq!(
        before,
        ["cruxes", "debates", "disputes", "questions", "views"],
        "the events are encrypted and do not contain it"
    );
    let others_before = DebateReadModel::of(&read_all_events(&server.log, other.id).await);

    // A subscriber receives the last event, and its stream completes. It must be subscribed before the erasure: a
    // later subscription is refused.
    let mut socket = WebSocketClient::open(&server.client).await;
    socket.subscribe_to_debate(running.id, n_running - 1).await;
    socket.next_event().await.expect("the newest event");
    for debate in [spoken, running.id] {
        let erased = server.client.data(ERASE, json!({ "id": debate })).await["eraseDebate"]["erasures"].take();
        let record = json!({
            "debateId": debate, "requestedBy": "an admin, through the API", "reason": "asked for by its author",
            "unrecoverable": true,
        });
        assert_eq!(erased, json!([record]));
        let again = server.client.data(ERASE, json!({ "id": debate })).await["eraseDebate"]["erasures"].take();
        assert_eq!(again, erased, "a second erasure returns the record of the first");
    }
    assert_eq!(socket.next_event().await.expect("the last event")["kind"], "debate_aborted");
    assert_eq!(socket.next_event().await, None);

    assert_eq!(tables_with_word(&server.database, MARK).await, Vec::<String>::new());
    assert_eq!(DebateReadModel::of(&read_all_events(&server.log, other.id).await), others_before);
    let questions: Vec<String> = sqlx::query_scalar("select text from questions order by text")
        .fetch_all(&server.database.pool)
        .await
        .expect("read");
    assert!(questions.contains(&"Is the summer calm?".to_owned()), "another debate still contains it: {questions:?}");
    assert_erased_for_clients(&server, spoken, other.id).await;
    assert_intact(&server, &[spoken, running.id]).await;
    server.stop().await;
}

/// Checks that every request for an erased debate returns `ERASED` and that no list contains it.
async fn assert_erased_for_clients(server: &TestServer, erased: DebateId, other: DebateId) {
    let client = &server.client;
    for query in [
        "query ($id: ID!) { debate(id: $id) { topic } }",
        "query ($id: ID!) { debate(id: $id, at: 1) { topic } }",
        "query ($id: ID!) { compare(debateId: $id, from: 1, to: 2) { exact } }",
        "mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { id } } }",
        "mutation ($id: ID!) { forkDebate(input: { debateId: $id }) { debate { id } } }",
        "mutation ($id: ID!) { interject(input: { debateId: $id, text: \"Hm.\" }) { debate { id } } }",
    ] {
        assert_eq!(client.error_code(query, json!({ "id": erased })).await, "ERASED", "{query}");
    }
    assert_eq!(client.error_code(ERASE, json!({ "id": Uuid::now_v7() })).await, "NOT_FOUND");
    let list = client.data("{ debates { edges { node { id } } } cruxes { nodes { debateId } } }", json!({})).await;
    let actual = list.to_string();
    assert!(actual.contains(&other.to_string()) && !actual.contains(&erased.to_string()), "{actual}");
    let stream = client.http.get(client.url(&format!("/debates/{erased}/events"))).send();
    let response = with_timeout("a response", stream).await.expect("a response");
    assert_eq!(
        (response.status().as_u16(), response.text().await.expect("text")),
        (410, format!("debate {erased} was erased\n"))
    );
    let mut socket = WebSocketClient::open(client).await;
    socket.subscribe_to_debate(erased, 0).await;
    let answer = socket.receive().await.expect("an answer").to_string();
    assert!(answer.contains("ERASED"), "{answer}");
    let records = client.data("{ erasures { debateId personaId erasedAt } }", json!({})).await["erasures"].take();
    assert_eq!(records.as_array().map(Vec::len), Some(2), "{records}");
}

/// Checks that the chains are intact, views can be rebuilt, and the commands report the erasure.
async fn assert_intact(server: &TestServer, erased: &[DebateId]) {
    for debate in erased {
        let chain = server.log.verify(*debate).await.expect("the log");
        assert_eq!((chain.breaks, chain.erased), (vec![], true));
    }
    let variables = server.environment();
    let verified = run_json_command(&variables, &["verify", "--json"]).await;
    assert_eq!(json!([verified[0]["faults"], verified[0]["erased"], verified[0]["debates"]]), json!([[], 2, 3]));
    let rebuilt = run_command(&variables, &["rebuild", "--json"]).await;
    assert_eq!(rebuilt.code, Some(0), "{rebuilt:?}");
    assert_eq!(tables_with_word(&server.database, MARK).await, Vec::<String>::new(), "a rebuild restores nothing");
    let id = erased[0].to_string();
    for arguments in [&["show", &id][..], &["history", &id], &["export", &id, "--format", "md"]] {
        let output = run_command(&variables, arguments).await;
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stderr.contains("was erased"), "{output:?}");
    }
    let records = run_json_command(&variables, &["erase", "--list", "--json"]).await;
    assert_eq!(records[0][1]["debateId"], json!(erased[0]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_history_is_erased_with_its_forks_or_not_at_all() {
    let database = migrated_database().await;
    let log = database.log().await;
    let mut origin = debate_with_word(MARK);
    let at = origin.append_new(&log).await;
    let service = debate_service(&log);
    let fork =
        service.fork(origin.id, Some(at), Default::default()).await.expect("a fork").summary.debate.expect("an id");
    let second = service.fork(fork, None, Default::default()).await.expect("a fork").summary.debate.expect("an id");
    for debate in [origin.id, fork] {
        let (kind, reason) = refusal(service.erase(debate, &erasure_request()).await);
        assert_eq!(kind, RefusalKind::Conflict);
        assert!(reason.contains(&second.to_string()) && reason.contains("--with-forks"), "{reason}");
    }
    // A debate without forks is erased alone, and its origin is unaffected.
    assert_eq!(service.erase(second, &erasure_request()).await.expect("erased").len(), 1);
    assert_eq!(service.read_model(fork, None).await.expect("there").summary.version, at + 1);
    assert_eq!(refusal(service.read_model(second, None).await).0, RefusalKind::Erased);

    let records =
        service.erase(origin.id, &EraseRequest { with_forks: true, ..erasure_request() }).await.expect("erased");
    assert_eq!(records.len(), 2, "the fork, then the origin");
    for debate in [origin.id, fork, second] {
        assert_eq!(refusal(service.read_model(debate, None).await).0, RefusalKind::Erased);
        let chain = log.verify(debate).await.expect("the log");
        assert_eq!(
            (chain.breaks, chain.erased),
            (vec![], true),
            "the chain is intact although the origin is unreadable"
        );
    }
    assert_eq!(refusal(service.fork(origin.id, None, Default::default()).await).0, RefusalKind::Erased);
    assert_eq!(tables_with_word(&database, MARK).await, Vec::<String>::new());
}

#[tokio::test]
async fn plain_and_encrypted_debates_coexist() {
    let database = migrated_database().await;
    let (log, plainly) = (database.log().await, database.plain_log().await);
    let service = debate_service(&plainly);
    let (mut plain, mut sealed) = (debate_with_word("harbour"), debate_with_word(MARK));
    let n_plain = plain.append_new(&plainly).await;
    sealed.append_new(&log).await;
    // A debate stays plain or encrypted as it began, whichever process appends.
    let went_on =
        [append_phases(&log, plain.id, &["harbour, again"]).await, append_phases(&plainly, sealed.id, &[MARK]).await];
    assert_eq!(tables_with_word(&database, MARK).await, Vec::<String>::new());
    assert_eq!(tables_with_word(&database, "harbour").await, ["events"]);
    assert_eq!(went_on[0][0].version, n_plain + 1);
    for (log, debate) in [(&log, plain.id), (&plainly, sealed.id)] {
        assert_eq!(log.verify(debate).await.expect("the log").breaks, []);
    }
    let readable: Vec<Value> =
        sqlx::query_scalar("select body from events_readable where debate_id = $1 order by version")
            .bind(sealed.id.0)
            .fetch_all(&database.pool)
            .await
            .expect("read");
    assert!(readable.iter().all(|row| row == "sealed"));

    // A stream with plain and encrypted events, as if an old debate were given a key.
    database.run(&format!("insert into debate_keys values ('{}', sha256('a key'), null)", plain.id)).await;
    let other = database.second_log().await;
    append_phases(&other, plain.id, &[MARK]).await;
    assert_eq!(tables_with_word(&database, MARK).await, Vec::<String>::new());
    let events = read_all_events(&log, plain.id).await;
    assert_eq!(
        (phase_of(&events[n_plain as usize]), phase_of(&events[n_plain as usize + 1])),
        ("harbour, again", MARK)
    );
    assert_eq!(
        log.read_all(&Cursor::default(), 1_000).await.expect("read").0.len(),
        events.len() + read_all_events(&log, sealed.id).await.len()
    );

    let (kind, reason) = refusal(service.erase(plain.id, &erasure_request()).await);
    assert_eq!(kind, RefusalKind::Conflict);
    assert!(reason.contains("recorded without encryption") && reason.contains("--hide-plain"), "{reason}");
    let hidden =
        service.erase(plain.id, &EraseRequest { hide_plain: true, ..erasure_request() }).await.expect("hidden");
    assert!(!hidden[0].sealed);
    assert_eq!(refusal(service.read_model(plain.id, None).await).0, RefusalKind::Erased);
    let chain = log.verify(plain.id).await.expect("the log");
    assert_eq!((chain.breaks, chain.erased), (vec![], true));
    assert_eq!(tables_with_word(&database, "harbour").await, ["events"], "hidden plain events stay in the table");
}

#[tokio::test]
async fn a_forged_event_and_a_lost_key_are_reported() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    log.append(phase_append(debate, 0, &["one", "two", "three"])).await.expect("append");
    // A forger who recomputes the chain after a change is still detected by the decryption.
    let forge = "alter table events disable trigger all;
        update events set body = set_byte(body, 5, get_byte(body, 5) # 1) where version = 2;
        do $$ declare e events; previous bytea; begin
            for e in select * from events order by version loop
                previous := coalesce(previous, chain_start(e.debate_id));
                previous := chain_hash(previous, e.id, e.version, e.recorded_at, e.schema, e.kind, e.actor, e.caused_by, e.body);
                update events set hash = previous where version = e.version;
            end loop;
        end $$";
    database.run(forge).await;
    let breaks = log.verify(debate).await.expect("the log").breaks;
    let [ChainBreak::Unreadable { version: 2, reason }] = &breaks[..] else { panic!("{breaks:?}") };
    assert!(reason.contains("decryption failed"), "{reason}");
    let read = log.read(debate, 0, 9).await.expect_err("damage").to_string();
    assert!(read.starts_with(&format!("damage in debate {debate} at version 2")), "{read}");
    database.run("delete from debate_keys").await;
    let breaks = log.verify(debate).await.expect("the log").breaks;
    assert_eq!(breaks.len(), 3);
    assert!(
        matches!(&breaks[0], ChainBreak::Unreadable { version: 1, reason } if reason.contains("missing from debate_keys"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_erasure_leaves_a_debate_whole_or_erased() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut running = debate_with_word(MARK);
    let version = running.append_new(&server.log).await;
    wait_for_list(&server, running.id, version).await;
    // A transaction that stores views stays open: the erasure has ended the debate, and waits.
    let mut saving = server.database.pool.begin().await.expect("begin");
    sqlx::query("select erased_among('{}')").execute(&mut *saving).await.expect("lock the erasures");
    let arguments = ["erase", &running.id.to_string(), "--yes", "--reason", "asked for"];
    let mut erasing = command(&server.environment(), &arguments).stdout(Stdio::null()).spawn().expect("start");
    let events = server.wait_for_event(running.id, |event| matches!(event, Event::DebateAborted(_))).await;
    poll_until("the erasure waits", async || {
        let waiting: i64 =
            sqlx::query_scalar("select count(*) from pg_locks where locktype = 'advisory' and not granted")
                .fetch_one(&server.database.pool)
                .await
                .expect("look");
        (waiting > 0).then_some(())
    })
    .await;
    erasing.kill().await.expect("kill -9");
    saving.rollback().await.expect("release the lock");
    assert_eq!(read_all_events(&server.log, running.id).await, events, "the debate has ended and is whole");
    let done = run_command(&server.environment(), &arguments).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(tables_with_word(&server.database, MARK).await, Vec::<String>::new());
    assert!(server.log.verify(running.id).await.expect("the log").erased);
    let unsure = run_command(&server.environment(), &["erase", &running.id.to_string()]).await;
    assert_eq!(unsure.code, Some(1));
    assert!(unsure.stderr.contains("--yes"), "{unsure:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_process_with_a_cached_key_and_views_restores_nothing() {
    let database = migrated_database().await;
    let (log, stale) = (database.log().await, database.second_log().await);
    let mut builder = debate_with_word(MARK);
    let version = builder.append_new(&stale).await;
    // The other process has cached the key, folded the debate, and prepared rows to save.
    let read_model = fold_stream(&stale, builder.id, version).await.expect("read");
    let rows = build_rows(1, vec![(builder.id, read_model.into())]).await.expect("rows");
    assert!(rows.views.len() == 2 && rows.debates.len() == 1);
    debate_service(&log).erase(builder.id, &erasure_request()).await.expect("erased");

    assert!(matches!(stale.read(builder.id, 0, 9).await, Err(StoreError::Erased { debate }) if debate == builder.id));
    let (events, _) = stale.read_all(&Cursor::default(), 1_000).await.expect("the log is readable");
    assert_eq!(events.len() as i64, version + 1);
    assert!(events.iter().all(|event| matches!(event.event, Event::Erased(_))));
    Views::new(database.pool.clone()).save(&rows).await.expect("saved without the erased debate");
    // Nobody can read what it still appends, not even itself.
    stale.append(phase_append(builder.id, version + 1, &[MARK])).await.expect("appended under the destroyed key");
    assert!(matches!(stale.newest(builder.id).await, Err(StoreError::Erased { .. })));
    assert_eq!(tables_with_word(&database, MARK).await, Vec::<String>::new());
    let chain = log.verify(builder.id).await.expect("the log");
    assert_eq!((chain.version, chain.breaks, chain.erased), (version + 2, vec![], true));
    // Processes without the cached key are refused.
    let refused = log.append(phase_append(builder.id, version + 2, &["more"])).await;
    assert!(matches!(refused, Err(AppendError::Fault(StoreError::Erased { .. }))), "{refused:?}");
    let late = builder.id;
    let refused = database.second_log().await.append(phase_append(late, 0, &["once more"])).await;
    assert!(matches!(refused, Err(AppendError::Fault(StoreError::Erased { .. }))), "{refused:?}");
    // A restored table of keys does not make the debate readable either.
    database.run(&format!("update debate_keys set key = sha256('back') where debate_id = '{late}'")).await;
    let other = database.second_log().await;
    assert!(matches!(other.read(late, 0, 9).await, Err(StoreError::Erased { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_persona_is_erased_with_its_debates_documents_and_versions() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (mut with, mut without) = (debate_with_word(MARK), DebateBuilder::new(&["ben", "cleo"]));
    without.raise_dispute("Is the summer calm?", &[("ben", Side::Yes), ("cleo", Side::No)]);
    let versions = [(with.id, with.append_new(&server.log).await), (without.id, without.append_new(&server.log).await)];
    for (debate, version) in versions {
        wait_for_list(&server, debate, version).await;
    }
    store_persona(&server, "ada").await;
    let before = tables_with_word(&server.database, MARK).await;
    assert_eq!(
        before,
        [
            "chunks",
            "cruxes",
            "disputes",
            "documents",
            "persona_versions",
            "personas",
            "questions",
            "sentences",
            "views",
            "word_counts"
        ]
    );

    let variables = server.environment();
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("ada.toml"), "").expect("a file");
    let elsewhere: Vec<_> = variables
        .iter()
        .map(|(name, value)| match *name {
            "FAULTLINE_PERSONAS" => (*name, home.path().display().to_string()),
            _ => (*name, value.clone()),
        })
        .collect();
    let kept = run_command(&elsewhere, &["erase", "--persona", "ada", "--yes"]).await;
    assert_eq!(kept.code, Some(1));
    assert!(kept.stderr.contains("ada.toml would restore the persona"), "{kept:?}");
    let erased =
        run_json_command(&variables, &["erase", "--persona", "ada", "--yes", "--by", "a test", "--json"]).await;
    assert_eq!(json!([erased[0][0]["debateId"], erased[0][1]["personaId"]]), json!([with.id, "ada"]));
    assert_eq!(tables_with_word(&server.database, MARK).await, Vec::<String>::new());
    let left = tables_with_word(&server.database, "ada of the tests").await;
    assert_eq!(left, Vec::<String>::new(), "its version in the debate is gone too");
    let others = tables_with_word(&server.database, "ben of the tests").await;
    assert_eq!(others, ["persona_versions", "views"], "other personas keep their versions");
    assert!(DebateReadModel::of(&read_all_events(&server.log, without.id).await).summary.version > 0);
    let again = run_command(&variables, &["erase", "--persona", "ada", "--yes"]).await;
    assert_eq!(again.code, Some(1), "{again:?}");
    let verified = run_json_command(&variables, &["verify", "--json"]).await;
    assert_eq!(json!([verified[0]["faults"], verified[0]["erased"]]), json!([[], 1]));
    let refused =
        sqlx::query("delete from persona_versions where persona = 'ben'").execute(&server.database.pool).await;
    assert!(refused.expect_err("not erased").to_string().contains("only grows"));
    server.stop().await;
}

/// Stores a persona with one passage in the library.
async fn store_persona(server: &TestServer, id: &str) {
    let library = Library::new(server.database.pool.clone());
    let by = library.embedder(Hashing.name(), Hashing.width(), Hashing.is_fallback()).await.expect("an embedder");
    let mut persona = empty_persona(id);
    persona.about = format!("of the {MARK}");
    library.upsert_persona(&persona, &[MARK.to_owned()]).await.expect("stored");
    let text = format!("The {MARK} grows by the harbour.");
    library.put(&by, &document(id, MARK, &[(&text, 3)])).await.expect("stored");
    library.maintain().await.expect("maintained");
}
