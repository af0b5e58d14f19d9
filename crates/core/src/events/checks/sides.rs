//! Sides of a debate for and against a motion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::PersonaId;
use crate::events::summary::{Summarize, short};

/// The sides of a formal debate were assigned. A side is a role: which side a participant is on in a dispute is only what they say
/// of themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SidesAssigned {
    /// Participants who speak for the motion, in speaking order.
    pub pro: Vec<PersonaId>,
    /// Participants who speak against it, in speaking order.
    pub con: Vec<PersonaId>,
    /// Reason for the assignment.
    pub reason: String,
}

impl SidesAssigned {
    /// Returns the side of a participant; `None` if they have none.
    pub fn side_of(&self, participant: &PersonaId) -> Option<MotionSide> {
        let is_in = |side: &[PersonaId]| side.contains(participant);
        match (is_in(&self.pro), is_in(&self.con)) {
            (true, _) => Some(MotionSide::Pro),
            (_, true) => Some(MotionSide::Con),
            _ => None,
        }
    }

    /// Returns the participants of a side.
    pub fn of(&self, side: MotionSide) -> &[PersonaId] {
        match side {
            MotionSide::Pro => &self.pro,
            MotionSide::Con => &self.con,
        }
    }

    /// Returns everybody in the order in which they speak in a round: the first for the motion, the first against it, the second
    /// for it, and so on.
    pub fn speaking_order(&self) -> impl Iterator<Item = (&PersonaId, MotionSide)> {
        let n = self.pro.len().max(self.con.len());
        (0..n).flat_map(|at| {
            let pro = self.pro.get(at).map(|id| (id, MotionSide::Pro));
            pro.into_iter().chain(self.con.get(at).map(|id| (id, MotionSide::Con)))
        })
    }
}

impl Summarize for SidesAssigned {
    fn summary(&self) -> String {
        let names = |side: &[PersonaId]| side.iter().map(PersonaId::as_str).collect::<Vec<_>>().join(", ");
        format!("pro: {}; con: {} ({})", names(&self.pro), names(&self.con), short(&self.reason))
    }
}

/// Side of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MotionSide {
    /// For the motion.
    Pro,
    /// Against it.
    Con,
}

impl MotionSide {
    /// Both sides, in speaking order.
    pub const ALL: [MotionSide; 2] = [MotionSide::Pro, MotionSide::Con];

    /// Returns the wire name: `pro` or `con`.
    pub fn name(self) -> &'static str {
        match self {
            MotionSide::Pro => "pro",
            MotionSide::Con => "con",
        }
    }

    /// Returns the side in words: `for the motion` or `against the motion`.
    pub fn in_words(self) -> &'static str {
        match self {
            MotionSide::Pro => "for the motion",
            MotionSide::Con => "against the motion",
        }
    }

    /// Returns the other side.
    #[must_use]
    pub fn opposite(self) -> MotionSide {
        match self {
            MotionSide::Pro => MotionSide::Con,
            MotionSide::Con => MotionSide::Pro,
        }
    }
}
