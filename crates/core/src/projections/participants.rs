//! Participants as the debate pinned them, with their complete contracts and voices.

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::projections::projection::Projection;

/// Participants as the debate pinned them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Participants {
    /// Personas in speaking order, followed by those that left with a fork.
    pub personas: Vec<Persona>,
}

impl Participants {
    /// Returns a participant.
    pub fn get(&self, persona: &PersonaId) -> Option<&Persona> {
        self.personas.iter().find(|participant| participant.id == *persona)
    }
}

impl Projection for Participants {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => self.personas.clone_from(&opened.participants),
            Event::DebateForked(forked) => {
                let before = std::mem::replace(&mut self.personas, forked.opened.participants.clone());
                let gone: Vec<Persona> = before.into_iter().filter(|persona| self.get(&persona.id).is_none()).collect();
                self.personas.extend(gone);
            }
            _ => {}
        }
    }
}
