//! Common ground: answers that several participants gave, each in an own turn, and that nobody denied.

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::questions::contrast::mirrors;
use crate::questions::polarity::turns;
use crate::questions::sameness::is_alike;
use crate::questions::wording::TextFeatures;

/// Dispute on which the participants agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommonGround {
    /// Id of the dispute.
    pub dispute: DisputeId,
    /// Question of the dispute.
    pub question: String,
    /// Agreed side.
    pub side: Side,
    /// Participants who take the side.
    pub holders: Vec<Holder>,
}

/// Participant who takes an agreed side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The participant.
    pub persona: PersonaId,
    /// The participant's turn that states it.
    pub turn: TurnId,
    /// Words of the turn that state it.
    #[serde(default)]
    pub quote: Option<String>,
    /// Confidence in the side that the participant expressed, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// Finds the disputes that are not retired and on which at least `quorum` participants, and never fewer than two, take
/// the same side while nobody takes the other. Silence is not agreement, and neither is the answer of a single speaker.
pub fn common_ground(disputes: &DisputeGraph, quorum: usize) -> Vec<CommonGround> {
    disputes
        .not_retired()
        .filter_map(|(id, dispute)| {
            let side = dispute.agreed_side(quorum)?;
            let holders = dispute.stances.iter().filter(|(_, stance)| stance.side == side);
            let holders = holders.map(|(persona, stance)| Holder {
                persona: persona.clone(),
                turn: stance.turn,
                quote: stance.quote.clone(),
                confidence: stance.confidence,
            });
            Some(CommonGround { dispute: id, question: dispute.question.clone(), side, holders: holders.collect() })
        })
        .collect()
}

/// Removes common ground that contradicts other common ground: the same side of two questions that negate each other, yes
/// to two questions that mirror each other, or opposite sides of the same question. Returns what is left, and the contradicting pairs. Quadratic in the disputes that
/// are agreed upon.
pub fn without_contradictions(all: Vec<CommonGround>) -> (Vec<CommonGround>, Vec<(DisputeId, DisputeId)>) {
    let features: Vec<TextFeatures> = all.iter().map(|ground| TextFeatures::of(&ground.question)).collect();
    let contradict = |one: usize, other: usize| {
        let turns = turns(&features[one], &features[other]);
        let negated = turns.is_odd() && turns.left == 0;
        let equal = is_alike(&features[one], &features[other]);
        let mirrored = mirrors(&features[one], &features[other]) && all[one].side == Side::Yes;
        (negated || mirrored) && all[one].side == all[other].side || equal && all[one].side != all[other].side
    };
    let mut pairs = Vec::new();
    for one in 0..all.len() {
        for other in one + 1..all.len() {
            if contradict(one, other) {
                pairs.push((all[one].dispute, all[other].dispute));
            }
        }
    }
    let is_in = |dispute: DisputeId| pairs.iter().any(|(one, other)| *one == dispute || *other == dispute);
    (all.into_iter().filter(|ground| !is_in(ground.dispute)).collect(), pairs)
}
