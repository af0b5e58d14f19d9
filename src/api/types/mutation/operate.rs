//! Inputs and payloads of mutations that operate the service: erasure, rebuilds and retries.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::api::types::debate::erasure::Erasure;
use crate::api::types::projection::Projection;

/// Input of `eraseDebate`.
#[derive(InputObject)]
pub struct EraseDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
    /// Reason, 1 to 1000 bytes. It is stored permanently, so it must not repeat erased content.
    pub reason: String,
    /// True to erase its forks too; without this, a debate with forks is refused.
    #[graphql(default)]
    pub with_forks: bool,
    /// True if hiding events that were recorded unencrypted is enough; refused otherwise.
    #[graphql(default)]
    pub hide_plain: bool,
}

/// Result of `eraseDebate`.
#[derive(SimpleObject)]
pub struct EraseDebatePayload {
    /// One record per erased debate, that of the given debate last.
    pub erasures: Vec<Erasure>,
}

/// Input of `rebuildProjection`.
#[derive(InputObject)]
pub struct RebuildProjectionInput {
    /// Name of the projection.
    pub name: String,
    /// Number of parallel workers, 1 to 16; by default one per core.
    pub workers: Option<i32>,
    /// True if the new generation may replace the served one even if it lacks debates whose events cannot be read. If
    /// not, it waits and `problem` names them; call again with this flag to switch.
    #[graphql(default)]
    pub allow_dead_letters: bool,
}

/// Result of `rebuildProjection`.
#[derive(SimpleObject)]
pub struct RebuildProjectionPayload {
    /// The projection, including the requested generation.
    pub projection: Projection,
}

/// Input of `retryDeadLetters`.
#[derive(InputObject)]
pub struct RetryDeadLettersInput {
    /// Name of the projection.
    pub name: String,
}

/// Result of `retryDeadLetters`.
#[derive(SimpleObject)]
pub struct RetryDeadLettersPayload {
    /// The projection, with the dead letters to be retried.
    pub projection: Projection,
}
