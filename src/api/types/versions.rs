//! Per-request cache of folded debates by version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::error::from_desk;
use crate::api::folds::Folds;
use crate::api::types::debate::Debate;
use crate::desk::desk::Desk;
use crate::events::ids::DebateId;

/// Debates that a request has folded, by version. Every query and mutation carries one in its context.
#[derive(Default)]
pub struct Versions(Mutex<HashMap<(DebateId, i64), Cell>>);

/// Cell for a debate that is folded once.
type Cell = Arc<OnceCell<Debate>>;

impl Versions {
    fn cell(&self, debate: DebateId, version: i64) -> Cell {
        let mut folded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(folded.entry((debate, version)).or_default())
    }
}

/// Returns a debate at its latest or a given version.
///
/// # Errors
/// `NOT_FOUND` if there is no such debate, `INVALID` if it does not have this version, `LIMIT` and `UNAVAILABLE` as
/// [`Folds::charge`].
pub async fn folded(context: &Context<'_>, debate: DebateId, at: Option<i64>) -> Result<Debate> {
    let desk = context.data::<Desk>()?;
    let (Some(versions), Some(folds)) = (context.data_opt::<Versions>(), context.data_opt::<Folds>()) else {
        // An event of a subscription folds one debate of its own.
        return Debate::of_board(desk.board(debate, at).await.map_err(from_desk)?, at);
    };
    let version = desk.version(debate, at).await.map_err(from_desk)?;
    let fold = async || {
        folds.charge([version]).await?;
        let _turn = folds.turn().await;
        Debate::of_board(desk.board(debate, Some(version)).await.map_err(from_desk)?, Some(version))
    };
    versions.cell(debate, version).get_or_try_init(fold).await.cloned()
}
