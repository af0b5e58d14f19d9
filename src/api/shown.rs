//! Which stored rows a request reads: asked once, so that whatever is answered together is of one make.

use async_graphql::futures_util::future::BoxFuture;
use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::error::from_fault;
use crate::store::fault::Fault;
use crate::store::views::Views;

/// The generation of rows that one request reads; every query and mutation carries one.
#[derive(Default)]
pub struct Shown(OnceCell<i32>);

/// The generation of rows that this request reads, whatever takes over meanwhile.
///
/// # Errors
/// `UNAVAILABLE` where the database does not answer.
pub async fn generation(context: &Context<'_>) -> Result<i32> {
    let views = context.data::<Views>()?;
    let asked = match context.data_opt::<Shown>() {
        Some(shown) => shown.0.get_or_try_init(|| views.shown()).await.copied(),
        None => views.shown().await,
    };
    asked.map_err(|it| from_fault(&it))
}

/// Reads rows of the generation that this request reads. The first who reads finds out which that is by the same statement:
/// it is asked for no generation, and says of which one its rows are, where it has any.
///
/// # Errors
/// `UNAVAILABLE` where the database does not answer.
pub async fn read<'a, T: Send>(
    context: &Context<'_>,
    statement: impl Fn(Option<i32>) -> BoxFuture<'a, Result<(Option<i32>, T), Fault>> + Send + Sync,
) -> Result<T> {
    let views = context.data::<Views>()?;
    let faulted = |it: Fault| from_fault(&it);
    let Some(shown) = context.data_opt::<Shown>() else {
        return statement(None).await.map(|it| it.1).map_err(faulted);
    };
    let mut first = None;
    let (ask, slot) = (&statement, &mut first);
    let find = move || async move {
        let (generation, found) = ask(None).await?;
        *slot = Some(found);
        match generation {
            Some(generation) => Ok(generation),
            None => views.shown().await,
        }
    };
    let generation = *shown.0.get_or_try_init(find).await.map_err(faulted)?;
    match first {
        Some(found) => Ok(found),
        None => statement(Some(generation)).await.map(|it| it.1).map_err(faulted),
    }
}
