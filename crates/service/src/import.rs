//! Imports of debates from files: each is recorded completely and once, or not at all.

use crate::audit;
use crate::error::ServiceError;
use crate::service::DebateService;
use faultline_core::engines::baseline::recorded_talk;
use faultline_core::imports::import::Imported;
use faultline_core::imports::shape::Shape;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::erasure::restore::{RestoreError, RestoreOutcome};
use faultline_store::log::append::MAX_BODY_BYTES;

impl DebateService {
    /// Records a debate that was read from a file. A repeated import changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if a different debate with the same id exists, the origin of a fork is missing, or an
    /// event is too large; [`ServiceError::Fault`] if the log cannot be written.
    pub async fn import(&self, imported: &Imported) -> Result<RestoreOutcome, ServiceError> {
        self.record_talk_source(imported).await?;
        let restored = self.log().restore(&imported.events, imported.timed).await;
        if matches!(restored, Ok(RestoreOutcome::Recorded)) {
            audit::done(self.actor(), "import", &imported.debate);
        }
        restored.map_err(|error| refused(imported, error))
    }

    /// Records whose talk the debate distils anew, if it does and is not there yet: it is erased with that debate.
    async fn record_talk_source(&self, imported: &Imported) -> Result<(), ServiceError> {
        let own = imported.events.iter().find(|event| event.debate == imported.debate);
        let opening = own.and_then(|event| event.event.opening());
        if let Some(of) = opening.and_then(recorded_talk::of)
            && self.log().head(imported.debate).await? == 0
        {
            self.log().record_talk_source(imported.debate, of.debate).await?;
        }
        Ok(())
    }

    /// Returns what [`DebateService::import`] would do now, without recording anything.
    ///
    /// # Errors
    /// As [`DebateService::import`].
    pub async fn foretell_import(&self, imported: &Imported) -> Result<RestoreOutcome, ServiceError> {
        let foretold = self.log().foretell_restore(&imported.events, imported.timed).await;
        foretold.map_err(|error| refused(imported, error))
    }

    /// Records a debate that was read from a file and returns its current read model.
    ///
    /// # Errors
    /// As [`DebateService::import`].
    pub async fn imported(&self, imported: &Imported) -> Result<DebateReadModel, ServiceError> {
        self.import(imported).await?;
        self.read_model(imported.debate, None).await
    }
}

fn refused(imported: &Imported, error: RestoreError) -> ServiceError {
    match error {
        RestoreError::Fault(fault) => fault.into(),
        RestoreError::TooLarge { actual, .. } => {
            Refusal::limit("event_bytes", MAX_BODY_BYTES as u64, actual as u64, error.to_string()).into()
        }
        // The id is derived from the content, so only the reader can have changed.
        RestoreError::Differs { .. } if imported.report.shape != Shape::Own => {
            let reason = format!("{error}: the file was already imported by another version of the importer");
            Refusal::new(RefusalKind::Conflict, reason).into()
        }
        RestoreError::Differs { .. } | RestoreError::NoOrigin { .. } => {
            Refusal::new(RefusalKind::Conflict, error.to_string()).into()
        }
    }
}
