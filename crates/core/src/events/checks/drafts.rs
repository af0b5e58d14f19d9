//! Drafts of turns that are checked before they are said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{CheckId, DraftId};
use crate::events::summary::{Summarize, short};
use crate::events::turn::TurnTaken;

/// A participant drafted a turn, whose claims are checked before it is taken.
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

/// A draft was rejected because claims in it were found false. Its speaker is asked for another; if none comes, this one is taken.
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
