//! Erasure: what is to be forgotten is nowhere in the database, and the log is as whole as before.

use std::process::Stdio;

use faultline::runtime::read_model_cache::{fold_stream, judged};
use faultline::service::catalog::Catalog;
use faultline::service::erase::EraseRequest;
use faultline::service::service::{DebateService, ServiceError};
use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::engine::RefusalKind;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_providers::hashing::Hashing;
use faultline_providers::ports::Embedder;
use faultline_store::cipher::MasterKey;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::erasure::key_rotation::RotationStatus;
use faultline_store::error::StoreError;
use faultline_store::keys::EncryptionSettings;
use faultline_store::lanes::Cursor;
use faultline_store::library::open::Library;
use faultline_store::log::append::AppendError;
use faultline_store::log::log::Log;
use faultline_store::log::verify::ChainBreak;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::client::{Home, Socket, history, in_time, input, program, run, run_json, script, until};
use crate::house::House;
use crate::library::{document, persona};
use crate::support::{Database, add, append, debate, fresh, new, says};
use crate::told::Told;

/// A word that stands nowhere else, in any form of it that an index may keep.
const MARK: &str = "quibblewort";
const ERASE: &str = "mutation ($id: ID!, $with: Boolean! = false) {
    eraseDebate(id: $id, reason: \"asked for by its author\", withForks: $with) { debateId askedBy reason sealed }
}";

/// In which tables a word stands, in whatever column: as text, in JSON, among lexemes, or in bytes.
async fn found(database: &Database, word: &str) -> Vec<String> {
    let tables: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'public' order by 1")
            .fetch_all(&database.pool)
            .await
            .expect("list the tables");
    let mut found = Vec::new();
    for table in tables {
        let bytes: String = word.bytes().map(|it| format!("{it:02x}")).collect();
        let sql = format!("select exists (select from {table} as t where t::text ilike any ($1))");
        let is_there: bool = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(vec![format!("%{word}%"), format!("%{bytes}%")])
            .fetch_one(&database.pool)
            .await
            .expect("search a table");
        if is_there {
            found.push(table);
        }
    }
    found
}

fn erasing() -> EraseRequest {
    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "asked for".to_owned() };
    EraseRequest { order, with_forks: false, hide_plain: false }
}

fn desk(log: &Log) -> DebateService {
    DebateService::new(log.clone(), Catalog::default().into())
}

fn refusal<T: std::fmt::Debug>(refused: Result<T, ServiceError>) -> (RefusalKind, String) {
    match refused {
        Err(ServiceError::Refused(it)) => (it.kind, it.reason),
        other => panic!("not refused: {other:?}"),
    }
}

/// A debate between two, with a crux and a question that have this word in them.
fn told(word: &str) -> Told {
    let mut told = Told::between(&["ada", "ben"]);
    let own = told.assumes("ada", &format!("Yes, by the {word}."), &format!("The {word} is rested."));
    let theirs = told.assumes("ben", "No.", "The fuel's price doubled.");
    told.rebuts("ben", theirs, own);
    let rough = told.asks(&format!("Is the {word} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
    told.talks_out(rough, &format!("Is the {word} rough?"), &["ada", "ben"]);
    told.is_checked(&format!("The {word} is calm."));
    told.asks("Is the summer calm?", &[("ada", Side::Yes), ("ben", Side::No)]);
    told
}

async fn listed(house: &House, debate: DebateId, version: i64) {
    until("the list catches up", async || {
        let found: Option<i64> =
            sqlx::query_scalar("select version from debates where debate_id = $1 and version >= $2")
                .bind(debate.0)
                .bind(version)
                .fetch_optional(&house.database.pool)
                .await
                .expect("look at the list");
        found
    })
    .await;
}

/// The words of a script with another for one of them.
fn marked(script: &Value) -> Value {
    serde_json::from_str(&script.to_string().replace("market square", MARK)).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_erased_is_nowhere_and_everything_else_is_as_it_was() {
    let house = House::open(&marked(&script(0))).await;
    let mut asked = input("dialectic", json!({ "rounds": 2 }));
    asked["topic"] = json!(format!("Should the {MARK} be closed to private cars?"));
    let spoken = house.client.start(&asked).await;
    let n_spoken = house.ended(spoken).await.len() as i64;
    let (mut running, mut other) = (told(MARK), told("harbour"));
    let n_running = running.record(&house.log).await;
    let n_other = other.record(&house.log).await;
    for (debate, version) in [(spoken, n_spoken), (running.id, n_running), (other.id, n_other)] {
        listed(&house, debate, version).await;
    }
    until("questions have their vectors", async || {
        let due: i64 = sqlx::query_scalar(
            "select count(*) from questions where id not in (select question from question_vectors)",
        )
        .fetch_one(&house.database.pool)
        .await
        .expect("count");
        (due == 0).then_some(())
    })
    .await;
    let before = found(&house.database, MARK).await;
    assert_eq!(
        before,
        ["cruxes", "debates", "disputes", "questions", "views"],
        "and not in the events: they are sealed"
    );
    let others_before = DebateReadModel::of(&history(&house.log, other.id).await);

    // Who watches is told the end, and the stream completes.
    let mut socket = Socket::open(&house.client).await;
    socket.follow(running.id, n_running).await;
    for debate in [spoken, running.id] {
        let erased = house.client.data(ERASE, json!({ "id": debate })).await["eraseDebate"].take();
        let record = json!({
            "debateId": debate, "askedBy": "an admin, through the API", "reason": "asked for by its author", "sealed": true,
        });
        assert_eq!(erased, json!([record]));
        let again = house.client.data(ERASE, json!({ "id": debate })).await["eraseDebate"].take();
        assert_eq!(again, erased, "asked again, it is the record of the first time");
    }
    assert_eq!(socket.event().await.expect("the last event")["kind"], "debate_aborted");
    assert_eq!(socket.event().await, None);

    assert_eq!(found(&house.database, MARK).await, Vec::<String>::new());
    assert_eq!(DebateReadModel::of(&history(&house.log, other.id).await), others_before);
    let questions: Vec<String> = sqlx::query_scalar("select text from questions order by text")
        .fetch_all(&house.database.pool)
        .await
        .expect("read");
    assert!(questions.contains(&"Is the summer calm?".to_owned()), "another debate asks it still: {questions:?}");
    seen_by_clients(&house, spoken, other.id).await;
    as_whole_as_before(&house, &[spoken, running.id]).await;
    house.close().await;
}

/// A debate that was erased answers with its code wherever it is asked for, and is listed nowhere.
async fn seen_by_clients(house: &House, erased: DebateId, other: DebateId) {
    let client = &house.client;
    for query in [
        "query ($id: ID!) { debate(id: $id) { topic } }",
        "query ($id: ID!) { debate(id: $id, at: 1) { topic } }",
        "query ($id: ID!) { compare(debate: $id, from: 1, to: 2) { exact } }",
        "mutation ($id: ID!) { pauseDebate(id: $id) { id } }",
        "mutation ($id: ID!) { forkDebate(id: $id) { id } }",
        "mutation ($id: ID!) { interject(debateId: $id, text: \"Hm.\") { id } }",
    ] {
        assert_eq!(client.code(query, json!({ "id": erased })).await, "ERASED", "{query}");
    }
    assert_eq!(client.code(ERASE, json!({ "id": Uuid::now_v7() })).await, "NOT_FOUND");
    let list = client.data("{ debates { edges { node { id } } } cruxes { nodes { debateId } } }", json!({})).await;
    let told = list.to_string();
    assert!(told.contains(&other.to_string()) && !told.contains(&erased.to_string()), "{told}");
    let stream = client.http.get(client.at(&format!("/debates/{erased}/events"))).send();
    let response = in_time("a response", stream).await.expect("a response");
    assert_eq!(
        (response.status().as_u16(), response.text().await.expect("text")),
        (410, format!("debate {erased} was erased\n"))
    );
    let mut socket = Socket::open(client).await;
    socket.follow(erased, 0).await;
    let answer = socket.hear().await.expect("an answer").to_string();
    assert!(answer.contains("ERASED"), "{answer}");
    let records = client.data("{ erasures { debateId personaId erasedAt } }", json!({})).await["erasures"].take();
    assert_eq!(records.as_array().map(Vec::len), Some(2), "{records}");
}

/// The chain is whole, views can be made anew, and the commands say what is the case.
async fn as_whole_as_before(house: &House, erased: &[DebateId]) {
    for debate in erased {
        let chain = house.log.verify(*debate).await.expect("the log");
        assert_eq!((chain.breaks, chain.erased), (vec![], true));
    }
    let variables = house.variables();
    let verified = run_json(&variables, &["verify", "--json"]).await;
    assert_eq!(json!([verified[0]["faults"], verified[0]["erased"], verified[0]["debates"]]), json!([[], 2, 3]));
    let rebuilt = run(&variables, &["rebuild", "--json"]).await;
    assert_eq!(rebuilt.code, Some(0), "{rebuilt:?}");
    assert_eq!(found(&house.database, MARK).await, Vec::<String>::new(), "nothing comes back with another fold");
    let id = erased[0].to_string();
    for arguments in [&["show", &id][..], &["history", &id], &["export", &id, "--format", "md"]] {
        let told = run(&variables, arguments).await;
        assert_eq!(told.code, Some(1), "{told:?}");
        assert!(told.stderr.contains("was erased"), "{told:?}");
    }
    let records = run_json(&variables, &["erase", "--list", "--json"]).await;
    assert_eq!(records[0][1]["debateId"], json!(erased[0]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_past_that_is_shared_goes_with_its_forks_or_not_at_all() {
    let database = fresh().await;
    let log = database.log().await;
    let mut origin = told(MARK);
    let at = origin.record(&log).await;
    let desk = desk(&log);
    let fork = desk.fork(origin.id, Some(at), Default::default()).await.expect("a fork").summary.debate.expect("an id");
    let second = desk.fork(fork, None, Default::default()).await.expect("a fork").summary.debate.expect("an id");
    for debate in [origin.id, fork] {
        let (kind, reason) = refusal(desk.erase(debate, &erasing()).await);
        assert_eq!(kind, RefusalKind::Conflict);
        assert!(reason.contains(&second.to_string()) && reason.contains("--with-forks"), "{reason}");
    }
    // One that nothing was forked from goes alone, and its origin does not know.
    assert_eq!(desk.erase(second, &erasing()).await.expect("erased").len(), 1);
    assert_eq!(desk.read_model(fork, None).await.expect("there").summary.version, at + 1);
    assert_eq!(refusal(desk.read_model(second, None).await).0, RefusalKind::Erased);

    let records = desk.erase(origin.id, &EraseRequest { with_forks: true, ..erasing() }).await.expect("erased");
    assert_eq!(records.len(), 2, "the fork, then the origin");
    for debate in [origin.id, fork, second] {
        assert_eq!(refusal(desk.read_model(debate, None).await).0, RefusalKind::Erased);
        let chain = log.verify(debate).await.expect("the log");
        assert_eq!((chain.breaks, chain.erased), (vec![], true), "although nobody can read what it was forked from");
    }
    assert_eq!(refusal(desk.fork(origin.id, None, Default::default()).await).0, RefusalKind::Erased);
    assert_eq!(found(&database, MARK).await, Vec::<String>::new());
}

#[tokio::test]
async fn plain_and_sealed_stand_side_by_side() {
    let database = fresh().await;
    let (log, plainly) = (database.log().await, database.plain_log().await);
    let desk = desk(&plainly);
    let (mut plain, mut sealed) = (told("harbour"), told(MARK));
    let n_plain = plain.record(&plainly).await;
    sealed.record(&log).await;
    // What a debate began as, it stays, whoever writes.
    let went_on = [add(&log, plain.id, &["harbour, again"]).await, add(&plainly, sealed.id, &[MARK]).await];
    assert_eq!(found(&database, MARK).await, Vec::<String>::new());
    assert_eq!(found(&database, "harbour").await, ["events"]);
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
    assert!(readable.iter().all(|it| it == "sealed"));

    // A stream of both kinds, as one has who gives an old debate a key.
    database.run(&format!("insert into debate_keys values ('{}', sha256('a key'), null)", plain.id)).await;
    let other = database.elsewhere().await;
    add(&other, plain.id, &[MARK]).await;
    assert_eq!(found(&database, MARK).await, Vec::<String>::new());
    let events = history(&log, plain.id).await;
    assert_eq!((says(&events[n_plain as usize]), says(&events[n_plain as usize + 1])), ("harbour, again", MARK));
    assert_eq!(
        log.read_all(&Cursor::default(), 1_000).await.expect("read").0.len(),
        events.len() + history(&log, sealed.id).await.len()
    );

    let (kind, reason) = refusal(desk.erase(plain.id, &erasing()).await);
    assert_eq!(kind, RefusalKind::Conflict);
    assert!(reason.contains("recorded without encryption") && reason.contains("--hide-plain"), "{reason}");
    let hidden = desk.erase(plain.id, &EraseRequest { hide_plain: true, ..erasing() }).await.expect("hidden");
    assert!(!hidden[0].sealed);
    assert_eq!(refusal(desk.read_model(plain.id, None).await).0, RefusalKind::Erased);
    let chain = log.verify(plain.id).await.expect("the log");
    assert_eq!((chain.breaks, chain.erased), (vec![], true));
    assert_eq!(found(&database, "harbour").await, ["events"], "as was said");
}

#[tokio::test]
async fn a_broken_seal_and_a_lost_key_are_named() {
    let database = fresh().await;
    let log = database.log().await;
    let debate = debate();
    log.append(append(debate, 0, &["one", "two", "three"])).await.expect("append");
    // One who knows the chain mends it behind what was altered: the seal still tells.
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
async fn who_is_killed_erasing_leaves_a_debate_whole_or_erased() {
    let house = House::open(&script(0)).await;
    let mut running = told(MARK);
    let version = running.record(&house.log).await;
    listed(&house, running.id, version).await;
    // Somebody stores views for ever: the erasure has ended the debate, and waits.
    let mut saving = house.database.pool.begin().await.expect("begin");
    sqlx::query("select erased_among('{}')").execute(&mut *saving).await.expect("promise");
    let arguments = ["erase", &running.id.to_string(), "--yes", "--reason", "asked for"];
    let mut erasing = program(&house.variables(), &arguments).stdout(Stdio::null()).spawn().expect("start");
    let events = house.seen(running.id, |it| matches!(it, Event::DebateAborted(_))).await;
    until("the erasure waits", async || {
        let waiting: i64 =
            sqlx::query_scalar("select count(*) from pg_locks where locktype = 'advisory' and not granted")
                .fetch_one(&house.database.pool)
                .await
                .expect("look");
        (waiting > 0).then_some(())
    })
    .await;
    erasing.kill().await.expect("kill -9");
    saving.rollback().await.expect("let go");
    assert_eq!(history(&house.log, running.id).await, events, "ended, and whole");
    let done = run(&house.variables(), &arguments).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(found(&house.database, MARK).await, Vec::<String>::new());
    assert!(house.log.verify(running.id).await.expect("the log").erased);
    let unsure = run(&house.variables(), &["erase", &running.id.to_string()]).await;
    assert_eq!(unsure.code, Some(1));
    assert!(unsure.stderr.contains("--yes"), "{unsure:?}");
    house.close().await;
}

#[tokio::test]
async fn a_process_that_remembers_brings_nothing_back() {
    let database = fresh().await;
    let (log, stale) = (database.log().await, database.elsewhere().await);
    let mut told = told(MARK);
    let version = told.record(&stale).await;
    // It has the key at hand, the debate folded, and rows ready to be saved.
    let board = fold_stream(&stale, told.id, version).await.expect("read");
    let rows = judged(1, vec![(told.id, board)]).await.expect("rows");
    assert!(rows.views.len() == 2 && rows.debates.len() == 1);
    desk(&log).erase(told.id, &erasing()).await.expect("erased");

    assert!(matches!(stale.read(told.id, 0, 9).await, Err(StoreError::Erased { debate }) if debate == told.id));
    let (events, _) = stale.read_all(&Cursor::default(), 1_000).await.expect("the log goes on");
    assert_eq!(events.len() as i64, version + 1);
    assert!(events.iter().all(|it| matches!(it.event, Event::Erased(_))));
    Views::new(database.pool.clone()).save(&rows).await.expect("saved, without it");
    // What it still writes nobody can read, itself included.
    stale.append(append(told.id, version + 1, &[MARK])).await.expect("under a key that is no more");
    assert!(matches!(stale.newest(told.id).await, Err(StoreError::Erased { .. })));
    assert_eq!(found(&database, MARK).await, Vec::<String>::new());
    let chain = log.verify(told.id).await.expect("the log");
    assert_eq!((chain.version, chain.breaks, chain.erased), (version + 2, vec![], true));
    // Who does not remember is told.
    let refused = log.append(append(told.id, version + 2, &["more"])).await;
    assert!(matches!(refused, Err(AppendError::Fault(StoreError::Erased { .. }))), "{refused:?}");
    let late = told.id;
    let refused = database.elsewhere().await.append(append(late, 0, &["once more"])).await;
    assert!(matches!(refused, Err(AppendError::Fault(StoreError::Erased { .. }))), "{refused:?}");
    // A table of keys that comes back from elsewhere opens nothing either.
    database.run(&format!("update debate_keys set key = sha256('back') where debate_id = '{late}'")).await;
    let other = database.elsewhere().await;
    assert!(matches!(other.read(late, 0, 9).await, Err(StoreError::Erased { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_that_are_wrapped_take_their_master_key() {
    let database = fresh().await;
    let with = |digit: &str| EncryptionSettings {
        master: MasterKey::read(&digit.repeat(64)),
        ..EncryptionSettings::default()
    };
    let plain = database.log().await;
    let before = add(&plain, debate(), &["before"]).await;
    let log = Log::start_encrypted(database.pool.clone(), with("a")).await.expect("start");
    let debate = debate();
    let mut batch = append(debate, 0, &["one", "two"]);
    batch.events.push(new("three"));
    let recorded = log.append(batch.clone()).await.expect("append");
    let same = Log::start_encrypted(database.pool.clone(), with("a")).await.expect("start");
    assert_eq!(same.append(batch).await.expect("the same bytes"), recorded);
    assert_eq!(history(&same, debate).await, recorded);
    assert_eq!(history(&same, before[0].debate).await, before, "keys from before stay as they are");
    assert_eq!(same.verify(debate).await.expect("the log").breaks, []);
    for (sealing, said) in
        [(with("b"), "a different one is configured"), (EncryptionSettings::default(), "none is configured")]
    {
        let refused = Log::start_encrypted(database.pool.clone(), sealing).await.expect_err("no way in").to_string();
        assert!(refused.contains("1 debates") && refused.contains(said), "{refused}");
    }
    // The program reads it from a file.
    let home = Home::new();
    let listed = async |digits: &str| {
        let mut variables = home.variables(&database.options, &json!({}));
        std::fs::write(home.path("master"), format!("{digits}\n")).expect("write a file");
        variables.push(("FAULTLINE_MASTER_KEY", home.path("master")));
        run(&variables, &["history", &debate.to_string()]).await
    };
    assert_eq!(listed(&"a".repeat(64)).await.code, Some(0));
    for (digits, said) in [("b".repeat(64), "a different one is configured"), ("a".repeat(63), "64 hexadecimal digits")]
    {
        let refused = listed(&digits).await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("FAULTLINE_MASTER_KEY") && refused.stderr.contains(said), "{refused:?}");
    }
    let read = plain.read(debate, 0, 9).await.expect_err("not with what is in the table").to_string();
    assert!(read.contains("a master key other than"), "{read}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_persona_goes_with_its_debates_its_writings_and_its_versions() {
    let house = House::open(&script(0)).await;
    let (mut with, mut without) = (told(MARK), Told::between(&["ben", "cleo"]));
    without.asks("Is the summer calm?", &[("ben", Side::Yes), ("cleo", Side::No)]);
    let versions = [(with.id, with.record(&house.log).await), (without.id, without.record(&house.log).await)];
    for (debate, version) in versions {
        listed(&house, debate, version).await;
    }
    written(&house, "ada").await;
    let before = found(&house.database, MARK).await;
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

    let variables = house.variables();
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("ada.toml"), "").expect("a file");
    let elsewhere: Vec<_> = variables
        .iter()
        .map(|(name, it)| match *name {
            "FAULTLINE_PERSONAS" => (*name, home.path().display().to_string()),
            _ => (*name, it.clone()),
        })
        .collect();
    let kept = run(&elsewhere, &["erase", "--persona", "ada", "--yes"]).await;
    assert_eq!(kept.code, Some(1));
    assert!(kept.stderr.contains("ada.toml would restore the persona"), "{kept:?}");
    let erased = run_json(&variables, &["erase", "--persona", "ada", "--yes", "--by", "a test", "--json"]).await;
    assert_eq!(json!([erased[0][0]["debateId"], erased[0][1]["personaId"]]), json!([with.id, "ada"]));
    assert_eq!(found(&house.database, MARK).await, Vec::<String>::new());
    let left = found(&house.database, "ada of the tests").await;
    assert_eq!(left, Vec::<String>::new(), "its version in the debate is gone too");
    let others = found(&house.database, "ben of the tests").await;
    assert_eq!(others, ["persona_versions", "views"], "and nobody else's");
    assert!(DebateReadModel::of(&history(&house.log, without.id).await).summary.version > 0);
    let again = run(&variables, &["erase", "--persona", "ada", "--yes"]).await;
    assert_eq!(again.code, Some(1), "{again:?}");
    let verified = run_json(&variables, &["verify", "--json"]).await;
    assert_eq!(json!([verified[0]["faults"], verified[0]["erased"]]), json!([[], 1]));
    let refused = sqlx::query("delete from persona_versions where persona = 'ben'").execute(&house.database.pool).await;
    assert!(refused.expect_err("not erased").to_string().contains("only grows"));
    house.close().await;
}

/// A persona in the library, with a passage.
async fn written(house: &House, id: &str) {
    let library = Library::new(house.database.pool.clone());
    let by = library.embedder(Hashing.name(), Hashing.width(), Hashing.is_fallback()).await.expect("an embedder");
    let mut persona = persona(id);
    persona.about = format!("of the {MARK}");
    library.upsert_persona(&persona, &[MARK.to_owned()]).await.expect("stored");
    let text = format!("The {MARK} grows by the harbour.");
    library.put(&by, &document(id, MARK, &[(&text, 3)])).await.expect("stored");
    library.maintain().await.expect("tended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_wrapped_anew_while_debates_are_written_and_read() {
    let (database, home) = (fresh().await, Home::new());
    let key = |digit: &str| MasterKey::read(&digit.repeat(64));
    let knows = |master, also| EncryptionSettings { master, also, ..EncryptionSettings::default() };
    let (bare, old) =
        (database.log().await, Log::start_encrypted(database.pool.clone(), knows(key("a"), None)).await.expect("a"));
    let mut written = vec![add(&bare, debate(), &["bare"]).await, add(&old, debate(), &["old"]).await];
    let gone = add(&old, debate(), &["gone"]).await[0].debate;
    old.erase(gone, &ErasureOrder { asked_by: "a test".to_owned(), reason: "so it was asked".to_owned() })
        .await
        .expect("erased");
    // More than two batches.
    database
        .run("insert into debate_keys select gen_random_uuid(), sha256(n::text::bytea) from generate_series(1, 1100) n")
        .await;

    // A service that still wraps with the old key, and knows the new one, goes on.
    let service = Log::start_encrypted(database.pool.clone(), knows(key("a"), key("b"))).await.expect("a, also b");
    let newer = Log::start_encrypted(database.pool.clone(), knows(key("b"), key("a"))).await.expect("b, also a");
    let counted = RotationStatus { wrapped: 0, otherwise: 1, bare: 1_101, destroyed: 1 };
    assert_eq!(newer.wrapping().await.expect("counted"), counted);
    for (name, digit) in [("new", "b"), ("old", "a"), ("lost", "c")] {
        std::fs::write(home.path(name), digit.repeat(64)).expect("write a file");
    }
    let with = |master: &str, also: &str| {
        let mut variables = home.variables(&database.options, &json!({}));
        for (name, file) in [("FAULTLINE_MASTER_KEY", master), ("FAULTLINE_MASTER_KEY_ALSO", also)] {
            if !file.is_empty() {
                variables.push((name, home.path(file)));
            }
        }
        variables
    };
    let nothing = run(&with("", "old"), &["keys", "--rewrap"]).await;
    assert!(nothing.code == Some(1) && nothing.stderr.contains("no master key is configured"), "{nothing:?}");
    let told = run(&with("new", "lost"), &["keys", "--rewrap"]).await;
    assert!(told.code == Some(1) && told.stderr.contains("a different one is configured"), "{told:?}");
    let first = newer.rewrap(None).await.expect("a batch");
    assert_eq!((first.wrapped, first.unopened.as_slice(), first.last.is_some()), (500, &[][..], true));
    // Broken off there: the command finds the rest.
    let growing = {
        let (old, newer) = (service.clone(), newer.clone());
        let mut all = vec![add(&old, debate(), &["begun meanwhile"]).await];
        async move {
            for n in 0..40 {
                let which = n % all.len();
                let of = all[which][0].debate;
                // Written by either, read by either.
                let more = add(if n % 2 == 0 { &newer } else { &old }, of, &[format!("{n}").as_str()]).await;
                all[which].extend(more);
                assert_eq!(history(if n % 2 == 0 { &old } else { &newer }, of).await, all[which]);
                all.push(add(&newer, debate(), &["of the newer one"]).await);
            }
            all
        }
    };
    let (variables, arguments) = (with("new", "old"), ["keys", "--rewrap", "--json"]);
    let (grown, told) = tokio::join!(growing, run_json(&variables, &arguments));
    written.extend(grown);
    let told = &told[0];
    assert!(told["rewrapped"].as_u64().is_some_and(|it| (602..=604).contains(&it)), "{told}");
    assert_eq!(json!([told["otherwise"], told["bare"], told["destroyed"]]), json!([0, 0, 1]));
    let now = run_json(&with("new", ""), &["keys", "--json"]).await.remove(0);
    assert_eq!(json!([now["rewrapped"], now["otherwise"], now["bare"]]), json!([null, 0, 0]));

    // The old key is needed no more, and opens nothing any more.
    let only = Log::start_encrypted(database.pool.clone(), knows(key("b"), None)).await.expect("b alone");
    for events in &written {
        assert_eq!(history(&only, events[0].debate).await, *events);
        assert_eq!(only.verify(events[0].debate).await.expect("the log").breaks, []);
    }
    assert!(matches!(only.read(gone, 0, 9).await, Err(StoreError::Erased { .. })));
    let refused = Log::start_encrypted(database.pool.clone(), knows(key("a"), None)).await.expect_err("no way in");
    assert!(refused.to_string().contains("a different one is configured"), "{refused}");
    let again = run_json(&with("new", ""), &["keys", "--rewrap", "--json"]).await.remove(0);
    assert_eq!(again["rewrapped"], 0);
    // A key that was altered is named, and the others are wrapped.
    let of = written[0][0].debate;
    database
        .run(&format!("update debate_keys set key = set_byte(key, 59, get_byte(key, 59) # 1) where debate_id = '{of}'"))
        .await;
    let told = run(&with("old", "new"), &["keys", "--rewrap", "--json"]).await;
    assert!(told.code == Some(1) && told.stderr.contains(&of.to_string()), "{told:?}");
    let counts: Value = serde_json::from_str(&told.stdout).expect("JSON");
    assert_eq!(counts["otherwise"], 1);
}
