//! Sources of talks: a debate that distils the talk of another one anew has its words, and must be erased with it.

use crate::database::erased::erased_among;
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::log::log::Log;
use faultline_core::events::ids::DebateId;

impl Log {
    /// Records that a debate distils the talk of `source` anew. Call this before the debate's first events are recorded:
    /// an erasure of the source then either comes first, and this call fails, or it finds the debate, and its id can no
    /// longer be used. The first recorded source of a debate stays. If the debate is never recorded after all, its id is
    /// erased together with the source.
    ///
    /// # Errors
    /// [`StoreError::Erased`] if the source is erased; any other [`StoreError`] if the database cannot be reached or refuses
    /// the statement.
    pub async fn record_talk_source(&self, debate: DebateId, source: DebateId) -> Result<(), StoreError> {
        let attempt = StoreError::database("record the source of a talk");
        let mut transaction = begin(self.pool()).await.map_err(&attempt)?;
        if let Some(debate) = erased_among(&mut transaction, &[source]).await?.first() {
            return Err(StoreError::Erased { debate: *debate });
        }
        sqlx::query(
            "insert into talk_sources (debate, source)
            values ($1, $2)
            on conflict (debate) do nothing",
        )
        .bind(debate.0)
        .bind(source.0)
        .execute(&mut *transaction)
        .await
        .map_err(&attempt)?;
        transaction.commit().await.map_err(attempt)
    }
}
