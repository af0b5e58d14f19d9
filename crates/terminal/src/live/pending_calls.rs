//! Pending calls to providers.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::labels;
use crate::speakers::{CLERK, Speakers};
use faultline_core::events::crux::RoomKind;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::receipt::{EffectAbandoned, EffectAnswered, EffectFailed, EffectKey, SearchRequested};

/// Maximum number of names in the line.
const MAX_NAMES: usize = 4;
/// Purpose of the clerk's judgement of attacks.
const JUDGE: &str = "judge";
/// Purpose of the clerk's extraction of claims, reasons and stances.
const CRYSTALLIZE: &str = "crystallize";
/// Purpose of the clerk's comparison of claims.
const COMPARE: &str = "compare";
/// Purpose of the clerk's search for disagreements.
const DETECT: &str = "detect";
/// Purposes of the clerk's readings of a room, which are the subjects of these calls.
const ROOM_READINGS: [&str; 2] = ["exit", "extract"];

/// Pending calls with their start times.
#[derive(Clone, Debug, Default)]
pub struct PendingCalls {
    since: BTreeMap<EffectKey, DateTime<Utc>>,
    /// True if the rooms of the debate are threads.
    has_threads: bool,
}

impl PendingCalls {
    /// Applies the next event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::EffectRequested(it) => {
                self.since.insert(it.key.clone(), recorded.at);
            }
            Event::EffectAnswered(EffectAnswered { key, .. })
            | Event::SearchRequested(SearchRequested { key, .. })
            | Event::EffectFailed(EffectFailed { key, .. })
            | Event::EffectAbandoned(EffectAbandoned { key, .. }) => {
                self.since.remove(key);
            }
            Event::RoomOpened(it) => self.has_threads = it.kind == RoomKind::Thread,
            Event::DebateConcluded(_) | Event::DebateAborted(_) => self.since.clear(),
            _ => {}
        }
    }

    /// Describes who is being waited for, on one line: `Ada and Ben are thinking (2 calls, 12 s)`.
    pub fn describe(&self, speakers: &Speakers, now: DateTime<Utc>) -> Option<String> {
        let earliest = self.since.values().min()?;
        let mut names: Vec<String> = Vec::new();
        for key in self.since.keys() {
            let purpose = key.purpose.as_str();
            let is_reading = key.subject == CLERK && [CRYSTALLIZE, COMPARE, DETECT].contains(&purpose);
            let name = if is_reading || ROOM_READINGS.contains(&purpose) {
                "the clerk".to_owned()
            } else {
                speakers.subject(&key.subject)
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let all = |purpose: &str| self.since.keys().all(|call| call.subject == CLERK && call.purpose == purpose);
        let are = if names.len() == 1 { "is" } else { "are" };
        if names.len() > MAX_NAMES {
            let more = names.len() - (MAX_NAMES - 1);
            names.truncate(MAX_NAMES - 1);
            names.push(format!("{more} more"));
        }
        let calls = labels::count(labels::number(self.since.len()), "call");
        let lasting = labels::lasting(now - *earliest);
        let reads_rooms = self.since.keys().all(|call| ROOM_READINGS.contains(&call.purpose.as_str()));
        let doing = match () {
            () if all(JUDGE) => "weighing the attacks",
            () if all(CRYSTALLIZE) => "taking notes",
            () if all(COMPARE) => "comparing claims",
            () if all(DETECT) => "looking for disagreements",
            () if reads_rooms && self.has_threads => "reading a thread",
            () if reads_rooms => "reading a room",
            () => "thinking",
        };
        let line = format!("{} {are} {doing} ({calls}, {lasting})", labels::capital(&labels::listed(&names)));
        Some(line.replace('\u{a0}', " "))
    }
}
