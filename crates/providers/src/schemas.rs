//! Properties of servers that are found by trying: reply schemas that a server rejects, and models that are remembered.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::settings::TierModel;
use faultline_core::kernel::prompt::Prompt;
use faultline_core::kernel::schema::InOrder;

/// Maximum number of models for which a property is remembered; requests may name any number of them.
pub(super) const MAX_REMEMBERED: usize = 1_000;

/// Reply schemas that a server rejected, by model. These schemas are put into the prompt instead.
#[derive(Debug, Default)]
pub(super) struct RejectedSchemas {
    refused: Mutex<BTreeSet<(String, &'static str)>>,
    /// True once a server accepted a schema.
    accepted: AtomicBool,
}

impl RejectedSchemas {
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
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).contains(&(model.name.clone(), schema_name))
    }

    /// Records that the model rejected the schema.
    pub(super) fn note(&self, model: &TierModel, schema_name: &'static str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= MAX_REMEMBERED {
            refused.clear();
        }
        refused.insert((model.name.clone(), schema_name));
    }

    /// Records that the server accepted a schema.
    pub(super) fn note_accepted(&self) {
        self.accepted.store(true, Ordering::Relaxed);
    }

    /// Returns false if a schema was rejected, true if one was accepted, and `None` if neither has happened.
    pub(super) fn enforced(&self) -> Option<bool> {
        let refuses = !self.refused.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if refuses { Some(false) } else { self.accepted.load(Ordering::Relaxed).then_some(true) }
    }
}

/// Names of models for which something is remembered.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<BTreeSet<String>>);

impl Remembered {
    /// Returns true if the model is remembered.
    pub(super) fn has(&self, model: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    /// Remembers the model. Beyond [`MAX_REMEMBERED`] models, all are forgotten, and found again by trying.
    pub(super) fn note(&self, model: &str) {
        let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= MAX_REMEMBERED {
            models.clear();
        }
        models.insert(model.to_owned());
    }
}

/// Returns the end of a request with the reply schema appended, for servers that do not enforce schemas.
pub(super) fn with_schema(text: &str, prompt: &Prompt) -> String {
    // Serializing a JSON value cannot fail.
    let schema = serde_json::to_string(&InOrder(&prompt.schema)).unwrap_or_default();
    format!("{text}\n\nAnswer with one JSON object and nothing else. It has to fit this JSON Schema:\n{schema}")
}
