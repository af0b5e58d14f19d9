//! Sides of a formal debate, announcements of its moderator, and drafts of turns.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::checks::drafts::{TurnDrafted, TurnRejected};
use crate::events::checks::sides::SidesAssigned;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DraftId, TurnId};
use crate::projections::projection::Projection;

/// Sides, announcements and drafts of a debate on a motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// The sides, as assigned last; `None` before that.
    pub sides: Option<SidesAssigned>,
    /// Announcements of the moderator, in order.
    pub announcements: Vec<Announcement>,
    /// Drafts by id, in order.
    pub drafts: BTreeMap<DraftId, Draft>,
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

impl Motion {
    /// Next unused draft id.
    pub fn next_draft(&self) -> DraftId {
        DraftId(self.drafts.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }
}

impl Projection for Motion {
    fn apply(&mut self, recorded: &Recorded) {
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
                let draft = taken.preparation.as_ref().and_then(|preparation| preparation.draft);
                if let Some(draft) = draft.and_then(|draft| self.drafts.get_mut(&draft)) {
                    draft.said_in = Some(taken.turn);
                }
            }
            _ => {}
        }
    }
}
