//! Positions of participants on a crux.

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, PersonaId, TurnId};

/// Position of a participant on a crux.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Id of the participant.
    pub persona: PersonaId,
    /// Side of the participant. By structure: yes if an argument of theirs rests on the statement, no if they attack
    /// such an argument. By participants: yes if they proposed the crux or agreed with it.
    pub side: Side,
    /// Turn that shows the position.
    pub turn: TurnId,
    /// Argument that shows the position; `None` for a dispute.
    pub argument: Option<ArgumentId>,
    /// Quotation: the claim of the argument; for a dispute the statement of the stance, otherwise the beginning of the
    /// turn.
    pub words: String,
}
