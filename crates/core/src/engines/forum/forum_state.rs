//! State of the forum besides its talk: threads, attention, the agenda, and the floors.

use std::collections::BTreeMap;

use crate::engines::forum::settings::ForumOptions;
use crate::engines::talk::rooms::room_slots::RoomSlots;
use crate::engines::talk::state::Talk;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId};
use crate::projections::agenda::Agenda;
use crate::projections::attention::Attention;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::projection::Projection;

/// Place of a turn: a thread, or under `None` the main channel.
pub type Place = Option<RoomId>;

/// State of the forum besides its talk.
pub struct ForumState {
    /// Options of the engine.
    pub options: ForumOptions,
    /// Threads.
    pub rooms: CruxRooms,
    /// Slots of each thread.
    pub slots: BTreeMap<RoomId, RoomSlots>,
    /// Attention to turns.
    pub attention: Attention,
    /// Agendas.
    pub agenda: Agenda,
    /// Number of slots of a place when its floor was last given, and the holder.
    floors: BTreeMap<Place, (usize, PersonaId)>,
    /// Occasions on which somebody was given a floor, anywhere, in order.
    given: Vec<PersonaId>,
}

impl ForumState {
    /// Creates the state of a forum without threads.
    pub fn new(options: ForumOptions) -> ForumState {
        ForumState {
            options,
            rooms: CruxRooms::default(),
            slots: BTreeMap::new(),
            attention: Attention::default(),
            agenda: Agenda::default(),
            floors: BTreeMap::new(),
            given: Vec::new(),
        }
    }

    /// Applies an event. `n_main` is the number of slots of the main channel before it.
    pub fn evolve(&mut self, talk: &Talk, recorded: &Recorded, n_main: usize) {
        self.rooms.apply(recorded);
        self.attention.apply(recorded);
        self.agenda.apply(recorded);
        self.slots.values_mut().for_each(|slots| slots.evolve(recorded));
        match &recorded.event {
            Event::RoomOpened(opened) => {
                let speakers = talk.participants.iter().map(|persona| persona.id.clone());
                self.slots.insert(opened.room, RoomSlots::new(opened.room, speakers.collect()));
            }
            Event::FloorGiven(given) => {
                let slot = given.room.map_or(n_main, |room| self.n_slots(talk, Some(room)));
                self.floors.insert(given.room, (slot, given.speaker.clone()));
                self.given.push(given.speaker.clone());
            }
            _ => {}
        }
    }

    /// Returns the open threads, in the order in which they were opened.
    pub fn open(&self) -> impl Iterator<Item = RoomId> {
        self.rooms.rooms.iter().filter(|(_, room)| room.closed.is_none()).map(|(id, _)| *id)
    }

    fn n_slots(&self, talk: &Talk, place: Place) -> usize {
        place.map_or(talk.slots.len(), |room| self.slots.get(&room).map_or(0, |slots| slots.slots.len()))
    }

    /// Returns the speaker of the latest slot of a place, taken or missed.
    pub fn last_speaker<'a>(&'a self, talk: &'a Talk, place: Place) -> Option<&'a PersonaId> {
        match place {
            None => talk.slots.last().map(|slot| &slot.speaker),
            Some(room) => self.slots.get(&room)?.slots.last().map(|slot| &slot.speaker),
        }
    }

    /// Returns the holder of the floor of a place for its upcoming turn, if it was given.
    pub fn holder(&self, talk: &Talk, place: Place) -> Option<&PersonaId> {
        let (slot, holder) = self.floors.get(&place)?;
        (*slot == self.n_slots(talk, place)).then_some(holder)
    }

    /// Returns true if a participant took part in a thread, or it is about a disagreement of theirs.
    pub fn is_member(&self, participant: &PersonaId, thread: RoomId) -> bool {
        self.rooms.rooms.get(&thread).is_some_and(|room| room.members().any(|id| id == participant))
    }

    /// Returns true if the question of a place is on the agenda.
    pub fn is_in_focus(&self, place: Place) -> bool {
        let dispute = place.and_then(|room| self.rooms.rooms.get(&room)).and_then(|room| room.opened.dispute);
        dispute.is_some_and(|dispute| self.agenda.in_focus().contains(&dispute))
    }

    /// Returns the number of floors given since a participant last had one.
    pub fn waited(&self, participant: &PersonaId) -> usize {
        let since = self.given.iter().rev().position(|holder| holder == participant);
        since.unwrap_or(self.given.len())
    }
}
