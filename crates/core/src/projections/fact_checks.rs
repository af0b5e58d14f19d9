//! Fact checks of claims.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::check::{CheckVerdict, ClaimChecked};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CheckId, PersonaId, TurnId};
use crate::projections::projection::Projection;

/// All checks of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FactChecks {
    /// Checks by id, in the order in which they were made.
    pub checks: BTreeMap<CheckId, FactCheck>,
    speakers: BTreeMap<TurnId, PersonaId>,
}

/// Fact check of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactCheck {
    /// The claim and the result.
    #[serde(flatten)]
    pub checked: ClaimChecked,
    /// Speaker of the claim; `None` for a moderator.
    pub speaker: Option<PersonaId>,
    /// Version of the event that recorded it.
    pub version: i64,
    /// Time at which it was recorded.
    pub at: DateTime<Utc>,
}

/// Results of the checks of one participant's claims. A claim that was checked twice counts twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Factuality {
    /// Number of claims rated true.
    pub n_true: u32,
    /// Number of claims rated false.
    pub n_false: u32,
    /// Number of claims that the sources did not decide.
    pub n_unverifiable: u32,
    /// Share of true claims among those decided, from 0 to 1; `None` if none was decided.
    pub share: Option<f64>,
}

impl FactChecks {
    /// Next unused check id.
    pub fn next_check(&self) -> CheckId {
        CheckId(self.checks.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Results of the checks of a participant's claims.
    pub fn of(&self, persona: &PersonaId) -> Factuality {
        let theirs = || self.checks.values().filter(|check| check.speaker.as_ref() == Some(persona));
        let count = |wanted: CheckVerdict| {
            u32::try_from(theirs().filter(|check| check.checked.verdict == wanted).count()).unwrap_or(u32::MAX)
        };
        let [n_true, n_false, n_unverifiable] =
            [CheckVerdict::True, CheckVerdict::False, CheckVerdict::Unverifiable].map(count);
        let decided = f64::from(n_true) + f64::from(n_false);
        let share = (decided > 0.0).then(|| f64::from(n_true) / decided);
        Factuality { n_true, n_false, n_unverifiable, share }
    }
}

impl Projection for FactChecks {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TurnTaken(taken) => {
                self.speakers.insert(taken.turn, taken.speaker.clone());
            }
            Event::Interjected(said) => {
                self.speakers.extend(said.speaker.clone().map(|speaker| (said.turn, speaker)));
            }
            Event::ClaimChecked(checked) => {
                let speaker = self.speakers.get(&checked.turn).cloned();
                let check = FactCheck { checked: checked.clone(), speaker, version: recorded.version, at: recorded.at };
                self.checks.entry(checked.check).or_insert(check);
            }
            _ => {}
        }
    }
}
