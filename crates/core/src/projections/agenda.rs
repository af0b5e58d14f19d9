//! The agenda over time: the questions in focus.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::channel::AgendaSet;
use crate::events::event::{Event, Recorded};
use crate::events::ids::DisputeId;
use crate::projections::projection::Projection;

/// The agendas of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agenda {
    /// Agendas in order; the last one is in force.
    pub set: Vec<AgendaEntry>,
}

/// Agenda with the time at which it was set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgendaEntry {
    /// Questions in focus, and the reason.
    #[serde(flatten)]
    pub agenda: AgendaSet,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

impl Agenda {
    /// Returns the disputes in focus, the most divisive first.
    pub fn in_focus(&self) -> &[DisputeId] {
        self.set.last().map_or(&[], |entry| &entry.agenda.disputes)
    }
}

impl Projection for Agenda {
    fn apply(&mut self, recorded: &Recorded) {
        if let Event::AgendaSet(agenda) = &recorded.event {
            let (version, at) = (recorded.version, recorded.at);
            self.set.push(AgendaEntry { agenda: agenda.clone(), version, at });
        }
    }
}
