//! Searches that speakers asked for in the middle of the debate, with their results.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{DraftId, PersonaId, TurnId};
use crate::events::receipt::{EffectKey, EffectRequested, PassageRef};
use crate::events::receipt::{SearchRequested, SearchResult};
use crate::projections::projection::Projection;

/// Searches of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Searches {
    /// All searches, in order.
    pub all: Vec<SpeakerSearch>,
    /// Index of the search whose answer is being recorded.
    answered: Option<usize>,
}

/// Search that a speaker asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeakerSearch {
    /// The speaker.
    pub speaker: PersonaId,
    /// Key of the effect.
    pub key: EffectKey,
    /// Words to search for.
    pub query: String,
    /// Result; `None` until the search was made.
    pub result: Option<SearchResult>,
    /// Passages found, in order.
    pub found: Vec<PassageRef>,
    /// Turn before which it was made; `None` until that is taken.
    pub turn: Option<TurnId>,
    /// Draft before which it was made, if turns are drafted.
    pub draft: Option<DraftId>,
    /// Version of the event that asked for it.
    pub version: i64,
    /// Time at which it was asked for.
    pub at: DateTime<Utc>,
}

impl Searches {
    /// Returns the searches made before a turn, in order. Cost: linear in all searches.
    pub fn before(&self, turn: TurnId) -> impl Iterator<Item = &SpeakerSearch> {
        self.all.iter().filter(move |search| search.turn == Some(turn))
    }

    fn ask(&mut self, recorded: &Recorded, asked: &SearchRequested) {
        let Ok(speaker) = asked.key.subject.parse() else { return };
        self.all.push(SpeakerSearch {
            speaker,
            key: asked.key.clone(),
            query: asked.query.clone(),
            result: None,
            found: Vec::new(),
            turn: None,
            draft: None,
            version: recorded.version,
            at: recorded.at,
        });
    }

    /// Takes the result from the request that was made with it. A request that is repeated has made the search again.
    fn make(&mut self, requested: &EffectRequested) {
        let Some(result) = &requested.search else { return };
        let Some(search) = self.last(&requested.key) else { return };
        let is_found = |ground: &&PassageRef| result.found.contains(&ground.alias);
        search.found = requested.grounds.iter().filter(is_found).cloned().collect();
        search.result = Some(result.clone());
    }

    fn last(&mut self, key: &EffectKey) -> Option<&mut SpeakerSearch> {
        self.all.iter_mut().rev().find(|search| search.key == *key)
    }

    /// Returns the search whose answer is being recorded.
    fn now(&mut self) -> Option<&mut SpeakerSearch> {
        self.answered.and_then(|at| self.all.get_mut(at))
    }
}

impl Projection for Searches {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::SearchRequested(it) => self.ask(recorded, it),
            Event::EffectRequested(it) => self.make(it),
            Event::EffectAnswered(it) => {
                let is_before = |search: &SpeakerSearch| search.key == it.key && !it.ignored;
                self.answered = self.all.iter().rposition(is_before);
            }
            Event::EffectFailed(_) | Event::EffectAbandoned(_) => self.answered = None,
            Event::TurnDrafted(it) => {
                if let Some(search) = self.now().filter(|search| search.speaker == it.turn.speaker) {
                    search.draft = Some(it.draft);
                }
                self.answered = None;
            }
            Event::TurnTaken(it) => {
                if let Some(search) = self.now().filter(|search| search.speaker == it.speaker) {
                    search.turn = Some(it.turn);
                }
                self.answered = None;
                if let Some(draft) = it.preparation.as_ref().and_then(|preparation| preparation.draft) {
                    let of_draft = self.all.iter_mut().filter(|search| search.draft == Some(draft));
                    of_draft.for_each(|search| search.turn = Some(it.turn));
                }
            }
            _ => {}
        }
    }
}
