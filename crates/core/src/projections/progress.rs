//! Progress of a talk, measured at each crystallization; phases end by it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::distillation::ProgressMeasured;
use crate::events::event::{Event, Recorded};
use crate::projections::projection::Projection;

/// Progress signals of a debate over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TalkProgress {
    /// Signals, in the order in which they were measured.
    pub signals: Vec<ProgressSignal>,
    phase: Option<String>,
}

/// Progress measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressSignal {
    /// The measured values.
    #[serde(flatten)]
    pub measured: ProgressMeasured,
    /// Phase in which it was measured, as named by the engine.
    pub phase: Option<String>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

impl TalkProgress {
    /// True if the undecided points were exact, non-empty and equal in the last `measurements` measurements.
    pub fn is_stable(&self, measurements: usize) -> bool {
        let Some(from) = self.signals.len().checked_sub(measurements) else {
            return false;
        };
        let latest = &self.signals[from..];
        latest.first().is_some_and(|first| {
            let frontier = &first.measured.frontier;
            !frontier.is_empty()
                && latest
                    .iter()
                    .all(|measurement| measurement.measured.exact && measurement.measured.frontier == *frontier)
        })
    }
}

impl Projection for TalkProgress {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::PhaseEntered(entered) => self.phase = Some(entered.phase.clone()),
            Event::ProgressMeasured(measured) => self.signals.push(ProgressSignal {
                measured: measured.clone(),
                phase: self.phase.clone(),
                version: recorded.version,
                at: recorded.at,
            }),
            _ => {}
        }
    }
}
