//! What participants themselves hold to be the crux: proposed, and acknowledged by others or not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{CruxId, PersonaId};
use crate::projections::projection::Projection;

/// All cruxes that participants proposed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CruxProposals {
    /// By name, in the order in which they were proposed.
    pub cruxes: BTreeMap<CruxId, ProposedCrux>,
}

/// A crux that a participant proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedCrux {
    /// What was proposed.
    #[serde(flatten)]
    pub proposed: CruxProposed,
    /// Who agreed with it, each once, in order. Never the one who proposed it.
    pub acknowledged: Vec<CruxAcknowledged>,
    /// The version of the event that recorded it.
    pub version: i64,
}

impl CruxProposals {
    /// The cruxes with whose statement another participant agreed.
    pub fn acknowledged(&self) -> impl Iterator<Item = (CruxId, &ProposedCrux)> {
        self.cruxes.iter().filter(|(_, it)| !it.acknowledged.is_empty()).map(|(id, it)| (*id, it))
    }

    /// Whether this participant proposed one.
    pub fn is_proposer(&self, persona: &PersonaId) -> bool {
        self.cruxes.values().any(|it| it.proposed.speaker == *persona)
    }

    /// The name of the next crux.
    pub fn next_crux(&self) -> CruxId {
        CruxId(self.cruxes.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }
}

impl Projection for CruxProposals {
    const NAME: &'static str = "crux_proposals";
    const REVISION: i32 = 1;

    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::CruxProposed(proposed) => {
                let crux =
                    ProposedCrux { proposed: proposed.clone(), acknowledged: Vec::new(), version: recorded.version };
                self.cruxes.insert(proposed.crux, crux);
            }
            Event::CruxAcknowledged(by) => {
                let others = self.cruxes.get_mut(&by.crux).filter(|it| it.proposed.speaker != by.speaker);
                if let Some(crux) = others
                    && crux.acknowledged.iter().all(|it| it.speaker != by.speaker)
                {
                    crux.acknowledged.push(by.clone());
                }
            }
            _ => {}
        }
    }
}
