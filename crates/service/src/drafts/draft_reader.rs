//! Reader of a debate's drafts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::drafts::draft::{Draft, DraftEnd, DraftId, Drafts};
use faultline_core::events::ids::PersonaId;

/// Time over which new words are gathered before they are returned together.
pub const GATHER: Duration = Duration::from_millis(50);

/// News of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftUpdate {
    /// The draft.
    pub id: DraftId,
    /// Persona whose turn it is to be.
    pub speaker: PersonaId,
    /// Number of characters of the draft before this piece, as this reader received them; 0 begins the draft anew.
    pub offset: usize,
    /// Next piece of the text; empty if only the end is new.
    pub text: String,
    /// End of the draft; `None` while it is being written.
    pub end: Option<DraftEnd>,
}

/// Reader of a debate's drafts. It returns what is new since its last look, however long ago that was; it misses a draft
/// only if many others began and ended in the meantime.
#[derive(Debug)]
pub struct DraftReader {
    /// Keeps the board's entry of the debate, so that the channel stays open.
    _drafts: Arc<Drafts>,
    receiver: watch::Receiver<VecDeque<Draft>>,
    /// Text that was returned of each draft on the board, in bytes and characters; drafts that ended, at their end.
    seen: BTreeMap<DraftId, Seen>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    bytes: usize,
    letters: usize,
    has_ended: bool,
}

impl DraftReader {
    pub(super) fn new(drafts: Arc<Drafts>) -> DraftReader {
        let receiver = drafts.subscribe();
        // Drafts that ended before are past.
        let ended =
            |draft: &Draft| draft.end.as_ref().map(|_| (draft.id.clone(), Seen { has_ended: true, ..Seen::default() }));
        let seen = receiver.borrow().iter().filter_map(ended).collect();
        DraftReader { _drafts: drafts, receiver, seen }
    }

    /// Returns the next news, waiting for it if there is none. Cancel-safe.
    pub async fn next(&mut self) -> DraftUpdate {
        loop {
            if let Some(update) = self.look() {
                return update;
            }
            if self.receiver.changed().await.is_err() {
                // Impossible, since the reader keeps the sender; waiting is harmless.
                std::future::pending::<()>().await;
            }
            sleep(GATHER).await;
        }
    }

    /// Returns the next news, if there is any now.
    pub(super) fn look(&mut self) -> Option<DraftUpdate> {
        let drafts = self.receiver.borrow_and_update();
        self.seen.retain(|id, _| drafts.iter().any(|draft| draft.id == *id));
        drafts.iter().find_map(|draft| {
            let seen = self.seen.get(&draft.id).copied().unwrap_or_default();
            let is_news = draft.text.len() > seen.bytes || draft.end.is_some();
            if seen.has_ended || !is_news {
                return None;
            }
            let text = draft.text[seen.bytes..].to_owned();
            let now = Seen {
                bytes: draft.text.len(),
                letters: seen.letters + text.chars().count(),
                has_ended: draft.end.is_some(),
            };
            self.seen.insert(draft.id.clone(), now);
            let (id, speaker, end) = (draft.id.clone(), draft.speaker.clone(), draft.end.clone());
            Some(DraftUpdate { id, speaker, offset: seen.letters, text, end })
        })
    }
}
