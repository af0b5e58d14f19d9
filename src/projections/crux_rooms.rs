//! Rooms beside the main channel: who talks out what in them, where they stand in it, and how each was closed.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::crux::{RoomClosed, RoomOpened};
use crate::events::dispute::StanceTaken;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::projections::projection::Projection;

/// All rooms of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CruxRooms {
    /// By name, in the order in which they were opened.
    pub rooms: BTreeMap<RoomId, Room>,
    /// In which room a turn was taken, for those that were taken in one.
    places: BTreeMap<TurnId, RoomId>,
    /// Whether the debate is over: what is open then stays so.
    is_over: bool,
}

/// A room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// What it was opened for, and for whom.
    pub opened: RoomOpened,
    /// The version of the event that opened it.
    pub version: i64,
    /// When it was opened.
    pub at: DateTime<Utc>,
    /// The turns taken in it, a moderator's as well.
    pub turns: Vec<TurnId>,
    /// Where each stood last on the room's dispute, as they said in the room.
    pub stances: BTreeMap<PersonaId, StanceTaken>,
    /// How it was closed; `None` while it was not.
    pub closed: Option<Closed>,
}

/// That a room was closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closed {
    /// How, why, and with which card.
    #[serde(flatten)]
    pub closed: RoomClosed,
    /// The version of the event that says so.
    pub version: i64,
    /// When it was recorded.
    pub at: DateTime<Utc>,
}

/// Where a room is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomStatus {
    /// Turns can be taken in it.
    Open,
    /// It was closed.
    Closed,
    /// The debate ended before anybody closed it.
    LeftOpen,
}

impl CruxRooms {
    /// The name of the next room.
    pub fn next_room(&self) -> RoomId {
        RoomId(self.rooms.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Where a room is in its life.
    pub fn status(&self, room: &Room) -> RoomStatus {
        match (&room.closed, self.is_over) {
            (Some(_), _) => RoomStatus::Closed,
            (None, true) => RoomStatus::LeftOpen,
            (None, false) => RoomStatus::Open,
        }
    }

    fn spoken(&mut self, room: Option<RoomId>, turn: TurnId) {
        if let Some(id) = room
            && let Some(room) = self.rooms.get_mut(&id)
        {
            room.turns.push(turn);
            self.places.insert(turn, id);
        }
    }
}

impl Projection for CruxRooms {
    const NAME: &'static str = "crux_rooms";
    const REVISION: i32 = 1;

    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::RoomOpened(opened) => {
                self.rooms.entry(opened.room).or_insert_with(|| Room {
                    opened: opened.clone(),
                    version: recorded.version,
                    at: recorded.at,
                    turns: Vec::new(),
                    stances: BTreeMap::new(),
                    closed: None,
                });
            }
            Event::TurnTaken(taken) => self.spoken(taken.room, taken.turn),
            Event::Interjected(said) => self.spoken(said.room, said.turn),
            Event::StanceTaken(taken) => {
                let room = self.places.get(&taken.turn).and_then(|it| self.rooms.get_mut(it));
                if let Some(room) = room.filter(|it| it.opened.dispute == Some(taken.dispute)) {
                    room.stances.insert(taken.speaker.clone(), taken.clone());
                }
            }
            Event::RoomClosed(closed) => {
                if let Some(room) = self.rooms.get_mut(&closed.room).filter(|it| it.closed.is_none()) {
                    let (version, at) = (recorded.version, recorded.at);
                    room.closed = Some(Closed { closed: closed.clone(), version, at });
                }
            }
            Event::DebateConcluded(_) | Event::DebateAborted(_) => self.is_over = true,
            Event::DebateForked(_) => self.is_over = false,
            _ => {}
        }
    }
}
