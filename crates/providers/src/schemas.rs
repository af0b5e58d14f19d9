//! Reply schemas for servers that do not enforce them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::settings::TierModel;
use faultline_core::kernel::prompt::Prompt;
use faultline_core::kernel::schema::InOrder;

/// Reply schemas that a server rejected, by model. These schemas are put into the prompt instead.
#[derive(Debug, Default)]
pub(super) struct Untaken(Mutex<BTreeSet<(String, &'static str)>>);

impl Untaken {
    /// Names under which servers refer to the schema part of a request in error messages, in lower case.
    pub(super) const NAMES: &'static [&'static str] = &[
        "response_format",
        "response format",
        "output_config",
        "output_format",
        "json_schema",
        "json schema",
        "structured output",
        "guided",
        "grammar",
    ];

    /// Returns true if the model is known to reject the schema.
    pub(super) fn has(&self, model: &TierModel, schema_name: &'static str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(model.name.clone(), schema_name))
    }

    /// Records that the model rejected the schema.
    pub(super) fn note(&self, model: &TierModel, schema_name: &'static str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((model.name.clone(), schema_name));
    }
}

/// Returns the prompt's text with the reply schema appended, for servers that do not enforce schemas.
pub(super) fn with_schema(prompt: &Prompt) -> String {
    // Serializing a JSON value cannot fail.
    let schema = serde_json::to_string(&InOrder(&prompt.schema)).unwrap_or_default();
    format!(
        "{}\n\nAnswer with one JSON object and nothing else. It has to fit this JSON Schema:\n{schema}",
        prompt.text
    )
}
