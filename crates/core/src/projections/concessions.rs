//! Concessions of a debate, with speaker, time and effect.

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::turn::ConcessionMade;
use crate::projections::projection::Projection;

/// All concessions of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Concessions {
    /// Concessions, in the order in which they were recorded.
    pub concessions: Vec<RecordedConcession>,
}

/// Concession with the version that recorded it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedConcession {
    /// The concession: speaker, turn, content and effect.
    #[serde(flatten)]
    pub made: ConcessionMade,
    /// Version of the event that recorded it.
    pub version: i64,
}

impl Projection for Concessions {
    fn apply(&mut self, recorded: &Recorded) {
        if let Event::ConcessionMade(made) = &recorded.event {
            self.concessions.push(RecordedConcession { made: made.clone(), version: recorded.version });
        }
    }
}
