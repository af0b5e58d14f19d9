//! Rooms beside the main channel, private ones and threads: their participants, turns, stances and results.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::channel::{ExitChecked, RoomAspect, RoomStage, SteelmanJudged};
use crate::events::crux::{RoomClosed, RoomKind, RoomOpened};
use crate::events::dispute::StanceTaken;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, RoomId, TurnId};
use crate::projections::projection::Projection;

/// All rooms of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CruxRooms {
    /// Rooms by id, in the order in which they were opened.
    pub rooms: BTreeMap<RoomId, Room>,
    /// Room of each turn that was taken in one.
    places: BTreeMap<TurnId, RoomId>,
    /// True if the debate is over; open rooms then remain open.
    is_over: bool,
}

/// Room for the discussion of one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// Opening of the room, with its question and its participants.
    pub opened: RoomOpened,
    /// Version of the event that opened it.
    pub version: i64,
    /// Time at which it was opened.
    pub at: DateTime<Utc>,
    /// Turns taken in it, including those of a moderator.
    pub turns: Vec<TurnId>,
    /// Latest stance of each participant on the room's dispute, as taken in the room.
    pub stances: BTreeMap<PersonaId, StanceTaken>,
    /// Aspects of its question, if it is a panel; `None` until they were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspects: Option<Vec<RoomAspect>>,
    /// Stages entered, in order; none in a free exchange.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<HeldStage>,
    /// Judgements on statements of the other's position, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steelmen: Vec<SteelmanJudged>,
    /// Exit checks, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit_checks: Vec<ExitChecked>,
    /// Participants who spoke in it, in the order of their first turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speakers: Vec<PersonaId>,
    /// Closing; `None` while the room is open.
    pub closed: Option<RoomClosing>,
}

/// Stage of a room, with what was said in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldStage {
    /// The stage.
    pub stage: RoomStage,
    /// The dispute of the aspect that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<DisputeId>,
    /// Turns of participants in it.
    pub turns: Vec<TurnId>,
}

impl Room {
    /// Returns those whose disagreement it is about, and those who spoke in it besides.
    pub fn members(&self) -> impl Iterator<Item = &PersonaId> {
        self.opened.participants.iter().chain(self.joined())
    }

    /// Returns those who joined: they spoke in it, and it is not about a disagreement of theirs.
    pub fn joined(&self) -> impl Iterator<Item = &PersonaId> {
        self.speakers.iter().filter(|speaker| !self.opened.participants.contains(speaker))
    }

    /// Returns the disputes discussed in it: that of its question, and those of its aspects.
    pub fn disputes(&self) -> impl Iterator<Item = DisputeId> {
        let aspects = self.aspects.iter().flatten().map(|aspect| aspect.dispute);
        self.opened.dispute.into_iter().chain(aspects)
    }

    /// Returns the dispute under discussion: that of the present stage's aspect, or else that of the question.
    pub fn present_dispute(&self) -> Option<DisputeId> {
        self.stages.last().and_then(|held| held.aspect).or(self.opened.dispute)
    }

    /// Returns the dispute under which a turn was taken: that of its stage's aspect, or else that of the question.
    pub fn dispute_at(&self, turn: TurnId) -> Option<DisputeId> {
        let held = self.stages.iter().find(|held| held.turns.contains(&turn));
        held.and_then(|held| held.aspect).or(self.opened.dispute)
    }

    /// Returns the stages that may come next, each with its aspect: the next in order, and those after optional ones.
    pub fn next_stages(&self) -> Vec<(RoomStage, Option<DisputeId>)> {
        let order = RoomStage::in_order(self.aspects.as_deref());
        let last = self.stages.last().map(|last| (last.stage, last.aspect));
        let from = last.map_or(Some(0), |last| order.iter().position(|stage| *stage == last).map(|at| at + 1));
        let left = from.map_or(&[][..], |from| &order[from..]);
        let n_optional = left.iter().take_while(|(stage, _)| stage.is_optional()).count();
        left.iter().take(n_optional + 1).copied().collect()
    }

    /// Returns true if this participant may speak in it.
    pub fn admits(&self, participant: &PersonaId) -> bool {
        self.opened.kind == RoomKind::Thread || self.opened.participants.contains(participant)
    }
}

/// Closing of a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomClosing {
    /// Outcome, reason and card.
    #[serde(flatten)]
    pub closed: RoomClosed,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

/// Status of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomStatus {
    /// Turns can be taken in it.
    Open,
    /// Closed.
    Closed,
    /// Still open when the debate ended.
    LeftOpen,
}

impl CruxRooms {
    /// Next unused room id.
    pub fn next_room(&self) -> RoomId {
        RoomId(self.rooms.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Returns the name of a room, with what people call it: `room m1`, `thread m2`. A room that was not opened is named by its
    /// id alone.
    pub fn named(&self, id: RoomId) -> String {
        self.rooms.get(&id).map_or_else(|| id.to_string(), |room| format!("{} {id}", room.opened.kind.noun()))
    }

    /// Returns the place from which a thread was split: `the main channel`, or `thread m2`.
    pub fn split_from(&self, room: &Room) -> String {
        room.opened.parent.map_or_else(|| "the main channel".to_owned(), |parent| self.named(parent))
    }

    /// Status of a room.
    pub fn status(&self, room: &Room) -> RoomStatus {
        match (&room.closed, self.is_over) {
            (Some(_), _) => RoomStatus::Closed,
            (None, true) => RoomStatus::LeftOpen,
            (None, false) => RoomStatus::Open,
        }
    }

    fn add_turn(&mut self, room: Option<RoomId>, turn: TurnId) {
        if let Some(id) = room
            && let Some(room) = self.rooms.get_mut(&id)
        {
            room.turns.push(turn);
            self.places.insert(turn, id);
        }
    }
}

impl Projection for CruxRooms {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::RoomOpened(opened) => {
                self.rooms.entry(opened.room).or_insert_with(|| Room {
                    opened: opened.clone(),
                    version: recorded.version,
                    at: recorded.at,
                    turns: Vec::new(),
                    stances: BTreeMap::new(),
                    aspects: None,
                    stages: Vec::new(),
                    steelmen: Vec::new(),
                    exit_checks: Vec::new(),
                    speakers: Vec::new(),
                    closed: None,
                });
            }
            Event::TurnTaken(taken) => {
                self.add_turn(taken.room, taken.turn);
                if let Some(room) = taken.room.and_then(|id| self.rooms.get_mut(&id)) {
                    if !room.speakers.contains(&taken.speaker) {
                        room.speakers.push(taken.speaker.clone());
                    }
                    room.stages.last_mut().into_iter().for_each(|held| held.turns.push(taken.turn));
                }
            }
            Event::Interjected(said) => self.add_turn(said.room, said.turn),
            Event::StanceTaken(taken) if taken.quote.is_some() => {
                let room = self.places.get(&taken.turn).and_then(|id| self.rooms.get_mut(id));
                if let Some(room) = room.filter(|room| room.opened.dispute == Some(taken.dispute)) {
                    room.stances.insert(taken.speaker.clone(), taken.clone());
                }
            }
            Event::RoomAspectsNamed(named) => {
                if let Some(room) = self.rooms.get_mut(&named.room) {
                    room.aspects = Some(named.aspects.clone());
                }
            }
            Event::RoomStageEntered(entered) => {
                if let Some(room) = self.rooms.get_mut(&entered.room) {
                    let (stage, aspect, turns) = (entered.stage, entered.aspect, Vec::new());
                    room.stages.push(HeldStage { stage, aspect, turns });
                }
            }
            Event::SteelmanJudged(judged) => {
                if let Some(room) = self.rooms.get_mut(&judged.room) {
                    room.steelmen.push(judged.clone());
                }
            }
            Event::ExitChecked(checked) => {
                if let Some(room) = self.rooms.get_mut(&checked.room) {
                    room.exit_checks.push(checked.clone());
                }
            }
            Event::RoomClosed(closed) => {
                if let Some(room) = self.rooms.get_mut(&closed.room).filter(|room| room.closed.is_none()) {
                    let (version, at) = (recorded.version, recorded.at);
                    room.closed = Some(RoomClosing { closed: closed.clone(), version, at });
                }
            }
            Event::DebateConcluded(_) | Event::DebateAborted(_) => self.is_over = true,
            Event::DebateForked(_) => self.is_over = false,
            _ => {}
        }
    }
}
