//! Words and calls of each participant, in every engine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{DraftId, PersonaId};
use crate::events::receipt::ProviderAnswer;
use crate::projections::projection::Projection;

/// Words and calls of all participants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeakersUse {
    /// Words and calls by participant. Whoever takes part is listed, also before they speak.
    pub speakers: BTreeMap<PersonaId, SpeakerUse>,
    /// Authors of drafts, of which a rejection names the draft alone.
    authors: BTreeMap<DraftId, PersonaId>,
}

/// Words and calls of a participant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpeakerUse {
    /// Number of turns.
    pub turns: u32,
    /// Number of words in them, separated by white space.
    pub words: u64,
    /// Number of rejected drafts.
    pub rejections: u32,
    /// Number of turns that were taken although a claim in them was found false.
    pub violations: u32,
    /// Number of answered calls, unusable answers included.
    pub calls: u32,
    /// Tokens of these calls, read and written.
    pub tokens: u64,
    /// Cost of these calls, in millionths of a US dollar.
    pub cost_micros: u64,
    /// Milliseconds of these calls.
    pub millis: u64,
}

impl SpeakerUse {
    /// Returns the sum of two.
    #[must_use]
    pub fn plus(self, other: SpeakerUse) -> SpeakerUse {
        SpeakerUse {
            turns: self.turns.saturating_add(other.turns),
            words: self.words.saturating_add(other.words),
            rejections: self.rejections.saturating_add(other.rejections),
            violations: self.violations.saturating_add(other.violations),
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
            millis: self.millis.saturating_add(other.millis),
        }
    }
}

impl SpeakersUse {
    /// Returns the sum over some participants.
    pub fn of_all<'a>(&self, participants: impl IntoIterator<Item = &'a PersonaId>) -> SpeakerUse {
        let used = participants.into_iter().filter_map(|id| self.speakers.get(id));
        used.fold(SpeakerUse::default(), |sum, used| sum.plus(*used))
    }

    fn called(&mut self, subject: &str, answer: &ProviderAnswer) {
        // The subjects of other calls are clerks.
        let Some(used) = self.speakers.iter_mut().find_map(|(id, used)| (id.as_str() == subject).then_some(used))
        else {
            return;
        };
        used.calls = used.calls.saturating_add(1);
        used.tokens = used.tokens.saturating_add(answer.usage.tokens());
        used.cost_micros = used.cost_micros.saturating_add(answer.usage.cost_micros);
        used.millis = used.millis.saturating_add(u64::from(answer.millis));
    }
}

impl Projection for SpeakersUse {
    fn apply(&mut self, recorded: &Recorded) {
        if let Some(opened) = recorded.event.opening() {
            for participant in &opened.participants {
                self.speakers.entry(participant.id.clone()).or_default();
            }
        }
        match &recorded.event {
            Event::TurnDrafted(drafted) => {
                self.authors.insert(drafted.draft, drafted.turn.speaker.clone());
            }
            Event::TurnRejected(rejected) => {
                if let Some(author) = self.authors.get(&rejected.draft) {
                    self.speakers.entry(author.clone()).or_default().rejections += 1;
                }
            }
            Event::TurnTaken(taken) => {
                let used = self.speakers.entry(taken.speaker.clone()).or_default();
                used.turns += 1;
                used.words += taken.text.split_whitespace().count() as u64;
                if let Some(preparation) = &taken.preparation {
                    used.violations += u32::from(!preparation.violations.is_empty());
                }
            }
            Event::EffectAnswered(it) => self.called(&it.key.subject, &it.answer),
            Event::SearchRequested(it) => self.called(&it.key.subject, &it.answer),
            Event::EffectFailed(it) => {
                if let Some(answer) = &it.answer {
                    self.called(&it.key.subject, answer);
                }
            }
            _ => {}
        }
    }
}
