//! Evidence ledgers: the evidence that each participant offered, and the evidence of others that they contested.
//!
//! Evidence is contested by an attack on the argument that offers it, or by a reason given against a reason that offers
//! it. The attack may concern the claim or a premise, so contested evidence is not denied evidence: the ledger states
//! the attack and its rationale, and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::citation::Evidence;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, PointId, TurnId};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::summary::Summary;
use faultline_argumentation::labelling::Label;

/// Evidence offered and contested by one participant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceLedger {
    /// The participant.
    pub persona: PersonaId,
    /// Evidence of the participant's own live arguments and reasons, in order.
    pub offered: Vec<OfferedEvidence>,
    /// Evidence of others that the participant contested by a valid attack or by a reason, in order.
    pub contested: Vec<ContestedEvidence>,
}

/// Evidence that a participant offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfferedEvidence {
    /// Argument or reason that it supports.
    pub point: PointId,
    /// Turn that offers it; `None` if it is unknown.
    pub turn: Option<TurnId>,
    /// The evidence.
    pub evidence: Evidence,
}

/// Evidence that a participant contested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContestedEvidence {
    /// Argument or reason that offers it.
    pub point: PointId,
    /// Participant who offered it.
    pub offered_by: PersonaId,
    /// The evidence.
    pub evidence: Evidence,
    /// Argument or reason that contests it.
    pub by: PointId,
    /// Attack on the argument; `None` if a reason contests it.
    pub attack: Option<AttackId>,
    /// Turn that contests it.
    pub turn: TurnId,
    /// Rationale of the attack, or text of the reason.
    pub reason: String,
    /// True if the attacking argument is accepted, so that the attacked one is rejected. False for reasons, which have
    /// no label of the whole debate.
    pub defeated: bool,
}

/// Collects the ledgers of all participants, in speaking order; their lists may be empty. `labels` are the grounded
/// labels of the live arguments.
///
/// Cost: for each participant linear in the arguments, attacks and reasons.
pub fn evidence_ledgers(
    summary: &Summary,
    graph: &ArgumentGraph,
    disputes: &DisputeGraph,
    labels: &BTreeMap<ArgumentId, Label>,
) -> Vec<EvidenceLedger> {
    let ledger = |persona: &PersonaId| EvidenceLedger {
        persona: persona.clone(),
        offered: offered(graph, disputes, persona),
        contested: by_attacks(graph, labels, persona).chain(by_reasons(disputes, persona)).collect(),
    };
    summary.participants.iter().map(|participant| ledger(&participant.persona)).collect()
}

fn offered(graph: &ArgumentGraph, disputes: &DisputeGraph, persona: &PersonaId) -> Vec<OfferedEvidence> {
    let arguments =
        graph.live().filter(|(_, argument)| argument.advanced.speaker == *persona).flat_map(|(id, argument)| {
            let (point, turn) = (PointId::Argument(id), argument.turn());
            argument.advanced.evidence.iter().map(move |evidence| (point, turn, evidence))
        });
    let reasons = disputes.live_reasons().filter(|(_, reason)| reason.given.speaker == *persona);
    let reasons = reasons.flat_map(|(id, reason)| {
        let (point, turn) = (PointId::Reason(id), Some(reason.given.turn));
        reason.given.evidence.iter().map(move |evidence| (point, turn, evidence))
    });
    let all = arguments.chain(reasons);
    all.map(|(point, turn, evidence)| OfferedEvidence { point, turn, evidence: evidence.clone() }).collect()
}

fn by_attacks<'a>(
    graph: &'a ArgumentGraph,
    labels: &'a BTreeMap<ArgumentId, Label>,
    persona: &'a PersonaId,
) -> impl Iterator<Item = ContestedEvidence> + 'a {
    let own = graph.active().filter(move |(_, attack)| attack.raised.speaker == *persona);
    own.flat_map(move |(id, attack)| {
        let raised = &attack.raised;
        let target = graph.arguments.get(&raised.target).map(|argument| &argument.advanced);
        let evidence = target.into_iter().flat_map(|target| target.evidence.iter().map(move |piece| (target, piece)));
        evidence.map(move |(target, piece)| ContestedEvidence {
            point: PointId::Argument(raised.target),
            offered_by: target.speaker.clone(),
            evidence: piece.clone(),
            by: PointId::Argument(raised.source),
            attack: Some(id),
            turn: raised.turn,
            reason: raised.rationale.clone(),
            defeated: labels.get(&raised.source) == Some(&Label::In),
        })
    })
}

fn by_reasons<'a>(disputes: &'a DisputeGraph, persona: &'a PersonaId) -> impl Iterator<Item = ContestedEvidence> + 'a {
    let own = disputes.live_reasons().filter(move |(_, reason)| reason.given.speaker == *persona);
    own.flat_map(move |(id, reason)| {
        let attacked = reason.given.attacks.iter().filter_map(|other| disputes.reason(*other));
        let attacked = attacked.filter(|(_, other)| other.withdrawn.is_none());
        attacked.flat_map(move |(_, other)| {
            other.given.evidence.iter().map(move |piece| ContestedEvidence {
                point: PointId::Reason(other.given.reason),
                offered_by: other.given.speaker.clone(),
                evidence: piece.clone(),
                by: PointId::Reason(id),
                attack: None,
                turn: reason.given.turn,
                reason: reason.given.claim.clone(),
                defeated: false,
            })
        })
    })
}
