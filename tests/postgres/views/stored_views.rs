//! Stored views, checkpoints and the list of debates.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use faultline_core::events::ids::DebateId;
use faultline_store::generations::generations::{GenerationRequest, GenerationState, Generations, RebuildReason};
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::Cursor;
use faultline_store::views::debates::{DebateCursor, DebateQuery, DebateRow, DebateRowPage, DebateSort, PageDirection};
use faultline_store::views::views::{Checkpoint, DEBATES, ViewBody, ViewRow, Views};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::database::migrated_database;
use crate::support::phase_events::new_debate_id;
use crate::support::waiting::within_limit;

fn view(debate: DebateId, version: i64, value: &Value) -> ViewRow {
    let body = ViewBody::Json(serde_json::value::to_raw_value(value).expect("JSON"));
    ViewRow { projection: "transcript", generation: 1, debate, version, body }
}

fn at(lane: usize, position: i64) -> Cursor {
    let mut heads = [0; 16];
    heads[lane] = position;
    Cursor::from_heads(heads)
}

async fn cut_over(generations: &Generations, id: i32, names: &[&str]) -> bool {
    generations.begin_cut_over().await.expect("begin").finish(id, names).await.expect("finish")
}

fn checkpoint(cursor: Cursor) -> Vec<Checkpoint> {
    vec![Checkpoint { name: "transcript", revision: 1, cursor }]
}

fn line(n: u128, minutes: i64) -> DebateRow {
    let opened_at: DateTime<Utc> = "2026-01-01T00:00:00.123456Z".parse().expect("a time");
    DebateRow {
        generation: 1,
        debate: DebateId(Uuid::from_u128(n)),
        version: 1,
        topic: format!("Topic {n}"),
        engine: "dialogue".to_owned(),
        provider: "scripted".to_owned(),
        status: "running".to_owned(),
        phase: None,
        regime: None,
        opened_at: opened_at + TimeDelta::minutes(minutes),
        changed_at: opened_at + TimeDelta::minutes(minutes),
        ended_at: None,
        n_turns: 0,
        tokens: 0,
        cost_micros: 0,
        participants: vec!["ada-quill".parse().expect("a persona"), "bo".parse().expect("a persona")],
        outcome: None,
        models: Vec::new(),
        measures: None,
        speaker_figures: Vec::new(),
        n_arguments: Some(3),
        n_attacks: Some(2),
        n_concessions: None,
    }
}

async fn load(views: &Views, debate: DebateId) -> Option<(i64, Value)> {
    views.load("transcript", 1, debate).await.expect("the views").map(|view| (view.version, view.value))
}

#[tokio::test]
async fn rows_and_their_checkpoint_are_saved_together() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let debate = new_debate_id();
    assert_eq!(views.checkpoint("transcript", 1).await.unwrap(), None);
    let changes = ViewChanges {
        views: vec![view(debate, 3, &json!({"turns": [1]}))],
        checkpoints: checkpoint(at(2, 3)),
        ..ViewChanges::default()
    };
    views.save(&changes).await.unwrap();
    assert_eq!(load(&views, debate).await, Some((3, json!({"turns": [1]}))));
    assert_eq!(views.checkpoint("transcript", 1).await.unwrap(), Some(at(2, 3)));
    assert_eq!(views.checkpoint("transcript", 2).await.unwrap(), None);
    assert_eq!(views.load::<Value>("transcript", 2, debate).await.unwrap(), None);

    // The row is not written if the checkpoint cannot be written.
    database.run("alter table checkpoints add constraint closed check (false) not valid").await;
    let changes = ViewChanges {
        views: vec![view(debate, 4, &json!({}))],
        debates: vec![line(1, 0)],
        checkpoints: checkpoint(at(2, 4)),
        ..ViewChanges::default()
    };
    views.save(&changes).await.expect_err("the checkpoint is refused");
    assert_eq!(load(&views, debate).await.map(|view| view.0), Some(3));
    assert_eq!(views.lines(1, &[line(1, 0).debate]).await.unwrap(), []);
}

#[tokio::test]
async fn a_compressed_view_is_read_back_and_replaces_a_plain_one() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let debate = new_debate_id();
    let save =
        async |rows: Vec<ViewRow>| views.save(&ViewChanges { views: rows, ..ViewChanges::default() }).await.unwrap();
    let long = json!({ "turns": vec!["the same words again"; 500], "nul": "a\0b" });
    let compressed = |version: i64, value: &Value| {
        let body = ViewBody::compressed(serde_json::value::to_raw_value(value).expect("JSON"));
        ViewRow { body, ..view(debate, version, value) }
    };
    let stored_bytes = async || {
        let sql = "select octet_length(body::text) + octet_length(coalesce(compressed, '')) from views";
        sqlx::query_scalar::<_, i32>(sql).fetch_one(&database.pool).await.expect("the row")
    };
    let read_back = json!({ "turns": vec!["the same words again"; 500], "nul": "a\u{fffd}b" });
    save(vec![view(debate, 1, &long)]).await;
    assert_eq!((load(&views, debate).await, stored_bytes().await > 10_000), (Some((1, read_back.clone())), true));
    save(vec![compressed(2, &long)]).await;
    assert_eq!((load(&views, debate).await, stored_bytes().await < 1_000), (Some((2, read_back)), true));
    save(vec![view(debate, 3, &json!({}))]).await;
    assert_eq!((load(&views, debate).await, stored_bytes().await), (Some((3, json!({}))), 2));
    // An earlier version of the program, which shares the rows, replaces a compressed view by a plain one.
    save(vec![compressed(4, &long)]).await;
    database.run("update views set version = 5, body = '{\"turns\": 5}'").await;
    assert_eq!(load(&views, debate).await, Some((5, json!({ "turns": 5 }))));
    // An altered value is an error of the view, not of the program.
    save(vec![compressed(6, &long)]).await;
    database.run("update views set compressed = substr(compressed, 3)").await;
    let damaged = views.load::<Value>("transcript", 1, debate).await.expect_err("no deflate").to_string();
    assert!(damaged.contains("cannot read a stored view"), "{damaged}");
}

#[tokio::test]
async fn an_older_row_never_replaces_a_newer_one() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let debate = new_debate_id();
    let save =
        async |rows: Vec<ViewRow>| views.save(&ViewChanges { views: rows, ..ViewChanges::default() }).await.unwrap();
    save(vec![view(debate, 2, &json!(2)), view(debate, 5, &json!(5)), view(debate, 4, &json!(4))]).await;
    assert_eq!(load(&views, debate).await, Some((5, json!(5))), "the newest of a batch");
    save(vec![view(debate, 4, &json!(4))]).await;
    assert_eq!(load(&views, debate).await, Some((5, json!(5))));
    save(vec![view(debate, 5, &json!("again"))]).await;
    assert_eq!(load(&views, debate).await, Some((5, json!("again"))), "a row of the same version can be overwritten");

    let newer = DebateRow { version: 7, status: "concluded".to_owned(), ..line(1, 0) };
    let changes = ViewChanges { debates: vec![newer.clone(), line(1, 0)], ..ViewChanges::default() };
    views.save(&changes).await.unwrap();
    views.save(&ViewChanges { debates: vec![line(1, 0)], ..ViewChanges::default() }).await.unwrap();
    assert_eq!(views.lines(1, &[newer.debate]).await.unwrap(), [newer]);
}

#[tokio::test]
async fn many_rows_are_saved_at_once_and_deleted_in_parts() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let debates: Vec<DebateId> = (0..2_500).map(|_| new_debate_id()).collect();
    let rows = debates.iter().zip(1..).map(|(debate, n)| view(*debate, n, &json!({ "n": n }))).collect();
    let lines = (0..2_500).map(|n| line(n, n as i64)).collect();
    let checkpoints = checkpoint(at(0, 1));
    views.save(&ViewChanges { views: rows, debates: lines, checkpoints, ..ViewChanges::default() }).await.unwrap();
    let found = views.load_many::<Value>("transcript", 1, &debates[10..20]).await.unwrap();
    assert_eq!(found.len(), 10);
    assert_eq!(found[&debates[10]].value, json!({ "n": 11 }));
    views.generations().drop_rows(2).await.unwrap();
    assert_eq!(
        list(&views, &DebateQuery::default(), None, PageDirection::Older, 500).await.rows.len(),
        500,
        "of another generation"
    );
    views.generations().drop_rows(1).await.unwrap();
    assert_eq!(list(&views, &DebateQuery::default(), None, PageDirection::Older, 500).await.rows, []);
    assert_eq!(views.load_many::<Value>("transcript", 1, &debates).await.unwrap().len(), 0);
}

#[tokio::test]
async fn characters_that_postgres_cannot_store_are_replaced() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let debate = new_debate_id();
    let odd = DebateRow { topic: "zero \0 byte".to_owned(), ..line(1, 0) };
    let changes = ViewChanges {
        views: vec![view(debate, 1, &json!({"said": "a\0b \\u0000"}))],
        debates: vec![odd],
        ..ViewChanges::default()
    };
    views.save(&changes).await.unwrap();
    assert_eq!(load(&views, debate).await, Some((1, json!({"said": "a\u{fffd}b \\u0000"}))));
    let lines = list(&views, &DebateQuery::default(), None, PageDirection::Older, 10).await;
    assert_eq!(lines.rows[0].topic, "zero \u{fffd} byte");
}

async fn list(
    views: &Views,
    filter: &DebateQuery,
    from: Option<DebateCursor>,
    toward: PageDirection,
    limit: i64,
) -> DebateRowPage {
    views.list(1, filter, from, toward, limit).await.expect("the views")
}

fn place(row: &DebateRow) -> DebateCursor {
    DebateSort::Newest.place(row)
}

#[tokio::test]
async fn the_list_is_paged_in_both_directions() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    // Three debates opened in each minute, so that the time alone does not determine their order.
    let mut rows: Vec<DebateRow> = (0..20).map(|n| line(n, n as i64 / 3)).collect();
    views.save(&ViewChanges { debates: rows.clone(), ..ViewChanges::default() }).await.unwrap();
    rows.sort_by_key(|row| std::cmp::Reverse((row.opened_at, row.debate)));
    let all = list(&views, &DebateQuery::default(), None, PageDirection::Older, 100).await;
    assert_eq!(all, DebateRowPage { rows: rows.clone(), more: false });

    for toward in [PageDirection::Older, PageDirection::Newer] {
        let (mut walked, mut from) = (Vec::new(), None);
        loop {
            let page = list(&views, &DebateQuery::default(), from, toward, 7).await;
            match toward {
                PageDirection::Older => walked.extend(page.rows.clone()),
                PageDirection::Newer => walked.splice(0..0, page.rows.clone()).for_each(drop),
            }
            from = if toward == PageDirection::Older { page.rows.last() } else { page.rows.first() }.map(place);
            assert_eq!(page.more, walked.len() < 20);
            if !page.more {
                break;
            }
        }
        assert_eq!(walked, rows, "{toward:?}");
    }
    let other = views.list(2, &DebateQuery::default(), None, PageDirection::Older, 10).await.unwrap();
    assert_eq!(other.rows, [], "of another generation");
}

#[tokio::test]
async fn the_list_is_filtered() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let rows = vec![
        DebateRow { topic: "Should cities BAN cars?".to_owned(), ..line(1, 1) },
        DebateRow { status: "concluded".to_owned(), regime: Some("polarized".to_owned()), ..line(2, 2) },
        DebateRow { engine: "dialectic".to_owned(), topic: "100% of cars".to_owned(), ..line(3, 3) },
        DebateRow { participants: vec!["cy".parse().unwrap()], status: "concluded".to_owned(), ..line(4, 4) },
    ];
    views.save(&ViewChanges { debates: rows, ..ViewChanges::default() }).await.unwrap();
    let some = |text: &str| Some(text.to_owned());
    let persona = |text: &str| Some(text.parse().unwrap());
    let cases: &[(DebateQuery, &[u128])] = &[
        (DebateQuery { status: some("concluded"), ..DebateQuery::default() }, &[4, 2]),
        (DebateQuery { engine: some("dialectic"), ..DebateQuery::default() }, &[3]),
        (DebateQuery { persona: persona("bo"), ..DebateQuery::default() }, &[3, 2, 1]),
        (DebateQuery { persona: persona("nobody"), ..DebateQuery::default() }, &[]),
        (DebateQuery { regime: some("polarized"), ..DebateQuery::default() }, &[2]),
        (DebateQuery { provider: some("nobody"), ..DebateQuery::default() }, &[]),
        (DebateQuery { opened_after: Some(line(3, 3).opened_at), ..DebateQuery::default() }, &[4, 3]),
        (DebateQuery { opened_before: Some(line(3, 3).opened_at), ..DebateQuery::default() }, &[2, 1]),
        (DebateQuery { topic: some("CARS"), ..DebateQuery::default() }, &[3, 1]),
        (DebateQuery { topic: some("0%"), ..DebateQuery::default() }, &[3]),
        (DebateQuery { topic: some("_"), ..DebateQuery::default() }, &[]),
        (DebateQuery { topic: some("x\0"), ..DebateQuery::default() }, &[]),
        (DebateQuery { topic: Some("c".repeat(201)), ..DebateQuery::default() }, &[]),
        (
            DebateQuery {
                topic: some("topic"),
                status: some("concluded"),
                persona: persona("cy"),
                engine: some("dialogue"),
                ..DebateQuery::default()
            },
            &[4],
        ),
    ];
    for (filter, wanted) in cases {
        for toward in [PageDirection::Older, PageDirection::Newer] {
            let found = list(&views, filter, None, toward, 10).await;
            let ids: Vec<u128> = found.rows.iter().map(|row| row.debate.0.as_u128()).collect();
            assert_eq!(ids, *wanted, "{filter:?}");
        }
    }
}

#[tokio::test]
async fn a_generation_is_cut_over_at_once() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let generations = views.generations();
    assert_eq!((views.served_generation(DEBATES).await.unwrap(), views.generation_to_read().await.unwrap()), (None, 0));
    let wanted = GenerationRequest {
        revision: 4,
        reason: RebuildReason::First,
        workers: None,
        holds: false,
        allows_letters: false,
    };
    for id in [1, 2] {
        assert_eq!(generations.request(wanted).await.unwrap().id, id);
        assert_eq!(
            generations.request(GenerationRequest { holds: true, ..wanted }).await.unwrap().id,
            id,
            "one at a time"
        );
        assert!(!cut_over(&generations, id, &[DEBATES]).await, "not before it is built");
        assert_eq!(views.served_generation(DEBATES).await.unwrap(), (id == 2).then_some(1));
        assert!(generations.change_state(id, &[GenerationState::Wanted], GenerationState::Building).await.unwrap());
        if id == 1 {
            assert!(cut_over(&generations, 1, &[DEBATES, "transcript"]).await);
        }
    }
    let (old, new) = (line(1, 0), DebateRow { generation: 2, topic: "told otherwise".to_owned(), ..line(1, 0) });
    views.save(&ViewChanges { debates: vec![old.clone(), new.clone()], ..ViewChanges::default() }).await.unwrap();
    assert_eq!(
        views.lines(views.served_generation(DEBATES).await.unwrap().unwrap(), &[old.debate]).await.unwrap(),
        [old]
    );
    assert!(cut_over(&generations, 2, &[DEBATES, "transcript"]).await);
    assert_eq!(
        views.lines(views.served_generation(DEBATES).await.unwrap().unwrap(), &[new.debate]).await.unwrap(),
        [new]
    );
    assert_eq!(views.served_generation("transcript").await.unwrap(), Some(2));
    let states: Vec<GenerationState> =
        generations.all().await.unwrap().iter().map(|generation| generation.state).collect();
    assert_eq!(states, [GenerationState::Retired, GenerationState::Served]);
    assert_eq!(
        generations.due(Duration::from_secs(60)).await.unwrap(),
        Vec::<i32>::new(),
        "requests may still read it"
    );
    assert_eq!(generations.due(Duration::ZERO).await.unwrap(), [1]);
    generations.drop_rows(1).await.unwrap();
    assert_eq!(views.lines(1, &[line(1, 0).debate]).await.unwrap(), []);
    assert_eq!(generations.one(1).await.unwrap().map(|generation| generation.state), Some(GenerationState::Dropped));
}

#[tokio::test]
async fn concurrent_saves_of_the_same_rows_do_not_deadlock() {
    let database = migrated_database().await;
    let debates: Vec<DebateId> = (0..200).map(|_| new_debate_id()).collect();
    let work = (0..4).map(|n| {
        let (views, mut debates) = (Views::new(database.pool.clone()), debates.clone());
        debates.rotate_left(n * 50);
        tokio::spawn(async move {
            for version in 1..10 {
                let rows = debates.iter().map(|debate| view(*debate, version, &json!(version))).collect();
                views.save(&ViewChanges { views: rows, ..ViewChanges::default() }).await.unwrap();
            }
        })
    });
    within_limit(futures_util::future::join_all(work)).await.into_iter().for_each(|result| result.unwrap());
    let views = Views::new(database.pool.clone());
    let found = views.load_many::<i64>("transcript", 1, &debates).await.unwrap();
    assert_eq!(found.values().map(|view| view.version).collect::<BTreeSet<_>>(), BTreeSet::from([9]));
}

#[tokio::test]
async fn an_unreadable_checkpoint_is_ignored_and_an_unreadable_view_is_a_fault() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let debate = new_debate_id();
    views
        .save(&ViewChanges {
            views: vec![view(debate, 1, &json!("text"))],
            checkpoints: checkpoint(at(1, 1)),
            ..ViewChanges::default()
        })
        .await
        .unwrap();
    database.run("update checkpoints set cursor = 'v0.1'").await;
    assert_eq!(views.checkpoint("transcript", 1).await.unwrap(), None);
    let fault = views.load::<i64>("transcript", 1, debate).await.expect_err("a text is not a number");
    assert!(fault.to_string().starts_with("cannot read a stored view: "), "{fault}");
}
