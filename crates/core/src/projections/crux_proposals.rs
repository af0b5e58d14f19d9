//! Cruxes that participants proposed, with the acknowledgements of others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::audit::{AuditQuestion, Reading, WordsAudited};
use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CruxId, PersonaId, TurnId};
use crate::projections::projection::Projection;
use crate::questions::wording::AskedQuestion;

/// All cruxes that participants proposed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CruxProposals {
    /// Proposed cruxes by id, in the order in which they were proposed.
    pub cruxes: BTreeMap<CruxId, ProposedCrux>,
}

/// Crux that a participant proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedCrux {
    /// The proposal.
    #[serde(flatten)]
    pub proposed: CruxProposed,
    /// Acknowledgements by other participants in words of their own, in order, at most one each.
    pub acknowledged: Vec<CruxAcknowledged>,
    /// Acknowledgements without the words of a turn: shown, and never counted.
    #[serde(default)]
    pub reported: Vec<CruxAcknowledged>,
    /// Acknowledgements in whose words a qualified auditor found no agreement: shown, and never counted.
    #[serde(default)]
    pub contested: Vec<CruxAcknowledged>,
    /// Every acknowledgement in words, in order, with the version of its event and its reading by a qualified auditor.
    #[serde(default)]
    pub in_words: Vec<(i64, CruxAcknowledged, Option<Reading>)>,
    /// Version of the event that recorded it.
    pub version: i64,
}

impl ProposedCrux {
    /// Counts the acknowledgements again.
    fn recount(&mut self) {
        let is_contested = |reading: &Option<Reading>| reading.is_some_and(|reading| !reading.confirms_assent());
        let (contested, counted): (Vec<_>, Vec<_>) =
            self.in_words.iter().cloned().partition(|(_, _, reading)| is_contested(reading));
        self.contested = contested.into_iter().map(|(_, by, _)| by).collect();
        self.acknowledged = counted.into_iter().map(|(_, by, _)| by).collect();
    }
}

impl CruxProposals {
    fn read_again(&mut self, audited: &WordsAudited) {
        for crux in self.cruxes.values_mut() {
            for (version, _, reading) in &mut crux.in_words {
                let mut of_it = audited.readings.iter().filter(|it| it.event == *version);
                let found = of_it.find(|it| it.asked == AuditQuestion::Agreement).map(|it| it.reading);
                *reading = found.or(*reading);
            }
            crux.recount();
        }
    }

    /// Cruxes that another participant acknowledged.
    pub fn acknowledged(&self) -> impl Iterator<Item = (CruxId, &ProposedCrux)> {
        self.cruxes.iter().filter(|(_, crux)| !crux.acknowledged.is_empty()).map(|(id, crux)| (*id, crux))
    }

    /// Cruxes that several participants named, each with the turn of the second one: another agreed with the proposal, or
    /// proposed the same, which is no agreement. Of several proposals of the same crux, the first one counts.
    pub fn shared(&self) -> impl Iterator<Item = (&ProposedCrux, TurnId)> {
        self.cruxes.iter().filter_map(|(id, crux)| {
            let agreed = crux.acknowledged.first().map(|agreed| agreed.turn);
            let also =
                || self.also_named(crux).find(|other| other.proposed.crux > *id).map(|other| other.proposed.turn);
            Some((crux, agreed.or_else(also)?))
        })
    }

    /// Proposals of the same crux by other participants, in order. Nobody is said to have heard another's.
    pub fn also_named(&self, crux: &ProposedCrux) -> impl Iterator<Item = &ProposedCrux> {
        let (question, speaker) = (AskedQuestion::of(&crux.proposed.statement), crux.proposed.speaker.clone());
        let others = self.cruxes.values().filter(move |other| other.proposed.speaker != speaker);
        others.filter(move |other| question.is_asked_by(&other.proposed.statement))
    }

    /// True if this participant proposed a crux.
    pub fn is_proposer(&self, persona: &PersonaId) -> bool {
        self.cruxes.values().any(|crux| crux.proposed.speaker == *persona)
    }

    /// Next unused crux id.
    pub fn next_crux(&self) -> CruxId {
        CruxId(self.cruxes.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }
}

impl Projection for CruxProposals {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::CruxProposed(proposed) => {
                let (proposed, version) = (proposed.clone(), recorded.version);
                let id = proposed.crux;
                let (acknowledged, reported, contested, in_words) = Default::default();
                let crux = ProposedCrux { proposed, acknowledged, reported, contested, in_words, version };
                self.cruxes.insert(id, crux);
            }
            Event::CruxAcknowledged(by) => {
                let others = self.cruxes.get_mut(&by.crux).filter(|crux| crux.proposed.speaker != by.speaker);
                if let Some(crux) = others
                    && crux.acknowledged.iter().all(|acknowledgement| acknowledgement.speaker != by.speaker)
                {
                    match by.quote {
                        None => crux.reported.push(by.clone()),
                        Some(_) => {
                            crux.in_words.push((recorded.version, by.clone(), None));
                            crux.recount();
                        }
                    }
                }
            }
            Event::WordsAudited(audited) if audited.auditor.qualified => self.read_again(audited),
            _ => {}
        }
    }
}
