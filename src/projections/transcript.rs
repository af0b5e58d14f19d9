//! The turns in order.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::turn::{Citation, HintGiven, Move, TurnTaken};
use crate::projections::projection::Projection;

/// The turns in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// All turns.
    pub turns: Vec<Turn>,
    /// The phases, each from the turn that came next.
    #[serde(default)]
    pub phases: Vec<PhaseTold>,
    /// What was whispered to the next speaker.
    #[serde(default)]
    hint: Option<HintGiven>,
    names: BTreeMap<PersonaId, String>,
    phase: Option<String>,
}

/// A stretch of the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseTold {
    /// The phase, in the engine's words.
    pub phase: String,
    /// The round, where the phase has rounds.
    pub round: Option<u32>,
    /// Why it began when it did, where that is not always the same.
    pub reason: Option<String>,
    /// The first turn that could be taken in it.
    pub from: TurnId,
    /// The version of the event that recorded it.
    #[serde(default)]
    pub version: i64,
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
    /// The room in which; `None` in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// What the turn does.
    pub moves: Vec<Move>,
    /// The turn that it answers.
    #[serde(default)]
    pub answers: Option<TurnId>,
    /// Who is addressed: whose turn it answers, if another's.
    #[serde(default)]
    pub addressed: Option<PersonaId>,
    /// What a moderator had whispered to the speaker.
    #[serde(default)]
    pub hint: Option<HintGiven>,
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
    /// A turn by its name.
    pub fn turn(&self, turn: TurnId) -> Option<&Turn> {
        self.turns.iter().find(|it| it.turn == turn)
    }

    /// What was whispered for the turn that is to come.
    pub fn whispered(&self) -> Option<&HintGiven> {
        self.hint.as_ref()
    }

    /// The number of the next turn.
    pub fn next_turn(&self) -> TurnId {
        TurnId(self.turns.last().map_or(1, |it| it.turn.0 + 1))
    }

    /// A turn by its name.
    pub fn get(&self, turn: TurnId) -> Option<&Turn> {
        self.turns.iter().find(|it| it.turn == turn)
    }

    /// Whose a turn is; `None` where there is no such turn or it is the moderator's.
    pub fn speaker(&self, turn: TurnId) -> Option<&PersonaId> {
        self.get(turn)?.speaker.as_ref()
    }
}

impl Projection for Transcript {
    const NAME: &'static str = "transcript";
    const REVISION: i32 = 3;

    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => {
                self.names = opened.participants.iter().map(|it| (it.id.clone(), it.name.clone())).collect();
            }
            Event::DebateForked(forked) => {
                self.names.extend(forked.opened.participants.iter().map(|it| (it.id.clone(), it.name.clone())));
            }
            Event::PhaseEntered(entered) => {
                self.phase = Some(entered.phase.clone());
                self.phases.push(PhaseTold {
                    phase: entered.phase.clone(),
                    round: entered.round,
                    reason: entered.reason.clone(),
                    from: self.next_turn(),
                    version: recorded.version,
                });
            }
            Event::HintGiven(given) => self.hint = Some(given.clone()),
            Event::TurnTaken(taken) => self.turns.push(Turn {
                turn: taken.turn,
                speaker: Some(taken.speaker.clone()),
                name: self.name_of(&taken.speaker),
                phase: self.phase.clone(),
                round: taken.round,
                room: taken.room,
                moves: taken.moves.clone(),
                answers: taken.answers,
                addressed: self.addressed(taken),
                hint: self.hint.take().filter(|it| it.speaker == taken.speaker),
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
                room: said.room,
                moves: Vec::new(),
                answers: None,
                addressed: None,
                hint: None,
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
    fn addressed(&self, taken: &TurnTaken) -> Option<PersonaId> {
        let speaker = self.get(taken.answers?)?.speaker.clone();
        speaker.filter(|it| *it != taken.speaker)
    }

    fn name_of(&self, persona: &PersonaId) -> String {
        self.names.get(persona).cloned().unwrap_or_else(|| persona.to_string())
    }
}
