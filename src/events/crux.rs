//! What participants themselves hold to be the crux.

use serde::{Deserialize, Serialize};

use crate::events::ids::{CruxId, PersonaId, TurnId};

/// A participant said what the disagreement turns on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CruxProposed {
    /// The crux.
    pub crux: CruxId,
    /// Who named it.
    pub speaker: PersonaId,
    /// The turn of theirs in which.
    pub turn: TurnId,
    /// The crux in a sentence that others can agree with.
    pub statement: String,
}

/// Another participant agreed with the statement. That somebody names a crux of their own acknowledges nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CruxAcknowledged {
    /// The crux.
    pub crux: CruxId,
    /// Who agreed.
    pub speaker: PersonaId,
    /// The turn of theirs in which.
    pub turn: TurnId,
    /// The turn that they agreed with: the one in which it was proposed.
    pub cites: TurnId,
}
