//! Candidates for rooms: disagreements that a detector saw, by pair of participants and question or, for threads, by question.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::channel::{DetectedDisagreement, DisagreementsDetected};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CandidateId, PersonaId, RoomId, TurnId};
use crate::projections::projection::Projection;

/// Number of consecutive windows without a candidate after which it expires.
pub const MAX_UNSEEN: u32 = 3;

/// All candidates of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoomCandidates {
    /// Number of windows that were read.
    pub windows: u32,
    /// Last turn of the latest window; `None` before the first.
    pub latest: Option<TurnId>,
    /// Candidates by id, in the order in which they were first seen.
    pub candidates: BTreeMap<CandidateId, RoomCandidate>,
}

/// Disagreement of two participants about one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomCandidate {
    /// The question, as it was asked first.
    pub question: String,
    /// Windows in which it was seen, in order.
    pub sightings: Vec<Sighting>,
    /// Number of consecutive windows up to the latest one in which it was seen; 0 if it is not in the latest one.
    pub streak: u32,
    /// Number of windows since it was last seen.
    pub unseen: u32,
    /// Room that was opened for it.
    pub room: Option<RoomId>,
    /// True if it was not seen for [`MAX_UNSEEN`] windows and no room was opened for it: the same disagreement seen again is a
    /// new candidate.
    pub is_expired: bool,
}

/// Window in which a candidate was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    /// Number of the window, from 1.
    pub window: u32,
    /// What the detector saw.
    #[serde(flatten)]
    pub seen: DetectedDisagreement,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

impl RoomCandidate {
    /// The latest sighting.
    pub fn latest(&self) -> Option<&DetectedDisagreement> {
        self.sightings.last().map(|sighting| &sighting.seen)
    }

    /// The two participants, ordered by id.
    pub fn pair(&self) -> Option<[&PersonaId; 2]> {
        self.sightings.first().map(|sighting| pair(&sighting.seen))
    }
}

/// Returns the two participants of a disagreement, ordered by id.
pub fn pair(seen: &DetectedDisagreement) -> [&PersonaId; 2] {
    let mut pair = [&seen.yes.speaker, &seen.no.speaker];
    pair.sort_unstable();
    pair
}

impl RoomCandidates {
    /// Next unused candidate id.
    pub fn next_candidate(&self) -> CandidateId {
        CandidateId(self.candidates.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Candidates that did not expire, with their ids.
    pub fn tracked(&self) -> impl Iterator<Item = (CandidateId, &RoomCandidate)> {
        self.candidates.iter().filter(|(_, candidate)| !candidate.is_expired).map(|(id, candidate)| (*id, candidate))
    }

    fn read(&mut self, detected: &DisagreementsDetected, recorded: &Recorded) {
        self.windows += 1;
        self.latest = detected.turns.last().copied().or(self.latest);
        let window = self.windows;
        for seen in &detected.found {
            let candidate = self.candidates.entry(seen.candidate).or_insert_with(|| RoomCandidate {
                question: seen.question.clone(),
                sightings: Vec::new(),
                streak: 0,
                unseen: 0,
                room: None,
                is_expired: false,
            });
            // A window counts once.
            if candidate.sightings.last().is_none_or(|sighting| sighting.window < window) {
                candidate.streak += 1;
                candidate.sightings.push(Sighting {
                    window,
                    seen: seen.clone(),
                    version: recorded.version,
                    at: recorded.at,
                });
            }
        }
        for candidate in self.candidates.values_mut() {
            let is_seen = candidate.sightings.last().is_some_and(|sighting| sighting.window == window);
            candidate.unseen = if is_seen { 0 } else { candidate.unseen + 1 };
            candidate.streak = if is_seen { candidate.streak } else { 0 };
            candidate.is_expired |= candidate.unseen >= MAX_UNSEEN && candidate.room.is_none();
        }
    }
}

impl Projection for RoomCandidates {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DisagreementsDetected(detected) => self.read(detected, recorded),
            Event::RoomOpened(opened) => {
                if let Some(candidate) = opened.candidate.and_then(|id| self.candidates.get_mut(&id)) {
                    candidate.room = Some(opened.room);
                    candidate.is_expired = false;
                }
            }
            _ => {}
        }
    }
}
