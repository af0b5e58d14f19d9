//! Folds several debates in one batch.

use crate::argumentation::cancellation::is_cancelled;
use crate::desk::compute::compute;
use crate::desk::desk::{Desk, DeskError};
use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::stretches::Part;
use crate::verdicts::board::Board;

impl Desk {
    /// Folds debates, each up to a version, in the order requested. A debate that does not exist gives an empty read
    /// model.
    ///
    /// Cost: one call of [`crate::store::log::Log::parts`], regardless of the number of debates; folding runs on the
    /// compute pool.
    ///
    /// # Errors
    /// [`DeskError::Fault`] if a stream cannot be read or the service is stopping.
    pub async fn boards(&self, wanted: &[(DebateId, i64)]) -> Result<Vec<Board>, DeskError> {
        let parts: Vec<Part> =
            wanted.iter().map(|(debate, at)| Part { debate: *debate, after: 0, upto: *at }).collect();
        let streams = self.parts(&parts).await?;
        let fold = move || {
            let board = |events: Vec<_>| {
                let mut board = Board::default();
                events.iter().take_while(|_| !is_cancelled()).try_for_each(|it: &Kept| {
                    board.apply(&it.read()?);
                    Ok::<_, Fault>(())
                })?;
                Ok(board)
            };
            streams.into_iter().map(board).collect::<Result<Vec<Board>, Fault>>()
        };
        Ok(compute(fold).await.map_err(|_| Fault::Stopped)??)
    }
}
