//! Imports of debates from files: each is recorded completely and once, or not at all.

use crate::desk::audit;
use crate::desk::desk::{Desk, DeskError};
use crate::imports::import::Imported;
use crate::imports::shape::Shape;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::restore::{RestoreError, Restored};
use crate::verdicts::board::Board;

impl Desk {
    /// Records a debate that was read from a file. A repeated import changes nothing.
    ///
    /// # Errors
    /// [`DeskError::Refused`] if a different debate with the same id exists, the origin of a fork is missing, or an
    /// event is too large; [`DeskError::Fault`] if the log cannot be written.
    pub async fn import(&self, imported: &Imported) -> Result<Restored, DeskError> {
        let restored = self.log().restore(&imported.events, imported.timed).await;
        if matches!(restored, Ok(Restored::Recorded)) {
            audit::done(self.actor(), "import", &imported.debate);
        }
        restored.map_err(|error| match error {
            RestoreError::Fault(fault) => fault.into(),
            RestoreError::TooLarge { .. } => Refusal::new(RefusalKind::Limit, error.to_string()).into(),
            // The id is derived from the content, so only the reader can have changed.
            RestoreError::Differs { .. } if imported.report.shape != Shape::Own => {
                let reason = format!("{error}: the file was already imported by another version of the importer");
                Refusal::new(RefusalKind::Conflict, reason).into()
            }
            RestoreError::Differs { .. } | RestoreError::NoOrigin { .. } => {
                Refusal::new(RefusalKind::Conflict, error.to_string()).into()
            }
        })
    }

    /// Records a debate that was read from a file and returns its current read model.
    ///
    /// # Errors
    /// As [`Desk::import`].
    pub async fn imported(&self, imported: &Imported) -> Result<Board, DeskError> {
        self.import(imported).await?;
        self.board(imported.debate, None).await
    }
}
