//! Debates that come in from elsewhere: whole, once, or not at all.

use crate::desk::audit;
use crate::desk::desk::{Desk, DeskError};
use crate::imports::import::Imported;
use crate::imports::shape::Shape;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::restore::{RestoreError, Restored};
use crate::verdicts::board::Board;

impl Desk {
    /// Records a debate that was read from a file. Brought in again, it changes nothing.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where another debate of its name is here, a fork's origin is not, or an event is too large.
    pub async fn import(&self, imported: &Imported) -> Result<Restored, DeskError> {
        let restored = self.log().restore(&imported.events, imported.timed).await;
        if matches!(restored, Ok(Restored::Recorded)) {
            audit::done(self.actor(), "import", &imported.debate);
        }
        restored.map_err(|error| match error {
            RestoreError::Fault(fault) => fault.into(),
            RestoreError::TooLarge { .. } => Refusal::new(RefusalKind::Limit, error.to_string()).into(),
            // Its name is made from its content: only how it is read can have changed.
            RestoreError::Differs { .. } if imported.report.shape != Shape::Own => {
                let reason = format!("{error}: the file was imported by another revision of the reader");
                Refusal::new(RefusalKind::Conflict, reason).into()
            }
            RestoreError::Differs { .. } | RestoreError::NoOrigin { .. } => {
                Refusal::new(RefusalKind::Conflict, error.to_string()).into()
            }
        })
    }

    /// Records a debate that was read from a file, and shows it as it is here now.
    ///
    /// # Errors
    /// As [`Desk::import`].
    pub async fn imported(&self, imported: &Imported) -> Result<Board, DeskError> {
        self.import(imported).await?;
        self.board(imported.debate, None).await
    }
}
