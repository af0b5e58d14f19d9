//! Content of a crux card, beside the question, the positions and the turns, which the crux itself contains.

use serde::{Deserialize, Serialize};

use crate::events::crux::Disagreement;
use crate::events::ids::{PersonaId, RoomId, TurnId};

/// Card of a crux. What nobody said is absent, with the reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CruxCard {
    /// Kind of disagreement; `None` if neither the structure of the debate nor an event tells it.
    pub kind: Option<Disagreement>,
    /// Basis of the kind, or the reason why it is unknown, as a sentence.
    pub kind_reason: String,
    /// Diagnosis: what each participant holds, and what depends on it; or the diagnosis of a room's card.
    pub diagnosis: String,
    /// Room whose card states the diagnosis; `None` if it was derived from the positions.
    pub diagnosed_in: Option<RoomId>,
    /// Time frame of the question, if its dispute has one.
    pub horizon: Option<String>,
    /// Observations that would settle the crux.
    pub criteria: Vec<String>,
    /// Reason why there are no criteria, as a sentence; `None` if there are.
    pub criteria_missing: Option<String>,
    /// What would change the mind of each participant who has a position, in the order of the positions.
    pub mind_changes: Vec<MindChange>,
    /// Resolution, as a sentence; `None` while the crux is not resolved.
    pub resolution: Option<String>,
    /// Reason why there is no resolution, as a sentence; `None` if there is one.
    pub resolution_missing: Option<String>,
}

/// What would change a participant's mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MindChange {
    /// Id of the participant.
    pub persona: PersonaId,
    /// Condition with its source, or the reason why it is unknown.
    #[serde(flatten)]
    pub condition: MindChangeCondition,
}

/// Condition under which a participant would change their mind, by source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum MindChangeCondition {
    /// Words of the participant's own turn.
    Spoken {
        /// Words, exactly as the turn contains them.
        quote: String,
        /// The turn.
        turn: TurnId,
        /// True if the participant said so about this crux, false if about the topic as a whole.
        on_crux: bool,
    },
    /// Card of a room in which the crux was discussed. Its author wrote the condition, not the participant.
    Room {
        /// Condition, as the card states it.
        text: String,
        /// The room.
        room: RoomId,
    },
    /// Contract of the persona. No turn of the participant contains these words.
    Contract {
        /// Condition, as the contract states it.
        text: String,
    },
    /// No source contains a condition.
    Unknown {
        /// Reason, as a sentence.
        reason: String,
    },
}

impl MindChangeCondition {
    /// Words of the condition; `None` if it is unknown.
    pub fn text(&self) -> Option<&str> {
        match self {
            MindChangeCondition::Spoken { quote: text, .. }
            | MindChangeCondition::Room { text, .. }
            | MindChangeCondition::Contract { text } => Some(text),
            MindChangeCondition::Unknown { .. } => None,
        }
    }
}
