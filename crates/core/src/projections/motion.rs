//! Sides of a formal debate, drafts of turns, and what each participant has said and used in any debate.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::checks::drafts::{TurnDrafted, TurnRejected};
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DraftId, PersonaId, TurnId};
use crate::events::receipt::ProviderAnswer;
use crate::projections::projection::Projection;

/// Sides and drafts of a debate on a motion, and what each participant has said and used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// The sides, as assigned last; `None` before that.
    pub sides: Option<SidesAssigned>,
    /// Announcements of the moderator, in order.
    pub announcements: Vec<Announcement>,
    /// Drafts by id, in order.
    pub drafts: BTreeMap<DraftId, Draft>,
    /// What each participant has said and used, whatever the engine.
    pub speakers: BTreeMap<PersonaId, SpeakerUse>,
    latest: Option<TurnId>,
}

/// Announcement of the moderator at the beginning of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// Name of the phase.
    pub phase: String,
    /// Number of the round, if the phase has rounds.
    pub round: Option<u32>,
    /// Text of the announcement.
    pub text: String,
    /// The latest turn before it; `None` before the first.
    pub after: Option<TurnId>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

/// Draft of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The draft.
    #[serde(flatten)]
    pub drafted: TurnDrafted,
    /// Its rejection, if there was one. A rejected draft is taken all the same if no other one comes.
    pub rejected: Option<TurnRejected>,
    /// The turn that it became; `None` if it was not taken.
    pub said_in: Option<TurnId>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
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

impl Motion {
    /// Next unused draft id.
    pub fn next_draft(&self) -> DraftId {
        DraftId(self.drafts.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Returns the sum over the participants of a side.
    pub fn used_by(&self, side: MotionSide) -> SpeakerUse {
        let members = self.sides.as_ref().map_or(&[][..], |sides| sides.of(side));
        members.iter().filter_map(|id| self.speakers.get(id)).fold(SpeakerUse::default(), |sum, used| sum.plus(*used))
    }

    fn used(&mut self, subject: &str, answer: &ProviderAnswer) {
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

impl Projection for Motion {
    fn apply(&mut self, recorded: &Recorded) {
        if let Some(opened) = recorded.event.opening() {
            for participant in &opened.participants {
                self.speakers.entry(participant.id.clone()).or_default();
            }
        }
        match &recorded.event {
            Event::SidesAssigned(sides) => self.sides = Some(sides.clone()),
            Event::TurnDrafted(drafted) => {
                let (version, at) = (recorded.version, recorded.at);
                let draft = Draft { drafted: drafted.clone(), rejected: None, said_in: None, version, at };
                self.drafts.insert(drafted.draft, draft);
            }
            Event::TurnRejected(rejected) => {
                if let Some(draft) = self.drafts.get_mut(&rejected.draft) {
                    draft.rejected = Some(rejected.clone());
                    self.speakers.entry(draft.drafted.turn.speaker.clone()).or_default().rejections += 1;
                }
            }
            Event::PhaseEntered(entered) => {
                let (version, at, after) = (recorded.version, recorded.at, self.latest);
                self.announcements.extend(entered.announcement.clone().map(|text| {
                    let (phase, round) = (entered.phase.clone(), entered.round);
                    Announcement { phase, round, text, after, version, at }
                }));
            }
            Event::Interjected(said) => self.latest = Some(said.turn),
            Event::TurnTaken(taken) => {
                self.latest = Some(taken.turn);
                let used = self.speakers.entry(taken.speaker.clone()).or_default();
                used.turns += 1;
                used.words += taken.text.split_whitespace().count() as u64;
                if let Some(preparation) = &taken.preparation {
                    used.violations += u32::from(!preparation.violations.is_empty());
                    if let Some(draft) = preparation.draft.and_then(|draft| self.drafts.get_mut(&draft)) {
                        draft.said_in = Some(taken.turn);
                    }
                }
            }
            Event::EffectAnswered(it) => self.used(&it.key.subject, &it.answer),
            Event::SearchRequested(it) => self.used(&it.key.subject, &it.answer),
            Event::EffectFailed(it) => {
                if let Some(answer) = &it.answer {
                    self.used(&it.key.subject, answer);
                }
            }
            _ => {}
        }
    }
}
