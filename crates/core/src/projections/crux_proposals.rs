//! Cruxes that participants proposed, with the acknowledgements of others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CruxId, PersonaId};
use crate::projections::projection::Projection;

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
    /// Version of the event that recorded it.
    pub version: i64,
}

impl CruxProposals {
    /// Cruxes that another participant acknowledged.
    pub fn acknowledged(&self) -> impl Iterator<Item = (CruxId, &ProposedCrux)> {
        self.cruxes.iter().filter(|(_, crux)| !crux.acknowledged.is_empty()).map(|(id, crux)| (*id, crux))
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
                let crux = ProposedCrux { proposed, acknowledged: Vec::new(), reported: Vec::new(), version };
                self.cruxes.insert(id, crux);
            }
            Event::CruxAcknowledged(by) => {
                let others = self.cruxes.get_mut(&by.crux).filter(|crux| crux.proposed.speaker != by.speaker);
                if let Some(crux) = others
                    && crux.acknowledged.iter().all(|acknowledgement| acknowledgement.speaker != by.speaker)
                {
                    let list = if by.quote.is_some() { &mut crux.acknowledged } else { &mut crux.reported };
                    list.push(by.clone());
                }
            }
            _ => {}
        }
    }
}
