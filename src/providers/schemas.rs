//! Schemas of replies, for servers that do not enforce them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::kernel::prompt::Prompt;
use crate::providers::settings::TierModel;

/// Schemas that a server was found not to take, by model. They are laid beside the prompt instead.
#[derive(Debug, Default)]
pub(super) struct Untaken(Mutex<BTreeSet<(String, &'static str)>>);

impl Untaken {
    /// What servers call the part of a request that holds the schema, in lower case.
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

    /// Whether a model is known not to take a schema.
    pub(super) fn has(&self, model: &TierModel, schema_name: &'static str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(model.name.clone(), schema_name))
    }

    /// Remembers that a model did without.
    pub(super) fn note(&self, model: &TierModel, schema_name: &'static str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((model.name.clone(), schema_name));
    }
}

/// A prompt's text with the schema of the reply laid beside it, for servers that do not enforce it.
pub(super) fn with_schema(prompt: &Prompt) -> String {
    format!(
        "{}\n\nAnswer with one JSON object and nothing else. It has to fit this JSON Schema:\n{}",
        prompt.text, prompt.schema
    )
}
