//! Which stored rows a request reads: asked once, so that whatever is answered together is of one make.

use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::error::from_fault;
use crate::store::views::Views;

/// The generation of rows that one request reads; every query and mutation carries one.
#[derive(Default)]
pub struct Shown(OnceCell<i32>);

/// The generation of rows that this request reads, whatever takes over meanwhile.
///
/// # Errors
/// `INTERNAL` where the database does not answer.
pub async fn generation(context: &Context<'_>) -> Result<i32> {
    let views = context.data::<Views>()?;
    let asked = match context.data_opt::<Shown>() {
        Some(shown) => shown.0.get_or_try_init(|| views.shown()).await.copied(),
        None => views.shown().await,
    };
    asked.map_err(|it| from_fault(&it))
}
