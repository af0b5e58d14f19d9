//! Drafts of turns that are checked before they are said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{CheckId, DraftId};
use crate::events::summary::{Summarize, short};
use crate::events::turn::TurnTaken;

/// A participant drafted a turn. It is said only if its facts are not found false, or no attempt is left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnDrafted {
    /// The draft.
    pub draft: DraftId,
    /// Number of the attempt at this turn, from 1.
    pub attempt: u32,
    /// The turn as it is taken if the draft is accepted.
    pub turn: Box<TurnTaken>,
}

impl Summarize for TurnDrafted {
    fn summary(&self) -> String {
        let (turn, attempt) = (&self.turn, self.attempt);
        format!("{} {} for {}, attempt {attempt}: {}", self.draft, turn.speaker, turn.turn, short(&turn.text))
    }
}

/// A draft was rejected because facts in it were found false. Its speaker is asked for another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnRejected {
    /// The draft.
    pub draft: DraftId,
    /// Checks that found a claim of the draft false; at least one.
    pub checks: Vec<CheckId>,
    /// Reason, for people.
    pub reason: String,
}

impl Summarize for TurnRejected {
    fn summary(&self) -> String {
        format!("{}: {}", self.draft, short(&self.reason))
    }
}

/// Preparation of a turn that was reflected on before it was written. It is shown, and no verdict rests on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preparation {
    /// The speaker's view of the debate and of the other side's argument.
    pub reflection: String,
    /// Weaknesses, fallacies and counter-arguments that the speaker sees.
    pub critique: String,
    /// Number of words cut off at the end, because the speech was longer than the debate allows; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_words: u32,
    /// The draft that became the turn, if drafts are checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftId>,
    /// Checks that found a claim of the turn false, although such drafts are rejected: no attempt was left, or no other draft came.
    /// Empty if the turn was accepted without a violation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<CheckId>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
