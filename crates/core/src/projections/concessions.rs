//! Concessions of a debate, with speaker, time and effect.

use serde::{Deserialize, Serialize};

use crate::events::audit::Reading;
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
    /// Reading of its words by a qualified auditor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

impl RecordedConcession {
    /// True if a qualified auditor found no concession in its words, or not the one that was recorded. It is shown, and
    /// not counted.
    pub fn is_contested(&self) -> bool {
        self.reading.is_some_and(|reading| !self.made.is_confirmed_by(reading))
    }
}

impl Projection for Concessions {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::ConcessionMade(made) => {
                let (made, version) = (made.clone(), recorded.version);
                self.concessions.push(RecordedConcession { made, version, reading: None });
            }
            Event::WordsAudited(audited) if audited.auditor.qualified => {
                for it in &audited.readings {
                    let asked = (it.event, it.asked);
                    let is_it = |known: &&mut RecordedConcession| (known.version, known.made.audit_question()) == asked;
                    let there = self.concessions.iter_mut().find(is_it);
                    there.into_iter().for_each(|concession| concession.reading = Some(it.reading));
                }
            }
            _ => {}
        }
    }
}
