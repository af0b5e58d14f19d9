//! Whom participants sound like: what the library holds of them, learned, and their turns held against it.

use std::collections::BTreeMap;

use crate::desk::desk::{Desk, DeskError};
use crate::events::ids::PersonaId;
use crate::verdicts::board::Board;
use crate::verdicts::sound::{Sound, sounds};
use crate::voices::delta::{Voices, Works};
use crate::voices::tokens::tokens;

/// The most bytes of one participant's writings that are learned from; more change a profile by little.
pub const LEARNED_BYTES: usize = 400_000;

impl Desk {
    /// Whom each participant of a debate sounds like, of those of whom the library holds enough; empty where it holds enough
    /// of fewer than two. A corpus is read as it is now: no debate pins it.
    ///
    /// # Errors
    /// [`DeskError::Fault`] where the library cannot be read.
    pub async fn sounds(&self, board: &Board) -> Result<BTreeMap<PersonaId, Sound>, DeskError> {
        let Some(library) = self.library() else { return Ok(BTreeMap::new()) };
        let mut works = Vec::new();
        for participant in &board.summary.participants {
            let persona = participant.persona.clone();
            let documents = library.writings(&persona, LEARNED_BYTES).await?;
            works.push(Works { persona, documents: documents.iter().map(|it| tokens(it)).collect() });
        }
        Ok(Voices::learn(&works).map(|voices| sounds(&board.transcript, &voices)).unwrap_or_default())
    }
}
