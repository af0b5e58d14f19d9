//! Dead letters: an unreadable event stops only its own debate, is reported, and is retried on request.

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::generations::generations::{GenerationRequest, GenerationState, RebuildReason};
use faultline_store::views::views::Views;
use serde_json::{Value, json};

use crate::support::client::start_debate_input;
use crate::support::debate_builder::DebateBuilder;
use crate::support::phase_events::{mend_unreadable, record_unreadable};
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

const LETTERS: &str =
    "{ projections { served { behind } deadLetters { debateId version kind attempts retryRequested reason } } }";

async fn dead_letters(server: &TestServer) -> Value {
    server.client.data(LETTERS, json!({})).await["projections"][0].take()
}

/// Waits until the dead letters satisfy `is_such` and the served generation is not behind; returns them.
async fn wait_for_letters(server: &TestServer, is_such: impl Fn(&Value) -> bool) -> Value {
    poll_until("the expected dead letters", async || {
        let actual = dead_letters(server).await;
        (is_such(&actual["deadLetters"]) && actual["served"]["behind"] == 0).then(|| actual["deadLetters"].clone())
    })
    .await
}

async fn stored_version(server: &TestServer, debate: DebateId) -> i64 {
    sqlx::query_scalar(
        "select version from debates where debate_id = $1 and generation = (select max(generation) from served)",
    )
    .bind(debate.0)
    .fetch_one(&server.database.pool)
    .await
    .expect("the list")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_event_stops_only_its_own_debate() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (mut broken, mut sound) = (DebateBuilder::new(&["ada", "ben"]), DebateBuilder::new(&["ada", "ben"]));
    let before = broken.append_new(&server.log).await;
    sound.append_new(&server.log).await;
    wait_for_letters(&server, |letters| *letters == json!([])).await;

    record_unreadable(&server, broken.id, before + 1).await;
    sound.raise_dispute("Is it so?", &[("ada", Side::Yes), ("ben", Side::No)]);
    let stands = sound.append_new(&server.log).await;
    let actual = wait_for_letters(&server, |letters| letters.as_array().is_some_and(|list| list.len() == 1)).await;
    let letter = &actual[0];
    assert_eq!(
        json!([letter["debateId"], letter["version"], letter["kind"], letter["retryRequested"]]),
        json!([broken.id, before + 1, "phase_entered", false])
    );
    assert!(letter["reason"].as_str().is_some_and(|reason| reason.contains("cannot be read")), "{letter}");
    poll_until("the other debate continues", async || {
        (stored_version(&server, sound.id).await == stands).then_some(())
    })
    .await;
    assert_eq!(stored_version(&server, broken.id).await, before, "its rows stay at the version before the event");
    // Runners continue as well.
    let driven = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    server.wait_for_end(driven).await;

    // A retry fails on the same event and leaves one dead letter.
    let attempts = letter["attempts"].as_i64().expect("a number");
    let asked = "mutation { retryDeadLetters(input: { name: \"debates\" }) { projection { name } } }";
    server.client.data(asked, json!({})).await;
    let tried =
        wait_for_letters(&server, |letters| letters[0]["attempts"].as_i64().is_some_and(|n| n > attempts)).await;
    assert_eq!(json!([tried.as_array().map(Vec::len), tried[0]["retryRequested"]]), json!([1, false]));
    let refused = run_command(&server.environment(), &["projections", "--retry"]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("1 events are still unreadable"), "{}", refused.stderr);
    assert!(refused.stdout.contains(&format!("left out: debate {} from version {}", broken.id, before + 1)));

    mend_unreadable(&server, broken.id, before + 1).await;
    let mended = run_json_command(&server.environment(), &["projections", "--retry", "--json"]).await.remove(0);
    assert_eq!(mended["deadLetters"], json!([]));
    assert_eq!(stored_version(&server, broken.id).await, before + 1);
    let metrics = server.client.http.get(server.client.url("/metrics")).send().await.expect("metrics");
    assert!(metrics.text().await.expect("text").lines().any(|line| line == "faultline_dead_letters 0"));
    let unknown = "mutation { retryDeadLetters(input: { name: \"moods\" }) { projection { name } } }";
    assert_eq!(server.client.error_code(unknown, json!({})).await, "NOT_FOUND");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generation_that_is_being_built_skips_unreadable_events() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let generations = Views::new(server.database.pool.clone()).generations();
    let (mut broken, mut sound) = (DebateBuilder::new(&["ada", "ben"]), DebateBuilder::new(&["ada", "ben"]));
    let before = broken.append_new(&server.log).await;
    sound.append_new(&server.log).await;
    wait_for_letters(&server, |letters| *letters == json!([])).await;
    let (reason, workers) = (RebuildReason::Asked, None);
    let wanted = GenerationRequest { revision: REVISION, reason, workers, holds: true, allows_letters: false };
    let id = generations.request(wanted).await.expect("want").id;
    let is = async |state: GenerationState| {
        poll_until(state.name(), async || {
            generations.one(id).await.expect("the table").filter(|generation| generation.state == state).map(drop)
        })
        .await;
    };
    is(GenerationState::Held).await;
    record_unreadable(&server, broken.id, before + 1).await;
    sound.raise_dispute("Is it so?", &[("ada", Side::Yes), ("ben", Side::No)]);
    let stands = sound.append_new(&server.log).await;
    poll_until("the held generation continues after the event", async || {
        let left_out = generations.skipped_events(id).await.expect("letters");
        (left_out.len() == 1 && left_out[0].debate == broken.id && left_out[0].version == before + 1).then_some(())
    })
    .await;
    // The served generation skips it as well, so the cut-over loses nothing.
    wait_for_letters(&server, |letters| letters.as_array().is_some_and(|list| list.len() == 1)).await;
    assert_eq!(generations.skipped_totals(id).await.expect("letters").newly, 0);
    assert!(generations.change_state(id, &[GenerationState::Held], GenerationState::Approved).await.expect("approve"));
    is(GenerationState::Served).await;
    let actual = wait_for_letters(&server, |letters| letters.as_array().is_some_and(|list| list.len() == 1)).await;
    assert_eq!(json!([actual[0]["debateId"], actual[0]["version"]]), json!([broken.id, before + 1]));
    assert_eq!((stored_version(&server, broken.id).await, stored_version(&server, sound.id).await), (before, stands));
    server.stop().await;
}
