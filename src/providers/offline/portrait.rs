//! A persona drafted from what it wrote, by extraction: the one task that is no part of a debate.

use crate::drafting::extract::draft;
use crate::drafting::material::Material;
use crate::events::receipt::{Answer, Failure, FailureKind, Usage};

/// The draft, as JSON.
///
/// # Errors
/// [`FailureKind::Declined`] where there is nothing to draft from.
pub fn portrayed(material: &Material) -> Result<Answer, Failure> {
    if material.passages.is_empty() {
        return Err(Failure::new(FailureKind::Declined, "there is no passage to draft from"));
    }
    let text = serde_json::to_string(&draft(material))
        .map_err(|it| Failure::new(FailureKind::Hopeless, format!("a draft could not be written: {it}")))?;
    let by = "offline/extractive-1".to_owned();
    Ok(Answer { by, text, usage: Usage::default(), millis: 0, request_id: None, tries: 1, grounds: Vec::new() })
}
