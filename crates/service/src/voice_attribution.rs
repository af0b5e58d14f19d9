//! Voice attribution: compares the turns of a debate with stylometric profiles learned from the library.

use std::collections::BTreeMap;

use crate::error::ServiceError;
use crate::service::DebateService;
use faultline_core::events::ids::PersonaId;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::voice_attribution::{Attribution, sounds};
use faultline_core::voices::delta::{VoiceProfiles, WriterTexts};
use faultline_core::voices::tokens::tokens;

/// Maximum number of bytes of a participant's writings to learn from; more text changes a profile only slightly.
pub const MAX_LEARNED_BYTES: usize = 400_000;

impl DebateService {
    /// Returns, per participant, whose voice its turns resemble, among participants with enough text in the library;
    /// empty if fewer than two have enough. Uses the current corpus, not the one at the time of the debate.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the library cannot be read.
    pub async fn voice_attributions(
        &self,
        read_model: &DebateReadModel,
    ) -> Result<BTreeMap<PersonaId, Attribution>, ServiceError> {
        let Some(library) = self.library() else { return Ok(BTreeMap::new()) };
        let mut works = Vec::new();
        for participant in &read_model.summary.participants {
            let persona = participant.persona.clone();
            let documents = library.writings(&persona, MAX_LEARNED_BYTES).await?;
            works.push(WriterTexts { persona, documents: documents.iter().map(|document| tokens(document)).collect() });
        }
        Ok(VoiceProfiles::learn(&works).map(|voices| sounds(&read_model.transcript, &voices)).unwrap_or_default())
    }
}
