//! GraphQL type of the preparation of a turn.

use async_graphql::{ID, SimpleObject};

use faultline_core::events::turn::Preparation;

/// Preparation of a speech: what its speaker thought before it. No verdict rests on it.
#[derive(SimpleObject, Clone)]
pub struct TurnPreparation {
    /// View of the debate and of the other side's argument. Empty, as the critique, if the speech answers nothing.
    reflection: String,
    /// Weaknesses, fallacies and counter-arguments. Empty, as the reflection, if the speech answers nothing.
    critique: String,
    /// Number of words cut off at the end, because the speech was longer than the debate allows.
    omitted_word_count: u32,
    /// Short id of the draft that became the turn, if drafts are checked.
    draft_id: Option<ID>,
    /// Ids of the checks that found a claim of the turn false, although such drafts are rejected: no attempt was left, or no other
    /// draft came. Empty if it was accepted without a violation.
    violation_ids: Vec<ID>,
}

impl From<&Preparation> for TurnPreparation {
    fn from(it: &Preparation) -> TurnPreparation {
        TurnPreparation {
            reflection: it.reflection.clone(),
            critique: it.critique.clone(),
            omitted_word_count: it.omitted_words,
            draft_id: it.draft.map(|draft| ID(draft.to_string())),
            violation_ids: it.violations.iter().map(|check| ID(check.to_string())).collect(),
        }
    }
}
