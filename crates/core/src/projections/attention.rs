//! Attention to turns: how much each participant heeds what others say, and what that consists of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::channel::{AttentionScore, AttentionScored};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, TurnId};
use crate::projections::projection::Projection;

/// Attention to the turns of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attention {
    /// Scores by turn; turns without scores are left out.
    pub turns: BTreeMap<TurnId, AttentionScored>,
}

impl Attention {
    /// Returns the score that a participant gave to a turn, if there is one.
    pub fn of(&self, participant: &PersonaId, turn: TurnId) -> Option<&AttentionScore> {
        self.turns.get(&turn)?.scores.iter().find(|score| score.participant == *participant)
    }
}

impl Projection for Attention {
    fn apply(&mut self, recorded: &Recorded) {
        if let Event::AttentionScored(scored) = &recorded.event {
            self.turns.insert(scored.turn, scored.clone());
        }
    }
}
