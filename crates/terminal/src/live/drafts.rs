//! Drafts on the terminal: the last words of turns that a model is generating. They vanish when the turn is recorded.

use std::collections::BTreeMap;

use crate::speakers::Speakers;
use crate::text::clean::clean;
use crate::text::page::TextPage;
use crate::text::span::{in_line, trusted};
use crate::text::style::Tone;
use crate::text::wrap::wrap;
use faultline_core::events::ids::PersonaId;
use faultline_service::drafts::draft::DraftId;
use faultline_service::drafts::draft_reader::DraftUpdate;

/// Maximum number of drafts shown at once.
const MAX_SHOWN: usize = 3;
/// Maximum number of lines of a draft.
const MAX_LINES: usize = 2;
/// Number of characters at the end of a draft that are kept.
const TAIL: usize = 600;
/// Indentation of a draft's words.
const INDENT: &str = "    ";

/// Drafts that are being written.
#[derive(Clone, Debug, Default)]
pub struct LiveDrafts {
    open: BTreeMap<DraftId, (PersonaId, String)>,
}

impl LiveDrafts {
    /// Applies news of a draft. The reason of a discarded one is shown with the event that records the failure.
    pub fn apply(&mut self, update: DraftUpdate) {
        if update.end.is_some() {
            self.open.remove(&update.id);
            return;
        }
        let (_, text) = self.open.entry(update.id).or_insert_with(|| (update.speaker, String::new()));
        text.push_str(&update.text);
        if let Some((from, _)) = text.char_indices().rev().nth(TAIL) {
            text.drain(..from);
        }
    }

    /// Returns the lines to show, each at most as wide as the page; they contain no escape sequence.
    pub fn lines(&self, speakers: &Speakers, page: &TextPage) -> Vec<String> {
        let mut lines = Vec::new();
        for (speaker, text) in self.open.values().take(MAX_SHOWN) {
            lines.push(page.fit(&format!("{}, not yet said:", speakers.get(speaker).name), page.room()));
            let room = page.room() - INDENT.len();
            let wrapped = wrap(&[trusted(Tone::Plain, in_line(&clean(text)))], room);
            let last = &wrapped[wrapped.len().saturating_sub(MAX_LINES)..];
            lines.extend(last.iter().map(|line| {
                let words: String = line.iter().map(|span| span.text.as_str()).collect();
                format!("{INDENT}{}", page.fit(&words, room))
            }));
        }
        if self.open.len() > MAX_SHOWN {
            lines.push(format!("and {} more", self.open.len() - MAX_SHOWN));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::style::TerminalStyle;
    use faultline_core::events::receipt::EffectKey;

    #[test]
    fn the_last_words_of_open_drafts_are_shown() {
        let update = |subject: &str, text: &str, end| {
            let key = EffectKey { purpose: "turn".into(), subject: subject.into(), ordinal: 0 };
            let id = DraftId { key, attempt: 1, reply: 1 };
            let speaker = subject.parse().unwrap_or_else(|_| panic!("{subject} is no id"));
            DraftUpdate { id, speaker, offset: 0, text: text.to_owned(), end }
        };
        let mut drafts = LiveDrafts::default();
        let page = TextPage::new(TerminalStyle { width: 60, colour: false, unicode: true });
        let lines = |drafts: &LiveDrafts| drafts.lines(&Speakers::default(), &page);
        assert!(lines(&drafts).is_empty());
        drafts.apply(update("ada", "The night boat\n", None));
        drafts.apply(update("ada", "is late.\u{1b}[31m", None));
        assert_eq!(lines(&drafts), ["ada, not yet said:", "    The night boat is late."]);
        drafts.apply(update("ben", &"word ".repeat(500), None));
        let shown = lines(&drafts);
        assert_eq!((shown.len(), shown.iter().all(|line| line.len() <= page.room())), (5, true), "{shown:?}");
        let said = faultline_service::drafts::draft::DraftEnd::Said(faultline_core::events::ids::TurnId(1));
        drafts.apply(update("ada", "", Some(said.clone())));
        drafts.apply(update("ben", "", Some(said)));
        assert!(lines(&drafts).is_empty());
    }
}
