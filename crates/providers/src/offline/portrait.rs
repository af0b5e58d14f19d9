//! Draft of a persona from its corpus, by extraction. The only task that is not part of a debate.

use faultline_core::drafting::extract::draft;
use faultline_core::drafting::material::Material;
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};

/// Drafts a persona from its passages; the answer is the draft as JSON.
///
/// # Errors
/// [`FailureKind::Declined`] if there are no passages; [`FailureKind::Hopeless`] if the draft cannot be serialized.
pub fn portrayed(material: &Material) -> Result<ProviderAnswer, Failure> {
    if material.passages.is_empty() {
        return Err(Failure::new(FailureKind::Declined, "there are no passages to draft from"));
    }
    let text = serde_json::to_string(&draft(material))
        .map_err(|error| Failure::new(FailureKind::Hopeless, format!("cannot serialize the draft: {error}")))?;
    let by = "offline/extractive-1".to_owned();
    Ok(ProviderAnswer { by, text, usage: Usage::default(), millis: 0, request_id: None, tries: 1, grounds: Vec::new() })
}
