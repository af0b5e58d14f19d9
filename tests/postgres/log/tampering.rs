//! Tampering with full rights on the database: whatever is altered, deleted, reordered, inserted or cut off is found by
//! `faultline verify`, and named.

use std::collections::BTreeSet;
use std::fs;

use faultline_core::events::dispute::Side;
use faultline_store::lanes::lane_of;
use faultline_store::log::heads::short;
use faultline_store::log::log::Log;
use serde_json::Value;

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::run_command;
use crate::support::test_home::{TestHome, scripted_replies};

async fn record_debate(log: &Log) -> DebateBuilder {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let own = builder.add_argument("ada", "Yes", "Crews are rested.");
    let theirs = builder.add_argument("ben", "No", "The fuel's price doubled.");
    builder.add_mutual_attack("ben", theirs, own);
    builder.raise_dispute("Is winter rough?", &[("ada", Side::Yes), ("ben", Side::No)]);
    builder.append_new(log).await;
    builder
}

async fn tamper(database: &Database, statements: &str) {
    let statements = format!(
        "begin; alter table events disable trigger all; {statements}; alter table events enable trigger all; commit"
    );
    database.run(&statements).await;
}

/// Returns the faults found, sorted, and checks that the exit code reflects them.
async fn faults(variables: &[(&'static str, String)], heads: &str) -> BTreeSet<String> {
    let verified = run_command(variables, &["verify", "--json", "--heads", heads]).await;
    let found: Value = serde_json::from_str(&verified.stdout).expect("JSON");
    let faults: BTreeSet<String> = serde_json::from_value(found["faults"].clone()).expect("a list");
    assert_eq!(verified.code, Some(i32::from(!faults.is_empty())), "{}", verified.stderr);
    faults
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verify_finds_and_names_every_kind_of_tampering() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    // Unencrypted, so that overwritten bodies are readable.
    let log = database.plain_log().await;
    let mut debates = Vec::new();
    for _ in 0..7 {
        debates.push(record_debate(&log).await);
    }
    // The newest event of its lane, so that an attacker who cuts it off can lower the lane's head as well.
    debates[4].raise_dispute("One more?", &[]);
    let newest = debates[4].append_new(&log).await;
    let printed = run_command(&variables, &["verify", "--print-heads"]).await;
    assert_eq!((printed.code, printed.stdout.lines().count()), (Some(0), 7), "{}", printed.stderr);
    assert!(printed.stderr.contains("7 debates, "), "the summary goes to stderr: {}", printed.stderr);
    let heads = home.path("heads");
    fs::write(&heads, format!("{}\n", printed.stdout)).expect("a file");
    assert_eq!(faults(&variables, &heads).await, BTreeSet::new());
    let mut kept = Vec::new();
    for debate in &debates {
        kept.push(log.verify(debate.id).await.expect("the log"));
    }
    debates[0].raise_dispute("It goes on.", &[]);
    debates[0].append_new(&log).await;
    assert_eq!(
        faults(&variables, &heads).await,
        BTreeSet::new(),
        "events appended after the heads were saved are no fault"
    );

    let id = |n: usize| debates[n].id;
    let last = |n: usize| kept[n].version;
    let is = |n: usize, version: i64| format!("debate_id = '{}' and version = {version}", id(n));
    let newer = "convert_to(replace(convert_from(body, 'UTF8'), 'Crews', 'Captains'), 'UTF8')";
    tamper(&database, &format!("update events set body = {newer} where {}", is(0, 3))).await;
    tamper(&database, &format!("delete from events where {}", is(1, 4))).await;
    let exchange = [
        format!("update events set version = 99 where {}", is(2, 2)),
        format!("update events set version = 2 where {}", is(2, 3)),
        format!("update events set version = 3 where {}", is(2, 99)),
    ];
    tamper(&database, &exchange.join("; ")).await;
    // An event of another debate, inserted at the end, with the counters of the lane corrected.
    let foreign = format!(
        "update lanes set head = head + 1 where lane = {lane};
        insert into events (position, version, recorded_at, debate_id, id, lane, schema, kind, body, hash)
        select
            (select head from lanes where lane = {lane}), {}, recorded_at, '{}', id, {lane}, schema, kind, body, hash
        from events where {}",
        last(3) + 1,
        id(3),
        is(0, 2),
        lane = lane_of(id(3)),
    );
    tamper(&database, &foreign).await;
    let cut = format!(
        "delete from events where {}; update lanes set head = (select max(position) from events where lane = {lane})
        where lane = {lane}",
        is(4, newest),
        lane = lane_of(id(4)),
    );
    tamper(&database, &cut).await;
    // Rewritten with a valid chain.
    let rewritten = format!(
        "update events e
        set caused_by = p.id,
            hash = chain_hash(p.hash, e.id, e.version, e.recorded_at, e.schema, e.kind, e.actor, p.id, e.body)
        from events p
        where e.debate_id = '{}' and e.version = {}
        and p.debate_id = e.debate_id and p.version = e.version - 1",
        id(5),
        last(5)
    );
    tamper(&database, &rewritten).await;
    tamper(&database, &format!("delete from events where debate_id = '{}'", id(6))).await;

    let (lanes, streams): (BTreeSet<String>, BTreeSet<String>) =
        faults(&variables, &heads).await.into_iter().partition(|fault| fault.starts_with("lane "));
    let say = |n: usize, what: &str| format!("debate {}: {what}", id(n));
    let was = |n: usize, what: &str| {
        say(n, &format!("the saved head is version {} with hash {}..., {what}", last(n), short(&kept[n].hash)))
    };
    let wanted = [
        say(0, "version 3 was altered after it was recorded"),
        say(1, "version 4 is missing"),
        say(2, "version 2 was altered after it was recorded"),
        say(2, "version 3 was altered after it was recorded"),
        say(2, "version 3 is stored before its predecessor"),
        say(2, "version 4 was altered after it was recorded"),
        say(3, &format!("version {} was altered after it was recorded", last(3) + 1)),
        was(5, "but another event is in its place: the log was rewritten"),
        was(6, "but the debate no longer exists"),
        was(4, &format!("but its latest version is {}: later events were cut off", newest - 1)),
    ];
    assert_eq!(streams, BTreeSet::from(wanted));
    let missing_of =
        |n: usize| lanes.iter().any(|fault| fault.starts_with(&format!("lane {}: position", lane_of(id(n)))));
    assert!(missing_of(1) && missing_of(6), "{lanes:?}");

    let refused = run_command(&variables, &["verify", "--heads", &home.path("nowhere")]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("cannot read the heads"), "{}", refused.stderr);
    fs::write(home.path("broken"), "not a head\n").expect("a file");
    let refused = run_command(&variables, &["verify", "--heads", &home.path("broken")]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("line 1: not a head"), "{}", refused.stderr);
}
