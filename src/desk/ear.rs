//! Voice attribution: compares the turns of a debate with stylometric profiles learned from the library.

use std::collections::BTreeMap;

use crate::desk::desk::{Desk, DeskError};
use crate::events::ids::PersonaId;
use crate::verdicts::board::Board;
use crate::verdicts::sound::{Sound, sounds};
use crate::voices::delta::{Voices, Works};
use crate::voices::tokens::tokens;

/// Maximum number of bytes of a participant's writings to learn from; more text changes a profile only slightly.
pub const LEARNED_BYTES: usize = 400_000;

impl Desk {
    /// Returns, per participant, whose voice its turns resemble, among participants with enough text in the library;
    /// empty if fewer than two have enough. Uses the current corpus, not the one at the time of the debate.
    ///
    /// # Errors
    /// [`DeskError::Fault`] if the library cannot be read.
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
