//! The floor of the main channel and of rooms: who was given it, why, and what became of it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::channel::FloorGiven;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::projections::projection::Projection;

/// The floor over time, and the skips.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Occasions on which somebody was given the floor, in order.
    pub given: Vec<FloorEntry>,
    /// Skipped turns, in order; those of rooms included.
    pub skips: Vec<Skip>,
    latest: Option<TurnId>,
}

/// Occasion on which a participant was given the floor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorEntry {
    /// Participant and reason.
    #[serde(flatten)]
    pub given: FloorGiven,
    /// The turn taken; `None` if there is none yet, or the participant skipped it or gave no answer.
    pub turn: Option<TurnId>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

/// Skipped turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skip {
    /// Participant who skipped the turn.
    pub speaker: PersonaId,
    /// The room; `None` in the main channel.
    pub room: Option<RoomId>,
    /// Reason, as the participant stated it.
    pub reason: String,
    /// Latest turn before it; `None` before the first.
    pub after: Option<TurnId>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

impl Projection for Floor {
    fn apply(&mut self, recorded: &Recorded) {
        let (version, at) = (recorded.version, recorded.at);
        match &recorded.event {
            Event::FloorGiven(given) => {
                self.given.push(FloorEntry { given: given.clone(), turn: None, version, at });
            }
            Event::TurnTaken(taken) => {
                self.latest = Some(taken.turn);
                let here = self.given.iter_mut().rev().find(|entry| entry.given.room == taken.room);
                if let Some(entry) = here.filter(|entry| entry.given.speaker == taken.speaker) {
                    entry.turn.get_or_insert(taken.turn);
                }
            }
            Event::Interjected(said) => self.latest = Some(said.turn),
            Event::TurnSkipped(skipped) => {
                let (speaker, room, reason) = (skipped.speaker.clone(), skipped.room, skipped.reason.clone());
                self.skips.push(Skip { speaker, room, reason, after: self.latest, version, at });
            }
            _ => {}
        }
    }
}
