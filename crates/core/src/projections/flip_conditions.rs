//! Conditions that participants stated for a change of their mind.

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::turn::FlipConditionStated;
use crate::projections::projection::Projection;

/// All flip conditions that participants stated in a debate. The contracts contain more, which nobody said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlipConditions {
    /// Stated conditions, in order.
    pub stated: Vec<FlipConditionStated>,
}

impl FlipConditions {
    /// Conditions that a participant stated, in order.
    pub fn of<'a>(&'a self, persona: &'a PersonaId) -> impl DoubleEndedIterator<Item = &'a FlipConditionStated> {
        self.stated.iter().filter(move |stated| stated.speaker == *persona)
    }
}

impl Projection for FlipConditions {
    fn apply(&mut self, recorded: &Recorded) {
        if let Event::FlipConditionStated(stated) = &recorded.event {
            self.stated.push(stated.clone());
        }
    }
}
