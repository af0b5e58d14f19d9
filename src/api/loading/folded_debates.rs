//! Per-request cache of folded debates by version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::admission::fold_budget::FoldBudget;
use crate::api::error::from_service;
use crate::api::types::debate::debate::Debate;
use faultline_core::events::ids::DebateId;
use faultline_service::service::DebateService;

/// Debates that a request has folded, by version. Every query and mutation carries one in its context.
#[derive(Default)]
pub struct FoldedDebates(Mutex<HashMap<(DebateId, i64), Cell>>);

/// Cell for a debate that is folded once.
type Cell = Arc<OnceCell<Debate>>;

impl FoldedDebates {
    fn cell(&self, debate: DebateId, version: i64) -> Cell {
        let mut folded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(folded.entry((debate, version)).or_default())
    }
}

/// Returns a debate at its latest or a given version.
///
/// # Errors
/// `NOT_FOUND` if there is no such debate, `INVALID` if it does not have this version, `LIMIT` and `UNAVAILABLE` as
/// [`FoldBudget::charge`].
pub async fn folded(context: &Context<'_>, debate: DebateId, at: Option<i64>) -> Result<Debate> {
    let service = context.data::<DebateService>()?;
    let (Some(versions), Some(folds)) = (context.data_opt::<FoldedDebates>(), context.data_opt::<FoldBudget>()) else {
        // An event of a subscription folds one debate of its own.
        return Debate::from_read_model(service.read_model(debate, at).await.map_err(from_service)?, at);
    };
    let version = service.version(debate, at).await.map_err(from_service)?;
    let fold = async || {
        folds.charge([version]).await?;
        let _turn = folds.turn().await;
        Debate::from_read_model(service.read_model(debate, Some(version)).await.map_err(from_service)?, Some(version))
    };
    versions.cell(debate, version).get_or_try_init(fold).await.cloned()
}

/// Returns a debate at its latest version, or at a given one as an object of its own, whose id contains the version.
///
/// # Errors
/// Those of [`folded`].
pub async fn folded_as(context: &Context<'_>, debate: DebateId, at: Option<i64>) -> Result<Debate> {
    let debate = folded(context, debate, at).await?;
    Ok(match at {
        Some(at) => debate.pinned(at),
        None => debate,
    })
}

/// Returns a debate like [`folded_as`]; `None` if there is no such debate.
///
/// # Errors
/// Those of [`folded`], except for `NOT_FOUND`.
pub async fn find_folded(context: &Context<'_>, debate: DebateId, at: Option<i64>) -> Result<Option<Debate>> {
    match folded_as(context, debate, at).await {
        Ok(debate) => Ok(Some(debate)),
        Err(error)
            if error.extensions.as_ref().and_then(|extensions| extensions.get("code")) == Some(&"NOT_FOUND".into()) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
