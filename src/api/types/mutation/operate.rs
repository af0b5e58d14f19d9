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
    /// True to erase its forks too, and the debates that distil its talk anew; without this, a debate with any of them is
    /// refused.
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
    /// True if the new generation is to wait for `approveGeneration` when it is built. It is rejected if nobody answers
    /// within `holdSeconds`; `holdGeneration` changes that time.
    #[graphql(default)]
    pub await_approval: bool,
    /// Time for which the new generation waits for approval, in seconds: 1 to 86,400, by default 60. Requires
    /// `awaitApproval`. Applies to a rebuild that is running, too.
    pub hold_seconds: Option<i32>,
}

/// Result of `rebuildProjection`.
#[derive(SimpleObject)]
pub struct RebuildProjectionPayload {
    /// The projection, including the requested generation.
    pub projection: Projection,
}

/// Input of `approveGeneration`.
#[derive(InputObject)]
pub struct ApproveGenerationInput {
    /// Id of the generation.
    pub generation_id: ID,
}

/// Result of `approveGeneration`.
#[derive(SimpleObject)]
pub struct ApproveGenerationPayload {
    /// The projection, with the approved generation.
    pub projection: Projection,
}

/// Input of `rejectGeneration`.
#[derive(InputObject)]
pub struct RejectGenerationInput {
    /// Id of the generation.
    pub generation_id: ID,
}

/// Result of `rejectGeneration`.
#[derive(SimpleObject)]
pub struct RejectGenerationPayload {
    /// The projection, with the rejected generation.
    pub projection: Projection,
}

/// Input of `holdGeneration`.
#[derive(InputObject)]
pub struct HoldGenerationInput {
    /// Id of the generation.
    pub generation_id: ID,
    /// Time from now for which it waits for approval, in seconds: 1 to 86400.
    pub seconds: i32,
}

/// Result of `holdGeneration`.
#[derive(SimpleObject)]
pub struct HoldGenerationPayload {
    /// The projection, with the held generation.
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
