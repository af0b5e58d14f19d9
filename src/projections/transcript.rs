//! The turns in order.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::events::turn::{Citation, Move};
use crate::projections::projection::Projection;

/// The turns in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// All turns.
    pub turns: Vec<Turn>,
    names: BTreeMap<PersonaId, String>,
    phase: Option<String>,
}

/// One utterance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The turn.
    pub turn: TurnId,
    /// Who spoke; `None` for the moderator.
    pub speaker: Option<PersonaId>,
    /// The speaker's name for people.
    pub name: String,
    /// The phase in which, in the engine's words.
    pub phase: Option<String>,
    /// The round in which.
    pub round: Option<u32>,
    /// What the turn does.
    pub moves: Vec<Move>,
    /// What was said.
    pub text: String,
    /// What it rests on.
    pub citations: Vec<Citation>,
    /// What of the reply could not be taken, and why.
    pub refused: Vec<String>,
    /// The version of the event that recorded it.
    pub version: i64,
    /// When it was recorded.
    pub at: DateTime<Utc>,
}

impl Transcript {
    /// The number of the next turn.
    pub fn next_turn(&self) -> TurnId {
        TurnId(self.turns.last().map_or(1, |it| it.turn.0 + 1))
    }
}

impl Projection for Transcript {
    const NAME: &'static str = "transcript";
    const REVISION: i32 = 1;

    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => {
                self.names = opened.participants.iter().map(|it| (it.id.clone(), it.name.clone())).collect();
            }
            Event::DebateForked(forked) => {
                self.names.extend(forked.opened.participants.iter().map(|it| (it.id.clone(), it.name.clone())));
            }
            Event::PhaseEntered(entered) => self.phase = Some(entered.phase.clone()),
            Event::TurnTaken(taken) => self.turns.push(Turn {
                turn: taken.turn,
                speaker: Some(taken.speaker.clone()),
                name: self.name_of(&taken.speaker),
                phase: self.phase.clone(),
                round: taken.round,
                moves: taken.moves.clone(),
                text: taken.text.clone(),
                citations: taken.citations.clone(),
                refused: taken.refused.clone(),
                version: recorded.version,
                at: recorded.at,
            }),
            Event::Interjected(said) => self.turns.push(Turn {
                turn: said.turn,
                speaker: said.speaker.clone(),
                name: said.speaker.as_ref().map_or_else(|| "Moderator".to_owned(), |it| self.name_of(it)),
                phase: self.phase.clone(),
                round: None,
                moves: Vec::new(),
                text: said.text.clone(),
                citations: Vec::new(),
                refused: Vec::new(),
                version: recorded.version,
                at: recorded.at,
            }),
            _ => {}
        }
    }
}

impl Transcript {
    fn name_of(&self, persona: &PersonaId) -> String {
        self.names.get(persona).cloned().unwrap_or_else(|| persona.to_string())
    }
}
