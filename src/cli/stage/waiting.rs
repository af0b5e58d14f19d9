//! What is being waited for.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::cli::stage::speakers::{CLERK, Speakers};
use crate::cli::stage::words;
use crate::events::event::{Event, Recorded};
use crate::events::receipt::{EffectAbandoned, EffectAnswered, EffectFailed, EffectKey};

/// The most names in the line.
const NAMES: usize = 4;
/// What a clerk is asked for who judges attacks.
const JUDGES: &str = "judge";
/// What a clerk is asked for who draws claims, reasons and stances from the talk.
const DISTILS: &str = "crystallize";
/// What a clerk is asked for who holds claims against each other.
const COMPARES: &str = "compare";

/// Questions that are under way, and since when.
#[derive(Clone, Debug, Default)]
pub struct UnderWay {
    since: BTreeMap<EffectKey, DateTime<Utc>>,
}

impl UnderWay {
    /// Takes note of the next event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::EffectRequested(it) => {
                self.since.insert(it.key.clone(), recorded.at);
            }
            Event::EffectAnswered(EffectAnswered { key, .. })
            | Event::EffectFailed(EffectFailed { key, .. })
            | Event::EffectAbandoned(EffectAbandoned { key, .. }) => {
                self.since.remove(key);
            }
            Event::DebateConcluded(_) | Event::DebateAborted(_) => self.since.clear(),
            _ => {}
        }
    }

    /// Who is being waited for, in a line: `Ada and Ben are thinking (2 calls, 12 s)`.
    pub fn told(&self, speakers: &Speakers, now: DateTime<Utc>) -> Option<String> {
        let earliest = self.since.values().min()?;
        let mut names: Vec<String> = Vec::new();
        for key in self.since.keys() {
            let distils = key.subject == CLERK && (key.purpose == DISTILS || key.purpose == COMPARES);
            let name = if distils { "the clerk".to_owned() } else { speakers.subject(&key.subject) };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let all = |purpose: &str| self.since.keys().all(|it| it.subject == CLERK && it.purpose == purpose);
        let are = if names.len() == 1 { "is" } else { "are" };
        if names.len() > NAMES {
            let more = names.len() - (NAMES - 1);
            names.truncate(NAMES - 1);
            names.push(format!("{more} more"));
        }
        let calls = words::count(words::number(self.since.len()), "call");
        let lasting = words::lasting(now - *earliest);
        let doing = match () {
            () if all(JUDGES) => "weighing the attacks",
            () if all(DISTILS) => "taking notes",
            () if all(COMPARES) => "comparing claims",
            () => "thinking",
        };
        let line = format!("{} {are} {doing} ({calls}, {lasting})", words::capital(&words::listed(&names)));
        Some(line.replace('\u{a0}', " "))
    }
}
