//! An event that cannot be read stops its own debate and no other, is named, and is tried again when somebody asks.

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::generations::generations::{GenerationRequest, GenerationState, RebuildReason};
use faultline_store::lanes::lane_of;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{input, run, run_json, script, until};
use crate::house::House;
use crate::told::Told;

const LETTERS: &str =
    "{ projections { served { behind } deadLetters { debateId version kind attempts wanted reason } } }";

/// Records what no program of this version can read, as one with a mistake in it would.
async fn record_unreadable(house: &House, debate: DebateId, version: i64) {
    let statement = format!(
        "select append_events(
            '{{{lane}}}', '{{{debate}}}', '{{{lane}}}', '{{1}}', '{{1}}', '{{{}}}', null, '{{1}}', '{{1}}', '{{{}}}',
            '{{phase_entered}}', '{{1}}', array['{{\"phase\":7}}'::bytea], '{{null}}', '{{null}}')",
        version - 1,
        Uuid::now_v7(),
        lane = lane_of(debate),
    );
    house.database.run(&statement).await;
}

async fn letters(house: &House) -> Value {
    house.client.data(LETTERS, json!({})).await["projections"][0].take()
}

/// The letters once there are such, and nothing is behind.
async fn such(house: &House, is_such: impl Fn(&Value) -> bool) -> Value {
    until("the letters are such", async || {
        let told = letters(house).await;
        (is_such(&told["deadLetters"]) && told["served"]["behind"] == 0).then(|| told["deadLetters"].clone())
    })
    .await
}

async fn stored_version(house: &House, debate: DebateId) -> i64 {
    sqlx::query_scalar(
        "select version from debates where debate_id = $1 and generation = (select max(generation) from served)",
    )
    .bind(debate.0)
    .fetch_one(&house.database.pool)
    .await
    .expect("the list")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_cannot_be_read_stops_its_own_debate_and_no_other() {
    let house = House::open(&script(0)).await;
    let (mut broken, mut sound) = (Told::between(&["ada", "ben"]), Told::between(&["ada", "ben"]));
    let before = broken.record(&house.log).await;
    sound.record(&house.log).await;
    such(&house, |it| *it == json!([])).await;

    record_unreadable(&house, broken.id, before + 1).await;
    sound.asks("Is it so?", &[("ada", Side::Yes), ("ben", Side::No)]);
    let stands = sound.record(&house.log).await;
    let told = such(&house, |it| it.as_array().is_some_and(|it| it.len() == 1)).await;
    let letter = &told[0];
    assert_eq!(
        json!([letter["debateId"], letter["version"], letter["kind"], letter["wanted"]]),
        json!([broken.id, before + 1, "phase_entered", false])
    );
    assert!(letter["reason"].as_str().is_some_and(|it| it.contains("cannot be read")), "{letter}");
    until("the other goes on", async || (stored_version(&house, sound.id).await == stands).then_some(())).await;
    assert_eq!(stored_version(&house, broken.id).await, before, "its rows stay as they were before it");
    // Runners go on as well.
    let driven = house.client.start(&input("dialectic", json!({ "rounds": 1 }))).await;
    house.ended(driven).await;

    // Another attempt: still the same event, still one letter.
    let attempts = letter["attempts"].as_i64().expect("a number");
    let asked = "mutation { retryDeadLetters(name: \"debates\") { name } }";
    house.client.data(asked, json!({})).await;
    let tried = such(&house, |it| it[0]["attempts"].as_i64().is_some_and(|it| it > attempts)).await;
    assert_eq!(json!([tried.as_array().map(Vec::len), tried[0]["wanted"]]), json!([1, false]));
    let refused = run(&house.variables(), &["projections", "--retry"]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("1 events are still unreadable"), "{}", refused.stderr);
    assert!(refused.stdout.contains(&format!("left out: debate {} from version {}", broken.id, before + 1)));

    let mend = format!(
        "alter table events disable trigger all;
        update events set body = '{{\"phase\":\"seven\"}}' where debate_id = '{}' and version = {};
        alter table events enable trigger all",
        broken.id,
        before + 1
    );
    house.database.run(&mend).await;
    let mended = run_json(&house.variables(), &["projections", "--retry", "--json"]).await.remove(0);
    assert_eq!(mended["deadLetters"], json!([]));
    assert_eq!(stored_version(&house, broken.id).await, before + 1);
    let metrics = house.client.http.get(house.client.at("/metrics")).send().await.expect("metrics");
    assert!(metrics.text().await.expect("text").lines().any(|it| it == "faultline_dead_letters 0"));
    let code = house.client.code("mutation { retryDeadLetters(name: \"moods\") { name } }", json!({})).await;
    assert_eq!(code, "NOT_FOUND");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generation_that_is_being_built_goes_beyond_it_as_well() {
    let house = House::open(&script(0)).await;
    let generations = Views::new(house.database.pool.clone()).generations();
    let (mut broken, mut sound) = (Told::between(&["ada", "ben"]), Told::between(&["ada", "ben"]));
    let before = broken.record(&house.log).await;
    sound.record(&house.log).await;
    such(&house, |it| *it == json!([])).await;
    let (reason, workers) = (RebuildReason::Asked, None);
    let wanted = GenerationRequest { revision: REVISION, reason, workers, holds: true, allows_letters: false };
    let id = generations.request(wanted).await.expect("want").id;
    let is = async |state: GenerationState| {
        until(state.name(), async || {
            generations.one(id).await.expect("the table").filter(|it| it.state == state).map(drop)
        })
        .await;
    };
    is(GenerationState::Held).await;
    record_unreadable(&house, broken.id, before + 1).await;
    sound.asks("Is it so?", &[("ada", Side::Yes), ("ben", Side::No)]);
    let stands = sound.record(&house.log).await;
    until("what is held goes on behind it", async || {
        let left_out = generations.skipped_events(id).await.expect("letters");
        (left_out.len() == 1 && left_out[0].debate == broken.id && left_out[0].version == before + 1).then_some(())
    })
    .await;
    // What is served leaves it out as well, so nothing is lost by taking over.
    such(&house, |it| it.as_array().is_some_and(|it| it.len() == 1)).await;
    assert_eq!(generations.skipped_totals(id).await.expect("letters").newly, 0);
    assert!(generations.change_state(id, &[GenerationState::Held], GenerationState::Approved).await.expect("approve"));
    is(GenerationState::Served).await;
    let told = such(&house, |it| it.as_array().is_some_and(|it| it.len() == 1)).await;
    assert_eq!(json!([told[0]["debateId"], told[0]["version"]]), json!([broken.id, before + 1]));
    assert_eq!((stored_version(&house, broken.id).await, stored_version(&house, sound.id).await), (before, stands));
    house.close().await;
}
