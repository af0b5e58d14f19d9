//! How far the talk had come, crystallization by crystallization: the signals by which phases end.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::distil::ProgressMeasured;
use crate::events::event::{Event, Recorded};
use crate::projections::projection::Projection;

/// The signals of a debate over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// In the order in which they were measured.
    pub signals: Vec<Signal>,
    phase: Option<String>,
}

/// What was measured, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// What was measured.
    #[serde(flatten)]
    pub measured: ProgressMeasured,
    /// The phase in which, in the engine's words.
    pub phase: Option<String>,
    /// The version of the event that recorded it.
    pub version: i64,
    /// When it was recorded.
    pub at: DateTime<Utc>,
}

impl Progress {
    /// Whether what is contested was the same, and not nothing, in the last so many measurements.
    pub fn is_stable(&self, measurements: usize) -> bool {
        let Some(from) = self.signals.len().checked_sub(measurements) else {
            return false;
        };
        let latest = &self.signals[from..];
        latest.first().is_some_and(|first| {
            let frontier = &first.measured.frontier;
            !frontier.is_empty() && latest.iter().all(|it| it.measured.exact && it.measured.frontier == *frontier)
        })
    }
}

impl Projection for Progress {
    const NAME: &'static str = "progress";
    const REVISION: i32 = 1;

    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::PhaseEntered(entered) => self.phase = Some(entered.phase.clone()),
            Event::ProgressMeasured(measured) => self.signals.push(Signal {
                measured: measured.clone(),
                phase: self.phase.clone(),
                version: recorded.version,
                at: recorded.at,
            }),
            _ => {}
        }
    }
}
