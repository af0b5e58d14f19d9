//! Folds several debates in one batch.

use crate::service::compute::compute;
use crate::service::service::{DebateService, ServiceError};
use faultline_argumentation::cancellation::is_cancelled;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::error::StoreError;
use faultline_store::log::stored_event::StoredEvent;
use faultline_store::log::stream_ranges::StreamRange;

impl DebateService {
    /// Folds debates, each up to a version, in the order requested. A debate that does not exist gives an empty read
    /// model.
    ///
    /// Cost: one call of [`faultline_store::log::log::Log::parts`], regardless of the number of debates; folding runs on the
    /// compute pool.
    ///
    /// # Errors
    /// [`ServiceError::StoreError`] if a stream cannot be read or the service is stopping.
    pub async fn boards(&self, wanted: &[(DebateId, i64)]) -> Result<Vec<DebateReadModel>, ServiceError> {
        let parts: Vec<StreamRange> =
            wanted.iter().map(|(debate, at)| StreamRange { debate: *debate, after: 0, upto: *at }).collect();
        let streams = self.parts(&parts).await?;
        let fold = move || {
            let board = |events: Vec<_>| {
                let mut board = DebateReadModel::default();
                events.iter().take_while(|_| !is_cancelled()).try_for_each(|it: &StoredEvent| {
                    board.apply(&it.read()?);
                    Ok::<_, StoreError>(())
                })?;
                Ok(board)
            };
            streams.into_iter().map(board).collect::<Result<Vec<DebateReadModel>, StoreError>>()
        };
        Ok(compute(fold).await.map_err(|_| StoreError::Stopped)??)
    }
}
