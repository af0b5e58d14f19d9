//! Transcript of a debate: its turns in order.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::citation::Citation;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::lifecycle::PhaseEntered;
use crate::events::turn::Preparation;
use crate::events::turn::{HintGiven, Move, MoveQuote, TurnTaken};
use crate::projections::projection::Projection;
use crate::voices::said_words::WantedWords;

/// Name of the phase in which participants open, in every engine that has one.
const OPENING: &str = "opening";

/// Transcript of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Turns, in order.
    pub turns: Vec<Turn>,
    /// Phases, each with the first turn after its start.
    #[serde(default)]
    pub phases: Vec<PhaseStart>,
    /// Hint given to the next speaker.
    #[serde(default)]
    hint: Option<HintGiven>,
    names: BTreeMap<PersonaId, String>,
    phase: Option<String>,
}

/// Phase of the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseStart {
    /// Name of the phase, as used by the engine.
    pub phase: String,
    /// Round, if the phase has rounds.
    pub round: Option<u32>,
    /// Reason for the start of the phase, if it varies.
    pub reason: Option<String>,
    /// First turn of the phase.
    pub from: TurnId,
    /// Version of the event that recorded it.
    #[serde(default)]
    pub version: i64,
}

/// Turn of a participant or the moderator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Id of the turn.
    pub turn: TurnId,
    /// Speaker; `None` for the moderator.
    pub speaker: Option<PersonaId>,
    /// Display name of the speaker.
    pub name: String,
    /// Phase of the turn, as named by the engine.
    pub phase: Option<String>,
    /// Round of the turn.
    pub round: Option<u32>,
    /// Room of the turn; `None` for the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// Moves made in the turn.
    pub moves: Vec<Move>,
    /// Words of the turn that make its moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub move_quotes: Vec<MoveQuote>,
    /// Turn that it answers.
    #[serde(default)]
    pub answers: Option<TurnId>,
    /// Speaker of the answered turn, if it is another participant.
    #[serde(default)]
    pub addressed: Option<PersonaId>,
    /// Hint that the speaker was given before the turn.
    #[serde(default)]
    pub hint: Option<HintGiven>,
    /// Text of the turn.
    pub text: String,
    /// Citations in the turn.
    pub citations: Vec<Citation>,
    /// Parts of the reply that were refused, with reasons.
    pub refused: Vec<String>,
    /// Preparation of the turn, if the engine asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Preparation>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

#[cfg(test)]
impl Turn {
    /// Creates a turn of the main channel; without a speaker it is the moderator's.
    pub(crate) fn said(number: u32, speaker: Option<&str>, text: &str) -> Turn {
        Turn {
            turn: TurnId(number),
            speaker: speaker.map(|id| id.parse().expect("an id")),
            name: speaker.unwrap_or_default().to_owned(),
            phase: None,
            round: None,
            room: None,
            moves: Vec::new(),
            move_quotes: Vec::new(),
            answers: None,
            addressed: None,
            hint: None,
            text: text.to_owned(),
            citations: Vec::new(),
            refused: Vec::new(),
            preparation: None,
            version: i64::from(number),
            at: DateTime::UNIX_EPOCH,
        }
    }
}

impl Transcript {
    /// Finds a turn by its id.
    pub fn turn(&self, turn: TurnId) -> Option<&Turn> {
        self.turns.iter().find(|entry| entry.turn == turn)
    }

    /// Finds words in a turn and returns them as the turn contains them; `None` if it does not. White space, case and a
    /// final stop may differ; a part of a word is not found. This is the only rule that tells words that were said from
    /// those that a clerk or a written argument adds.
    pub fn quote(&self, turn: TurnId, words: &str) -> Option<&str> {
        WantedWords::new(words).find(&self.turn(turn)?.text)
    }

    /// Turns of a participant that contain these words, in order.
    pub fn said_by<'a>(&'a self, persona: &'a PersonaId, words: &'a str) -> impl Iterator<Item = TurnId> + 'a {
        let (own, wanted) =
            (self.turns.iter().filter(move |turn| turn.speaker.as_ref() == Some(persona)), WantedWords::new(words));
        own.filter(move |turn| wanted.find(&turn.text).is_some()).map(|turn| turn.turn)
    }

    /// True if a participant spoke after the opening: in a phase other than `opening`, or for a second time.
    pub fn spoke_after_opening(&self, persona: &PersonaId) -> bool {
        let mut own = self.turns.iter().filter(|turn| turn.speaker.as_ref() == Some(persona));
        let is_later = |turn: &Turn| turn.phase.as_deref().is_some_and(|phase| phase != OPENING);
        own.next().is_some_and(is_later) || own.next().is_some()
    }

    /// True if the speaker of a turn had heard an earlier one. Participants open at the same time, so no opening turn
    /// answers another.
    pub fn had_heard(&self, turn: TurnId, earlier: TurnId) -> bool {
        let opens = |turn: TurnId| self.turn(turn).is_some_and(|turn| turn.phase.as_deref() == Some(OPENING));
        earlier < turn && !(opens(turn) && opens(earlier))
    }

    /// Hint given for the next turn.
    pub fn pending_hint(&self) -> Option<&HintGiven> {
        self.hint.as_ref()
    }

    /// Next unused turn id.
    pub fn next_turn(&self) -> TurnId {
        TurnId(self.turns.last().map_or(1, |entry| entry.turn.0 + 1))
    }

    /// Finds a turn by its id.
    pub fn get(&self, turn: TurnId) -> Option<&Turn> {
        self.turns.iter().find(|entry| entry.turn == turn)
    }

    /// True if one model wrote the turns of all participants, in this debate or in the one whose talk it distils anew.
    pub fn is_written_by_one(&self) -> bool {
        let mut reasons = self.phases.iter().filter_map(|phase| phase.reason.as_deref());
        reasons.any(|reason| reason.ends_with(PhaseEntered::WRITTEN_BY_ONE))
    }

    /// Speaker of a turn; `None` for unknown turns and for the moderator.
    pub fn speaker(&self, turn: TurnId) -> Option<&PersonaId> {
        self.get(turn)?.speaker.as_ref()
    }
}

impl Projection for Transcript {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateOpened(opened) => {
                self.names = opened
                    .participants
                    .iter()
                    .map(|participant| (participant.id.clone(), participant.name.clone()))
                    .collect();
            }
            Event::DebateForked(forked) => {
                self.names.extend(
                    forked
                        .opened
                        .participants
                        .iter()
                        .map(|participant| (participant.id.clone(), participant.name.clone())),
                );
            }
            Event::PhaseEntered(entered) => {
                self.phase = Some(entered.phase.clone());
                self.phases.push(PhaseStart {
                    phase: entered.phase.clone(),
                    round: entered.round,
                    reason: entered.reason.clone(),
                    from: self.next_turn(),
                    version: recorded.version,
                });
            }
            Event::HintGiven(given) => self.hint = Some(given.clone()),
            Event::TurnTaken(taken) => self.turns.push(Turn {
                preparation: taken.preparation.clone(),
                turn: taken.turn,
                speaker: Some(taken.speaker.clone()),
                name: self.name_of(&taken.speaker),
                phase: self.phase.clone(),
                round: taken.round,
                room: taken.room,
                moves: taken.moves.clone(),
                move_quotes: taken.move_quotes.clone(),
                answers: taken.answers,
                addressed: self.addressed(taken),
                hint: self.hint.take().filter(|hint| hint.speaker == taken.speaker),
                text: taken.text.clone(),
                citations: taken.citations.clone(),
                refused: taken.refused.clone(),
                version: recorded.version,
                at: recorded.at,
            }),
            Event::Interjected(said) => self.turns.push(Turn {
                preparation: None,
                turn: said.turn,
                speaker: said.speaker.clone(),
                name: said.speaker.as_ref().map_or_else(|| "Moderator".to_owned(), |speaker| self.name_of(speaker)),
                phase: self.phase.clone(),
                round: None,
                room: said.room,
                moves: Vec::new(),
                move_quotes: Vec::new(),
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
        speaker.filter(|persona| *persona != taken.speaker)
    }

    fn name_of(&self, persona: &PersonaId) -> String {
        self.names.get(persona).cloned().unwrap_or_else(|| persona.to_string())
    }
}
