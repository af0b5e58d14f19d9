//! A draft: its identity, its text so far, and its end.

use std::collections::VecDeque;

use tokio::sync::watch;

use faultline_core::events::event::Event;
use faultline_core::events::ids::{PersonaId, TurnId};
use faultline_core::events::receipt::EffectKey;

/// Maximum size of a draft's text, in bytes. The rest of a longer reply is not shown.
pub const MAX_DRAFT_BYTES: usize = 16 << 10;

/// Drafts of one debate.
pub(super) type Drafts = watch::Sender<VecDeque<Draft>>;

/// A draft on the board.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) id: DraftId,
    pub(super) speaker: PersonaId,
    pub(super) text: String,
    /// True once a part of the reply did not fit; nothing is appended after it.
    is_full: bool,
    pub(super) end: Option<DraftEnd>,
}

/// Identity of a draft: the attempt at an effect, and the number of the reply to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DraftId {
    /// Key of the effect.
    pub key: EffectKey,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Number of the reply within the attempt, from 1: a call that breaks off is repeated.
    pub reply: u32,
}

impl std::fmt::Display for DraftId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.key, self.attempt, self.reply)
    }
}

/// End of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftEnd {
    /// It was said: the turn is recorded, and its text replaces the draft.
    Said(TurnId),
    /// It was not said, for this reason.
    Discarded(String),
}

impl DraftEnd {
    /// Returns the end of a draft by the events that its reply added to the log; none are added if the debate had ended.
    pub fn of(events: &[Event]) -> DraftEnd {
        let turn = events.iter().find_map(|event| match event {
            Event::TurnTaken(taken) => Some(DraftEnd::Said(taken.turn)),
            _ => None,
        });
        let reason = || match events.first() {
            Some(Event::EffectFailed(failed)) => failed.failure.message.clone(),
            Some(Event::EffectAnswered(answered)) if answered.ignored => "the reply was no longer needed".to_owned(),
            Some(Event::SearchRequested(_)) => "the speaker asked for a search first".to_owned(),
            Some(_) => "the reply contained no turn".to_owned(),
            None => "the debate had ended".to_owned(),
        };
        turn.unwrap_or_else(|| DraftEnd::Discarded(reason()))
    }
}

impl Draft {
    /// Creates a draft without a text.
    pub(super) fn new(id: DraftId, speaker: PersonaId) -> Draft {
        Draft { id, speaker, text: String::new(), is_full: false, end: None }
    }

    /// Appends what fits; returns whether the text changed.
    pub(super) fn append(&mut self, spoken: &str) -> bool {
        if self.is_full {
            return false;
        }
        let fitting = spoken.floor_char_boundary(MAX_DRAFT_BYTES - self.text.len());
        self.text.push_str(&spoken[..fitting]);
        self.is_full = fitting < spoken.len();
        fitting > 0
    }
}
