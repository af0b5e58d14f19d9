//! Rebuild of all stored views, for benchmarks that read them.

use faultline_core::verdicts::read_model::REVISION;
use faultline_runtime::rebuilder::Builder;
use faultline_service::views::view_rows::NAMES;
use faultline_store::generations::generations::{GenerationRequest, GenerationState, RebuildReason};
use faultline_store::open::Store;

/// Returns the request for a rebuild by this many workers; `None` for the default number.
pub fn rebuild_request(workers: Option<i32>) -> GenerationRequest {
    GenerationRequest { revision: REVISION, reason: RebuildReason::Asked, workers, holds: false, allows_letters: false }
}

/// Builds a whole generation and cuts over to it. Returns the number of events that were folded.
pub async fn rebuild(store: &Store, workers: Option<i32>) -> i64 {
    let generations = store.views.generations();
    let generation = generations.request(rebuild_request(workers)).await.expect("request a generation");
    let builder = Builder::new(store.log.clone(), store.views.clone(), &generation);
    generations.begin(generation.id, &store.log.heads().await.expect("heads")).await.expect("begin");
    let states = (&[GenerationState::Wanted], GenerationState::Building);
    assert!(generations.change_state(generation.id, states.0, states.1).await.expect("begin"));
    builder.build().await.expect("build");
    let cut_over = generations.begin_cut_over().await.expect("begin to cut over");
    builder.catch_up().await.expect("catch up");
    assert!(cut_over.finish(generation.id, &NAMES).await.expect("cut over"));
    generations.progress(&generation).await.expect("read the progress").total
}
