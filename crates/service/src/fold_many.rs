//! Folds several debates in one batch.

use crate::compute::compute;
use crate::error::ServiceError;
use crate::service::DebateService;
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
    /// Cost: one call of [`faultline_store::log::log::Log::read_ranges`], regardless of the number of debates; folding runs on the
    /// compute pool.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if a stream cannot be read or the service is stopping.
    pub async fn read_models(&self, debates: &[(DebateId, i64)]) -> Result<Vec<DebateReadModel>, ServiceError> {
        let ranges: Vec<StreamRange> =
            debates.iter().map(|(debate, version)| StreamRange { debate: *debate, after: 0, upto: *version }).collect();
        let streams = self.read_ranges(&ranges).await?;
        let fold = move || {
            let read_model = |events: Vec<_>| {
                let mut read_model = DebateReadModel::default();
                events.iter().take_while(|_| !is_cancelled()).try_for_each(|event: &StoredEvent| {
                    read_model.apply(&event.read()?);
                    Ok::<_, StoreError>(())
                })?;
                Ok(read_model)
            };
            streams.into_iter().map(read_model).collect::<Result<Vec<DebateReadModel>, StoreError>>()
        };
        Ok(compute(fold).await.map_err(|_| StoreError::Stopped)??)
    }
}
