//! Rebuilds of a log with altered rows or unreadable events.

use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::generations::generations::GenerationState;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;
use crate::views::rebuild_steps::{
    assert_complete, count, debates, n_rows, rebuild_request, wait_for_projector, wait_for_state,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_rebuilds_without_a_service_and_verify_finds_altered_rows() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    debates(&log, 5).await;
    let made = run_json_command(&variables, &["rebuild", "--workers", "1", "--json"]).await.remove(0);
    assert_eq!(json!([made["served"], made["debates"], made["diff"]]), json!([true, 6, null]));
    assert_eq!(wait_for_projector(&views, &log).await, made["generation"]);
    assert_complete(&variables, 6).await;
    for (altered, named) in [
        ("statement = 'Something else'", "statement of crux d1: \"Something else\" instead of \"Is winter"),
        ("place = place + 1", "place of crux d1: \"2\" instead of \"1\""),
        ("opened_at = opened_at - interval '1 s'", "opened_at of crux d1: "),
    ] {
        database
            .run(&format!(
                "update cruxes set {altered} where debate_id = (select max(debate_id::text)::uuid from cruxes)"
            ))
            .await;
        let output = run_command(&variables, &["verify", "--json"]).await;
        let found: Value = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!((output.code, found["faults"].as_array().map(Vec::len)), (Some(1), Some(1)), "{altered}: {found}");
        let fault = found["faults"][0].as_str().expect("a fault");
        assert!(
            fault.contains("the stored list of cruxes differs from") && fault.contains(named),
            "{altered}: {fault}"
        );
    }
    assert_eq!(run_command(&variables, &["rebuild", "--workers", "17"]).await.code, Some(2));
    let moods = run_command(&variables, &["rebuild", "moods"]).await;
    assert!(moods.code == Some(1) && moods.stderr.contains("available: debates, summary, verdict"), "{}", moods.stderr);
    // A dry run changes nothing even if the code is newer than the served rows.
    database.run(&format!("update generations set revision = {}", REVISION - 1)).await;
    let dry = run_json_command(&variables, &["rebuild", "--dry-run", "--json"]).await.remove(0);
    assert_eq!(json!([dry["served"], dry["diff"]["compared"], dry["diff"]["unchanged"]]), json!([false, 6, 5]));
    let states: Vec<&str> =
        views.generations().all().await.expect("all").iter().map(|generation| generation.state.name()).collect();
    assert_eq!(states, ["served", "dropped"]);
    let together = run_command(&variables, &["rebuild", "cruxes", "verdict"]).await;
    assert!(together.code == Some(0) && together.stderr.contains("are always rebuilt together"), "{}", together.stderr);
    assert_complete(&variables, 6).await;
    altered_disputes(&database, &variables).await;
}

/// Checks that altered, deleted and added rows of disputes are found, and a missing view as well.
async fn altered_disputes(database: &Database, variables: &[(&'static str, String)]) {
    let of = "debate_id = (select min(debate_id::text)::uuid from disputes)";
    for (altered, wanted) in [
        (format!("update disputes set statement = 'Something else' where {of}"), "list of disputes differs from"),
        (format!("delete from disputes where {of}"), "list of disputes differs from"),
        (format!("delete from views where projection = 'verdict' and {of}"), "verdict is missing"),
    ] {
        database.run(&altered).await;
        let after = faults(variables).await;
        assert!(after.iter().any(|fault| fault.contains(wanted)), "{altered}: {after:?}");
    }
}

/// Returns the faults that `faultline verify` finds.
async fn faults(variables: &[(&'static str, String)]) -> Vec<String> {
    let output = run_command(variables, &["verify", "--json"]).await;
    let found: Value = serde_json::from_str(&output.stdout).expect("JSON");
    serde_json::from_value(found["faults"].clone()).expect("a list")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_events_are_reported_and_the_old_views_stay_served() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let views = Views::new(server.database.pool.clone());
    let generations = views.generations();
    let actual = debates(&server.log, 2).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1);
    damage(&server.database, actual[1].id, 2).await;
    generations.request(rebuild_request(false)).await.expect("want");
    let troubled = poll_until("the problem is recorded", async || {
        generations.one(2).await.expect("the table").filter(|generation| generation.problem.is_some())
    })
    .await;
    assert_eq!((troubled.state, views.generation_to_read().await.expect("served")), (GenerationState::Building, 1));
    assert!(troubled.problem.is_some_and(|problem| problem.contains(&actual[1].id.to_string())));
    // A command that requests the same rebuild does not wait forever, and withdraws the request.
    let refused = run_command(&server.environment(), &["rebuild"]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("--allow-letters"), "{refused:?}");
    wait_for_state(&generations, 2, GenerationState::Dropped).await;
    assert_eq!(
        (views.generation_to_read().await.expect("served"), views.count_dead_letters().await.expect("letters")),
        (1, 0)
    );

    // A request that waits because of a damaged event is completed after the event is restored.
    generations.request(rebuild_request(false)).await.expect("want");
    poll_until("the problem is recorded", async || {
        generations.one(3).await.expect("the table").filter(|generation| generation.problem.is_some())
    })
    .await;
    restore(&server.database, actual[1].id, 2).await;
    wait_for_state(&generations, 3, GenerationState::Served).await;
    assert_eq!(views.count_dead_letters().await.expect("letters"), 0);
    assert_complete(&server.environment(), 3).await;
    server.stop().await;
}

/// Makes an event unreadable, as a superuser could, and saves the original.
async fn damage(database: &Database, debate: DebateId, version: i64) {
    let statements = format!(
        "create table if not exists whole (debate_id uuid, version bigint, body bytea);
        insert into whole select debate_id, version, body from events
        where debate_id = '{debate}' and version = {version};
        alter table events disable trigger all;
        update events set body = 'not json' where debate_id = '{debate}' and version = {version};
        alter table events enable trigger all"
    );
    database.run(&statements).await;
}

/// Restores a damaged event.
async fn restore(database: &Database, debate: DebateId, version: i64) {
    let statements = format!(
        "alter table events disable trigger all;
        update events set body = whole.body from whole
        where events.debate_id = whole.debate_id and events.version = whole.version
        and whole.debate_id = '{debate}' and whole.version = {version};
        alter table events enable trigger all"
    );
    database.run(&statements).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_debates_are_skipped_by_name_and_cut_over_needs_permission() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (variables, views) = (server.environment(), Views::new(server.database.pool.clone()));
    let actual = debates(&server.log, 8).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1);
    let fork: Uuid =
        sqlx::query_scalar("select fork from fork_origins").fetch_one(&server.database.pool).await.expect("the fork");
    // Damages an event in the shared past of a fork and one in the middle of a debate, and deletes the key of a third
    // debate.
    damage(&server.database, actual[0].id, 3).await;
    damage(&server.database, actual[1].id, 2).await;
    let lost = format!("delete from debate_keys where debate_id = '{}'", actual[2].id);
    server.database.run(&lost).await;
    let mut wanted = [(actual[0].id, 3), (actual[1].id, 2), (actual[2].id, 1), (DebateId(fork), 3)];
    wanted.sort_unstable();
    let wanted: Vec<Value> = wanted.iter().map(|(debate, version)| json!([debate, version])).collect();
    let named = |letters: &Value| {
        let first = |letter: &Value| json!([letter["debateId"], letter["version"]]);
        let mut named: Vec<Value> = letters.as_array().expect("a list").iter().map(first).collect();
        named.sort_unstable_by_key(Value::to_string);
        // In a debate whose key is gone, every event is unreadable; only the first is compared.
        named.dedup_by_key(|pair| pair[0].to_string());
        named
    };

    let refused = run_command(&variables, &["rebuild", "--json"]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    for part in ["would leave out 4 served debates", "--allow-letters"] {
        assert!(refused.stderr.contains(part), "{part} in {}", refused.stderr);
    }
    let report: Value = serde_json::from_str(&refused.stdout).expect("JSON");
    let left_out = &report["leftOut"];
    assert_eq!(json!([report["served"], left_out["debates"], left_out["newly"]]), json!([false, 4, 4]));
    assert_eq!(named(&left_out["events"]), wanted);
    let dry = run_json_command(&variables, &["rebuild", "--diff", "--dry-run", "--json"]).await.remove(0);
    assert_eq!(json!([dry["served"], dry["leftOut"]["newly"], dry["diff"]["compared"]]), json!([false, 4, 5]));
    let refused = run_command(&variables, &["rebuild", "--diff"]).await;
    assert!(refused.code == Some(1) && refused.stdout.contains("complete until now"), "{refused:?}");
    let generations = views.generations();
    for id in [2, 3, 4] {
        wait_for_state(&generations, id, GenerationState::Dropped).await;
        assert_eq!(n_rows(&server.database, id).await, 0);
    }
    assert_eq!(
        (views.generation_to_read().await.expect("served"), views.count_dead_letters().await.expect("letters")),
        (1, 0)
    );
    assert_eq!(count(&server.database, "select count(*) from generation_letters").await, 0);

    let allowed = run_json_command(&variables, &["rebuild", "--allow-letters", "--json"]).await.remove(0);
    assert_eq!(
        json!([allowed["served"], allowed["leftOut"]["debates"], allowed["leftOut"]["newly"]]),
        json!([true, 4, 4])
    );
    assert_eq!(views.generation_to_read().await.expect("served"), 5);
    let letters = server.client.data("{ projections { deadLetters { debateId version reason } } }", json!({})).await;
    let letters = &letters["projections"][0]["deadLetters"];
    assert_eq!(named(letters), wanted);
    let of_fork = letters
        .as_array()
        .into_iter()
        .flatten()
        .find(|letter| letter["debateId"] == json!(fork))
        .expect("the fork's dead letter");
    assert!(of_fork["reason"].as_str().is_some_and(|reason| reason.contains(&actual[0].id.to_string())), "{of_fork}");
    let at = async |debate: Uuid| {
        let query =
            format!("select coalesce(max(version), 0) from debates where generation = 5 and debate_id = '{debate}'");
        count(&server.database, &query).await
    };
    let stand =
        [at(actual[0].id.0).await, at(actual[1].id.0).await, at(actual[2].id.0).await, at(actual[3].id.0).await];
    let whole = server.log.head(actual[3].id).await.expect("head");
    assert_eq!(stand, [2, 1, 0, whole], "rows reach up to the last readable event");

    // Debates that are skipped already do not prevent the cut-over, and restored ones come back.
    let again = run_json_command(&variables, &["rebuild", "--json"]).await.remove(0);
    assert_eq!(json!([again["served"], again["leftOut"]["debates"], again["leftOut"]["newly"]]), json!([true, 4, 0]));
    restore(&server.database, actual[0].id, 3).await;
    restore(&server.database, actual[1].id, 2).await;
    assert_eq!(run_command(&variables, &["projections", "--retry"]).await.code, Some(1), "one key is still gone");
    let left: Vec<Uuid> = sqlx::query_scalar("select distinct debate_id from dead_letters")
        .fetch_all(&server.database.pool)
        .await
        .expect("letters");
    assert_eq!(left, [actual[2].id.0]);
    server.stop().await;
}
