//! Steps that tests of rebuilds share: debates, requests, and waits for states.

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::DebateForked;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::generations::generations::{
    Generation, GenerationRequest, GenerationState, Generations, RebuildReason,
};
use faultline_store::log::log::Log;
use faultline_store::views::views::Views;
use serde_json::json;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::support::database::Database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::phase_events::new_debate_id;
use crate::support::service_process::run_json_command;
use crate::support::waiting::poll_until;

/// Appends debates between two speakers, each with cruxes of several kinds, and a fork of the first.
pub async fn debates(log: &Log, n_debates: usize) -> Vec<DebateBuilder> {
    let mut debates = Vec::new();
    for n in 0..n_debates {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        let own = builder.add_argument("ada", "Yes", &format!("Crews are rested, case {n}."));
        let theirs = builder.add_argument("ben", "No", &format!("The fuel's price doubled, case {n}."));
        builder.add_mutual_attack("ben", theirs, own);
        builder.raise_dispute(&format!("Is winter {n} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(log).await;
        debates.push(builder);
    }
    let shared = log.read(debates[0].id, 0, 10).await.expect("the log");
    let Event::DebateOpened(opened) = &shared[0].event else { panic!("not opened: {:?}", shared[0]) };
    let forked = DebateForked { origin: debates[0].id, at: 6, opened: opened.clone() };
    log.fork(new_debate_id(), Uuid::now_v7(), forked).await.expect("a fork");
    debates
}

pub fn rebuild_request(holds: bool) -> GenerationRequest {
    GenerationRequest {
        revision: REVISION,
        reason: RebuildReason::Asked,
        workers: Some(2),
        holds,
        allows_letters: false,
    }
}

pub async fn wait_for_state(generations: &Generations, id: i32, state: GenerationState) -> Generation {
    poll_until(&format!("generation {id} is {}", state.name()), async || {
        generations.one(id).await.expect("the table").filter(|generation| generation.state == state)
    })
    .await
}

/// Waits until the served views are as new as the log. Returns the served generation.
pub async fn wait_for_projector(views: &Views, log: &Log) -> i32 {
    poll_until("the views catch up", async || {
        let served = views.served_generation("debates").await.expect("served")?;
        let heads = log.heads().await.expect("heads");
        (views.behind(served, &heads).await.expect("behind") == 0).then_some(served)
    })
    .await
}

pub async fn count(database: &Database, query: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&database.pool).await.expect(query)
}

pub async fn n_rows(database: &Database, generation: i32) -> i64 {
    let of = |table| format!("(select count(*) from {table} where generation = {generation})");
    count(database, &format!("select {} + {} + {} + {}", of("views"), of("debates"), of("cruxes"), of("disputes")))
        .await
}

/// Returns the number of disputes of a generation, and a digest of their content.
pub async fn disputes_of(database: &Database, generation: i32) -> (i64, Option<String>) {
    let query = format!(
        "select count(*), md5(string_agg((to_jsonb(d) - 'generation')::text, '' order by debate_id, key))
        from disputes d
        where generation = {generation}"
    );
    sqlx::query_as(AssertSqlSafe(query)).fetch_one(&database.pool).await.expect("disputes")
}

/// Checks that every stored row equals a fresh fold and that no row is missing.
pub async fn assert_complete(variables: &[(&'static str, String)], n_debates: usize) {
    let verified = run_json_command(variables, &["verify", "--json"]).await;
    let found = json!([verified[0]["debates"], verified[0]["views"], verified[0]["faults"]]);
    assert_eq!(found, json!([n_debates, 5 * n_debates, []]));
}
