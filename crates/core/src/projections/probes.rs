//! Probes of a debate after its end, by round.

use serde::{Deserialize, Serialize};

use crate::events::checks::probes::{ContractProbed, ContradictionsProbed, EndorsementsProbed};
use crate::events::event::{Event, Recorded};
use crate::events::receipt::{EffectAbandoned, PROBE_PURPOSES};
use crate::projections::projection::Projection;

/// All probes of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probes {
    /// Rounds in the order in which they were requested.
    pub rounds: Vec<ProbeRound>,
}

/// Probes that one request asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeRound {
    /// Registered name of the provider that was asked.
    pub provider: String,
    /// Version of the event that requested them.
    pub version: i64,
    /// Turns read beside contracts.
    pub contracts: Vec<RecordedProbe<ContractProbed>>,
    /// Pairs of statements.
    pub contradictions: Vec<RecordedProbe<ContradictionsProbed>>,
    /// Ratings of statements.
    pub endorsements: Vec<RecordedProbe<EndorsementsProbed>>,
    /// Requests that were abandoned, in order.
    pub abandoned: Vec<EffectAbandoned>,
    /// Result of the round in words; `None` while it is under way.
    pub result: Option<String>,
}

/// Answer to a probe with the version that recorded it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedProbe<T> {
    /// The answer.
    #[serde(flatten)]
    pub probed: T,
    /// Version of the event that recorded it.
    pub version: i64,
}

impl ProbeRound {
    /// True if a model answered a request of the round.
    pub fn has_answers(&self) -> bool {
        !(self.contracts.is_empty() && self.contradictions.is_empty() && self.endorsements.is_empty())
    }
}

impl Probes {
    /// Rounds that have ended and brought answers, the latest first. The latest of them counts.
    pub fn answered(&self) -> impl Iterator<Item = &ProbeRound> {
        self.rounds.iter().rev().filter(|round| round.result.is_some() && round.has_answers())
    }
}

impl Projection for Probes {
    fn apply(&mut self, recorded: &Recorded) {
        let version = recorded.version;
        if let Event::ProbesRequested(requested) = &recorded.event {
            let provider = requested.provider.clone();
            self.rounds.push(ProbeRound { provider, version, ..ProbeRound::default() });
        }
        let Some(round) = self.rounds.last_mut() else { return };
        match &recorded.event {
            Event::ContractProbed(it) => round.contracts.push(RecordedProbe { probed: it.clone(), version }),
            Event::ContradictionsProbed(it) => round.contradictions.push(RecordedProbe { probed: it.clone(), version }),
            Event::EndorsementsProbed(it) => round.endorsements.push(RecordedProbe { probed: it.clone(), version }),
            Event::EffectAbandoned(it) if PROBE_PURPOSES.contains(&it.key.purpose.as_str()) => {
                round.abandoned.push(it.clone());
            }
            Event::ProbesConcluded(it) => round.result = Some(it.reason.clone()),
            _ => {}
        }
    }
}
