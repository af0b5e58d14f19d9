//! The projection generation that a request reads. It is determined once, so that all rows in one response come from
//! the same generation.

use async_graphql::futures_util::future::BoxFuture;
use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::error::from_fault;
use faultline_store::error::StoreError;
use faultline_store::views::views::Views;

/// Generation pinned by one request. Every query and mutation carries one in its context.
#[derive(Default)]
pub struct PinnedGeneration(OnceCell<i32>);

/// Returns the generation that this request reads, even if another one is switched to meanwhile.
///
/// # Errors
/// The codes of [`from_fault`]: `UNAVAILABLE` if the database does not respond.
pub async fn generation(context: &Context<'_>) -> Result<i32> {
    let views = context.data::<Views>()?;
    let generation = match context.data_opt::<PinnedGeneration>() {
        Some(shown) => shown.0.get_or_try_init(|| views.generation_to_read()).await.copied(),
        None => views.generation_to_read().await,
    };
    generation.map_err(|error| from_fault(&error))
}

/// Reads rows of the generation pinned by this request. The first read of a request also pins the generation, which
/// saves a round trip: it gets no generation, and returns the one its rows belong to, if it has rows.
///
/// # Errors
/// The codes of [`from_fault`]: `UNAVAILABLE` if the database does not respond.
pub async fn read<'a, T: Send>(
    context: &Context<'_>,
    statement: impl Fn(Option<i32>) -> BoxFuture<'a, Result<(Option<i32>, T), StoreError>> + Send + Sync,
) -> Result<T> {
    let views = context.data::<Views>()?;
    let faulted = |error: StoreError| from_fault(&error);
    let Some(shown) = context.data_opt::<PinnedGeneration>() else {
        return statement(None).await.map(|pair| pair.1).map_err(faulted);
    };
    let mut first = None;
    let (ask, slot) = (&statement, &mut first);
    let find = move || async move {
        let (generation, found) = ask(None).await?;
        *slot = Some(found);
        match generation {
            Some(generation) => Ok(generation),
            None => views.generation_to_read().await,
        }
    };
    let generation = *shown.0.get_or_try_init(find).await.map_err(faulted)?;
    match first {
        Some(found) => Ok(found),
        None => statement(Some(generation)).await.map(|pair| pair.1).map_err(faulted),
    }
}
