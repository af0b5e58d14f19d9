//! GraphQL types of drafts.

use async_graphql::{Enum, ID, SimpleObject};

use faultline_service::drafts::draft::DraftEnd;
use faultline_service::drafts::draft_reader::DraftUpdate;

/// News of a draft: the next words of a turn that a model is generating, or its end. A draft is not yet said.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct TurnDraft {
    /// Identity of the draft within the debate. A repeated request begins another draft.
    draft_id: ID,
    /// Id of the persona whose turn it is to be.
    pub(crate) speaker_id: ID,
    /// Number of the attempt at the turn, from 1.
    attempt: u32,
    /// Number of characters of the draft that were sent before; 0 begins it anew.
    offset: u32,
    /// Next piece of the text; may be empty at the end.
    text: String,
    /// State of the draft.
    state: DraftState,
    /// Id of the recorded turn, if the draft was said. The text of the turn replaces the draft.
    turn_id: Option<ID>,
    /// Reason, if the draft was discarded.
    reason: Option<String>,
}

/// States of a draft.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftState {
    /// It is being generated.
    Writing,
    /// Its turn is recorded.
    Said,
    /// It was not said.
    Discarded,
}

impl From<DraftUpdate> for TurnDraft {
    fn from(update: DraftUpdate) -> TurnDraft {
        let (state, turn_id, reason) = match update.end {
            None => (DraftState::Writing, None, None),
            Some(DraftEnd::Said(turn)) => (DraftState::Said, Some(ID(turn.to_string())), None),
            Some(DraftEnd::Discarded(reason)) => (DraftState::Discarded, None, Some(reason)),
        };
        TurnDraft {
            draft_id: ID(update.id.to_string()),
            speaker_id: ID(update.speaker.to_string()),
            attempt: update.id.attempt,
            offset: u32::try_from(update.offset).unwrap_or(u32::MAX),
            text: update.text,
            state,
            turn_id,
            reason,
        }
    }
}
