//! Check for erased debates, for code that stores what is derived from debates.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::StoreError;
use faultline_core::events::ids::DebateId;

/// Returns the erased ones among these debates, and prevents the erasure of the others until the transaction ends. Ask the
/// home: it knows of every erased debate, wherever its events are.
pub(crate) async fn erased_among(
    connection: &mut PgConnection,
    debates: &[DebateId],
) -> Result<Vec<DebateId>, StoreError> {
    let erased: Vec<Uuid> = sqlx::query_scalar("select erased_among($1)")
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(connection)
        .await
        .map_err(StoreError::database("check which debates are erased"))?;
    Ok(erased.into_iter().map(DebateId).collect())
}
