//! Board of the drafts that are being written in this process.
//!
//! Writers change the board and return at once. Readers look at it at their own pace: a slow reader finds more text at
//! its next look, and no writer or other reader waits for it. Nothing is queued; the board keeps at most [`MAX_DRAFTS`]
//! drafts of a debate, each with at most [`MAX_DRAFT_BYTES`](crate::drafts::draft::MAX_DRAFT_BYTES) of text.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;

use crate::drafts::draft::{Draft, DraftEnd, DraftId, Drafts};
use crate::drafts::draft_reader::DraftReader;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::receipt::EffectKey;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::spoken_text::{SpokenText, spoken_field};
use faultline_providers::ports::DraftSink;

/// Maximum number of drafts of one debate on the board; the oldest that have ended make room for new ones.
pub const MAX_DRAFTS: usize = 64;
/// Reason of a draft whose call ended with its runner.
const INTERRUPTED: &str = "the call was interrupted";

/// Drafts of all debates that this process drives. Clones share the board.
#[derive(Clone, Debug, Default)]
pub struct DraftBoard(Arc<Mutex<HashMap<DebateId, Weak<Drafts>>>>);

impl DraftBoard {
    /// Opens the drafts of a debate for writing. When the writer is dropped, drafts that have not ended are discarded.
    pub fn open(&self, debate: DebateId) -> DebateDrafts {
        DebateDrafts { drafts: self.of(debate) }
    }

    /// Reads the drafts of a debate: those that are being written, from their first word, and new ones as they begin.
    /// Drafts of debates that another process drives never appear.
    pub fn read(&self, debate: DebateId) -> DraftReader {
        DraftReader::new(self.of(debate))
    }

    fn of(&self, debate: DebateId) -> Arc<Drafts> {
        let mut debates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(drafts) = debates.get(&debate).and_then(Weak::upgrade) {
            return drafts;
        }
        // Entries of debates that nobody writes or reads any more.
        debates.retain(|_, drafts| drafts.strong_count() > 0);
        let drafts = Arc::new(watch::Sender::new(VecDeque::new()));
        debates.insert(debate, Arc::downgrade(&drafts));
        drafts
    }
}

/// Drafts of one debate, for the runner that drives it.
#[derive(Debug)]
pub struct DebateDrafts {
    drafts: Arc<Drafts>,
}

impl DebateDrafts {
    /// Begins the drafts of one attempt. Nothing is shown if the reply has no field that is spoken.
    pub fn begin(&self, ask: &EffectAttempt) -> DraftWriter {
        let spoken = ask.prompt.task.speaker.clone().zip(spoken_field(&ask.prompt.schema));
        let id = DraftId { key: ask.key.clone(), attempt: ask.attempt, reply: 1 };
        let writing = spoken.map(|(speaker, field)| Writing { speaker, field, id, reader: SpokenText::new(field) });
        DraftWriter { drafts: Arc::clone(&self.drafts), writing: Mutex::new(writing) }
    }

    /// Ends the drafts of an attempt by the events that were appended for it.
    pub fn settle(&self, key: &EffectKey, end: &DraftEnd) {
        self.end_where(end, |draft| draft.id.key == *key);
    }

    fn end_where(&self, end: &DraftEnd, is_meant: impl Fn(&Draft) -> bool) {
        self.drafts.send_if_modified(|drafts| {
            let open = drafts.iter_mut().filter(|draft| draft.end.is_none() && is_meant(draft));
            open.map(|draft| draft.end = Some(end.clone())).count() > 0
        });
    }
}

impl Drop for DebateDrafts {
    fn drop(&mut self) {
        self.end_where(&DraftEnd::Discarded(INTERRUPTED.to_owned()), |_| true);
    }
}

/// Writer of the drafts of one attempt.
#[derive(Debug)]
pub struct DraftWriter {
    drafts: Arc<Drafts>,
    /// `None` if nothing of the reply is spoken.
    writing: Mutex<Option<Writing>>,
}

#[derive(Debug)]
struct Writing {
    speaker: PersonaId,
    field: &'static str,
    id: DraftId,
    reader: SpokenText,
}

impl DraftSink for DraftWriter {
    fn write(&self, piece: &str) {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writing) = writing.as_mut() else { return };
        let spoken = writing.reader.push(piece);
        if !spoken.is_empty() {
            self.drafts.send_if_modified(|drafts| write(drafts, writing, &spoken));
        }
    }

    fn discard(&self, reason: &str) {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writing) = writing.as_mut() else { return };
        self.drafts.send_if_modified(|drafts| {
            let draft = drafts.iter_mut().find(|draft| draft.id == writing.id);
            draft.map(|draft| draft.end = Some(DraftEnd::Discarded(reason.to_owned()))).is_some()
        });
        writing.id.reply += 1;
        writing.reader = SpokenText::new(writing.field);
    }
}

/// Appends to a draft, or begins it; returns whether the board changed.
fn write(drafts: &mut VecDeque<Draft>, writing: &Writing, spoken: &str) -> bool {
    if let Some(draft) = drafts.iter_mut().find(|draft| draft.id == writing.id) {
        return draft.append(spoken);
    }
    if drafts.len() == MAX_DRAFTS {
        let Some(oldest) = drafts.iter().position(|draft| draft.end.is_some()) else { return false };
        drafts.remove(oldest);
    }
    let (id, speaker) = (writing.id.clone(), writing.speaker.clone());
    let mut draft = Draft::new(id, speaker);
    draft.append(spoken);
    drafts.push_back(draft);
    true
}
