//! Disputes and who stands where.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::projection::Projection;

/// All disputes of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DisputeGraph {
    /// By name, in the order in which they were raised.
    pub disputes: BTreeMap<DisputeId, Dispute>,
    spoken: BTreeMap<TurnId, PersonaId>,
}

/// A binary question and its stances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dispute {
    /// The question.
    pub question: String,
    /// Whether it is the debate's own topic.
    pub is_topic: bool,
    /// The present stance of each participant who took one.
    pub stances: BTreeMap<PersonaId, Stance>,
    /// Whether a yes and a no by different participants ever stood against each other.
    pub was_open: bool,
    /// Why it no longer counts; `None` while it does.
    pub retired: Option<String>,
}

/// Where somebody stands, and the turn in which they said so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stance {
    /// The side.
    pub side: Side,
    /// The turn of the speaker's own.
    pub turn: TurnId,
}

/// Where a dispute is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    /// Raised; nobody has contradicted anybody on it.
    Proposed,
    /// One said yes and another no, and they have not come to one side since.
    Open,
    /// It was open, and all who took a stance now take the same side.
    Settled,
    /// It no longer counts.
    Retired,
}

impl Dispute {
    /// Those who take this side.
    pub fn on(&self, side: Side) -> impl Iterator<Item = &PersonaId> {
        self.stances.iter().filter(move |(_, it)| it.side == side).map(|(persona, _)| persona)
    }

    /// Whether a yes and a no stand against each other.
    pub fn is_split(&self) -> bool {
        self.on(Side::Yes).next().is_some() && self.on(Side::No).next().is_some()
    }

    /// The side that at least `quorum` participants (and never fewer than two) hold while nobody holds the other.
    pub fn agreed(&self, quorum: usize) -> Option<Side> {
        let holders = |side| self.on(side).count();
        [(Side::Yes, Side::No), (Side::No, Side::Yes)]
            .into_iter()
            .find(|(side, other)| holders(*side) >= quorum.max(2) && holders(*other) == 0)
            .map(|(side, _)| side)
    }

    /// Whether all who took a stance take the same side. To waver is to take none.
    fn is_of_one_mind(&self) -> bool {
        let all_on = |side| self.stances.values().all(|it| it.side == side);
        all_on(Side::Yes) || all_on(Side::No)
    }

    /// Where it is in its life.
    pub fn status(&self) -> DisputeStatus {
        if self.retired.is_some() {
            DisputeStatus::Retired
        } else if !self.was_open {
            DisputeStatus::Proposed
        } else if self.is_of_one_mind() {
            DisputeStatus::Settled
        } else {
            DisputeStatus::Open
        }
    }
}

impl Projection for DisputeGraph {
    const NAME: &'static str = "dispute_graph";
    const REVISION: i32 = 1;

    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TurnTaken(taken) => {
                self.spoken.insert(taken.turn, taken.speaker.clone());
            }
            Event::Interjected(said) => {
                if let Some(speaker) = &said.speaker {
                    self.spoken.insert(said.turn, speaker.clone());
                }
            }
            Event::DisputeRaised(raised) => {
                self.disputes.entry(raised.dispute).or_insert_with(|| Dispute {
                    question: raised.question.clone(),
                    is_topic: raised.is_topic,
                    stances: BTreeMap::new(),
                    was_open: false,
                    retired: None,
                });
            }
            Event::StanceTaken(taken) => {
                let own_turn = self.spoken.get(&taken.turn) == Some(&taken.speaker);
                if let Some(dispute) = self.disputes.get_mut(&taken.dispute).filter(|_| own_turn) {
                    let stance = Stance { side: taken.side, turn: taken.turn };
                    dispute.stances.insert(taken.speaker.clone(), stance);
                    dispute.was_open |= dispute.is_split();
                }
            }
            Event::DisputeRetired(retired) => {
                if let Some(dispute) = self.disputes.get_mut(&retired.dispute) {
                    dispute.retired = Some(retired.reason.clone());
                }
            }
            _ => {}
        }
    }
}

impl DisputeGraph {
    /// The disputes that count.
    pub fn counted(&self) -> impl Iterator<Item = (DisputeId, &Dispute)> {
        self.disputes.iter().filter(|(_, it)| it.retired.is_none()).map(|(id, it)| (*id, it))
    }

    /// The name of the next dispute.
    pub fn next_dispute(&self) -> DisputeId {
        DisputeId(self.disputes.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The debate's own topic as a dispute, where an engine raised it.
    pub fn topic(&self) -> Option<(DisputeId, &Dispute)> {
        self.disputes.iter().find(|(_, it)| it.is_topic).map(|(id, it)| (*id, it))
    }
}
